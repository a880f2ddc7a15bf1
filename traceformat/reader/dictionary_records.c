/* SPDX-License-Identifier: MIT */
/* Reads the records of the dictionary. Blocks and paths are checked, and prepared for use. */
#include "traceformat/reader/dictionary_records.h"

#include <malloc.h>

#include "traceformat/codings/slots.h"
#include "traceformat/file/format.h"
#include "traceformat/tracesamples.h"

static uint32_t take_u32(struct span *s)
{
	return (uint32_t)take_varint_max(s, UINT32_MAX);
}

/* Returns a copy of the string, NUL-terminated (and cut at an embedded NUL), or NULL. */
static const char *take_string(struct loader *l)
{
	uint64_t size = take_varint(&l->in);
	const uint8_t *bytes = take_bytes(&l->in, size);
	char *copy = bytes ? pool_alloc(&l->r->pool, size + 1) : NULL;

	return copy ? memcpy(copy, bytes, size) : NULL;
}

/* Copies a record into the pool; NULL if it is damaged or memory is out. */
static void *keep(struct loader *l, const void *record, size_t size)
{
	void *copy = l->in.bad ? NULL : pool_alloc(&l->r->pool, size);

	return copy ? memcpy(copy, record, size) : NULL;
}

/*
 * Sets the index of a missing record to TF_NONE if the record is lost; else the section is damaged.
 */
#define MUST_BE(l, array, i)                                                                  \
	do {                                                                                  \
		if ((i) != TF_NONE && ((i) >= (l)->r->array.count || !(l)->r->array.at[i])) { \
			(l)->in.bad |= !(l)->r->lossy;                                        \
			(i) = TF_NONE;                                                        \
		}                                                                             \
	} while (0)

#define KEEP(l, array, record) \
	(((l)->r->array.at[(l)->index] = keep(l, &(record), sizeof(record))) != NULL)

bool read_module(struct loader *l)
{
	struct tf_module m = { .index = (uint32_t)l->index };
	const uint8_t *id;

	m.kind = (enum tf_module_kind)take_u32(&l->in);
	m.path = take_string(l);
	m.build_id_size = (uint8_t)take_varint_max(&l->in, sizeof(m.build_id));
	id = take_bytes(&l->in, m.build_id_size);
	if (id)
		memcpy(m.build_id, id, m.build_id_size);
	m.file_size = take_varint(&l->in);
	return m.path && KEEP(l, modules, m);
}

bool read_symbols(struct loader *l)
{
	uint64_t module = take_varint(&l->in), count = take_varint(&l->in), value = 0;
	struct module_symbols *into;

	if (l->in.bad || module >= l->r->modules.count || count > span_left(&l->in) / 4 ||
	    !RESERVE(l->r->symbols, l->r->modules.count))
		return false;
	l->r->symbols.count = l->r->modules.count;
	into = &l->r->symbols.at[module];
	if (!RESERVE(into->pending, into->pending.count + count))
		return false;
	l->r->code_memory += 2 * count * sizeof(*into->pending.at); /* and sorted */
	for (; count; count--) {
		struct tf_symbol *s = &into->pending.at[into->pending.count];

		value += (uint64_t)take_svarint(&l->in);
		s->value = value;
		s->size = take_varint(&l->in);
		s->kind = take_u8(&l->in);
		s->name = take_string(l);
		if (!s->name)
			return false;
		into->pending.count++;
	}
	return true;
}

bool read_process(struct loader *l)
{
	struct tf_process p = { .index = (uint32_t)l->index };

	p.pid = take_u32(&l->in);
	p.parent = take_index(&l->in);
	return KEEP(l, processes, p);
}

bool read_thread(struct loader *l)
{
	struct tf_thread t = { .index = (uint32_t)l->index };

	t.process = take_u32(&l->in);
	t.tid = take_u32(&l->in);
	MUST_BE(l, processes, t.process);
	return l->index < MAX_THREADS && KEEP(l, threads, t);
}

bool read_function(struct loader *l)
{
	struct tf_function f = { .index = (uint32_t)l->index };

	f.n_args = (uint32_t)take_varint_max(&l->in, TF_MAX_CALL_ARGS);
	f.name = take_string(l);
	return f.name && KEEP(l, functions, f);
}

