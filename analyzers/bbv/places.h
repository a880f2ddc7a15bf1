/* SPDX-License-Identifier: MIT */
/* Writes the file that gives the places of blocks. */
#ifndef BBV_PLACES_H
#define BBV_PLACES_H

#include "analyzers/bbv/memory.h"

struct bbv_names {
	struct tf_reader *reader;
	bool by_offset;
	bool demangled;
	enum bbv_memory_kind memory;
	unsigned n_levels; /* of caches; the part behind them is memory */
};

/*
 * Writes a line for each id, ascending by place: "F:id:address:function", the address in
 * hexadecimal, or MODULE+OFFSET with by_offset; "M:id:address:page" and "M:id:level:L1" (L2, ...,
 * memory) for parts of memory.
 */
void bbv_write_places(const struct bbv_names *names, struct bbv *bbv, FILE *out);

#endif
