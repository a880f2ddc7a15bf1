/* SPDX-License-Identifier: MIT */
/*
 * The column slot-sources (FORMAT.md 5.3), and the study that chooses the slots that predict
 * others. Each slot of some records is compared with the slots shortly before it. A source is rated
 * by the bits that the differences from it would take; a difference that equals the one before
 * takes none. Most of the possible sources are soon seen to be useless, and are compared no more.
 */
#include "traceformat/codings/slot_sources.h"

#include "traceformat/common/hash_table.h"

struct slot_place slot_place(path_lookup *lookup, const void *opaque, uint32_t n_paths,
			     uint32_t slot)
{
	uint32_t low = 0, high = n_paths;
	const struct compiled_path *p;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (lookup(opaque, middle)->slot_base <= slot)
			low = middle;
		else
			high = middle;
	}
	p = lookup(opaque, low);
	return (struct slot_place){ p, slot - p->slot_base };
}

void slot_sources_spare_reps(struct slot_sources *sources, path_lookup *lookup, const void *opaque,
			     uint32_t n_paths)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < sources->count; i++) {
		struct slot_place p = slot_place(lookup, opaque, n_paths, sources->at[i].slot);

		if (!extras_take(&p.path->reps, p.slot))
			sources->at[n++] = sources->at[i];
	}
	sources->count = n;
}

static void apply(struct slot_states *states, uint32_t slot, uint32_t source)
{
	states->source[slot] = (int32_t)(source - slot);
	states->sourced = true;
}

void slot_sources_apply(const struct slot_sources *sources, struct slot_states *states)
{
	for (uint32_t i = 0; i < sources->count; i++)
		apply(states, sources->at[i].slot, sources->at[i].source);
}

void slot_sources_remove(const struct slot_sources *sources, struct slot_states *states)
{
	for (uint32_t i = 0; i < sources->count; i++)
		states->source[sources->at[i].slot] = 0;
	states->sourced = false;
}

void slot_sources_write(const struct slot_sources *sources, path_lookup *lookup, const void *opaque,
			uint32_t n_paths, struct buffer *column)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < sources->count; i++) {
		struct slot_place p = slot_place(lookup, opaque, n_paths, sources->at[i].slot);
		struct slot_place from = slot_place(lookup, opaque, n_paths, sources->at[i].source);

		put_varint(column, p.path->path.id - before);
		put_varint(column, p.slot);
		put_svarint(column, (int64_t)from.path->path.id - p.path->path.id);
		put_varint(column, from.slot);
		before = p.path->path.id;
	}
}

/* Returns true if the path has the slot and the slot's place can be stored as a distance. */
static bool exists(const struct compiled_path *path, uint64_t slot)
{
	return path && slot < path->path.n_slots &&
	       path->slot_base <= INT32_MAX - TF_MAX_PATH_SLOTS;
}

/* An entry of the column, while it is read; at first zeros, but for the column. */
struct entry {
	struct span column;
	uint64_t id;
	const struct compiled_path *path, *from; /* NULL: lost */
	uint64_t slot, source;                   /* of these paths */
};

/* Reads the next entry. Returns false at the end, and if the column is damaged: column.bad. */
static bool next_entry(struct entry *e, path_lookup *lookup, const void *opaque)
{
	struct span *s = &e->column;
	uint64_t distance, from;
	int64_t to;

	if (s->at == s->end)
		return false;
	distance = take_varint(s);
	e->slot = take_varint(s);
	to = take_svarint(s);
	e->source = take_varint(s);
	s->bad |= distance >= TF_NONE - e->id;
	if (s->bad)
		return false;
	e->id += distance;
	from = e->id + (uint64_t)to;
	e->path = lookup(opaque, (uint32_t)e->id);
	e->from = from < TF_NONE ? lookup(opaque, (uint32_t)from) : NULL;
	return true;
}

bool slot_sources_read(struct span column, path_lookup *lookup, const void *opaque,
		       struct slot_states *states)
{
	struct entry e = { .column = column };
	uint64_t before = 0;

	while (next_entry(&e, lookup, opaque)) {
		const struct compiled_path *p = e.path, *q = e.from;

		if (!exists(p, e.slot) || !exists(q, e.source) || (p == q && e.source >= e.slot) ||
		    p->slot_base + e.slot < before)
			return false;
		apply(states, p->slot_base + (uint32_t)e.slot, q->slot_base + (uint32_t)e.source);
		before = p->slot_base + e.slot + 1;
	}
	return !e.column.bad;
}

