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
	struct place original;
	HASH_TABLE(struct candidate) found;
};

static void take_candidates(void *opaque, const struct tf_item *item)
{
	struct candidates *c = opaque;

	for (size_t i = 0; item->kind == TF_ITEM_INSNS && i < item->count; i++) {
		const struct tf_insn_exec *exec = &item->insns[i];
		struct candidate *candidate;

		if (c->found.count == MAX_CANDIDATES || is_rep(exec))
			continue;
		candidate = checked(TABLE_PUT(c->found, exec->pc));
		if (candidate->place.found)
			continue;
		candidate->place = c->original;
		candidate->place.ordinal = item->ordinal + i;
		set_place(&candidate->place, exec);
	}
}

static bool find_candidates(struct tf_reader *reader, uint32_t thread, uint64_t reach,
			    struct candidates *c)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;

	options.view = TF_VIEW_INSNS;
	options.thread = thread;
	options.first = c->original.ordinal;
	options.count = reach;
	return replay_items(reader, &options, take_candidates, c);
}

/* Moves a place to the first candidate whose count is not above the limit. */
static bool limit_place(struct tf_reader *reader, uint32_t thread, struct place *place,
			uint64_t limit, uint64_t reach)
{
	struct candidates c = { .original = *place };
	struct place *places;
	bool done = find_candidates(reader, thread, reach, &c);
	size_t n = c.found.count, i = 0;

	places = checked_array(n, sizeof(*places));
	for (size_t k = 0; k < n; k++)
		places[k] = c.found.at[k].place;
	done = done && places_find(reader, thread, places, n);
	while (i < n && places[i].count > limit)
		i++;
	if (done && i < n)
		*place = places[i];
	free(places);
	TABLE_FREE(c.found);
	return done;
}

bool places_limit(struct tf_reader *reader, uint32_t thread, struct place *places, size_t n,
		  uint64_t limit, uint64_t reach)
{
	for (size_t i = 0; i < n; i++)
		if (places[i].found && places[i].count > limit &&
		    !limit_place(reader, thread, &places[i], limit, reach))
			return false;
	return true;
}
