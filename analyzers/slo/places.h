/* SPDX-License-Identifier: MIT */
/* Names code for people to read: by source line, or as far as that is known. */
#ifndef SLO_PLACES_H
#define SLO_PLACES_H

#include "analyzers/common/lines.h"
#include "analyzers/common/symbol_names.h"
#include "analyzers/slo/code.h"
#include "analyzers/slo/groups.h"

struct slo_places {
	const struct slo_code *code;
	struct lines *lines;
	struct symbol_names *names;
	const size_t *first_insn; /* by block id, ascending; and the total */
};

/* Lines of source code. */
struct slo_span {
	const char *file;     /* as the compiler named it, or NULL: not known */
	unsigned line;        /* the line by which the code is named */
	unsigned first, last; /* the first and the last line of the code in that file */
};

/*
 * Returns "mm.c:12", "main+0x1c" or "libc.so.6+0x1234", of an ELF virtual address of a module, or
 * of a pc without one. Free it, and the results of the functions below.
 */
char *slo_place_text(const struct slo_places *places, uint32_t module, uint64_t offset);

char *slo_insn_text(const struct slo_places *places, uint32_t insn);

/* Returns "the loop at mm.c:12 in main" or "main". */
char *slo_overview_text(const struct slo_places *places, const struct slo_part *part);

/* Returns "the loop at mm.c:12" or "the call of sum at mm.c:20"; NULL for plain code. */
char *slo_part_text(const struct slo_places *places, const struct slo_part *part);

/*
 * Returns true if all code of a change is that of the C library or its loader: the overview's
 * function, or, if the overview is the thread, the parts below it.
 */
bool slo_in_c_library(const struct slo_places *places, const struct slo_change *change);

/* Returns the lines of a loop. */
struct slo_span slo_loop_span(const struct slo_places *places, uint32_t loop);

/* Finds the line of an instruction. */
bool slo_insn_line(const struct slo_places *places, uint32_t insn, struct source_line *line);

#endif
