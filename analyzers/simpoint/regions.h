/* SPDX-License-Identifier: MIT */
/*
 * Regions: the parts of a program that simulation points are, with the places where they begin and
 * end, and the parts before them that warm up a simulator.
 */
#ifndef REGIONS_H
#define REGIONS_H

#include "analyzers/simpoint/places.h"
#include "analyzers/simpoint/selection.h"
#include "traceformat/tracesamples.h"

/*
 * A bound of a region: the state of the program immediately before an execution of an instruction,
 * its marker. Counts are those of one thread, or of all threads (regions_info.global).
 */
struct bound {
	size_t interval;                /* that begins here */
	uint64_t instructions;          /* so far */
	uint64_t filtered;              /* so far, without excluded code */
	bool is_last;                   /* the end of the program, which has no marker */
	struct place marker;            /* not found: there is none */
	const struct tf_module *module; /* of the marker; NULL: none */
	uint64_t low;                   /* the lowest address of that module */
	/* Members for a vector run: */
	bool compared,
		proven; /* another run executes the marker equally often, see proven_markers.h */
	uint64_t tier;  /* how rare the marker is, see struct tf_marker */
	uint32_t insn;  /* number of the marker in counts */
	bool has_hash;
	uint8_t hash[TF_INTERVAL_HASH]; /* of all executions so far */
};

struct region {
	uint64_t id, warmup_id; /* in files */
	/* end: the first instruction behind the region. marker.before counts executions before
	 * `start`, that of start those before `warmup`. */
	struct bound start, end;
	struct bound warmup;       /* start of the region's warm-up, which ends with `start` */
	size_t warmup_intervals;   /* 0: there is no warm-up */
	const char *function;      /* or a place, see pc_names_heaviest; NULL: not known */
	uint64_t cluster_filtered; /* of all intervals of the cluster */
	double multiplier;         /* see regions_multiply; NaN: not known */
};

/* Facts about all regions. */
struct regions_info {
	const char *command; /* line */
	bool global;         /* of all threads */
	uint64_t thread;     /* if not */
	uint64_t n_threads;
	uint64_t instructions, filtered; /* in all intervals */
	uint64_t first_pc;               /* of the program; 0: not known */
	size_t intervals;
};

/*
 * Returns how often the end's instruction is executed in the region, up to and including the
 * execution that ends it. The execution at the start does not count, since it is in (start, end] of
 * SDE's pcregions files.
 */
static inline uint64_t relative_count(const struct region *region)
{
	const struct place *end = &region->end.marker;

	return end->count - end->before - (end->found && end->pc == region->start.marker.pc);
}

/*
 * Sets the multiplier of each region: filtered instructions of its cluster, divided by those of
 * the points of the cluster (LoopPoint, HPCA 2022). The sum of multiplier times filtered length is
 * then the filtered length of all intervals.
 */
void regions_multiply(const struct selection *selection, struct region *regions);

/*
 * Numbers the regions as region files do, from 1: a region is its point's number + 1. Warm-up
 * regions have the numbers after all those of regions.
 */
void regions_number(const struct selection *selection, struct region *regions);

#endif
