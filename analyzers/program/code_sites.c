/* SPDX-License-Identifier: MIT */
#include "analyzers/program/code_sites.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/base_name.h"
#include "cli/common/checked.h"
#include "cli/common/trace_meta.h"

enum { MOST_TEXT = 128 }; /* of an instruction */

void code_sites_init(struct code_sites *s, struct tf_reader *reader, bool with_lines,
		     struct symbol_names *names)
{
	*s = (struct code_sites){ .reader = reader, .names = names };
	if (with_lines)
		s->lines = lines_open(reader);
}

void code_sites_free(struct code_sites *s)
{
	lines_close(s->lines);
	numbering_free(&s->line_texts);
	TABLE_FREE(s->sites);
}

static uint32_t line_of(struct code_sites *s, const struct code_site *site)
{
	struct source_line line;
	char text[PATH_MAX];

	if (!s->lines || !lines_find(s->lines, site->module, site->module_offset, &line))
		return TF_NONE;
	snprintf(text, sizeof(text), "%s:%u", line.file, line.line);
	return numbering_add_text(&s->line_texts, text);
}

uint32_t code_sites_add(struct code_sites *s, uint64_t pc, uint32_t module, uint64_t module_offset,
			const struct tf_block *block)
{
	const struct code_site_key key = { module, module == TF_NONE ? pc : module_offset };
	size_t known = s->sites.count;
	struct code_site *site = checked(TABLE_PUT(s->sites, key));

	if (s->sites.count > known) {
		site->pc = pc;
		site->module = module;
		site->module_offset = module_offset;
		site->block = block;
		site->symbol = tf_symbol(s->reader, module, module_offset);
		site->line = line_of(s, site);
		site->name = symbol_name(s->names, site->symbol);
	}
	return (uint32_t)(site - s->sites.at);
}

/* ---- texts ------------------------------------------------------------------------------- */

const char *code_site_line(const struct code_sites *s, const struct code_site *site)
{
	return site->line == TF_NONE ? NULL : numbering_key(&s->line_texts, site->line);
}

const char *code_site_module(const struct code_sites *s, const struct code_site *site)
{
	const struct tf_module *module = tf_module(s->reader, site->module);

	return module ? base_name(module->path) : NULL;
}

char *code_site_disassemble(const struct code_sites *s, const struct code_site *site)
{
	const struct tf_block *block = site->block;
	uint64_t offset = block ? site->pc - block->pc : 0;
	char text[MOST_TEXT] = "";

	for (unsigned i = 0; block && i < block->n_insns; i++)
		if (block->insns[i].offset == offset)
			isa_block_disassemble(block, i, recorded_vendor(s->reader), ISA_SYNTAX_ATT,
					      text, sizeof(text));
	return *text ? checked_copy(text) : NULL;
}

/* Returns "symbol+0x1c". Free it. */
static char *describe_code(const struct code_sites *s, const struct code_site *site)
{
	const char *module = code_site_module(s, site);

	if (site->name)
		return text_format("%s+%#" PRIx64, site->name,
				   site->module_offset - site->symbol->value);
	if (module)
		return text_format("%s+%#" PRIx64, module, site->module_offset);
	return text_format("%#" PRIx64, site->pc);
}

char *code_site_describe(const struct code_sites *s, const struct code_site *site)
{
	const char *line = code_site_line(s, site);
	char *code = describe_code(s, site), *text;

	if (!line)
		return code;
	text = text_format("%s (%s)", code, line);
	free(code);
	return text;
}