bool read_mapping(struct loader *l)
{
	struct tf_mapping m = { .index = (uint32_t)l->index };

	m.change = (enum tf_mapping_change)take_u32(&l->in);
	m.process = take_u32(&l->in);
	m.module = take_index(&l->in);
	m.start = take_varint(&l->in);
	m.size = take_varint(&l->in);
	m.file_offset = take_varint(&l->in);
	m.protection = take_u32(&l->in);
	m.name = take_string(l);
	MUST_BE(l, processes, m.process);
	MUST_BE(l, modules, m.module);
	return m.name && KEEP(l, mappings, m);
}

bool read_region(struct loader *l)
{
	struct tf_region region = { .index = (uint32_t)l->index };

	region.name = take_string(l);
	return region.name && KEEP(l, regions, region);
}

bool read_sampler(struct loader *l)
{
	struct tf_sampler s = { .index = (uint32_t)l->index };
	const uint8_t *attr;

	s.event = take_string(l);
	s.pmu = take_string(l);
	s.origin = (enum tf_sampler_origin)take_u32(&l->in);
	s.caps = take_u32(&l->in);
	s.attr_size = take_varint(&l->in);
	attr = take_bytes(&l->in, s.attr_size);
	s.attr = attr ? pool_alloc(&l->r->pool, s.attr_size + 1) : NULL;
	if (!s.attr)
		return false;
	memcpy((uint8_t *)s.attr, attr, s.attr_size);
	return s.event && s.pmu && KEEP(l, samplers, s);
}

bool read_run(struct loader *l)
{
	struct schedule_run *run = &l->r->schedule.at[l->index];

	run->thread = (uint32_t)take_varint_max(&l->in, UINT32_MAX);
	run->instructions = take_varint(&l->in);
	return true;
}

/* ---- kinds of instructions --------------------------------------------------------------- */

enum { N_CLASSES = 20, N_REGISTERS = 189, ALL_FLAGS = 0x3f, ALL_TRAITS = 0x1ff };

static const char *take_kind_name(struct loader *l)
{
	const char *name = take_string(l);

	return name && kind_name_valid(name) ? name : NULL;
}

static uint8_t take_registers(struct span *s, uint8_t registers[TF_MAX_KIND_REGISTERS])
{
	uint8_t n = (uint8_t)take_varint_max(s, TF_MAX_KIND_REGISTERS);

	for (unsigned i = 0; i < n && !s->bad; i++) {
		registers[i] = take_u8(s);
		s->bad |= registers[i] >= N_REGISTERS;
	}
	return n;
}

bool read_kind(struct loader *l)
{
	struct span *s = &l->in;
	struct tf_insn_kind k = { .insn_class = take_u8(s) };

	k.flags = take_u32(s);
	k.traits = take_u32(s);
	k.category = take_kind_name(l);
	k.iclass = take_kind_name(l);
	k.mnemonic = take_kind_name(l);
	k.n_register_operands = take_u8(s);
	k.n_reads = take_registers(s, k.reads);
	k.n_writes = take_registers(s, k.writes);
	k.general_reads = (uint16_t)take_varint_max(s, UINT16_MAX);
	k.general_writes = (uint16_t)take_varint_max(s, UINT16_MAX);
	return k.insn_class < N_CLASSES && !(k.flags & ~(uint32_t)ALL_FLAGS) &&
	       !(k.traits & ~(uint32_t)ALL_TRAITS) && k.category && k.iclass && k.mnemonic &&
	       KEEP(l, kinds, k);
}

/* ---- blocks and paths ------------------------------------------------------------------------ */

/*
 * Bytes that readers of a trace take for each instruction and slot of the dictionary beside the
 * record: an analyzer for its facts about the instruction, a lane for the state of the slot.
 */
enum { INSN_MEMORY = 256, SLOT_MEMORY = 20 };

static void take_operand(struct span *s, struct tf_operand *o)
{
	uint8_t kind = take_u8(s), flags = take_u8(s);

	*o = (struct tf_operand){
		.access = kind & 7,
		.form = kind >> 3,
		.flags = flags & 15,
		.segment = flags >> 4,
		.size = (uint32_t)take_varint_max(s, UINT32_MAX),
	};
	if (o->form == TF_MASKED || o->form == TF_LANES)
		o->lanes = take_u8(s);
	if (o->form == TF_LANES) {
		o->index_size = take_u8(s);
		o->scale = take_u8(s);
	}
}

