/* SPDX-License-Identifier: MIT */
/*
 * Random but valid traces, made from a seed, together with what a reader must give for them.
 *
 * random_trace_new makes a dictionary and a script of writer calls; random_trace_play performs
 * the script, or a part of it. What an execution means is worked out here anew, slowly, from the
 * words of traceformat.h.
 */
#ifndef RANDOM_TRACE_H
#define RANDOM_TRACE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traceformat/traceformat.h"

/* ---- random numbers and growing arrays ---------------------------------------------------- */

/* splitmix64, Steele, Lea, Flood 2014 */
static inline uint64_t random_u64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* 0 .. n - 1 */
static inline unsigned random_below(uint64_t *state, unsigned n)
{
	return (unsigned)(random_u64(state) % n);
}

static inline bool random_chance(uint64_t *state, unsigned percent)
{
	return random_below(state, 100) < percent;
}

/* Numbers of all magnitudes. */
static inline uint64_t random_value(uint64_t *state)
{
	return random_u64(state) >> random_below(state, 64);
}

#define VECTOR(type) struct { type *at; size_t count; }
#define PUSH(v, ...) do { \
	if (!((v)->count & ((v)->count - 1))) \
		(v)->at = realloc((v)->at, ((v)->count ? 2 * (v)->count : 1) * sizeof(*(v)->at)); \
	assert((v)->at); \
	(v)->at[(v)->count++] = __VA_ARGS__; \
} while (0)

/* ---- the trace ---------------------------------------------------------------------------- */

/* One execution of a path. */
struct random_exec {
	uint32_t path, exit;	/* ids; exit: the partial one if `partial` */
	bool partial;
	uint32_t executed;	/* instructions */
	uint32_t n_slots;
	uint64_t *slots;
	uint64_t rsp_after;	/* partial: as the writer is told */
	uint64_t first;		/* ordinal of its first instruction */
	uint64_t *values;	/* expected, of the whole path; 0 for what did not execute */
};

struct random_stream {
	VECTOR(struct random_exec) execs;
	VECTOR(struct tf_event) events;		/* with thread and ordinal */
	uint64_t instructions;
	uint64_t rsp, base[3];	/* base: by enum tf_segment */
	bool rsp_known;
};

enum random_op_kind { OP_EXEC, OP_EVENT, OP_REGISTERS, OP_FLUSH, OP_FLUSH_WRITER, OP_SCHEDULE };

/* One call of the writer. */
struct random_op {
	enum random_op_kind kind;
	uint32_t thread;
	size_t index;		/* OP_EXEC, OP_EVENT: in the stream's array */
	uint64_t number;	/* OP_EVENT: instructions ahead; OP_SCHEDULE: instructions */
	uint64_t registers[3];	/* OP_REGISTERS: rsp, fs, gs */
};

struct random_run { uint32_t thread; uint64_t instructions; };
struct random_meta { const char *key; char *value; };
struct random_symbols { uint32_t module; struct tf_symbol *symbols; size_t count; };

struct random_options {
	uint64_t seed;
	unsigned n_processes, n_threads;
	unsigned n_modules, n_symbols;	/* symbols: of a module, about */
	unsigned n_blocks, n_paths;
	unsigned n_execs;		/* path executions, of all threads together */
	unsigned max_insns;		/* of a block, about */
	unsigned events;		/* percent of executions that have some */
	uint64_t chunk_instructions;
	bool identity;			/* one-block paths without recipes alone */
	unsigned writer_threads;
};

struct random_trace {
	struct random_options options;
	uint64_t state;			/* of the random numbers */
	VECTOR(void *) memory;

	VECTOR(struct tf_module) modules;
	VECTOR(struct random_symbols) symbols;
	VECTOR(struct tf_process) processes;
	VECTOR(struct tf_thread) threads;
	VECTOR(struct tf_function) functions;
	VECTOR(struct tf_mapping) mappings;
	VECTOR(struct tf_region) regions;
	VECTOR(struct tf_block) blocks;
	VECTOR(struct tf_path) paths;
	VECTOR(struct random_meta) meta;

	struct random_stream *streams;		/* by thread */
	VECTOR(struct random_op) ops;
	VECTOR(struct random_run) schedule;
	VECTOR(uint32_t) next_exit;		/* by exit id: what mostly follows it */
	VECTOR(uint64_t *) last_slots;		/* by path */
	uint8_t uuid[16];
	int32_t wait_status;
	const char *stop_reason;
};

static inline void *random_memory(struct random_trace *t, size_t size)
{
	void *memory = calloc(1, size + 1);

	assert(memory);
	PUSH(&t->memory, memory);
	return memory;
}

