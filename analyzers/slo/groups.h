/* SPDX-License-Identifier: MIT */
/*
 * Groups of reuses by the change that would make them come sooner: reuses that one loop carries, or
 * reuses between the same two loops or calls in the same function or loop.
 */
#ifndef SLO_GROUPS_H
#define SLO_GROUPS_H

#include "analyzers/slo/levels.h"

enum { SLO_MOST_CACHES = 8, SLO_LOG2_BINS = 32 };

/* A function or loop with its place in the code. */
struct slo_part {
	uint32_t is_loop;
	uint32_t what; /* function or loop; CONTEXT_NONE: plain code */
	uint32_t site; /* node that calls the function */
};

/* The properties that the reuses of a group have in common. */
struct slo_change {
	uint32_t kind;                 /* enum reuse_kind */
	struct slo_part overview;      /* its site is 0 */
	struct slo_part first, second; /* of REUSE_LOOP: zeros */
};

/* Counts of a group. They count reuses unless the member says otherwise. */
struct slo_counts {
	uint64_t reuses;
	double distance;                  /* the sum of all distances, in blocks */
	uint64_t log2[SLO_LOG2_BINS];     /* by log2 of the distance; 0 is in bin 0 */
	uint64_t misses[SLO_MOST_CACHES]; /* by cache: reuses with a distance of its size or more */
	uint64_t spatial;                 /* reuses of another part of the block (spatial reuse) */
	uint64_t far;                     /* carried over ITERATIONS_KEPT iterations or more */
	uint64_t inner;                   /* carried, by a loop around the one that touches */
	uint64_t same;                    /* carried; both touches are in the same inner loop */
	uint64_t calls;                   /* carried; both touches are in calls */
	uint32_t child;                   /* the inner loop with the majority of `same` */
	uint64_t votes;                   /* its lead, as in the majority vote of Boyer and Moore */
};

struct slo_group {
	struct slo_change key;
	struct slo_counts counts;
};

/* The instructions that touch first and second. */
struct slo_pair {
	uint32_t group;         /* its number */
	uint32_t first, second; /* the caller's numbers */
};

struct slo_pair_counts {
	struct slo_pair key;
	uint64_t reuses;
	double distance; /* the sum */
};

struct slo_touched_counts {
	struct slo_touched {
		uint32_t group;
		uint32_t data; /* the caller's number of the touched data */
	} key;
	uint64_t reuses;
};

struct slo_groups {
	unsigned n_caches;
	uint64_t caches[SLO_MOST_CACHES]; /* blocks */
	HASH_TABLE(struct slo_group) groups;
	HASH_TABLE(struct slo_pair_counts) pairs;
	HASH_TABLE(struct slo_touched_counts) touched;
};

struct slo_reuse {
	struct reuse reuse;
	uint64_t distance; /* blocks */
	bool spatial;
	bool inner;             /* the second touch is in a loop below the overview */
	uint32_t first, second; /* see slo_pair */
	uint32_t data;          /* see slo_touched; CONTEXT_NONE: not known */
};

/*
 * Adds a reuse to groups; a struct that is zeroed except the caches is empty. Ends the process if
 * memory is out.
 */
void slo_groups_add(struct slo_groups *groups, const struct contexts *contexts,
		    const struct slo_reuse *reuse);

void slo_counts_merge(struct slo_counts *to, const struct slo_counts *from);

void slo_groups_free(struct slo_groups *groups);

#endif