/* Marks the source of a slot, the source's source, and so on. */
static void mark_sources(struct slot_states *states, size_t slot)
{
	while (states->source[slot]) {
		slot += (size_t)(ptrdiff_t)states->source[slot];
		if (states->needed[slot] & SLOT_NEEDED)
			return;
		states->needed[slot] |= SLOT_NEEDED;
		states->any_needed = true;
	}
}

void slot_sources_need(struct span column, path_lookup *lookup, const void *opaque,
		       enum slot_wish wish, struct slot_states *states)
{
	struct entry e = { .column = column };

	while (next_entry(&e, lookup, opaque))
		if (extras_take(wish == WISH_EXTENTS ? &e.path->extents : &e.path->reps,
				(uint32_t)e.slot))
			mark_sources(states, e.path->slot_base + e.slot);
	for (e = (struct entry){ .column = column }; next_entry(&e, lookup, opaque);)
		if (states->needed[e.from->slot_base + e.source] & SLOT_NEEDED)
			states->needed[e.from->slot_base] |= SLOTS_OF_PATH;
}

/* ---- the study ------------------------------------------------------------------------------- */

enum {
	MAX_STUDIED = 4096,
	WINDOW = 16, /* slots before a slot that may be its source */
	CANDIDATES = 16,
	LEAST_SEEN = 16,   /* executions from which a slot is judged */
	LEAST_GAIN = 16,   /* one in so many bits must be saved, */
	LEAST_BITS = 2,    /* and so many an execution: a source takes time */
	RESIDUAL_BITS = 4, /* what a difference costs at least */
	FIRST_SEEN = 4,    /* executions at which candidates are taken; then one in: */
	SELDOM = 8,
	DROP = 16,       /* executions after which useless candidates are dropped, */
	DROP_EXCESS = 8, /* those that take more bits than the best one, by one in so many */
};

struct candidate {
	uint32_t slot; /* number in the table of studied slots */
	uint32_t bits;
	uint64_t stride;
};

struct studied {
	uint32_t key; /* the slot */
	uint32_t seen, bits;
	uint32_t n_candidates, n_compared;
	uint64_t stride;
	struct candidate candidates[CANDIDATES]; /* those that are still compared come first */
};

struct slot_study {
	unsigned n_seen;
	HASH_TABLE(struct studied) slots;
	uint64_t last[MAX_STUDIED]; /* values of the slots, by number: together, for comparisons */
	uint32_t window[WINDOW], n_window; /* numbers in the table */
	struct slot_source found[MAX_STUDIED];
};

struct slot_study *slot_study_new(void)
{
	return calloc(1, sizeof(struct slot_study));
}

void slot_study_free(struct slot_study *study)
{
	if (study)
		TABLE_FREE(study->slots);
	free(study);
}

void slot_study_begin(struct slot_study *study)
{
	study->n_seen = study->n_window = 0;
	TABLE_CLEAR(study->slots);
}

unsigned slot_study_slots(const struct slot_study *study)
{
	return study->n_seen;
}

/*
 * Returns a slot of the study, or NULL if there are too many or memory is out. guess: the number
 * that it probably has.
 */
static struct studied *find(struct slot_study *study, uint32_t slot, size_t guess)
{
	if (guess < study->slots.count && study->slots.at[guess].key == slot)
		return &study->slots.at[guess];
	if (study->slots.count == MAX_STUDIED)
		return TABLE_FIND(study->slots, slot);
	return TABLE_PUT(study->slots, slot);
}

static bool has_candidate(const struct studied *s, uint32_t slot)
{
	for (uint32_t i = 0; i < s->n_candidates; i++)
		if (s->candidates[i].slot == slot)
			return true;
	return false;
}

/* Returns the bits that the difference of a slot from its source takes. */
static uint32_t bits_of(uint64_t difference, uint64_t stride)
{
	uint64_t v = zigzag((int64_t)difference);

	return difference == stride ? 0 : RESIDUAL_BITS + 64 - (uint32_t)__builtin_clzll(v | 1);
}

