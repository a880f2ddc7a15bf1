/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/frontend.h"

enum { LINE = 1 << MACHINE_LINE_SHIFT, OPS_A_LINE = 16 };

void frontend_init(struct frontend *f, const struct machine *machine, struct lower_memory *lower,
		   struct translation *translation)
{
	*f = (struct frontend){ .machine = machine, .lower = lower, .translation = translation };
	set_cache_init(&f->l1i, machine->l1i_size / LINE, machine->l1i_ways);
	set_cache_init(&f->op_cache, machine->op_cache / OPS_A_LINE, machine->op_cache_ways);
	set_cache_init(&f->btb, machine->btb_entries, machine->btb_ways);
}

void frontend_free(struct frontend *f)
{
	set_cache_free(&f->l1i);
	set_cache_free(&f->op_cache);
	set_cache_free(&f->btb);
}

/* Returns the cycle in which the bytes of a line arrive. */
static uint64_t read_line(struct frontend *f, uint64_t line, uint64_t cycle, struct fetch *fetch)
{
	enum memory_source source;

	if (set_cache_touch(&f->l1i, line))
		return cycle;
	fetch->l1_miss = true;
	cycle = lower_memory_read(f->lower, line, cycle, &source);
	fetch->source = source;
	return cycle;
}

static enum op_cache_result look_up_ops(struct frontend *f, uint64_t line)
{
	if (!f->machine->op_cache)
		return OP_CACHE_NONE;
	return set_cache_touch(&f->op_cache, line) ? OP_CACHE_HIT : OP_CACHE_MISS;
}

static void fetch_line(struct frontend *f, uint64_t address, struct fetch *fetch)
{
	uint64_t line = address >> MACHINE_LINE_SHIFT, ready = f->next;

	*fetch = (struct fetch){ .address = address, .begun = f->next };
	fetch->translated = translate_code(f->translation, address, ready);
	ready += fetch->translated.refill;
	fetch->op_cache = look_up_ops(f, line);
	if (fetch->op_cache != OP_CACHE_HIT)
		ready = read_line(f, line, ready, fetch);
	fetch->latency = ready + 1 - f->next;
	f->line = line + 1;
	f->next = ready + 1;
	f->decoded = ready + f->machine->frontend_depth +
		     (fetch->op_cache == OP_CACHE_MISS ? f->machine->decode_depth : 0);
}

unsigned frontend_fetch_lines(struct frontend *f, const struct ibs_op_facts *op)
{
	uint64_t last = op->pc + op->length - 1;
	unsigned n = 0;

	if ((op->pc >> MACHINE_LINE_SHIFT) + 1 != f->line)
		fetch_line(f, op->pc, &f->fetches[n++]);
	if ((last >> MACHINE_LINE_SHIFT) + 1 != f->line)
		fetch_line(f, last & ~(uint64_t)(LINE - 1), &f->fetches[n++]);
	return n;
}

void frontend_jump(struct frontend *f, uint64_t pc)
{
	f->line = 0;
	if (f->machine->btb_entries && !set_cache_touch(&f->btb, pc))
		f->next += f->machine->btb_penalty;
}

void frontend_restart(struct frontend *f, uint64_t cycle)
{
	f->line = 0;
	if (f->next < cycle)
		f->next = cycle;
}