static inline char *random_text(struct random_trace *t, unsigned max)
{
	static const char *const letters[] = {
		"a", "Z", "/", ".", " ", "_", "7", "\xc3\xa9", "\xe2\x82\xac", "\\", ":", "\"",
	};
	unsigned n = random_below(&t->state, max + 1);
	char *text = random_memory(t, 3 * n);

	for (unsigned i = 0; i < n; i++)
		strcat(text, letters[random_below(&t->state, 12)]);
	return text;
}

/* ---- static part -------------------------------------------------------------------------- */

static inline unsigned random_extras_of(const struct tf_operand *o)
{
	switch (o->form) {
	case TF_MASKED: return 1;
	case TF_REP: return 3;
	case TF_LANES: return 1 + (o->index_size == 8 ? o->lanes : (o->lanes + 1u) / 2);
	case TF_SIZED: return 1;
	}
	return 0;
}

static inline void random_operand(struct random_trace *t, struct tf_operand *o, bool rep)
{
	static const uint8_t forms[] = {
		TF_PLAIN, TF_PLAIN, TF_PLAIN, TF_PLAIN, TF_PLAIN, TF_MASKED, TF_LANES, TF_SIZED,
	};
	uint64_t *r = &t->state;

	o->access = (uint8_t)(1 + random_below(r, TF_PREFETCH));
	o->form = rep ? TF_REP : forms[random_below(r, sizeof(forms))];
	o->flags = (uint8_t)random_below(r, 4);
	o->segment = random_chance(r, 10) ? (uint8_t)(1 + random_below(r, 2)) : TF_SEGMENT_NONE;
	o->size = o->form == TF_SIZED ? 0 : 1u << random_below(r, 7);
	if (o->form == TF_MASKED || o->form == TF_LANES)
		o->lanes = random_chance(r, 10) ? TF_MAX_LANES : (uint8_t)(1 + random_below(r, 16));
	if (o->form == TF_LANES) {
		o->index_size = random_chance(r, 50) ? 4 : 8;
		o->scale = (uint8_t)(1u << random_below(r, 4));
	}
}

static inline void random_block(struct random_trace *t)
{
	static const uint8_t branches[] = { TF_END_CONDITIONAL, TF_END_JUMP, TF_END_CALL };
	uint64_t *r = &t->state;
	struct tf_insn insns[TF_MAX_BLOCK_INSNS] = { 0 };
	struct tf_operand operands[TF_MAX_BLOCK_OPERANDS] = { 0 };
	struct tf_block b = { .id = (uint32_t)t->blocks.count, .module = TF_NONE };
	const struct tf_block *last = t->blocks.count ? &t->blocks.at[t->blocks.count - 1] : NULL;
	unsigned extra;
	uint8_t *code;

	b.n_insns = (uint16_t)(1 + random_below(r, random_chance(r, 5) ? 40 : t->options.max_insns));
	for (unsigned i = 0; i < b.n_insns; i++) {
		struct tf_insn *insn = &insns[i];

		insn->offset = b.code_size;
		insn->length = (uint8_t)(1 + random_below(r, TF_MAX_INSN_BYTES));
		insn->flags = random_chance(r, 10) ? TF_INSN_REP : random_chance(r, 5) ? TF_INSN_OPAQUE : 0;
		insn->first_operand = b.n_operands;
		if (insn->flags == TF_INSN_OPAQUE || !random_chance(r, 50))
			insn->n_operands = 0;
		else
			insn->n_operands = (uint8_t)(1 + random_below(r, random_chance(r, 20) ? 4 : 1));
		for (unsigned k = 0; k < insn->n_operands; k++) {
			struct tf_operand *o = &operands[b.n_operands++];

			o->insn = (uint16_t)i;
			random_operand(t, o, insn->flags & TF_INSN_REP);
		}
		b.code_size = (uint16_t)(b.code_size + insn->length);
	}
	extra = b.n_operands;
	for (unsigned i = 0; i < b.n_operands; i++) {
		struct tf_operand *o = &operands[i];

		if (o->form == TF_REP && i && o[-1].insn == o->insn) {
			o->extra = o[-1].extra;
		} else if (random_extras_of(o)) {
			o->extra = (uint16_t)extra;
			extra += random_extras_of(o);
		}
	}
	b.n_values = (uint16_t)extra;
	if (last && random_chance(r, 50))	/* memory order, for blocks that fall through */
		b.pc = last->pc + last->code_size;
	else
		b.pc = random_chance(r, 5) ? random_u64(r) : 0x400000 + random_below(r, 1 << 20);
	if (t->modules.count && random_chance(r, 80)) {
		b.module = random_below(r, (unsigned)t->modules.count);
		b.module_offset = b.pc - b.module * UINT64_C(0x7f0000000000);
	} else {
		b.module_offset = b.pc;
	}
	if (random_chance(r, 60)) {
		b.end = branches[random_below(r, 3)];
		b.target = 1 + random_value(r) / 2;
	} else {
		b.end = (uint8_t)random_below(r, TF_END_OPAQUE + 1);
	}
	code = random_memory(t, b.code_size);
	for (unsigned i = 0; i < b.code_size; i++)
		code[i] = (uint8_t)random_below(r, 256);
	b.code = code;
	b.insns = memcpy(random_memory(t, sizeof(insns)), insns, sizeof(insns));
	b.operands = memcpy(random_memory(t, sizeof(operands)), operands, sizeof(operands));
	PUSH(&t->blocks, b);
}

