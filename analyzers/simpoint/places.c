/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/places.h"

#include "analyzers/simpoint/intervals.h"
#include "analyzers/simpoint/watched_insns.h"
#include "cli/common/checked.h"
#include "traceformat/common/hash_table.h"

/* A place is at most this number of instructions, less one, behind the one that was asked for. */
enum { REPS_SKIPPED = 16 };

/*
 * Places that are nearer to each other are looked up in one replay. A replay that begins inside a
 * chunk reads the chunk from its start, so by default a chunk has this number of instructions.
 */
enum { NEAR = 16 << 20 };

struct watching {
	struct place **places; /* ascending by ordinal */
	struct place **since;  /* the same, ascending by since */
	size_t n, next, next_since;
	struct watched_insns insns;
	uint64_t *counts; /* executions, by address of insns */
};

static int by_ordinal(const void *a, const void *b)
{
	uint64_t x = (*(struct place *const *)a)->ordinal, y = (*(struct place *const *)b)->ordinal;

	return x < y ? -1 : x > y;
}

static int by_since(const void *a, const void *b)
{
	uint64_t x = (*(struct place *const *)a)->since, y = (*(struct place *const *)b)->since;

	return x < y ? -1 : x > y;
}

static void set_place(struct place *place, const struct tf_insn_exec *exec)
{
	place->found = true;
	place->pc = exec->pc;
	place->module = exec->block->module;
	place->module_offset = exec->block->module_offset + (exec->pc - exec->block->pc);
}

static bool is_rep(const struct tf_insn_exec *exec)
{
	return exec->block->insns[exec->index].flags & TF_INSN_REP;
}

/* Places that are looked up, ascending by ordinal; those before `next` are done. */
struct looking_up {
	struct place **places;
	size_t n, next;
};

/* Sets each place to the first instruction at its ordinal or behind it that can be a marker. */
static void take_places(void *opaque, const struct tf_item *item)
{
	struct looking_up *l = opaque;

	if (item->kind != TF_ITEM_INSNS)
		return;
	while (l->next < l->n && l->places[l->next]->ordinal < item->ordinal + item->count) {
		struct place *place = l->places[l->next];
		size_t i = place->ordinal > item->ordinal ? place->ordinal - item->ordinal : 0;

		while (i < item->count && is_rep(&item->insns[i]))
			i++;
		if (i == item->count)
			return;
		if (item->ordinal + i - place->ordinal < REPS_SKIPPED) {
			place->ordinal = item->ordinal + i;
			set_place(place, &item->insns[i]);
		}
		l->next++;
	}
}

/*
 * Looks up the instructions at the ordinals of n places, which ascend, or the next ones that are
 * no rep.
 */
static bool look_up(struct tf_reader *reader, uint32_t thread, struct place **places, size_t n)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;

	options.view = TF_VIEW_INSNS;
	options.thread = thread;
	for (size_t i = 0, end; i < n; i = end) {
		struct looking_up l = { .places = places + i };

		for (end = i + 1;
		     end < n && places[end]->ordinal - places[end - 1]->ordinal <= NEAR; end++)
			;
		l.n = end - i;
		options.first = places[i]->ordinal;
		options.count = places[end - 1]->ordinal + REPS_SKIPPED - options.first;
		if (!replay_items(reader, &options, take_places, &l))
			return false;
	}
	return true;
}

/* Looks up the places that are not found yet. */
static bool look_up_missing(struct tf_reader *reader, uint32_t thread, struct place *places,
			    size_t n)
{
	struct place **missing = checked_array(n, sizeof(*missing));
	size_t n_missing = 0;
	bool done;

	for (size_t i = 0; i < n; i++)
		if (!places[i].found)
			missing[n_missing++] = &places[i];
	qsort(missing, n_missing, sizeof(struct place *), by_ordinal);
	done = look_up(reader, thread, missing, n_missing);
	free(missing);
	return done;
}

/*
 * Counts how often the place's pc was executed before its `since`, which is inside the current
 * block.
 */
static void look_back(struct watching *w, struct place *place, const struct watched_block *block,
		      uint64_t ordinal)
{
	size_t address = watched_insns_find(&w->insns, place->pc);

	place->before = w->counts[address];
	for (size_t k = 0; k < block->insns.count; k++)
		place->before += block->insns.at[k].address == address &&
				 ordinal + block->insns.at[k].index < place->since;
}

static void count_execution(struct watching *w, size_t address, uint64_t ordinal)
{
	w->counts[address]++;
	for (; w->next < w->n && w->places[w->next]->ordinal == ordinal; w->next++)
		w->places[w->next]->count = w->counts[address];
}

static void feed_watching(void *opaque, const struct tf_item *item)
{
	struct watching *w = opaque;
	uint64_t ordinal = item->ordinal;

	if (item->kind != TF_ITEM_BLOCKS)
		return;
	for (size_t i = 0; i < item->count; i++) {
		const struct tf_block_exec *exec = &item->blocks[i];
		const struct watched_block *block = watched_insns_of(&w->insns, exec->block);

		for (; w->next_since < w->n &&
		       w->since[w->next_since]->since < ordinal + exec->executed;
		     w->next_since++)
			look_back(w, w->since[w->next_since], block, ordinal);
		for (size_t k = 0; k < block->insns.count; k++) {
			const struct watched_insn *insn = &block->insns.at[k];

			if (insn->index >= exec->executed)
				break;
			count_execution(w, insn->address, ordinal + insn->index);
		}
		ordinal += exec->executed;
	}
}