/* Takes candidates from the window, except the slot itself and later ones of its record. */
static void take_candidates(struct slot_study *study, struct studied *s, uint64_t value,
			    uint32_t end)
{
	uint32_t n = study->n_window < WINDOW ? study->n_window : WINDOW;

	for (uint32_t i = 1; i <= n && s->n_candidates < CANDIDATES; i++) {
		uint32_t slot = study->window[(study->n_window - i) % WINDOW];
		uint32_t key = study->slots.at[slot].key;

		if ((key >= s->key && key < end) || has_candidate(s, slot))
			continue;
		s->candidates[s->n_candidates++] = s->candidates[s->n_compared];
		s->candidates[s->n_compared++] = (struct candidate){
			.slot = slot,
			.stride = value - study->last[slot],
			.bits = s->bits,
		};
	}
}

/* Returns the bits that a source may take at most, if it is to be better than the slot itself. */
static uint32_t most_bits(const struct studied *s)
{
	uint32_t gain = s->bits / LEAST_GAIN, worth = s->seen * LEAST_BITS;
	uint32_t least = gain > worth ? gain : worth;

	return s->bits > least ? s->bits - least : 0;
}

/*
 * Drops the candidates that take clearly more bits than the best one, or than the slot itself; all
 * of them, if the slot itself takes so few that none can be better.
 */
static void drop_candidates(struct studied *s)
{
	uint32_t most = most_bits(s), best = most, n = 0;

	for (uint32_t i = 0; i < s->n_compared; i++)
		if (s->candidates[i].bits < best)
			best = s->candidates[i].bits;
	for (uint32_t i = 0; i < s->n_compared; i++) {
		struct candidate c = s->candidates[i];

		if (!most || c.bits > best + best / DROP_EXCESS)
			continue;
		s->candidates[i] = s->candidates[n];
		s->candidates[n++] = c;
	}
	s->n_compared = n;
}

static void study_slot(struct slot_study *study, struct studied *s, uint64_t value, uint32_t end)
{
	uint64_t *last = &study->last[s - study->slots.at], stride = value - *last;

	for (uint32_t i = 0; i < s->n_compared; i++) {
		struct candidate *c = &s->candidates[i];
		uint64_t difference = value - study->last[c->slot];

		c->bits += bits_of(difference, c->stride);
		c->stride = difference;
	}
	if (s->n_candidates < CANDIDATES && (s->seen < FIRST_SEEN || s->seen % SELDOM == 0))
		take_candidates(study, s, value, end);
	s->seen++;
	s->bits += bits_of(stride, s->stride);
	s->stride = stride;
	if (s->seen % DROP == 0)
		drop_candidates(s);
	*last = value;
	study->window[study->n_window++ % WINDOW] = (uint32_t)(s - study->slots.at);
}

void slot_study_record(struct slot_study *study, const struct slot_record *r)
{
	size_t next = SIZE_MAX; /* slots of a path mostly have numbers that follow each other */

	study->n_seen += r->count;
	for (uint32_t i = 0; i < r->count; i++) {
		struct studied *s = find(study, r->base + i, next);

		if (!s)
			continue;
		if (!s->seen)
			study->last[s - study->slots.at] = 0;
		study_slot(study, s, r->slots[i], r->base + r->path_slots);
		next = (size_t)(s - study->slots.at) + 1;
	}
}

static int by_slot(const void *a, const void *b)
{
	uint32_t x = ((const struct slot_source *)a)->slot;
	uint32_t y = ((const struct slot_source *)b)->slot;

	return x < y ? -1 : x > y;
}

struct slot_sources slot_study_end(struct slot_study *study)
{
	struct slot_sources found = { .at = study->found };

	for (uint32_t i = 0; i < study->slots.count; i++) {
		const struct studied *s = &study->slots.at[i];
		uint32_t best = most_bits(s), source = TF_NONE;

		for (uint32_t k = 0; k < s->n_compared && s->seen >= LEAST_SEEN; k++)
			if (s->candidates[k].bits < best) {
				best = s->candidates[k].bits;
				source = s->candidates[k].slot;
			}
		if (source != TF_NONE)
			found.at[found.count++] = (struct slot_source){
				s->key, study->slots.at[source].key
			};
	}
	qsort(found.at, found.count, sizeof(*found.at), by_slot);
	return found;
}
