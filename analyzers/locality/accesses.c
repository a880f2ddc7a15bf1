/* SPDX-License-Identifier: MIT */
#include "analyzers/locality/accesses.h"

#include "analyzers/common/address_space.h"

static inline void add(struct access_collector *c, uint64_t address, uint32_t size,
		       enum access_kind kind, unsigned insn)
{
	if (c->count == sizeof(c->accesses) / sizeof(c->accesses[0]))
		access_flush(c);
	c->insns[c->count] = insn;
	c->accesses[c->count++] = (struct access){ address, size, kind };
}

/* The instruction of which access_step_each() emits accesses. */
struct odd {
	struct access_collector *collector;
	uint64_t space;
	unsigned insn;
};

static void add_odd(void *opaque, uint64_t address, uint32_t size, enum access_kind kind)
{
	const struct odd *odd = opaque;

	if (odd->collector->kinds & kind)
		add(odd->collector, address + odd->space, size, kind, odd->insn);
}

void access_collect_block(struct access_collector *c, const struct tf_block_exec *exec,
			  uint64_t space)
{
	const struct access_step *step = c->code->steps + c->code->first[exec->block->id];
	const struct access_step *end = c->code->steps + c->code->first[exec->block->id + 1];
	const uint64_t *values = exec->values;
	unsigned executed = exec->executed;
	size_t count = c->count; /* kept in a register */

	for (; step < end && step->insn < executed; step++) {
		bool fetches = step->kind == ACCESS_FETCH;

		if (step->kind) {
			if (count == sizeof(c->accesses) / sizeof(c->accesses[0])) {
				c->count = count;
				access_flush(c);
				count = 0;
			}
			c->insns[count] = step->insn;
			c->accesses[count].address = (fetches ? step->pc : values[step->value]) +
						     space;
			c->accesses[count].size = step->size;
			c->accesses[count++].kind = step->kind;
			continue;
		}
		struct odd odd = { c, space, step->insn };

		c->count = count;
		access_step_each(exec->block, step->insn, values, add_odd, &odd);
		count = c->count;
	}
	c->count = count;
}

void access_collect(struct access_collector *c, const struct tf_item *item)
{
	uint64_t space = address_space(c->code->reader, item->thread);

	for (size_t i = 0; i < item->count; i++)
		access_collect_block(c, &item->blocks[i], space);
}

void access_flush(struct access_collector *c)
{
	c->consume(c->opaque, c->accesses, c->count);
	c->count = 0;
}