bool places_find(struct tf_reader *reader, uint32_t thread, struct place *places, size_t n)
{
	struct watching w = {
		.places = checked_array(n, sizeof(*w.places)),
		.since = checked_array(n, sizeof(*w.since)),
		.counts = checked_array(n, sizeof(*w.counts)),
	};
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	uint64_t *addresses = checked_array(n, sizeof(*addresses));
	bool found = look_up_missing(reader, thread, places, n);

	options.thread = thread;
	options.count = 0;
	for (size_t i = 0; i < n && found; i++) {
		if (!places[i].found)
			continue;
		w.places[w.n] = w.since[w.n] = &places[i];
		addresses[w.n++] = places[i].pc;
		if (places[i].ordinal >= options.count)
			options.count = places[i].ordinal + 1;
	}
	qsort(w.places, w.n, sizeof(*w.places), by_ordinal);
	qsort(w.since, w.n, sizeof(*w.since), by_since);
	watched_insns_init(&w.insns, reader, addresses, w.n);
	if (found && options.count)
		found = replay_items(reader, &options, feed_watching, &w);
	watched_insns_free(&w.insns);
	free(addresses);
	free(w.places);
	free(w.since);
	free(w.counts);
	return found;
}

/* ---- rarer places ------------------------------------------------------------------------ */

/* At most this number of addresses are tried instead of one. */
enum { MAX_CANDIDATES = 4096 };

struct candidate {
	uint64_t key; /* pc */
	struct place place;
};

/*
 * Instructions that could take the place of one whose count is too high: first executions after it.
 */
struct candidates {
	struct place *original;
	HASH_TABLE(struct candidate) found;
};

/* Candidates for several places, ascending by the ordinals of the places. */
struct limiting {
	struct candidates *at;
	size_t n;
	uint64_t reach;
	size_t first, end; /* those that are looked for in one replay */
};

static int by_original(const void *a, const void *b)
{
	return by_ordinal(&((const struct candidates *)a)->original,
			  &((const struct candidates *)b)->original);
}

static void take_candidate(struct candidates *c, const struct tf_insn_exec *exec, uint64_t ordinal)
{
	struct candidate *candidate;

	if (c->found.count == MAX_CANDIDATES || is_rep(exec))
		return;
	candidate = checked(TABLE_PUT(c->found, exec->pc));
	if (candidate->place.found)
		return;
	candidate->place = *c->original;
	candidate->place.ordinal = ordinal;
	set_place(&candidate->place, exec);
}

static void take_candidates(void *opaque, const struct tf_item *item)
{
	struct limiting *l = opaque;

	if (item->kind != TF_ITEM_INSNS)
		return;
	while (l->first < l->end && l->at[l->first].original->ordinal + l->reach <= item->ordinal)
		l->first++;
	for (size_t k = l->first; k < l->end; k++) {
		uint64_t from = l->at[k].original->ordinal, to = from + l->reach;

		if (from >= item->ordinal + item->count)
			break;
		for (size_t i = from > item->ordinal ? from - item->ordinal : 0;
		     i < item->count && item->ordinal + i < to; i++)
			take_candidate(&l->at[k], &item->insns[i], item->ordinal + i);
	}
}

static bool find_candidates(struct tf_reader *reader, uint32_t thread, struct limiting *l)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;

	options.view = TF_VIEW_INSNS;
	options.thread = thread;
	for (size_t i = 0, end; i < l->n; i = end) {
		for (end = i + 1;
		     end < l->n && l->at[end].original->ordinal <=
					   l->at[end - 1].original->ordinal + l->reach + NEAR;
		     end++)
			;
		l->first = i;
		l->end = end;
		options.first = l->at[i].original->ordinal;
		options.count = l->at[end - 1].original->ordinal + l->reach - options.first;
		if (!replay_items(reader, &options, take_candidates, l))
			return false;
	}
	return true;
}

/* Moves places to the first of their candidates whose count is not above the limit. */
static bool move_places(struct tf_reader *reader, uint32_t thread, const struct limiting *l,
			uint64_t limit)
{
	size_t n = 0, at = 0;
	struct place *places;
	bool done;

	for (size_t i = 0; i < l->n; i++)
		n += l->at[i].found.count;
	places = checked_array(n, sizeof(*places));
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->at[i].found.count; k++)
			places[at++] = l->at[i].found.at[k].place;
	done = places_find(reader, thread, places, n);
	at = 0;
	for (size_t i = 0; i < l->n && done; i++) {
		size_t end = at + l->at[i].found.count, k = at;

		while (k < end && places[k].count > limit)
			k++;
		if (k < end)
			*l->at[i].original = places[k];
		at = end;
	}
	free(places);
	return done;
}

bool places_limit(struct tf_reader *reader, uint32_t thread, struct place *places, size_t n,
		  uint64_t limit, uint64_t reach)
{
	struct limiting l = { .at = checked_array(n, sizeof(*l.at)), .reach = reach };
	bool done;

	for (size_t i = 0; i < n; i++)
		if (places[i].found && places[i].count > limit)
			l.at[l.n++].original = &places[i];
	qsort(l.at, l.n, sizeof(*l.at), by_original);
	done = !l.n ||
	       (find_candidates(reader, thread, &l) && move_places(reader, thread, &l, limit));
	for (size_t i = 0; i < l.n; i++)
		TABLE_FREE(l.at[i].found);
	free(l.at);
	return done;
}
