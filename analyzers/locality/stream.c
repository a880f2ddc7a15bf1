/* SPDX-License-Identifier: MIT */
#include "analyzers/locality/stream.h"

#include "analyzers/common/analyzer.h"
#include "cli/common/checked.h"
#include "traceformat/common/bytes.h"

enum { BATCH = 1024 };

void stream_init(struct stream *stream, struct stream_kind kind, bool keeps_firsts)
{
	*stream = (struct stream){ .kind = kind, .keeps_firsts = keeps_firsts };
	lru_stack_init(&stream->stack);
}

void stream_free(struct stream *stream)
{
	lru_stack_free(&stream->stack);
	free(stream->firsts.at);
	free(stream->all);
}

void stream_keep_all(struct stream *stream)
{
	stream->all = checked(malloc(sizeof(*stream->all)));
	*stream->all = stream->distances;
}

void stream_clear(struct stream *stream)
{
	if (stream->all)
		distances_merge(stream->all, &stream->distances);
	distances_clear(&stream->distances);
}

void stream_limit(struct stream *stream, uint64_t most)
{
	stream->most = most;
}

static void keep_first(struct stream *stream, uint64_t block)
{
	if (stream->most && stream->firsts.count >= stream->most)
		return;
	CHECKED_RESERVE(stream->firsts, stream->firsts.count + 1);
	stream->firsts.at[stream->firsts.count++] = block;
}

/* Touches blocks without counting their distances. */
static void touch_silently(struct lru_stack *stack, const uint64_t *blocks, uint64_t count)
{
	uint32_t distances[BATCH];

	for (uint64_t i = 0; i < count; i += BATCH)
		lru_stack_touch(stack, blocks + i, count - i < BATCH ? count - i : BATCH, distances,
				NULL);
}

/* Returns all blocks of a stack, the one touched longest ago first. Free them. */
static uint64_t *list_blocks(const struct lru_stack *stack)
{
	uint64_t *blocks = checked_array(lru_stack_size(stack), sizeof(*blocks));

	lru_stack_list(stack, blocks);
	return blocks;
}

/* Forgets the blocks beyond the limit. This takes as long as touching that many new blocks. */
static void forget_old(struct stream *stream)
{
	uint64_t size = lru_stack_size(&stream->stack), kept = stream->most;
	uint64_t *blocks = list_blocks(&stream->stack);

	lru_stack_free(&stream->stack);
	lru_stack_init(&stream->stack);
	touch_silently(&stream->stack, blocks + (size - kept), kept);
	free(blocks);
}

static void apply_limit(struct stream *stream, uint32_t *distances, size_t count)
{
	enum { SPARE = 4, FEW = 1 << 10 };

	for (size_t i = 0; i < count; i++)
		if (distances[i] >= stream->most)
			distances[i] = LRU_COLD;
	if (lru_stack_size(&stream->stack) > SPARE * stream->most + FEW)
		forget_old(stream);
}

static void touch(struct stream *stream, const uint64_t *blocks, size_t count)
{
	uint32_t distances[BATCH];

	lru_stack_touch(&stream->stack, blocks, count, distances, NULL);
	for (size_t i = 0; stream->keeps_firsts && i < count; i++)
		if (distances[i] == LRU_COLD)
			keep_first(stream, blocks[i]);
	if (stream->most)
		apply_limit(stream, distances, count);
	distances_add(&stream->distances, distances, count);
}

void stream_feed(struct stream *stream, const struct access *accesses, size_t count)
{
	unsigned kinds = stream->kind.kinds, shift = stream->kind.shift;
	uint64_t blocks[BATCH];
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		struct access_blocks its = access_blocks(&accesses[i], shift);

		if (!(accesses[i].kind & kinds))
			continue;
		for (;;) {
			blocks[n++] = its.block;
			if (n == BATCH) {
				touch(stream, blocks, n);
				n = 0;
			}
			if (!its.more)
				break;
			access_blocks_next(&its);
		}
	}
	touch(stream, blocks, n);
}

