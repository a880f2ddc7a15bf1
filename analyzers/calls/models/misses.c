/* SPDX-License-Identifier: MIT */
#include "analyzers/calls/models/misses.h"

#include "analyzers/cache/simulate.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"

static void lookup(void *opaque, const struct cache_lookup *lookup)
{
	struct call_misses *m = opaque;

	m->by_insn[lookup->origin->insn] += !lookup->hit;
}

static void consume(void *opaque, const struct cache_access *accesses,
		    const struct cache_origin *origins, size_t count)
{
	struct call_misses *m = opaque;

	cache_hierarchy_feed(&m->hierarchy, accesses, origins, count);
}

int call_misses_init(struct call_misses *m, const struct analysis *run,
		     const struct call_model_options *options)
{
	const char *levels = options->levels ? options->levels : "32Ki/8,1Mi/16,32Mi/16";
	const char *wrong = cache_config_parse(&m->config, levels, false);
	unsigned level = options->level ? (unsigned)options->level : 1;
	int status = analyzer_needs_addresses(run);

	if (status)
		return status;
	if (wrong)
		return command_usage_error("--levels=%s: %s", levels, wrong);
	for (unsigned i = 0; i < m->config.n_levels; i++)
		if (m->config.data[i].policy == CACHE_OPT)
			return command_usage_error("--levels: opt needs to know the future; "
						   "trace-cache simulates such caches");
	if (level > m->config.n_levels)
		return command_usage_error("--level=%u: there are %u levels", level,
					   m->config.n_levels);
	cache_code_init(&m->code, run->reader, CACHE_FETCHES | CACHE_DATA,
			cache_config_fetch_line(&m->config));
	cache_hierarchy_init(&m->hierarchy, &m->config);
	m->observer = (struct cache_observer){
		.lookup = lookup,
		.opaque = m,
		.depths = 1u << (level - 1),
	};
	m->hierarchy.observer = &m->observer;
	m->feed = checked_array(1, sizeof(*m->feed));
	m->feed->code = &m->code;
	m->feed->consume = consume;
	m->feed->opaque = m;
	m->feed->wants_origins = true;
	return 0;
}

void call_misses_free(struct call_misses *m)
{
	cache_hierarchy_free(&m->hierarchy);
	access_code_free(&m->code);
	free(m->feed);
}

void call_misses_execute(struct call_misses *m, const struct tf_item *item, uint64_t *by_insn)
{
	m->by_insn = by_insn;
	cache_feed_blocks(m->feed, item, 0);
	cache_feed_flush(m->feed);
}
