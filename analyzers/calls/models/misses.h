/* SPDX-License-Identifier: MIT */
/* The misses of one level of simulated caches, by instruction. */
#ifndef CALLS_MISSES_H
#define CALLS_MISSES_H

#include "analyzers/cache/feed.h"
#include "analyzers/calls/models/model_options.h"

struct call_misses {
	struct cache_config config;
	struct access_code code;
	struct cache_feed *feed;
	struct cache_hierarchy hierarchy;
	struct cache_observer observer;
	uint64_t *by_insn; /* of the present execution */
};

/* Returns 0, or an exit code after a message. The misses must not be moved. */
int call_misses_init(struct call_misses *misses, const struct analysis *run,
		     const struct call_model_options *options);
void call_misses_free(struct call_misses *misses);

/* Adds the misses of an item of one block to by_insn. */
void call_misses_execute(struct call_misses *misses, const struct tf_item *item, uint64_t *by_insn);

#endif
