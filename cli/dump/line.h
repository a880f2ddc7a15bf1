/* SPDX-License-Identifier: MIT */
/* Prints the lines of a dump, one for each instruction, block execution or event. */
#ifndef LINE_H
#define LINE_H

#include <stdio.h>

#include "cli/common/json_values.h"
#include "cli/dump/options.h"

struct static_line;

struct dump {
	const struct dump_options *options;
	struct tf_reader *reader;
	enum isa_vendor vendor;
	FILE *out;
	bool show_thread;
	bool addresses;             /* the trace has them */
	struct static_line **lines; /* by block id and instruction; NULL until a block is printed */
	uint32_t n_blocks;
	size_t n_lines; /* in memory */

	/* The last function that was named. */
	bool has_label;
	uint32_t thread, module;
	const struct tf_symbol *symbol;
};

void dump_insn(struct dump *dump, uint32_t thread, uint64_t ordinal,
	       const struct tf_insn_exec *exec);
void dump_block(struct dump *dump, uint32_t thread, uint64_t ordinal,
		const struct tf_block_exec *exec);
/* Prints the heads of the columns of blocks, in text. */
void dump_block_heads(const struct dump *dump);
void dump_event(struct dump *dump, const struct tf_event *event);

/* Frees the static lines, which are made again when needed. */
void dump_free_lines(struct dump *dump);

/* ---- parts of lines ---------------------------------------------------------------------- */

/* Prints the beginning of a line of text or CSV. */
void dump_head(const struct dump *dump, const char *type, uint64_t ordinal, uint32_t thread);

/* Returns a row of JSON with the members that all rows have. */
json_t *dump_row(const char *type, uint64_t ordinal, uint32_t thread);

/* Prints a row as a line, and frees the row. */
void dump_put_row(FILE *out, json_t *row);

/* Prints untrusted text, escaped so that it stays in its line. */
void dump_text(FILE *out, const char *text);

/* Returns "main+0x1a (ls)", "ls+0x4a10" without a symbol, or "(no file)". The caller frees it. */
char *dump_place(const struct tf_reader *reader, const struct tf_block *block, uint64_t offset,
		 const struct tf_symbol *symbol);

#endif
