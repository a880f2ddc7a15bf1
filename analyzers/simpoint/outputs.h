/* SPDX-License-Identifier: MIT */
/* The files that SimPoint 3.2 writes about a clustering, and PinPoints' regions. */
#ifndef OUTPUTS_H
#define OUTPUTS_H

#include "analyzers/simpoint/selection.h"
#include "analyzers/simpoint/simpoint_options.h"

/*
 * Writes the files of one run that the options select: .simpts, .weights, .labels, centres. suffix
 * is appended to all names. Returns an exit code, after a message.
 */
int outputs_write(const struct simpoint_options *options, const char *suffix,
		  const struct clustering *clustering, const struct selection *selection,
		  const struct points *points);

/* Writes the files that do not depend on a run: points and the projection (at NULL: none). */
int outputs_write_points(const struct simpoint_options *options, const struct points *points,
			 const double *projection, size_t n_rows);

/* The place of a simulation point in the program. */
struct region {
	uint64_t start, end;                      /* instructions: from, up to but not including */
	struct place first, behind;               /* pc:count; not found if there was no trace */
	const char *first_module, *behind_module; /* paths; NULL: none */
	uint64_t first_low, behind_low;           /* the lowest addresses of these modules */
	const char *function;          /* or a place, see pc_names_heaviest; NULL: not known */
	uint64_t cluster_instructions; /* of all intervals of the cluster */
};

/*
 * Returns how often the address after a region is executed after the region's first instruction, up
 * to and including the execution that ends it.
 */
static inline uint64_t relative_count(const struct region *region)
{
	return region->behind.count - region->behind.before -
	       (region->behind.found && region->behind.pc == region->first.pc);
}

/* The contents of the files about regions beside the regions. */
struct regions_info {
	const char *command; /* line */
	uint64_t thread;
	uint64_t instructions; /* in all intervals */
	size_t intervals;
};

/* Writes PinPoints' CSV with instruction counts. Returns an exit code, after a message. */
int outputs_write_regions(const char *path, const struct regions_info *info,
			  const struct selection *selection, const struct region *regions);

/* Does the same with pc:count bounds, as the pcregions scripts of SDE and LoopPoint write them. */
int outputs_write_pc_regions(const char *path, const struct regions_info *info,
			     const struct selection *selection, const struct region *regions);

#endif
