/* SPDX-License-Identifier: MIT */
/* Prints the lines of executed blocks. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/common/escape.h"
#include "cli/common/put.h"
#include "cli/dump/line.h"

void dump_block_heads(const struct dump *dump)
{
	fprintf(dump->out, "%10s  %s%12s  %-14s %10s  %s\n", "ordinal",
		dump->show_thread ? "th  " : "", "pc", "block", "executed",
		dump->options->no_symbols ? "branch" : "branch     function");
}

static void put_row(const struct dump *dump, uint32_t thread, uint64_t ordinal,
		    const struct tf_block_exec *exec, const char *outcome)
{
	json_t *row = dump_row("block", ordinal, thread);

	json_member(row, "pc", json_hex(exec->block->pc));
	json_member(row, "block", json_number(exec->block->id));
	json_member(row, "instructions", json_number(exec->executed));
	json_member(row, "outcome", json_word(outcome));
	dump_put_row(dump->out, row);
}

void dump_block(struct dump *dump, uint32_t thread, uint64_t ordinal,
		const struct tf_block_exec *exec)
{
	static const char *const outcomes[] = {
		[TF_NOT_TAKEN] = "not-taken", [TF_TAKEN] = "taken", [TF_PARTIAL] = "partial"
	};
	FILE *out = dump->out;
	const struct tf_block *block = exec->block;
	const char *outcome = outcomes[exec->outcome];
	char *label = NULL;

	if (dump->options->format == DUMP_JSONL) {
		put_row(dump, thread, ordinal, exec, outcome);
		return;
	}
	if (!dump->options->no_symbols)
		label = dump_place(dump->reader, block, block->module_offset,
				   tf_symbol(dump->reader, block->module, block->module_offset));
	dump_head(dump, "block", ordinal, thread);
	if (dump->options->format == DUMP_TEXT) {
		fprintf(out, "%12" PRIx64 "  block %-8" PRIu32 " %3u of %3u  %-9s", block->pc,
			block->id, exec->executed, block->n_insns, outcome);
		if (label) {
			put_text(out, "  ");
			dump_text(out, label);
		}
	} else {
		fprintf(out, "0x%" PRIx64 ",%" PRIu32 ",%u,%s,", block->pc, block->id,
			exec->executed, outcome);
		if (label)
			put_csv(out, label);
	}
	putc_unlocked('\n', out);
	free(label);
}
