/* SPDX-License-Identifier: MIT */
#include "analyzers/common/ahead.h"

#include <pthread.h>
#include <stdlib.h>

#include "analyzers/common/analyzer.h"
#include "analyzers/common/chunks.h"
#include "analyzers/common/pack.h"
#include "cli/common/checked.h"

enum {
	PART_INSTRUCTIONS = 1 << 26, /* that a part has, about */
	PARTS_EACH = 4,              /* that a decoder has, at least */
	PART_PACKS = 16,             /* that may wait to be handed out */
};

/* A part of the stream. */
struct part {
	uint64_t first, count;
	struct pack *packs, **end; /* decoded, not handed out */
	unsigned n_packs;
	bool done; /* no more packs come */
};

struct ahead {
	struct tf_reader *reader;
	struct tf_cursor_options options;
	const struct analysis *run; /* that digests; NULL: none */
	struct tf_cursor *cursor;   /* without decoders */
	int refused;                /* a status: it cannot be opened, */
	struct tf_error why;

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t more, room;
	struct part *parts;
	size_t n_parts;
	size_t next;    /* part to be decoded */
	size_t current; /* part that is handed out */
	struct pack *spare;
	bool stopped;

	struct pack *pack; /* being handed out, */
	size_t at;         /* from there on */
	uint32_t damaged;  /* section of the last error; TF_NONE: none */
	unsigned n_decoders;
	pthread_t decoders[];
};

/* ---- packs ------------------------------------------------------------------------------- */

/* Returns true if the caller has packs of the part to work at for a while. The lock is held. */
static bool is_ahead(const struct ahead *a, const struct part *part)
{
	return part != &a->parts[a->current] || part->n_packs >= PART_PACKS / 2;
}

/* Returns an empty pack for items of a part. may_digest: the first item is a batch. */
static struct pack *begin_pack(struct ahead *a, const struct part *part, bool may_digest)
{
	pthread_mutex_lock(&a->lock);
	struct pack *pack = a->spare;
	bool digests = a->run && may_digest && is_ahead(a, part);

	if (pack)
		a->spare = pack->next;
	pthread_mutex_unlock(&a->lock);
	if (!pack)
		pack = pack_new();
	pack->next = NULL;
	pack->used = 0;
	pack->is_digested = digests;
	pack->is_full = false;
	if (digests && !pack->digest)
		pack->digest = checked_array(1, a->run->analyzer->digest_size);
	return pack;
}

static void free_pack(const struct ahead *a, struct pack *pack)
{
	if (pack && pack->digest)
		a->run->analyzer->free_digest(pack->digest);
	if (pack)
		free(pack->digest);
	free(pack);
}

static void free_packs(const struct ahead *a, struct pack *pack)
{
	while (pack) {
		struct pack *next = pack->next;

		free_pack(a, pack);
		pack = next;
	}
}

/* Waits until the part may have one more pack. Returns false if the pack is no longer wanted. */
static bool hand_over(struct ahead *a, struct part *part, struct pack *pack)
{
	pthread_mutex_lock(&a->lock);
	while (part->n_packs == PART_PACKS && !a->stopped)
		pthread_cond_wait(&a->room, &a->lock);
	*part->end = pack;
	part->end = &pack->next;
	part->n_packs++;
	pthread_cond_signal(&a->more);
	bool wanted = !a->stopped;

	pthread_mutex_unlock(&a->lock);
	return wanted;
}

/* ---- decoders ---------------------------------------------------------------------------- */

static bool is_batch(int status, const struct tf_item *item)
{
	return status > 0 && item->kind != TF_ITEM_EVENT;
}

/* Adds a batch to the digest of a pack, whose only item then stands for all of its batches. */
static void digest(const struct ahead *a, struct pack *pack, const struct tf_item *item)
{
	if (pack->used)
		pack->digested.instructions += item->instructions;
	else
		pack->digested = *item;
	pack->digested.count = pack->digested.n_values = 0;
	pack->used = 1; /* item */
	pack->is_full = !a->run->analyzer->digest(pack->digest, a->run, item);
}