/*
 * Takes the kinds of a block's instructions. Returns false if one is not known, which in a trace
 * that has lost records costs the block.
 */
static bool take_kinds(struct loader *l, unsigned n, const struct tf_insn_kind **kinds)
{
	bool known = true;

	for (unsigned i = 0; i < n; i++) {
		uint64_t k = take_varint(&l->in);

		kinds[i] = k < l->r->kinds.count ? l->r->kinds.at[k] : NULL;
		known &= kinds[i] != NULL;
	}
	l->in.bad |= !known && !l->r->lossy;
	return known;
}

enum { INSN_LENGTH = 15, INSN_FLAGS = 3, INSN_HAS_OPERANDS = 0x40, END_HAS_TARGET = 0x10 };

bool read_block(struct loader *l)
{
	struct tf_insn insns[TF_MAX_BLOCK_INSNS];
	struct tf_operand operands[TF_MAX_BLOCK_OPERANDS];
	const struct tf_insn_kind *kinds[TF_MAX_BLOCK_INSNS];
	bool withheld = l->r->incompat & INCOMPAT_CODE_WITHHELD, known = true;
	struct tf_block b = { .insns = insns, .operands = operands, .id = (uint32_t)l->index };
	struct span *s = &l->in;
	const char *why;
	uint8_t end;

	b.pc = l->last_pc + (uint64_t)take_svarint(s);
	b.module = take_index(s);
	l->last_bias += (uint64_t)take_svarint(s);
	b.module_offset = b.pc - l->last_bias;
	l->last_pc = b.pc;
	end = take_u8(s);
	b.end = end & 15;
	if (end & END_HAS_TARGET)
		b.target = b.pc + (uint64_t)take_svarint(s);
	if (end & ~(15 | END_HAS_TARGET))
		return false;
	b.n_insns = (uint16_t)take_varint_max(s, TF_MAX_BLOCK_INSNS);
	for (unsigned i = 0; i < b.n_insns && !s->bad; i++) {
		uint8_t head = take_u8(s);
		uint64_t n = head & INSN_HAS_OPERANDS ? take_varint(s) : 0;

		if (n > UINT8_MAX || b.n_operands + n > TF_MAX_BLOCK_OPERANDS || head & 0x80)
			return false;
		insns[i] = (struct tf_insn){
			.offset = b.code_size,
			.length = head & INSN_LENGTH,
			.flags = head >> 4 & INSN_FLAGS,
			.first_operand = b.n_operands,
			.n_operands = (uint8_t)n,
		};
		b.code_size = (uint16_t)(b.code_size + insns[i].length);
		for (unsigned k = 0; k < n; k++)
			take_operand(s, &operands[b.n_operands++]);
	}
	if (withheld)
		known = take_kinds(l, b.n_insns, kinds);
	else
		b.code = take_bytes(s, b.code_size);
	b.kinds = withheld ? kinds : NULL;
	if (b.module != TF_NONE &&
	    (b.module >= l->r->modules.count || !l->r->modules.at[b.module])) {
		s->bad |= !l->r->lossy;
		b.module = TF_NONE;
	}
	if (s->bad || !known)
		return !s->bad;
	l->r->blocks.at[l->index] = block_compile(&b, &why);
	l->r->code_memory += malloc_usable_size(l->r->blocks.at[l->index]) +
			     (uint64_t)b.n_insns * INSN_MEMORY;
	return l->r->blocks.at[l->index] != NULL;
}

static void take_recipe(struct span *s, struct tf_recipe *r)
{
	uint8_t head = take_u8(s);
	unsigned width = head >> 3 & 3;

	*r = (struct tf_recipe){
		.base = head & 3,
		.bit_string = width ? (uint8_t)(8u << width) : 0,
		.address32 = head >> 5 & 1,
		.segment = head >> 6,
	};
	if (r->base == TF_BASE_SLOT)
		r->slot = (uint16_t)take_varint_max(s, TF_MAX_PATH_SLOTS);
	if ((head & 4) || r->bit_string)
		r->index_slot = (uint16_t)take_varint_max(s, TF_MAX_PATH_SLOTS);
	if (head & 4) {
		r->scale = take_u8(s);
		s->bad |= r->scale == 0;
	}
	r->displacement = take_svarint(s);
}

