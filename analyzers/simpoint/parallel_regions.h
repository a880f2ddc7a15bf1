/* SPDX-License-Identifier: MIT */
/*
 * Slices of a program from one parallel region of OpenMP to the next, as BarrierPoint has them
 * (Carlson, Heirman, Van Craeynest, Eeckhout: BarrierPoint, ISPASS 2014): all threads together, in
 * the recorded order.
 */
#ifndef PARALLEL_REGIONS_H
#define PARALLEL_REGIONS_H

#include "analyzers/simpoint/bb_file.h"
#include "analyzers/simpoint/regions.h"

struct parallel_regions {
	size_t n; /* slices */
	struct bound
		*bounds;   /* n + 1: their begins, and the program's end; the first has no marker */
	size_t n_entries;  /* functions that begin a parallel region */
	uint64_t *entered; /* by bound, then by entry: how often it was entered before the bound */
};

/*
 * Cuts a trace before each entry of GOMP_parallel, GOMP_parallel_start and __kmpc_fork_call, and
 * reads the basic block vectors of the slices, those of the threads side by side. distances: the
 * vectors of distances follow, with the same sum; the trace has addresses. Returns false after a
 * message: there is no such entry.
 */
bool parallel_regions_read(struct tf_reader *reader, const char *path, bool distances,
			   unsigned jobs, struct parallel_regions *regions, struct bb_rows *rows);
void parallel_regions_free(struct parallel_regions *regions);

/*
 * Sets the marker of a bound from the bound of the slices, and counts since that of interval
 * `since`.
 */
void parallel_regions_mark(const struct parallel_regions *regions, struct bound *bound,
			   size_t since);

#endif