/* Appends a result of tf_next to the pack. Returns false if there is no room. */
static bool put(const struct ahead *a, struct pack **pack, int status, const struct tf_item *item,
		const struct tf_error *error)
{
	if (!(*pack)->is_digested)
		return pack_put(pack, status, item, error);
	if ((*pack)->is_full || !is_batch(status, item))
		return false;
	digest(a, *pack, item);
	return true;
}

/* Packs the items of the cursor; returns the last pack. */
static struct pack *decode(struct ahead *a, struct part *part, struct tf_cursor *cursor)
{
	struct pack *pack = begin_pack(a, part, false);
	struct tf_error error;
	struct tf_item item;
	int status;

	do {
		status = tf_next(cursor, &item, &error);
		if (status && !put(a, &pack, status, &item, &error)) {
			if (!hand_over(a, part, pack))
				return NULL;
			pack = begin_pack(a, part, is_batch(status, &item));
			put(a, &pack, status, &item, &error);
		}
	} while (status > 0 || status == TF_E_DAMAGED);
	return pack;
}

static void decode_part(struct ahead *a, struct part *part)
{
	struct tf_cursor_options options = a->options;
	struct tf_cursor *cursor;
	struct tf_error error;
	struct pack *pack;

	options.first = part->first;
	options.count = part->count;
	int status = tf_cursor_open(a->reader, &options, &cursor, &error);

	if (status < 0) {
		pack = begin_pack(a, part, false);
		pack_put(&pack, status, NULL, &error);
	} else {
		pack = decode(a, part, cursor);
		tf_cursor_close(cursor);
	}
	if (pack)
		hand_over(a, part, pack);
	pthread_mutex_lock(&a->lock);
	part->done = true;
	pthread_cond_signal(&a->more);
	pthread_mutex_unlock(&a->lock);
}

static struct part *take_part(struct ahead *a)
{
	pthread_mutex_lock(&a->lock);
	struct part *part = a->next < a->n_parts && !a->stopped ? &a->parts[a->next++] : NULL;

	pthread_mutex_unlock(&a->lock);
	return part;
}

static void *decode_parts(void *opaque)
{
	struct part *part;

	while ((part = take_part(opaque)))
		decode_part(opaque, part);
	return NULL;
}

/* ---- opening and closing ----------------------------------------------------------------- */

static void add_part(struct ahead *a, uint64_t first, uint64_t end)
{
	struct part *part = &a->parts[a->n_parts++];

	*part = (struct part){ .first = first, .count = end - first };
	part->end = &part->packs;
}

/*
 * Returns the least length of a part: beginning a part has a cost, but each decoder should have
 * some parts.
 */
static uint64_t part_length(const struct chunk *chunks, size_t n, unsigned n_decoders)
{
	uint64_t total = 0, share;

	for (size_t i = 0; i < n; i++)
		total += chunks[i].instructions;
	share = total / (PARTS_EACH * (n_decoders + 1));
	return share < PART_INSTRUCTIONS ? share : PART_INSTRUCTIONS;
}

/* Cuts the range into parts without holes, so that losses between chunks are found as well. */
static void cut(struct ahead *a, const struct chunk_list *list, unsigned n_decoders)
{
	uint32_t thread = a->options.thread;
	uint64_t from = a->options.first, end;
	size_t n = 0;
	struct chunk *chunks = NULL;

	if (__builtin_add_overflow(from, a->options.count, &end))
		end = UINT64_MAX;
	if (thread != TF_MERGED)
		chunks = chunks_between(list, thread, thread + 1, from, end, &n);
	uint64_t length = part_length(chunks, n, n_decoders);

	a->parts = checked_array(n + 1, sizeof(*a->parts));
	for (size_t i = 1; i < n; i++)
		if (chunks[i].first - from > length) {
			add_part(a, from, chunks[i].first);
			from = chunks[i].first;
		}
	add_part(a, from, end);
	free(chunks);
}