static inline uint16_t random_slot(struct random_trace *t, struct tf_path *p)
{
	uint64_t *r = &t->state;

	if (p->n_slots == 0 || (random_chance(r, 60) && p->n_slots < TF_MAX_PATH_SLOTS))
		return p->n_slots++;
	return (uint16_t)random_below(r, p->n_slots);
}

static inline void random_recipe(struct random_trace *t, struct tf_path *p,
				 struct tf_recipe *recipe)
{
	uint64_t *r = &t->state;
	unsigned dice = random_below(r, 100);

	recipe->base = dice < 45 ? TF_BASE_SLOT : dice < 70 ? TF_BASE_RSP : dice < 97 ? TF_BASE_CONSTANT
								       : TF_BASE_UNKNOWN;
	if (recipe->base == TF_BASE_SLOT)
		recipe->slot = random_slot(t, p);
	if (random_chance(r, 20))
		recipe->scale = (uint8_t)(1u << random_below(r, 4));
	else if (random_chance(r, 10))
		recipe->bit_string = (uint8_t)(16u << random_below(r, 3));
	if (recipe->scale || recipe->bit_string)
		recipe->index_slot = random_slot(t, p);
	recipe->address32 = random_chance(r, 10);
	recipe->segment = random_chance(r, 15) ? (uint8_t)(1 + random_below(r, 2)) : TF_SEGMENT_NONE;
	recipe->displacement = (int64_t)random_value(r) * (random_chance(r, 30) ? -1 : 1);
}

/* Slots that the recipes of the path's first n values need. */
static inline unsigned random_slots_of(const struct tf_path *p, unsigned value)
{
	const struct tf_recipe *recipe;
	unsigned needed = 0;

	if (!p->recipes)
		return value + 1;
	recipe = &p->recipes[value];
	if (recipe->base == TF_BASE_SLOT)
		needed = recipe->slot + 1u;
	if ((recipe->scale || recipe->bit_string) && recipe->index_slot >= needed)
		needed = recipe->index_slot + 1u;
	return needed;
}

/* Calls visit for each value that the first `executed` instructions of a path have. */
static inline void random_each_value(const struct random_trace *t, const struct tf_path *p,
				     uint32_t executed, void (*visit)(void *, unsigned), void *opaque)
{
	unsigned first_insn = 0, first_value = 0;

	for (unsigned i = 0; i < p->n_blocks; i++) {
		const struct tf_block *b = &t->blocks.at[p->blocks[i]];

		for (unsigned k = 0; k < b->n_operands; k++) {
			const struct tf_operand *o = &b->operands[k];

			if (first_insn + o->insn >= executed)
				return;
			visit(opaque, first_value + k);
			for (unsigned j = 0; j < random_extras_of(o); j++)
				visit(opaque, first_value + o->extra + j);
		}
		first_insn += b->n_insns;
		first_value += b->n_values;
	}
}

struct random_need { const struct tf_path *path; unsigned slots; };

static inline void random_visit_need(void *opaque, unsigned value)
{
	struct random_need *need = opaque;
	unsigned slots = random_slots_of(need->path, value);

	if (slots > need->slots)
		need->slots = slots;
}

/* Slots that a record of the first `executed` instructions must have. */
static inline unsigned random_slots_needed(const struct random_trace *t, const struct tf_path *p,
					   uint32_t executed)
{
	struct random_need need = { p, 0 };

	random_each_value(t, p, executed, random_visit_need, &need);
	return need.slots;
}

static inline uint32_t random_insns_of(const struct random_trace *t, const struct tf_path *p,
				       unsigned n_blocks)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < n_blocks; i++)
		n += t->blocks.at[p->blocks[i]].n_insns;
	return n;
}

