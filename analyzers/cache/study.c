/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/study.h"

#include <limits.h>

#include "analyzers/calls/paths.h"
#include "analyzers/common/address_space.h"
#include "cli/common/checked.h"

/* ---- the place of an access -------------------------------------------------------------- */

/* Returns the place of the access under way, of the line of which an address is given. */
static struct place place_of(const struct cache_study *s, uint64_t address)
{
	const struct cache_origin *origin = s->hierarchy->origin;
	const struct cache_access *access = s->hierarchy->access;
	struct place place = place_of_insn(origin->block, origin->insn);
	uint64_t first = access->address > address ? access->address : address;

	place.thread = origin->thread;
	place.process = tf_thread(s->studies->reader, origin->thread)->process;
	place.accesses = true;
	place.address = first - address_space(s->studies->reader, origin->thread);
	return place;
}

/* Returns the number of the text of a thread's call path, or TF_NONE. */
static uint32_t path_of(struct cache_studies *s, uint32_t thread)
{
	uint32_t node;
	char *text;

	if (!s->profile)
		return TF_NONE;
	node = call_walk_node(&s->walks[thread]);
	CHECKED_RESERVE(s->path_of_node, node + 1ul);
	for (; s->path_of_node.count <= node; s->path_of_node.count++)
		s->path_of_node.at[s->path_of_node.count] = 0;
	if (!s->path_of_node.at[node]) {
		text = call_node_text(s->profile, &s->places.names, node);
		s->path_of_node.at[node] = numbering_add_text(&s->places.texts, text) + 1;
		free(text);
	}
	return s->path_of_node.at[node] - 1;
}

/* ---- hooks of a hierarchy ---------------------------------------------------------------- */

static void take_lookup(void *opaque, const struct cache_lookup *lookup)
{
	struct cache_study *s = opaque;
	enum cache_miss sharing = cache_is_coherent(s->hierarchy)
					  ? coherence_lookup(&s->coherence, lookup)
					  : N_CACHE_MISSES;
	enum cache_miss miss = cache_kinds_take(&s->kinds, lookup, sharing);

	if (sharing != N_CACHE_MISSES)
		contention_miss(&s->contention, sharing);
	if (miss == N_CACHE_MISSES || !s->studies->options->by.count)
		return;
	struct place place = place_of(s, lookup->line);

	cache_attribution_add(&s->attribution, &s->studies->places, &place,
			      path_of(s->studies, place.thread), lookup, miss);
}

static void take_hit(void *opaque, const struct cache_level *level, uint64_t line)
{
	struct cache_study *s = opaque;

	cache_kinds_hit(&s->kinds, level, line);
}

static bool is_quiet(void *opaque, unsigned core, uint64_t address, enum cache_kind kind)
{
	struct cache_study *s = opaque;

	return coherence_is_quiet(&s->coherence, core, address, kind);
}

static void before_access(void *opaque, unsigned core, uint64_t address, uint64_t bytes,
			  enum cache_kind kind)
{
	struct cache_study *s = opaque;

	coherence_access(&s->coherence, core, address, bytes, kind);
	if (!s->coherence.touch.contended)
		return;
	struct place place = place_of(s, address);

	contention_access(&s->contention, &place, address, bytes, kind);
}

static void init_study(struct cache_study *s, struct cache_studies *studies,
		       struct cache_hierarchy *hierarchy)
{
	*s = (struct cache_study){
		.studies = studies,
		.hierarchy = hierarchy,
		.observer = { take_lookup, s, UINT_MAX, true, take_hit },
		.hook = { before_access, is_quiet, s },
	};
	cache_kinds_init(&s->kinds, hierarchy);
	cache_attribution_init(&s->attribution, &studies->options->by, hierarchy);
	coherence_init(&s->coherence, hierarchy);
	contention_init(&s->contention, &s->coherence, &studies->places);
	hierarchy->observer = &s->observer;
	hierarchy->coherence = cache_is_coherent(hierarchy) ? &s->hook : NULL;
}

/* ---- all studies ------------------------------------------------------------------------- */