struct ahead *ahead_open(struct tf_reader *reader, const struct chunk_list *chunks,
			 const struct tf_cursor_options *options, unsigned n_decoders,
			 const struct analysis *run)
{
	struct ahead *a = checked(calloc(1, sizeof(*a) + n_decoders * sizeof(*a->decoders)));

	a->reader = reader;
	a->options = *options;
	a->run = run;
	a->damaged = TF_NONE;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->more, NULL);
	pthread_cond_init(&a->room, NULL);
	if (n_decoders)
		cut(a, chunks, n_decoders);
	while (a->n_decoders < n_decoders && a->n_decoders < a->n_parts &&
	       !pthread_create(&a->decoders[a->n_decoders], NULL, decode_parts, a))
		a->n_decoders++;
	if (!a->n_decoders)
		a->refused = tf_cursor_open(reader, options, &a->cursor, &a->why);
	return a;
}

void ahead_close(struct ahead *a)
{
	pthread_mutex_lock(&a->lock);
	a->stopped = true;
	pthread_cond_broadcast(&a->room);
	pthread_mutex_unlock(&a->lock);
	while (a->n_decoders)
		pthread_join(a->decoders[--a->n_decoders], NULL);
	tf_cursor_close(a->cursor);
	for (size_t i = a->current; i < a->n_parts; i++)
		free_packs(a, a->parts[i].packs);
	free_packs(a, a->spare);
	free_pack(a, a->pack);
	free(a->parts);
	pthread_cond_destroy(&a->room);
	pthread_cond_destroy(&a->more);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

/* ---- handing out ------------------------------------------------------------------------- */

/* Retires the used pack and takes the next one; returns false at the end. */
static bool next_pack(struct ahead *a)
{
	struct part *part = NULL;

	pthread_mutex_lock(&a->lock);
	if (a->pack) {
		a->pack->next = a->spare;
		a->spare = a->pack;
	}
	for (a->pack = NULL; a->current < a->n_parts && !a->pack;) {
		part = &a->parts[a->current];
		a->pack = part->packs;
		if (!a->pack && part->done)
			a->current++;
		else if (!a->pack)
			pthread_cond_wait(&a->more, &a->lock);
	}
	if (a->pack) {
		part->packs = a->pack->next;
		if (!part->packs)
			part->end = &part->packs;
		if (--part->n_packs <= PART_PACKS / 2) /* so that a decoder seldom sleeps */
			pthread_cond_broadcast(&a->room);
	}
	pthread_mutex_unlock(&a->lock);
	a->at = 0;
	return a->pack;
}

/* Gives the next item of the current pack; returns its status, 0 at the end. */
static int get(struct ahead *a, struct tf_item *item, struct tf_error *error)
{
	if (!a->pack->is_digested)
		return pack_get(a->pack, &a->at, item, error);
	*item = a->pack->digested;
	return a->at++ < a->pack->used;
}

static int next_decoded(struct ahead *a, struct tf_item *item, struct tf_error *error)
{
	int status = 0;

	while (!(a->pack && (status = get(a, item, error))))
		if (!next_pack(a))
			return 0;
	return status;
}

/*
 * Gives the next item of the parts. A part looks for events at its beginning in the chunk before
 * it, whose damage has been reported by then.
 */
static int next_of_parts(struct ahead *a, struct tf_item *item, struct tf_error *error)
{
	int status;

	do
		status = next_decoded(a, item, error);
	while (status < 0 && error->section == a->damaged && a->damaged != TF_NONE);
	if (status < 0)
		a->damaged = error->section;
	return status;
}

int ahead_next(struct ahead *a, struct tf_item *item, struct tf_error *error)
{
	int refused = a->refused;

	if (a->n_decoders)
		return next_of_parts(a, item, error);
	if (a->cursor)
		return tf_next(a->cursor, item, error);
	a->refused = 0;
	*error = a->why;
	return refused;
}

void *ahead_digest(struct ahead *a)
{
	return a->pack && a->pack->is_digested ? a->pack->digest : NULL;
}