/* Touches all blocks of another stack in its order. */
static void put_on_top(struct lru_stack *stack, const struct lru_stack *other)
{
	uint64_t *blocks = list_blocks(other);

	touch_silently(stack, blocks, lru_stack_size(other));
	free(blocks);
}

void stream_append(struct stream *stream, const struct stream *later)
{
	distances_merge(&stream->distances, &later->distances);
	stream->distances.cold -= later->firsts.count;
	stream->distances.touches -= later->firsts.count;
	for (size_t i = 0; i < later->firsts.count; i += BATCH)
		touch(stream, later->firsts.at + i,
		      later->firsts.count - i < BATCH ? later->firsts.count - i : BATCH);
	put_on_top(&stream->stack, &later->stack);
}

/* ---- in files ---------------------------------------------------------------------------- */

/* Writes blocks by their distances from the ones before, which are often small. */
static void save_blocks(const uint64_t *blocks, uint64_t count, struct state_writer *writer)
{
	for (uint64_t i = 0; i < count; i++)
		analyzer_put(writer, zigzag((int64_t)(blocks[i] - (i ? blocks[i - 1] : 0))));
}

static void load_blocks(uint64_t *blocks, uint64_t count, struct state_reader *reader)
{
	for (uint64_t i = 0; i < count; i++)
		blocks[i] = (uint64_t)unzigzag(analyzer_take(reader)) + (i ? blocks[i - 1] : 0);
}

static void save_distances(const struct distances *d, struct state_writer *writer)
{
	analyzer_put(writer, d->touches);
	analyzer_put(writer, d->n_bins);
	analyzer_put_all(writer, d->bins, d->n_bins);
	for (unsigned i = 0; i < d->n_caches; i++)
		analyzer_put(writer, d->caches[i].far);
}

static void load_distances(struct distances *d, struct state_reader *reader)
{
	d->touches = analyzer_take(reader);
	d->n_bins = (uint32_t)analyzer_take_max(reader, DISTANCE_BINS);
	analyzer_take_all(reader, d->bins, d->n_bins);
	for (unsigned i = 0; i < d->n_caches; i++)
		d->caches[i].far = analyzer_take(reader);
}

/* Returns how many blocks of the stack are saved: the newest. */
static uint64_t n_saved(const struct stream *stream)
{
	uint64_t size = lru_stack_size(&stream->stack);

	return stream->most && size > stream->most ? stream->most : size;
}

void stream_save(const struct stream *stream, struct state_writer *writer)
{
	uint64_t *blocks = list_blocks(&stream->stack), n = n_saved(stream);

	analyzer_put(writer, stream->firsts.count);
	save_blocks(stream->firsts.at, stream->firsts.count, writer);
	if (stream->most) {
		analyzer_put(writer, n);
		analyzer_put(writer, stream->distances.cold);
	} /* else each block of the stack was touched for a first time */
	save_blocks(blocks + (lru_stack_size(&stream->stack) - n), n, writer);
	save_distances(&stream->distances, writer);
	free(blocks);
}

void stream_load(struct stream *stream, struct state_reader *reader)
{
	uint64_t count = analyzer_take_max(reader, analyzer_left(reader)), n = count, cold = count;

	CHECKED_RESERVE(stream->firsts, count);
	load_blocks(stream->firsts.at, count, reader);
	stream->firsts.count = count;
	if (stream->most) {
		n = analyzer_take_max(reader, analyzer_left(reader));
		cold = analyzer_take(reader);
	}

	uint64_t *blocks = checked_array(n, sizeof(*blocks));

	load_blocks(blocks, n, reader);
	touch_silently(&stream->stack, blocks, n);
	load_distances(&stream->distances, reader);
	stream->distances.cold = cold;
	free(blocks);
}
