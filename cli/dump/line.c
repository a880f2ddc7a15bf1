/* SPDX-License-Identifier: MIT */
#include "cli/dump/line.h"

#include <inttypes.h>

#include "cli/common/base_name.h"
#include "cli/common/checked.h"
#include "cli/common/escape.h"
#include "cli/common/put.h"

void dump_text(FILE *out, const char *s)
{
	char *text = escape_text(s);

	put_text(out, text);
	free(text);
}

void dump_head(const struct dump *dump, const char *type, uint64_t ordinal, uint32_t thread)
{
	FILE *out = dump->out;

	switch (dump->options->format) {
	case DUMP_TEXT:
		put_padded(out, ordinal, 10);
		put_text(out, "  ");
		if (dump->show_thread) {
			putc_unlocked('t', out);
			put_number(out, thread);
			put_text(out, "  ");
		}
		break;
	case DUMP_JSONL: break; /* see dump_row */
	case DUMP_CSV:
		put_text(out, type);
		putc_unlocked(',', out);
		put_number(out, ordinal);
		putc_unlocked(',', out);
		put_number(out, thread);
		putc_unlocked(',', out);
		break;
	}
}

json_t *dump_row(const char *type, uint64_t ordinal, uint32_t thread)
{
	json_t *row = checked(json_object());

	json_member(row, "type", json_word(type));
	json_member(row, "ordinal", json_number(ordinal));
	json_member(row, "thread", json_number(thread));
	return row;
}

void dump_put_row(FILE *out, json_t *row)
{
	json_put_line(out, row, JSON_COMPACT);
}

char *dump_place(const struct tf_reader *reader, const struct tf_block *block, uint64_t offset,
		 const struct tf_symbol *symbol)
{
	const struct tf_module *module = tf_module(reader, block->module);
	const char *file = "(no file)";

	if (module)
		file = base_name(module->path);
	if (symbol && offset != symbol->value)
		return text_format("%s+0x%" PRIx64 " (%s)", symbol->name, offset - symbol->value,
				   file);
	if (symbol)
		return text_format("%s (%s)", symbol->name, file);
	if (module)
		return text_format("%s+0x%" PRIx64, file, offset);
	return checked_copy(file);
}
