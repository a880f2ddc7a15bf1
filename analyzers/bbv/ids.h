/* SPDX-License-Identifier: MIT */
/* The ids of the places that vectors count: 1, 2, ... in the order of first use. */
#ifndef BBV_IDS_H
#define BBV_IDS_H

#include "traceformat/common/hash_table.h"
#include "traceformat/traceformat.h"

/* The place where a block begins, or a part of memory. */
struct bbv_start {
	uint64_t pc; /* BBV_MEMORY: the part's number */
	uint64_t module_offset;
	uint32_t module; /* index, TF_NONE: not known, or BBV_MEMORY */
};
enum { BBV_MEMORY = TF_NONE - 1 };

/* A place and what distinguishes it from others. */
struct bbv_place {
	struct bbv_place_key {
		uint64_t space; /* a module's index, BBV_MEMORY, or TF_NONE for a pc */
		uint64_t value;
	} key;
	struct bbv_start start;
};

/* Ids; with all else zeroed it has none. */
struct bbv_ids {
	bool by_offset; /* places are distinguished by module and offset, not by pc */
	HASH_TABLE(struct bbv_place) places; /* by id - 1 */
	ARRAY(uint32_t) sorted;              /* by place: the ids at the last bbv_ids_sort */
	ARRAY(uint32_t) ranks;               /* by id - 1: index in sorted */
};

void bbv_ids_free(struct bbv_ids *ids);

/*
 * Returns the id of a place, a new one the first time. If the place's module was not known before,
 * it is set. Ends the process if memory is out.
 */
uint32_t bbv_id(struct bbv_ids *ids, struct bbv_start start);

/*
 * Sorts: by address, or by module (in the order of the trace) and offset; memory is behind code.
 * The results are in ids->sorted and ids->ranks until bbv_id gives a new id.
 */
void bbv_ids_sort(struct bbv_ids *ids);

#endif
