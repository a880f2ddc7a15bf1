/* SPDX-License-Identifier: MIT */
#include "analyzers/locality/stream.h"

#include "cli/common/checked.h"

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
}

void stream_clear(struct stream *stream)
{
	distances_clear(&stream->distances);
}

static void keep_first(struct stream *stream, uint64_t block)
{
	CHECKED_RESERVE(stream->firsts, stream->firsts.count + 1);
	stream->firsts.at[stream->firsts.count++] = block;
}

static void touch(struct stream *stream, const uint64_t *blocks, size_t count)
{
	uint32_t distances[BATCH];

	lru_stack_touch(&stream->stack, blocks, count, distances, NULL);
	distances_add(&stream->distances, distances, count);
	for (size_t i = 0; stream->keeps_firsts && i < count; i++)
		if (distances[i] == LRU_COLD)
			keep_first(stream, blocks[i]);
}

void stream_feed(struct stream *stream, const struct access *accesses, size_t count)
{
	uint64_t blocks[BATCH];
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (!(accesses[i].kind & stream->kind.kinds))
			continue;
		struct access_blocks its = access_blocks(&accesses[i], stream->kind.shift);

		do {
			blocks[n++] = its.block;
			if (n == BATCH) {
				touch(stream, blocks, n);
				n = 0;
			}
		} while (access_blocks_next(&its));
	}
	touch(stream, blocks, n);
}

/* Touches all blocks of another stack in its order, up to BATCH at a time. */
static void put_on_top(struct lru_stack *stack, const struct lru_stack *other)
{
	uint64_t size = lru_stack_size(other);
	uint64_t *blocks = checked_array(size, sizeof(*blocks));
	uint32_t distances[BATCH];

	lru_stack_list(other, blocks);
	for (uint64_t i = 0; i < size; i += BATCH)
		lru_stack_touch(stack, blocks + i, size - i < BATCH ? size - i : BATCH, distances,
				NULL);
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
