/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/feed.h"

#include "analyzers/common/address_space.h"

_Static_assert((ACCESS_FETCH & 3) == CACHE_FETCH && (ACCESS_READ & 3) == CACHE_LOAD &&
		       (ACCESS_WRITE & 3) == CACHE_STORE,
	       "kinds of accesses are kinds of lookups");

static inline enum cache_kind kind_of(unsigned access_kind)
{
	return access_kind & 3;
}

void cache_code_init(struct access_code *code, const struct tf_reader *reader, unsigned wanted,
		     uint32_t line)
{
	access_code_init(code, reader,
			 (wanted & CACHE_FETCHES ? ACCESS_FETCH : 0) |
				 (wanted & CACHE_DATA ? ACCESS_READ | ACCESS_WRITE : 0),
			 line);
}

/* ---- executions ---------------------------------------------------------------------------- */

/* An execution of a block by a thread. */
struct execution {
	const struct tf_block_exec *exec;
	uint64_t space, ordinal;
	uint32_t thread;
	uint8_t core;
};

/* filter: the feed's, or NULL. */
static inline __attribute__((always_inline)) void add(struct cache_feed *f,
						      struct cache_filter *filter,
						      const struct execution *x,
						      const struct access_step *step,
						      struct cache_access access)
{
	access.address += x->space;
	access.core = x->core;
	if (filter && cache_filter_drops(filter, &access))
		return;
	if (f->count == CACHE_BATCH)
		cache_feed_flush(f);
	if (f->wants_origins)
		f->origins[f->count] = (struct cache_origin){ .block = x->exec->block,
							      .pc = step->pc,
							      .ordinal = x->ordinal + step->insn,
							      .thread = x->thread,
							      .insn = step->insn };
	f->accesses[f->count++] = access;
}

/* The instruction of which access_step_each() emits accesses. */
struct odd {
	struct cache_feed *feed;
	const struct execution *execution;
	const struct access_step *step;
};

static void add_odd(void *opaque, uint64_t address, uint32_t size, enum access_kind kind)
{
	const struct odd *odd = opaque;

	add(odd->feed, odd->feed->filter, odd->execution, odd->step,
	    (struct cache_access){
		    .address = address, .size = size, .count = 1, .kind = kind_of(kind) });
}

static uint16_t fetched(const struct access_step *step, unsigned executed)
{
	unsigned most = executed - step->insn;

	return step->count < most ? step->count : most;
}

/* Is compiled twice, because asking for a filter at each access slows the usual case down. */
static inline __attribute__((always_inline)) void add_steps(struct cache_feed *f,
							    struct cache_filter *filter,
							    const struct execution *x)
{
	const struct tf_block_exec *exec = x->exec;
	const struct access_step *step = f->code->steps + f->code->first[exec->block->id];
	const struct access_step *end = f->code->steps + f->code->first[exec->block->id + 1];

	for (; step < end && step->insn < exec->executed; step++) {
		bool fetches = step->kind == ACCESS_FETCH;

		if (!step->kind) {
			struct odd odd = { f, x, step };

			access_step_each(exec->block, step->insn, exec->values, add_odd, &odd);
			continue;
		}
		add(f, filter, x, step,
		    (struct cache_access){ .address = fetches ? step->pc
							      : exec->values[step->value],
					   .size = step->size,
					   .count = fetches ? fetched(step, exec->executed) : 1,
					   .kind = kind_of(step->kind) });
	}
}

static inline __attribute__((always_inline)) void feed_blocks(struct cache_feed *f,
							      struct cache_filter *filter,
							      const struct tf_item *item,
							      unsigned core)
{
	struct execution x = { .space = address_space(f->code->reader, item->thread),
			       .ordinal = item->ordinal,
			       .thread = item->thread,
			       .core = core };

	for (size_t i = 0; i < item->count; i++) {
		x.exec = &item->blocks[i];
		add_steps(f, filter, &x);
		x.ordinal += x.exec->executed;
	}
}

void cache_feed_blocks(struct cache_feed *f, const struct tf_item *item, unsigned core)
{
	if (f->filter)
		feed_blocks(f, f->filter, item, core);
	else
		feed_blocks(f, NULL, item, core);
}

void cache_feed_flush(struct cache_feed *f)
{
	f->consume(f->opaque, f->accesses, f->wants_origins ? f->origins : NULL, f->count);
	f->count = 0;
}
