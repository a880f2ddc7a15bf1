/* SPDX-License-Identifier: MIT */
/* Makes the executions of a random trace's threads, and the values that a reader must return. */
#include "tests/unit/random.h"
#include "tests/unit/traces/random/parts.h"
#include "traceformat/tracewriter.h"

/* Computes a recipe's value by the formula of traceformat.h. */
static uint64_t random_recipe_value(const struct tf_recipe *recipe, const uint64_t *slots,
				    const struct random_stream *s)
{
	uint64_t v = 0;

	switch (recipe->base) {
	case TF_BASE_UNKNOWN: return 0;
	case TF_BASE_SLOT: v = slots[recipe->slot]; break;
	case TF_BASE_RSP: v = s->rsp; break;
	}
	if (recipe->scale)
		v += slots[recipe->index_slot] * recipe->scale;
	v += (uint64_t)recipe->displacement;
	if (recipe->bit_string) {
		int64_t bits = (int64_t)slots[recipe->index_slot], width = recipe->bit_string;
		int64_t words = bits / width - (bits % width < 0); /* rounded down */

		v += (uint64_t)words * (uint64_t)(width / 8);
	}
	if (recipe->address32)
		v %= UINT64_C(1) << 32;
	if (recipe->segment)
		v += s->base[recipe->segment];
	return v;
}

struct random_evaluation {
	const struct tf_path *path;
	const struct random_stream *stream;
	const uint64_t *slots;
	uint64_t *values;
};

static void random_visit_evaluate(void *opaque, unsigned value)
{
	struct random_evaluation *e = opaque;

	e->values[value] = e->path->recipes ? random_recipe_value(&e->path->recipes[value],
								  e->slots, e->stream)
					    : e->slots[value];
}

static bool random_uses_rsp(const struct tf_path *p)
{
	for (unsigned i = 0; p->recipes && i < p->n_values; i++)
		if (p->recipes[i].base == TF_BASE_RSP)
			return true;
	return false;
}

/* Chooses an exit of a path that can be executed now, mostly the one that followed `last`
 * before. */
static uint32_t random_choose_exit(struct random_trace *t, const struct random_stream *s,
				   const struct tf_path **path, bool *partial)
{
	uint64_t *r = &t->state;
	uint32_t n = (uint32_t)t->next_exit.count, exit;
	const struct random_exec *last = s->execs.count ? &s->execs.at[s->execs.count - 1] : NULL;

	for (unsigned tries = 0;; tries++) {
		size_t i = 0;

		exit = last && tries == 0 && random_chance(r, 85) ? t->next_exit.at[last->exit] % n
								  : random_below(r, n);
		while (i + 1 < t->paths.count && t->paths.at[i + 1].first_exit <= exit)
			i++;
		*path = &t->paths.at[i];
		*partial = exit == (*path)->first_exit + (*path)->n_exits;
		if (*partial && tries < 4 && !random_chance(r, 25))
			continue;
		if (s->rsp_known || !random_uses_rsp(*path))
			return exit;
	}
}

static void random_registers(struct random_trace *t, uint32_t thread)
{
	struct random_stream *s = &t->streams[thread];
	struct random_op op = { .kind = OP_REGISTERS, .thread = thread };

	s->rsp = random_value(&t->state);
	s->rsp_known = true;
	if (random_chance(&t->state, 50))
		for (unsigned i = 1; i < 3; i++)
			s->base[i] = random_value(&t->state);
	op.registers[0] = s->rsp;
	op.registers[1] = s->base[TF_SEGMENT_FS];
	op.registers[2] = s->base[TF_SEGMENT_GS];
	PUSH(&t->ops, op);
}

static void random_slots(struct random_trace *t, struct random_exec *e)
{
	uint64_t *last = t->last_slots.at[e->path], *r = &t->state;
	const bool *small = t->small_slots.at[e->path];

	e->slots = random_memory(t, e->n_slots * sizeof(uint64_t));
	for (unsigned i = 0; i < e->n_slots; i++) {
		uint64_t value = random_chance(r, 70) ? last[i] + 8 * i : random_value(r);

		last[i] = e->slots[i] = small[i] ? value % 1000 : value;
	}
}

static void random_execution(struct random_trace *t, uint32_t thread)
{
	struct random_stream *s = &t->streams[thread];
	uint64_t *r = &t->state;
	struct random_exec e = { .first = s->instructions };
	struct random_evaluation evaluation = { .stream = s };
	const struct tf_exit *exit = NULL;
	const struct tf_path *p;

	e.exit = random_choose_exit(t, s, &p, &e.partial);
	e.path = p->id;
	if (e.partial) {
		unsigned needed;

		e.executed = 1 + random_below(r, p->n_insns);
		needed = random_slots_needed(t, p, e.executed);
		e.n_slots = needed + random_below(r, p->n_slots - needed + 1);
		e.rsp_after = random_value(r);
	} else {
		exit = &p->exits[e.exit - p->first_exit];
		e.executed = random_insns_of(t, p, exit->n_blocks);
		e.n_slots = exit->n_slots;
	}
	random_slots(t, &e);
	if (random_chance(r, t->options.events))
		random_add_events(t, thread, e.executed);

	e.values = random_memory(t, p->n_values * sizeof(uint64_t));
	evaluation.path = p;
	evaluation.slots = e.slots;
	evaluation.values = e.values;
	random_each_value(t, p, e.executed, random_visit_evaluate, &evaluation);

	PUSH(&s->execs, e);
	PUSH(&t->ops,
	     (struct random_op){ .kind = OP_EXEC, .thread = thread, .index = s->execs.count - 1 });
	s->instructions += e.executed;
	random_late_bases(s, e.first);
	if (e.partial) {
		s->rsp = e.rsp_after;
	} else if (exit->rsp_rule == TF_RSP_DELTA) {
		s->rsp += (uint64_t)exit->rsp_value;
	} else if (exit->rsp_rule == TF_RSP_SLOT) {
		s->rsp = e.slots[exit->rsp_slot] + (uint64_t)exit->rsp_value;
	} else {
		s->rsp_known = false;
	}
}

static void random_schedule(struct random_trace *t, uint32_t thread, uint64_t instructions)
{
	if (instructions == 0)
		return;
	PUSH(&t->ops,
	     (struct random_op){ .kind = OP_SCHEDULE, .thread = thread, .number = instructions });
	PUSH(&t->schedule, (struct random_run){ thread, instructions });
}

void random_script(struct random_trace *t)
{
	const struct random_options *o = &t->options;
	uint64_t *r = &t->state;
	unsigned left = o->n_execs;

	for (uint32_t i = 0; i < o->n_threads; i++)
		random_registers(t, i);
	while (left) {
		uint32_t thread = random_below(r, o->n_threads);
		struct random_stream *s = &t->streams[thread];
		uint64_t before = s->instructions;
		unsigned run = 1 + random_below(r, 12);

		for (; run && left; run--, left--) {
			if (random_chance(r, s->rsp_known ? 2 : 30))
				random_registers(t, thread);
			random_execution(t, thread);
		}
		if (random_chance(r, o->events / 2))
			random_add_events(t, thread, 0);
		if (left > 20) /* the last ones stay without a schedule */
			random_schedule(t, thread, s->instructions - before);
		if (random_chance(r, 5))
			PUSH(&t->ops, (struct random_op){ .kind = OP_FLUSH, .thread = thread });
		if (random_chance(r, 2))
			PUSH(&t->ops, (struct random_op){ .kind = OP_FLUSH_WRITER });
	}
}
