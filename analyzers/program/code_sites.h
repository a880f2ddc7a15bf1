/* SPDX-License-Identifier: MIT */
/* The sampled instructions, numbered, with their symbols and source lines. */
#ifndef CODE_SITES_H
#define CODE_SITES_H

#include "analyzers/common/lines.h"
#include "analyzers/common/numbering.h"
#include "analyzers/common/symbol_names.h"
#include "traceformat/common/hash_table.h"

struct code_site {
	struct code_site_key {
		uint64_t module; /* TF_NONE: none */
		uint64_t place;  /* offset in the module; without a module, pc */
	} key;
	uint64_t pc, module_offset;
	uint32_t module;                /* TF_NONE: none */
	uint32_t line;                  /* number of one of `line_texts`; TF_NONE: not known */
	const struct tf_symbol *symbol; /* or NULL */
	const char *name;               /* of the symbol, for people; one pointer a symbol */
	const struct tf_block *block;   /* or NULL */
};

struct code_sites {
	struct tf_reader *reader;
	struct lines *lines; /* NULL: source lines are not asked for */
	struct numbering line_texts;
	struct symbol_names *names;
	HASH_TABLE(struct code_site) sites;
};

/*
 * Initializes the sites. The reader must be loaded; it and names must outlive them. This and the
 * functions below end the process if memory is out.
 */
void code_sites_init(struct code_sites *sites, struct tf_reader *reader, bool with_lines,
		     struct symbol_names *names);
void code_sites_free(struct code_sites *sites);

/* Returns the number of an instruction. */
uint32_t code_sites_add(struct code_sites *sites, uint64_t pc, uint32_t module,
			uint64_t module_offset, const struct tf_block *block);

/* Returns "sort.c:123", or NULL. */
const char *code_site_line(const struct code_sites *sites, const struct code_site *site);

/* Returns the name of the module's file without its folder, or NULL. */
const char *code_site_module(const struct code_sites *sites, const struct code_site *site);

/* Returns the disassembly, or NULL if the code is not in the trace. Free it. */
char *code_site_disassemble(const struct code_sites *sites, const struct code_site *site);

/* Returns "symbol+0x1c (file:line)", or as much of it as is known. Free it. */
char *code_site_describe(const struct code_sites *sites, const struct code_site *site);

#endif