static inline void random_exit(struct random_trace *t, const struct tf_path *p, struct tf_exit *e)
{
	uint64_t *r = &t->state;
	unsigned needed;

	e->n_blocks = (uint16_t)(1 + random_below(r, p->n_blocks));
	e->outcome = (uint8_t)random_below(r, 2);
	needed = random_slots_needed(t, p, random_insns_of(t, p, e->n_blocks));
	if (!p->recipes) {
		needed = 0;
		for (unsigned i = 0; i < e->n_blocks; i++)
			needed += t->blocks.at[p->blocks[i]].n_values;
	}
	e->n_slots = (uint16_t)(needed + random_below(r, p->n_slots - needed + 1));
	e->rsp_rule = random_chance(r, 5) ? TF_RSP_UNTRACKED : random_chance(r, 80) ? TF_RSP_DELTA
										  : TF_RSP_SLOT;
	if (e->rsp_rule == TF_RSP_SLOT && e->n_slots == 0)
		e->rsp_rule = TF_RSP_DELTA;
	if (e->rsp_rule == TF_RSP_SLOT)
		e->rsp_slot = (uint16_t)random_below(r, e->n_slots);
	if (e->rsp_rule != TF_RSP_UNTRACKED)
		e->rsp_value = random_chance(r, 50) ? 0 : 8 * (int64_t)random_below(r, 99) - 400;
}

static inline void random_path(struct random_trace *t)
{
	uint64_t *r = &t->state;
	struct tf_path p = { .id = (uint32_t)t->paths.count };
	struct tf_recipe *recipes;
	struct tf_exit *exits;
	uint32_t *blocks;

	p.first_exit = (uint32_t)t->next_exit.count;
	p.n_blocks = t->options.identity || random_chance(r, 40) ? 1 : (uint16_t)(1 + random_below(r, 5));
	blocks = random_memory(t, p.n_blocks * sizeof(*blocks));
	for (unsigned i = 0; i < p.n_blocks; i++) {
		blocks[i] = random_below(r, (unsigned)t->blocks.count);
		if (i && random_chance(r, 50) && blocks[i - 1] + 1 < t->blocks.count)
			blocks[i] = blocks[i - 1] + 1;
		p.n_values = (uint16_t)(p.n_values + t->blocks.at[blocks[i]].n_values);
		p.n_insns += t->blocks.at[blocks[i]].n_insns;
	}
	p.blocks = blocks;
	if (t->options.identity || random_chance(r, 30)) {
		p.n_slots = p.n_values;
	} else {
		recipes = random_memory(t, p.n_values * sizeof(*recipes));
		for (unsigned i = 0; i < p.n_values; i++)
			random_recipe(t, &p, &recipes[i]);
		if (random_chance(r, 20))
			p.n_slots++;
		p.recipes = recipes;
	}
	p.n_exits = random_chance(r, 3) ? 0 : (uint16_t)(1 + random_below(r, 4));
	exits = random_memory(t, p.n_exits * sizeof(*exits));
	for (unsigned k = 0; k < p.n_exits; k++)
		random_exit(t, &p, &exits[k]);
	p.exits = exits;
	PUSH(&t->paths, p);
	PUSH(&t->last_slots, random_memory(t, p.n_slots * sizeof(uint64_t)));
	for (unsigned k = 0; k <= p.n_exits; k++)
		PUSH(&t->next_exit, (uint32_t)random_u64(r));
}

static inline void random_module(struct random_trace *t)
{
	uint64_t *r = &t->state;
	struct tf_module m = {
		.index = (uint32_t)t->modules.count,
		.kind = (enum tf_module_kind)random_below(r, 3),
		.path = random_text(t, 12),
		.build_id_size = (uint8_t)random_below(r, 21),
		.file_size = random_value(r),
	};
	struct random_symbols s = { .module = m.index };

	for (unsigned i = 0; i < m.build_id_size; i++)
		m.build_id[i] = (uint8_t)random_below(r, 256);
	PUSH(&t->modules, m);
	s.count = random_below(r, t->options.n_symbols + 1);
	s.symbols = random_memory(t, s.count * sizeof(*s.symbols));
	for (size_t i = 0; i < s.count; i++)
		s.symbols[i] = (struct tf_symbol){
			.value = random_below(r, 4096),
			.size = random_chance(r, 20) ? 0 : random_below(r, 64),
			.kind = (uint8_t)random_below(r, 11),
			.name = random_text(t, 8),
		};
	PUSH(&t->symbols, s);
}

