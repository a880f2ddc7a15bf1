/* SPDX-License-Identifier: MIT */
/*
 * Names the memory of a process at an address: "[stack]", "[heap]", an anonymous mapping, a file,
 * or a symbol of a file. Follows mappings as they change; in a part of a trace, what was mapped
 * last holds until the part says otherwise.
 */
#ifndef MEMORY_REGIONS_H
#define MEMORY_REGIONS_H

#include "analyzers/common/numbering.h"
#include "analyzers/common/symbol_names.h"
#include "traceformat/common/hash_table.h"
#include "traceformat/common/range_map.h"
#include "traceformat/traceformat.h"

/* The addresses in a process at which the first byte of a module's file is mapped. */
struct file_starts {
	struct {
		uint32_t process, module;
	} key;
	struct range_map map; /* a range for each such byte */
};

struct memory_regions {
	const struct tf_reader *reader;
	struct symbol_names *symbols;
	uint32_t n_processes, n_modules;
	struct range_map *spaces; /* by process: of struct tf_mapping */
	HASH_TABLE(struct file_starts) file_starts;
	uint64_t *load_offsets; /* by module: what to add to where its first byte is mapped
					   for the address that its symbols count from */
	struct numbering names;
};

/* The reader must be loaded; it and symbols must stay. Memory that is out ends the process, here
 * and below. */
void memory_regions_init(struct memory_regions *regions, const struct tf_reader *reader,
			 struct symbol_names *symbols, bool partial);
void memory_regions_free(struct memory_regions *regions);

/* A mapping has changed. */
void memory_regions_change(struct memory_regions *regions, uint32_t mapping);

/* Returns the region, a number of `names`. process may be TF_NONE. */
uint32_t memory_regions_find(struct memory_regions *regions, uint32_t process, uint64_t address);

#endif
