/* SPDX-License-Identifier: MIT */
/*
 * What the memory of a process is at an address: "[stack]", "[heap]", an anonymous mapping, a file,
 * or a symbol of a file. Follows mappings as they change; in a part of a trace, what was mapped
 * last holds until the part says otherwise.
 */
#ifndef IBS_REGIONS_H
#define IBS_REGIONS_H

#include "analyzers/common/symbol_names.h"
#include "traceformat/traceformat.h"

struct ibs_regions {
	const struct tf_reader *reader;
	struct symbol_names *symbols;
	uint32_t n_processes, n_modules;
	struct ibs_space {
		size_t count, room;
		struct ibs_mapped {
			uint64_t start, end;
			const struct tf_mapping *mapping;
		} *mapped;		/* ascending; they do not overlap */
	} *spaces;			/* by process */
	uint64_t *load_offsets;		/* by module: what to add to where its first byte is mapped
					   for the address that its symbols count from */
	struct numbering names;
};

/* The reader must be loaded; it and symbols must stay. Memory that is out ends the process, here
 * and below. */
void ibs_regions_init(struct ibs_regions *regions, const struct tf_reader *reader,
		      struct symbol_names *symbols, bool partial);
void ibs_regions_free(struct ibs_regions *regions);

/* A mapping has changed. */
void ibs_regions_change(struct ibs_regions *regions, uint32_t mapping);

/* Returns the region, a number of `names`. process may be TF_NONE. */
uint32_t ibs_regions_find(struct ibs_regions *regions, uint32_t process, uint64_t address);

#endif
