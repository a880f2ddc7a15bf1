/* SPDX-License-Identifier: MIT */
/* The instructions that samples are about, numbered, with their symbols and source lines. */
#ifndef IBS_SITES_H
#define IBS_SITES_H

#include "analyzers/common/lines.h"
#include "analyzers/common/numbering.h"
#include "analyzers/common/symbol_names.h"

struct ibs_site {
	uint64_t pc, module_offset;
	uint32_t module;			/* TF_NONE: none */
	uint32_t line;				/* a number of `line_texts`, or TF_NONE: not
						   known */
	const struct tf_symbol *symbol;		/* or NULL */
	const char *name;			/* the symbol's, to be shown: one pointer a
						   symbol */
	const struct tf_block *block;		/* or NULL */
};

struct ibs_sites {
	struct tf_reader *reader;
	struct lines *lines;		/* NULL: source lines are not asked for */
	struct numbering numbers, line_texts;
	struct symbol_names *names;
	struct ibs_site *sites;		/* by number */
	size_t room;
};

/* The reader must be loaded; it and names must stay. Memory that is out ends the process, here and
 * below. */
void ibs_sites_init(struct ibs_sites *sites, struct tf_reader *reader, bool with_lines,
		    struct symbol_names *names);
void ibs_sites_free(struct ibs_sites *sites);

/* Returns the number of an instruction. */
uint32_t ibs_sites_add(struct ibs_sites *sites, uint64_t pc, uint32_t module,
		       uint64_t module_offset, const struct tf_block *block);

/* "sort.c:123", or NULL. */
const char *ibs_site_line(const struct ibs_sites *sites, const struct ibs_site *site);

/* The name of the module's file without its folder, or NULL. */
const char *ibs_site_module(const struct ibs_sites *sites, const struct ibs_site *site);

/* Returns the disassembly, or NULL if the code is not in the trace. Free it. */
char *ibs_site_disassemble(const struct ibs_sites *sites, const struct ibs_site *site);

/* Returns "symbol+0x1c (file:line)", or as much of it as is known. Free it. */
char *ibs_site_describe(const struct ibs_sites *sites, const struct ibs_site *site);

/* The part of a path behind its last slash. */
const char *ibs_base_name(const char *path);

#endif