static void take_exit(struct span *s, struct tf_exit *e)
{
	uint8_t head;

	e->n_blocks = (uint16_t)take_varint_max(s, TF_MAX_PATH_BLOCKS);
	head = take_u8(s);
	*e = (struct tf_exit){ .n_blocks = e->n_blocks,
			       .outcome = head & 15,
			       .rsp_rule = head >> 4 };
	e->n_slots = (uint16_t)take_varint_max(s, TF_MAX_PATH_SLOTS);
	if (e->rsp_rule == TF_RSP_SLOT)
		e->rsp_slot = (uint16_t)take_varint_max(s, TF_MAX_PATH_SLOTS);
	if (e->rsp_rule != TF_RSP_UNTRACKED)
		e->rsp_value = take_svarint(s);
}

static const struct compiled_block *find_block(const void *opaque, uint32_t id)
{
	const struct tf_reader *r = opaque;

	return id < r->blocks.count ? r->blocks.at[id] : NULL;
}

static bool take_exits(struct loader *l, struct compiled_path *p)
{
	uint32_t n = p->path.n_exits + 1u;

	if (l->next_exit + (uint64_t)n > MAX_RECORDS || !RESERVE(l->r->exits, l->next_exit + n))
		return false;
	p->path.first_exit = l->next_exit;
	for (unsigned k = 0; k < n; k++)
		exit_compile(p, k, &l->r->exits.at[l->next_exit++]);
	l->r->exits.count = l->next_exit;
	return true;
}

static bool keep_path(struct loader *l, struct compiled_path *p)
{
	uint32_t n_slots = slot_states_of(p->path.n_slots);

	l->r->paths.at[l->index] = p;
	if (n_slots > UINT32_MAX - l->r->n_slots)
		return false;
	l->r->n_slots += n_slots;
	l->r->code_memory += malloc_usable_size(p) + (uint64_t)n_slots * SLOT_MEMORY;
	l->r->framed |= p->frame_recipes != NULL;
	l->r->reps_use_rsp |= p->reps.use_rsp;
	l->r->extents_use_rsp |= p->extents.use_rsp;
	return take_exits(l, p);
}

/* Skips a path that names a lost block. Only this path is lost, and later exits keep their ids. */
static bool pass_over_path(struct loader *l, unsigned n_exits)
{
	l->next_exit += n_exits + 1u;
	if (!l->r->lossy || !RESERVE(l->r->exits, l->next_exit))
		return false;
	l->r->exits.count = l->next_exit;
	return true;
}

bool read_path(struct loader *l)
{
	uint32_t blocks[TF_MAX_PATH_BLOCKS];
	struct tf_path path = { .id = (uint32_t)l->index, .blocks = blocks };
	struct tf_recipe *recipes = NULL;
	struct tf_exit *exits = NULL;
	struct compiled_path *p = NULL;
	const struct compiled_block *b;
	struct span *s = &l->in;
	uint64_t n_recipes, n_values = 0;
	const char *why;

	path.n_blocks = (uint16_t)take_varint_max(s, TF_MAX_PATH_BLOCKS);
	for (unsigned i = 0; i < path.n_blocks; i++) {
		l->last_block += (uint32_t)take_svarint(s);
		blocks[i] = l->last_block;
		b = find_block(l->r, blocks[i]);
		n_values += b ? b->block.n_values : 0;
	}
	path.n_slots = (uint16_t)take_varint_max(s, TF_MAX_PATH_SLOTS);
	n_recipes = take_varint_max(s, TF_MAX_PATH_VALUES + 1);
	if (n_recipes) {
		recipes = calloc(n_recipes, sizeof(*recipes));
		for (uint64_t i = 0; recipes && i + 1 < n_recipes; i++)
			take_recipe(s, &recipes[i]);
	}
	path.recipes = recipes;
	path.n_values = (uint16_t)(n_recipes ? n_recipes - 1 : n_values);
	path.n_exits = (uint16_t)take_varint_max(s, TF_MAX_PATH_EXITS);
	exits = calloc(path.n_exits + 1u, sizeof(*exits));
	for (unsigned k = 0; exits && k < path.n_exits; k++)
		take_exit(s, &exits[k]);
	path.exits = exits;
	if (!s->bad && exits && (recipes || !n_recipes))
		p = path_compile(&path, PATH_READ, find_block, l->r, l->r->n_slots, &why);
	free(recipes);
	free(exits);
	if (s->bad)
		return false;
	return p ? keep_path(l, p) : pass_over_path(l, path.n_exits);
}