static inline void random_dictionary(struct random_trace *t)
{
	static const char *const keys[] = { "command.argv", "host.cpu", "order", "x-1.y" };
	const struct random_options *o = &t->options;
	uint64_t *r = &t->state;

	for (unsigned i = 0; i < o->n_modules; i++)
		random_module(t);
	for (unsigned i = 0; i < o->n_processes; i++)
		PUSH(&t->processes, (struct tf_process){
			.index = i, .pid = 1000 + i, .parent = i ? random_below(r, i) : TF_NONE });
	for (unsigned i = 0; i < o->n_threads; i++)
		PUSH(&t->threads, (struct tf_thread){
			.index = i, .process = random_below(r, o->n_processes),
			.tid = (uint32_t)random_value(r) });
	for (unsigned i = 0; i < 3; i++) {
		PUSH(&t->functions, (struct tf_function){
			.index = i, .n_args = random_below(r, TF_MAX_CALL_ARGS + 1),
			.name = random_text(t, 8) });
		PUSH(&t->regions, (struct tf_region){ .index = i, .name = random_text(t, 8) });
		PUSH(&t->mappings, (struct tf_mapping){
			.index = i, .change = (enum tf_mapping_change)random_below(r, 3),
			.process = random_below(r, o->n_processes),
			.module = o->n_modules && random_chance(r, 50) ? random_below(r, o->n_modules)
								       : TF_NONE,
			.start = random_value(r), .size = random_value(r),
			.file_offset = random_value(r), .protection = random_below(r, 8),
			.name = random_text(t, 12) });
	}
	for (unsigned i = 0; i < 6; i++) {
		char *value = random_text(t, 20), *space;

		while ((space = strchr(value, ' ')))
			*space = '\n';
		PUSH(&t->meta, (struct random_meta){ keys[random_below(r, 4)], value });
	}
	for (unsigned i = 0; i < o->n_blocks; i++)
		random_block(t);
	for (unsigned i = 0; i < o->n_paths; i++)
		random_path(t);
}

/* ---- dynamic part ------------------------------------------------------------------------- */

