/* SPDX-License-Identifier: MIT */
/*
 * Misses of hierarchies in detail: their kinds, the code and the data that cause them, and the
 * coherence of several cores. A study sees all lookups of its hierarchy.
 */
#ifndef CACHE_STUDY_H
#define CACHE_STUDY_H

#include "analyzers/cache/attribution.h"
#include "analyzers/cache/contention.h"
#include "analyzers/cache/feed.h"
#include "analyzers/calls/walk.h"
#include "analyzers/common/analyzer.h"

struct cache_study_options {
	struct cache_by by; /* no key: misses are not grouped */
	uint64_t top;       /* rows of a table, for each level */
	unsigned mangled;   /* 1: C++ names are shown as they are in the trace */
	bool kinds;         /* of misses; always if there are keys or several cores */
};

struct cache_study {
	struct cache_studies *studies;
	struct cache_hierarchy *hierarchy;
	struct cache_kinds kinds;
	struct cache_attribution attribution;
	struct coherence coherence;
	struct contention contention;
	struct cache_observer observer;
	struct cache_coherence hook;
};

/* The studies of all hierarchies. A zeroed struct has none. */
struct cache_studies {
	const struct cache_study_options *options;
	struct tf_reader *reader;
	struct places places;
	struct call_profile *profile; /* NULL: call paths are not wanted */
	uint32_t n_threads;
	struct call_walk *walks;      /* by thread */
	ARRAY(uint32_t) path_of_node; /* number of its text among places.texts + 1, or 0 */
	size_t count;
	struct cache_study *at;
};

/* Returns true if a hierarchy is coherent: TLBs are not. */
static inline bool cache_is_coherent(const struct cache_hierarchy *hierarchy)
{
	return hierarchy->config.n_cores > 1 && !hierarchy->config.pages;
}

/* Returns true if the misses of hierarchies of so many cores are wanted in detail. */
static inline bool cache_studies_are_wanted(const struct cache_study_options *options,
					    unsigned n_cores)
{
	return options->kinds || options->by.count || n_cores > 1;
}

/* Returns the parts of the trace that studies need beyond accesses: enum tf_columns, or-ed. */
unsigned cache_studies_columns(const struct cache_study_options *options, unsigned n_cores);

/*
 * Begins the studies of initialized hierarchies of so many cores; options and hierarchies must
 * outlive them. This and the functions below end the process if memory is out.
 */
void cache_studies_init(struct cache_studies *studies, const struct cache_study_options *options,
			const struct analysis *run, struct cache_hierarchy *const *hierarchies,
			size_t count);
void cache_studies_free(struct cache_studies *studies);

/* Forgets what was counted. */
void cache_studies_clear(struct cache_studies *studies);

void cache_studies_event(struct cache_studies *studies, const struct tf_event *event);

/* Feeds an item of blocks through a feed that wants origins, and empties the feed. */
void cache_studies_feed(struct cache_studies *studies, struct cache_feed *feed,
			const struct tf_item *item, unsigned core);

/* Reports the tables of all studies; instructions: how many were executed. */
void cache_studies_report(const struct cache_studies *studies, uint64_t instructions,
			  struct report *report);

#endif