static bool follows_data(const struct cache_study_options *options, unsigned n_cores)
{
	return options->by.about_data || n_cores > 1;
}

unsigned cache_studies_columns(const struct cache_study_options *options, unsigned n_cores)
{
	return follows_data(options, n_cores) || options->by.are_paths ? TF_EVENTS : 0;
}

static void init_paths(struct cache_studies *s, const struct analysis *run)
{
	s->profile = checked_array(1, sizeof(*s->profile));
	call_profile_init(s->profile, run->reader, run->info.has_addresses, CALL_DETAIL_NONE);
	s->walks = checked_array(s->n_threads, sizeof(*s->walks));
	for (uint32_t i = 0; i < s->n_threads; i++)
		call_walk_init(&s->walks[i], s->profile, CALL_ROOT);
}

void cache_studies_init(struct cache_studies *s, const struct cache_study_options *options,
			const struct analysis *run, struct cache_hierarchy *const *hierarchies,
			size_t count)
{
	bool coherent = count && hierarchies[0]->config.n_cores > 1;
	struct places_options places = {
		.lines = options->by.needs_lines || coherent,
		.mangled = options->mangled,
		.data = options->by.about_data || coherent,
		.keep_objects = options->by.are_objects || coherent,
		.partial = run->partial,
	};

	*s = (struct cache_studies){
		.options = options,
		.reader = run->reader,
		.n_threads = run->n_threads,
		.count = count,
	};
	places_init(&s->places, run->reader, &places);
	if (options->by.are_paths)
		init_paths(s, run);
	s->at = checked_array(count, sizeof(*s->at));
	for (size_t i = 0; i < count; i++)
		init_study(&s->at[i], s, hierarchies[i]);
}

static void free_paths(struct cache_studies *s)
{
	if (!s->profile)
		return;
	for (uint32_t i = 0; i < s->n_threads; i++)
		call_walk_free(&s->walks[i]);
	call_profile_free(s->profile);
	free(s->profile);
	free(s->walks);
	free(s->path_of_node.at);
}

void cache_studies_free(struct cache_studies *s)
{
	if (!s->options)
		return;
	for (size_t i = 0; i < s->count; i++) {
		cache_kinds_free(&s->at[i].kinds);
		cache_attribution_free(&s->at[i].attribution);
		coherence_free(&s->at[i].coherence);
		contention_free(&s->at[i].contention);
	}
	free(s->at);
	free_paths(s);
	places_free(&s->places);
}

void cache_studies_clear(struct cache_studies *s)
{
	for (size_t i = 0; i < s->count; i++) {
		struct cache_study *study = &s->at[i];

		cache_kinds_clear(&study->kinds);
		cache_attribution_free(&study->attribution);
		contention_clear(&study->contention);
		study->coherence.counts = (struct coherence_counts){ 0 };
	}
}

/* ---- feeding ----------------------------------------------------------------------------- */

void cache_studies_event(struct cache_studies *s, const struct tf_event *event)
{
	places_event(&s->places, event);
	if (s->profile)
		call_walk_event(&s->walks[event->thread], event);
}

/* Feeds block by block, so that the call path is that of the block. */
static void feed_blocks(struct cache_studies *s, struct cache_feed *feed,
			const struct tf_item *item, unsigned core)
{
	struct tf_item one = *item;

	one.count = 1;
	for (size_t i = 0; i < item->count; i++) {
		one.blocks = &item->blocks[i];
		call_walk_block(&s->walks[item->thread], one.blocks);
		cache_feed_blocks(feed, &one, core);
		cache_feed_flush(feed);
		one.ordinal += one.blocks->executed;
	}
}

void cache_studies_feed(struct cache_studies *s, struct cache_feed *feed,
			const struct tf_item *item, unsigned core)
{
	places_block(&s->places, item->thread, item->blocks[0].block);
	if (s->profile) {
		feed_blocks(s, feed, item, core);
		return;
	}
	cache_feed_blocks(feed, item, core);
	cache_feed_flush(feed);
}