/* A recipe's value by the formula of traceformat.h. */
static inline uint64_t random_recipe_value(const struct tf_recipe *recipe, const uint64_t *slots,
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
		int64_t words = bits / width - (bits % width < 0);	/* rounded down */

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

static inline void random_visit_evaluate(void *opaque, unsigned value)
{
	struct random_evaluation *e = opaque;

	e->values[value] = e->path->recipes ?
		random_recipe_value(&e->path->recipes[value], e->slots, e->stream) : e->slots[value];
}

static inline bool random_uses_rsp(const struct tf_path *p)
{
	for (unsigned i = 0; p->recipes && i < p->n_values; i++)
		if (p->recipes[i].base == TF_BASE_RSP)
			return true;
	return false;
}

/* Any exit of a path that can be executed now, mostly the one that followed `last` before. */
static inline uint32_t random_choose_exit(struct random_trace *t, const struct random_stream *s,
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

static inline void random_event(struct random_trace *t, struct tf_event *e)
{
	static const enum tf_event_kind kinds[] = {
		TF_EVENT_SYSCALL, TF_EVENT_SYSCALL_RESULT, TF_EVENT_SIGNAL, TF_EVENT_SIGRETURN,
		TF_EVENT_THREAD_START, TF_EVENT_THREAD_EXIT, TF_EVENT_PROCESS_START,
		TF_EVENT_PROCESS_EXIT, TF_EVENT_EXEC, TF_EVENT_MAPPING, TF_EVENT_REGION_BEGIN,
		TF_EVENT_REGION_END, TF_EVENT_CALL, TF_EVENT_RETURN, TF_EVENT_CONTROL_WORD,
		TF_EVENT_GAP, TF_EVENT_TIME, TF_EVENT_SEGMENT_BASE, TF_EVENT_SEGMENT_BASE,
		TF_EVENT_SYSCALL,
	};
	uint64_t *r = &t->state;

	e->kind = kinds[random_below(r, sizeof(kinds) / sizeof(*kinds))];
	switch ((enum tf_event_kind)e->kind) {
	case TF_EVENT_SYSCALL:
		e->syscall.number = random_below(r, 400);
		for (unsigned i = 0; i < 6; i++)
			e->syscall.args[i] = random_value(r);
		e->syscall.time_ns = random_value(r);
		break;
	case TF_EVENT_SYSCALL_RESULT:
		e->syscall_result.number = random_below(r, 400);
		e->syscall_result.result = (int64_t)random_u64(r);
		e->syscall_result.time_ns = random_value(r);
		break;
	case TF_EVENT_SIGNAL:
		e->signal.number = random_below(r, 64);
		e->signal.code = (int32_t)random_u64(r);
		e->signal.address = random_value(r);
		e->signal.pc = random_value(r);
		e->signal.handler = random_value(r);
		break;
	case TF_EVENT_SIGRETURN:
		e->sigreturn.pc = random_value(r);
		break;
	case TF_EVENT_THREAD_START:
		e->thread_start.thread = (uint32_t)random_value(r);
		e->thread_start.time_ns = random_value(r);
		break;
	case TF_EVENT_THREAD_EXIT:
		e->thread_exit.status = (int32_t)random_u64(r);
		e->thread_exit.time_ns = random_value(r);
		break;
	case TF_EVENT_PROCESS_START:
		e->process_start.process = (uint32_t)random_value(r);
		e->process_start.time_ns = random_value(r);
		break;
	case TF_EVENT_PROCESS_EXIT:
		e->process_exit.wait_status = (int32_t)random_u64(r);
		e->process_exit.time_ns = random_value(r);
		break;
	case TF_EVENT_EXEC:
		e->exec.path = random_text(t, 12);
		e->exec.time_ns = random_value(r);
		break;
	case TF_EVENT_MAPPING:
		e->mapping.index = random_below(r, 3);
		break;
	case TF_EVENT_REGION_BEGIN:
	case TF_EVENT_REGION_END:
		e->region.index = random_below(r, 3);
		break;
	case TF_EVENT_CALL:
		e->call.function = random_below(r, 3);
		e->call.n_args = t->functions.at[e->call.function].n_args;
		for (unsigned i = 0; i < e->call.n_args; i++)
			e->call.args[i] = random_value(r);
		break;
	case TF_EVENT_RETURN:
		e->ret.function = random_below(r, 3);
		e->ret.result = random_value(r);
		break;
	case TF_EVENT_CONTROL_WORD:
		e->control_word.which = random_below(r, 2);
		e->control_word.value = (uint32_t)random_u64(r);
		break;
	case TF_EVENT_GAP:
		e->gap.reason = 1 + random_below(r, 2);
		e->gap.instructions = random_value(r);
		break;
	case TF_EVENT_TIME:
		e->time.time_ns = random_value(r);
		break;
	case TF_EVENT_SEGMENT_BASE:
		e->segment_base.segment = 1 + random_below(r, 2);
		e->segment_base.base = random_value(r);
		break;
	}
}

/* Adds 1 to 3 events inside the coming execution (or, after_last, behind all), in their order. */
static inline void random_add_events(struct random_trace *t, uint32_t thread, uint32_t executed)
{
	struct random_stream *s = &t->streams[thread];
	uint64_t *r = &t->state;
	uint32_t ahead = 0;

	for (unsigned n = 1 + random_below(r, 3); n; n--) {
		struct tf_event e = { .thread = thread };

		random_event(t, &e);
		if (executed && random_chance(r, 50))
			ahead += random_below(r, executed - ahead + 1);
		e.ordinal = s->instructions + ahead;
		PUSH(&s->events, e);
		PUSH(&t->ops, (struct random_op){
			.kind = OP_EVENT, .thread = thread, .index = s->events.count - 1,
			.number = ahead });
		if (e.kind == TF_EVENT_SEGMENT_BASE && ahead == 0)
			s->base[e.segment_base.segment] = e.segment_base.base;
	}
}

/* A base that changed inside an execution holds from the next one on. */
static inline void random_late_bases(struct random_stream *s, uint64_t after)
{
	size_t i = s->events.count;

	while (i && s->events.at[i - 1].ordinal > after)
		i--;
	for (; i < s->events.count; i++) {
		const struct tf_event *e = &s->events.at[i];

		if (e->kind == TF_EVENT_SEGMENT_BASE)
			s->base[e->segment_base.segment] = e->segment_base.base;
	}
}

static inline void random_registers(struct random_trace *t, uint32_t thread)
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

static inline void random_execution(struct random_trace *t, uint32_t thread)
{
	struct random_stream *s = &t->streams[thread];
	uint64_t *r = &t->state;
	struct random_exec e = { .first = s->instructions };
	struct random_evaluation evaluation = { .stream = s };
	const struct tf_exit *exit = NULL;
	const struct tf_path *p;
	uint64_t *last;

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
	e.slots = random_memory(t, e.n_slots * sizeof(uint64_t));
	last = t->last_slots.at[p->id];
	for (unsigned i = 0; i < e.n_slots; i++)
		last[i] = e.slots[i] = random_chance(r, 70) ? last[i] + 8 * i : random_value(r);
	if (random_chance(r, t->options.events))
		random_add_events(t, thread, e.executed);

	e.values = random_memory(t, p->n_values * sizeof(uint64_t));
	evaluation.path = p;
	evaluation.slots = e.slots;
	evaluation.values = e.values;
	random_each_value(t, p, e.executed, random_visit_evaluate, &evaluation);

	PUSH(&s->execs, e);
	PUSH(&t->ops, (struct random_op){
		.kind = OP_EXEC, .thread = thread, .index = s->execs.count - 1 });
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

static inline void random_schedule(struct random_trace *t, uint32_t thread, uint64_t instructions)
{
	if (instructions == 0)
		return;
	PUSH(&t->ops, (struct random_op){
		.kind = OP_SCHEDULE, .thread = thread, .number = instructions });
	PUSH(&t->schedule, (struct random_run){ thread, instructions });
}

static inline void random_script(struct random_trace *t)
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
		if (left > 20)	/* the last ones stay without a schedule */
			random_schedule(t, thread, s->instructions - before);
		if (random_chance(r, 5))
			PUSH(&t->ops, (struct random_op){ .kind = OP_FLUSH, .thread = thread });
		if (random_chance(r, 2))
			PUSH(&t->ops, (struct random_op){ .kind = OP_FLUSH_WRITER });
	}
}

/* Returns a trace; free it with random_trace_free. */
static inline struct random_trace *random_trace_new(const struct random_options *options)
{
	struct random_trace *t = calloc(1, sizeof(*t));

	assert(t);
	t->options = *options;
	t->state = options->seed;
	t->streams = calloc(options->n_threads, sizeof(*t->streams));
	assert(t->streams);
	for (unsigned i = 0; i < 16; i++)
		t->uuid[i] = (uint8_t)random_below(&t->state, 256);
	t->wait_status = (int32_t)random_below(&t->state, 65536);
	t->stop_reason = "exit";
	random_dictionary(t);
	random_script(t);
	return t;
}

static inline void random_trace_free(struct random_trace *t)
{
	for (size_t i = 0; i < t->memory.count; i++)
		free(t->memory.at[i]);
	for (unsigned i = 0; i < t->options.n_threads; i++) {
		free(t->streams[i].execs.at);
		free(t->streams[i].events.at);
	}
	free(t->streams);
	free(t->memory.at);
	free(t->modules.at);
	free(t->symbols.at);
	free(t->processes.at);
	free(t->threads.at);
	free(t->functions.at);
	free(t->mappings.at);
	free(t->regions.at);
	free(t->blocks.at);
	free(t->paths.at);
	free(t->meta.at);
	free(t->ops.at);
	free(t->schedule.at);
	free(t->next_exit.at);
	free(t->last_slots.at);
	free(t);
}

/* ---- writing it --------------------------------------------------------------------------- */

/* A trace being written. */
struct random_player {
	const struct random_trace *trace;
	struct tf_writer *writer;
	struct tf_stream **streams;
	size_t next_op;
	uint32_t n_blocks, n_paths;	/* added so far */
	struct tf_error error;
};

static inline struct tf_writer_options random_writer_options(const struct random_trace *t)
{
	return (struct tf_writer_options){
		.size = sizeof(struct tf_writer_options),
		.chunk_instructions = t->options.chunk_instructions,
		.created_ns = 1700000000000000000,
		.uuid = t->uuid,
		.order_exact = true,
		.threads = t->options.writer_threads,
	};
}

/* Adds the paths up to `path` and their blocks, as far as they have not been. */
static inline int random_add_paths(struct random_player *p, uint32_t path)
{
	const struct random_trace *t = p->trace;
	int status = 0;

	for (; status == 0 && p->n_paths <= path; p->n_paths++) {
		const struct tf_path *next = &t->paths.at[p->n_paths];
		uint32_t id = 0, first_exit = 0;

		for (unsigned i = 0; i < next->n_blocks; i++)
			for (; status == 0 && p->n_blocks <= next->blocks[i]; p->n_blocks++) {
				struct tf_block b = t->blocks.at[p->n_blocks];

				if (b.id % 2)	/* the writer numbers the extras itself */
					b.n_values = 0;
				status = tf_writer_add_block(p->writer, &b, &id, &p->error);
				assert(status || id == b.id);
			}
		if (status == 0)
			status = tf_writer_add_path(p->writer, next, &id, &first_exit, &p->error);
		assert(status || (id == next->id && first_exit == next->first_exit));
	}
	return status;
}

static inline int random_play_op(struct random_player *p, const struct random_op *op)
{
	const struct random_trace *t = p->trace;
	struct tf_stream *stream = p->streams[op->thread];
	const struct random_exec *e;
	const struct tf_event *event;
	int status;

	switch (op->kind) {
	case OP_EXEC:
		e = &t->streams[op->thread].execs.at[op->index];
		status = random_add_paths(p, e->path);
		if (status < 0)
			return status;
		assert(tf_stream_ordinal(stream) == e->first);
		return e->partial ? tf_stream_partial(stream, e->path, e->executed, e->slots, e->n_slots,
						      e->rsp_after, &p->error)
				  : tf_stream_exec(stream, e->exit, e->slots, &p->error);
	case OP_EVENT:
		event = &t->streams[op->thread].events.at[op->index];
		return op->number ? tf_stream_event_ahead(stream, event, (uint32_t)op->number, &p->error)
				  : tf_stream_event(stream, event, &p->error);
	case OP_REGISTERS:
		tf_stream_registers(stream, op->registers[0], op->registers[1], op->registers[2]);
		return 0;
	case OP_FLUSH:
		return tf_stream_flush(stream, &p->error);
	case OP_FLUSH_WRITER:
		return tf_writer_flush(p->writer, &p->error);
	case OP_SCHEDULE:
		return tf_writer_schedule(p->writer, op->thread, op->number, &p->error);
	}
	return 0;
}

/* Performs the script's next `count` calls, or what is left of them. */
static inline int random_play(struct random_player *p, size_t count)
{
	int status = 0;

	for (; status == 0 && count && p->next_op < p->trace->ops.count; p->next_op++, count--)
		status = random_play_op(p, &p->trace->ops.at[p->next_op]);
	return status;
}

static inline int random_play_dictionary(struct random_player *p)
{
	const struct random_trace *t = p->trace;
	struct tf_writer *w = p->writer;
	struct tf_error *error = &p->error;
	int status = 0;

	for (size_t i = 0; status == 0 && i < t->meta.count; i++)
		status = tf_writer_meta(w, t->meta.at[i].key, t->meta.at[i].value, error);
	for (size_t i = 0; status == 0 && i < t->modules.count; i++)
		status = tf_writer_add_module(w, &t->modules.at[i], NULL, error);
	for (size_t i = 0; status == 0 && i < t->symbols.count; i++)
		status = tf_writer_add_symbols(w, t->symbols.at[i].module, t->symbols.at[i].symbols,
					       t->symbols.at[i].count, error);
	for (size_t i = 0; status == 0 && i < t->processes.count; i++)
		status = tf_writer_add_process(w, &t->processes.at[i], NULL, error);
	for (size_t i = 0; status == 0 && i < t->threads.count; i++)
		status = tf_writer_add_thread(w, &t->threads.at[i], NULL, error);
	for (size_t i = 0; status == 0 && i < t->functions.count; i++)
		status = tf_writer_add_function(w, &t->functions.at[i], NULL, error);
	for (size_t i = 0; status == 0 && i < t->mappings.count; i++)
		status = tf_writer_add_mapping(w, &t->mappings.at[i], NULL, error);
	for (size_t i = 0; status == 0 && i < t->regions.count; i++)
		status = tf_writer_add_region(w, &t->regions.at[i], NULL, error);
	for (uint32_t i = 0; status == 0 && i < t->threads.count; i++)
		status = tf_stream_open(w, i, &p->streams[i], error);
	return status;
}

/* Begins writing to fd; end it with random_play_end, also after an error. */
static inline int random_play_begin(struct random_player *p, const struct random_trace *t, int fd)
{
	struct tf_writer_options options = random_writer_options(t);
	int status;

	*p = (struct random_player){ .trace = t };
	p->streams = calloc(t->threads.count, sizeof(*p->streams));
	assert(p->streams);
	status = tf_writer_create_fd(fd, "random.trace", &options, &p->writer, &p->error);
	return status < 0 ? status : random_play_dictionary(p);
}

/* Closes everything, finishes the trace if asked to, and returns the first error. */
static inline int random_play_end(struct random_player *p, bool finish)
{
	int status = 0;

	for (size_t i = 0; i < p->trace->threads.count; i++)
		if (p->streams[i]) {
			int closed = tf_stream_close(p->streams[i], status ? NULL : &p->error);

			status = status ? status : closed;
		}
	if (status == 0 && finish && p->writer)
		status = tf_writer_finish(p->writer, p->trace->wait_status, p->trace->stop_reason,
					  &p->error);
	tf_writer_free(p->writer);
	free(p->streams);
	return status;
}

/* Writes the whole trace to fd. Returns 0 or the first error. */
static inline int random_trace_write(const struct random_trace *t, int fd, bool finish,
				     struct tf_error *error)
{
	struct random_player player;
	int status = random_play_begin(&player, t, fd), ended;

	if (status == 0)
		status = random_play(&player, SIZE_MAX);
	if (status < 0 && error)
		*error = player.error;
	ended = random_play_end(&player, finish && status == 0);
	if (status == 0 && ended < 0 && error)
		*error = player.error;
	return status < 0 ? status : ended;
}

#endif
