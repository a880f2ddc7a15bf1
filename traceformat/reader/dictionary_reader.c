/* SPDX-License-Identifier: MIT */
/*
 * Loading the dictionary (FORMAT.md 4). A damaged section costs the records that it holds and
 * whatever names them; indices say where the next section's records belong.
 */
#include "traceformat/reader/reader.h"

#include "traceformat/common/error.h"
#include "traceformat/codings/slots.h"

struct loader {
	struct tf_reader *r;
	struct span in;
	uint64_t index;		/* of the record being read */
	uint64_t last_pc, last_bias;
	uint32_t last_block, next_exit;
};

/* Takes one record from l->in and stores it at l->index, for which there is room. False: it is
 * damaged (l->in.bad), or memory is out. */
typedef bool record_reader(struct loader *l);

static uint32_t take_u32(struct span *s) { return (uint32_t)take_varint_max(s, UINT32_MAX); }

/* Returns a copy of the string, NUL-terminated (and cut at an embedded NUL), or NULL. */
static const char *take_string(struct loader *l)
{
	uint64_t size = take_varint(&l->in);
	const uint8_t *bytes = take_bytes(&l->in, size);
	char *copy = bytes ? arena_alloc(&l->r->arena, size + 1) : NULL;

	return copy ? memcpy(copy, bytes, size) : NULL;
}

/* Copies a record into the arena; NULL if it is damaged or memory is out. */
static void *keep(struct loader *l, const void *record, size_t size)
{
	void *copy = l->in.bad ? NULL : arena_alloc(&l->r->arena, size);

	return copy ? memcpy(copy, record, size) : NULL;
}

#define KEEP(l, array, record) \
	(((l)->r->array.at[(l)->index] = keep(l, &(record), sizeof(record))) != NULL)

static bool read_module(struct loader *l)
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

static bool read_symbols(struct loader *l)
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

static bool read_process(struct loader *l)
{
	struct tf_process p = { .index = (uint32_t)l->index };

	p.pid = take_u32(&l->in);
	p.parent = take_index(&l->in);
	return KEEP(l, processes, p);
}

static bool read_thread(struct loader *l)
{
	struct tf_thread t = { .index = (uint32_t)l->index };

	t.process = take_u32(&l->in);
	t.tid = take_u32(&l->in);
	return l->index < MAX_THREADS && KEEP(l, threads, t);
}

static bool read_function(struct loader *l)
{
	struct tf_function f = { .index = (uint32_t)l->index };

	f.n_args = (uint32_t)take_varint_max(&l->in, TF_MAX_CALL_ARGS);
	f.name = take_string(l);
	return f.name && KEEP(l, functions, f);
}

static bool read_mapping(struct loader *l)
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
	return m.name && KEEP(l, mappings, m);
}

static bool read_region(struct loader *l)
{
	struct tf_region region = { .index = (uint32_t)l->index };

	region.name = take_string(l);
	return region.name && KEEP(l, regions, region);
}

static bool read_sampler(struct loader *l)
{
	struct tf_sampler s = { .index = (uint32_t)l->index };
	const uint8_t *attr;

	s.event = take_string(l);
	s.pmu = take_string(l);
	s.origin = (enum tf_sampler_origin)take_u32(&l->in);
	s.caps = take_u32(&l->in);
	s.attr_size = take_varint(&l->in);
	attr = take_bytes(&l->in, s.attr_size);
	s.attr = attr ? arena_alloc(&l->r->arena, s.attr_size + 1) : NULL;
	if (!s.attr)
		return false;
	memcpy((uint8_t *)s.attr, attr, s.attr_size);
	return s.event && s.pmu && KEEP(l, samplers, s);
}

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

enum { INSN_LENGTH = 15, INSN_FLAGS = 3, INSN_HAS_OPERANDS = 0x40, END_HAS_TARGET = 0x10 };

static bool read_block(struct loader *l)
{
	struct tf_insn insns[TF_MAX_BLOCK_INSNS];
	struct tf_operand operands[TF_MAX_BLOCK_OPERANDS];
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
	b.code = take_bytes(s, b.code_size);
	if (b.module != TF_NONE && b.module >= l->r->modules.count) {
		s->bad |= !l->r->lossy;
		b.module = TF_NONE;
	}
	if (s->bad)
		return false;
	l->r->blocks.at[l->index] = block_compile(&b, &why);
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
	*e = (struct tf_exit){ .n_blocks = e->n_blocks, .outcome = head & 15, .rsp_rule = head >> 4 };
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

static bool read_path(struct loader *l)
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
	if (!p) {	/* names a lost block: only this path is lost, but its exits keep their ids */
		l->next_exit += path.n_exits + 1u;
		if (!l->r->lossy || !RESERVE(l->r->exits, l->next_exit))
			return false;
		l->r->exits.count = l->next_exit;
		return true;
	}
	l->r->paths.at[l->index] = p;
	if (slot_states_of(path.n_slots) > UINT32_MAX - l->r->n_slots)
		return false;
	l->r->n_slots += slot_states_of(path.n_slots);
	l->r->framed |= p->frame_recipes != NULL;
	l->r->reps_use_rsp |= p->reps_use_rsp;
	return take_exits(l, p);
}

static bool read_run(struct loader *l)
{
	struct schedule_run *run = &l->r->schedule.at[l->index];

	run->thread = (uint32_t)take_varint_max(&l->in, UINT32_MAX);
	run->instructions = take_varint(&l->in);
	return true;
}

#define KIND(section, read, array) \
	{ section, read, offsetof(struct tf_reader, array), sizeof(*((struct tf_reader *)0)->array.at) }

/* How the records of each kind are read, and the array that they fill. */
static const struct record_kind {
	enum section_kind kind;
	record_reader *read;
	size_t array, element_size;
} record_kinds[] = {
	KIND(SECTION_MODULES, read_module, modules),
	{ SECTION_SYMBOLS, read_symbols, 0, 0 },
	KIND(SECTION_PROCESSES, read_process, processes),
	KIND(SECTION_THREADS, read_thread, threads),
	KIND(SECTION_FUNCTIONS, read_function, functions),
	KIND(SECTION_MAPPINGS, read_mapping, mappings),
	KIND(SECTION_REGIONS, read_region, regions),
	KIND(SECTION_BLOCKS, read_block, blocks),
	KIND(SECTION_PATHS, read_path, paths),
	KIND(SECTION_SCHEDULE, read_run, schedule),
	KIND(SECTION_SAMPLERS, read_sampler, samplers),
};

static const struct record_kind *kind_of(const struct section *s)
{
	for (size_t i = 0; i < sizeof(record_kinds) / sizeof(*record_kinds); i++)
		if (record_kinds[i].kind == s->kind)
			return &record_kinds[i];
	return NULL;
}

/* Allows `index` to lie beyond `count` only by what lost sections may have held. */
static bool allow_gap(struct tf_reader *r, uint64_t index, uint64_t count)
{
	if (index < count || index - count > MAX_GAP - r->gap || (index > count && !r->lossy))
		return false;
	r->gap += index - count;
	return true;
}

/* Forgets the records behind the first `count`: their section turned out to be damaged. */
static void forget(struct tf_reader *r, const struct record_kind *k, size_t count)
{
	struct { char *at; size_t count; } array;

	memcpy(&array, (char *)r + k->array, sizeof(array));
	for (size_t i = count; i < array.count && k->kind == SECTION_BLOCKS; i++)
		free(r->blocks.at[i]);
	for (size_t i = count; i < array.count && k->kind == SECTION_PATHS; i++)
		free(r->paths.at[i]);
	if (array.count > count)
		memset(array.at + count * k->element_size, 0, (array.count - count) * k->element_size);
	array.count = count;
	memcpy((char *)r + k->array, &array, sizeof(array));
}

static void forget_exits(struct tf_reader *r, size_t count)
{
	if (r->exits.count > count)
		memset(&r->exits.at[count], 0, (r->exits.count - count) * sizeof(*r->exits.at));
	r->exits.count = count;
}

static bool read_records(struct tf_reader *r, const struct section *s, const struct record_kind *k,
			 const struct buffer *raw)
{
	void *at = (char *)r + k->array;
	size_t *count = (size_t *)((char *)at + offsetof(ARRAY(void), count));
	size_t *capacity = (size_t *)((char *)at + offsetof(ARRAY(void), capacity));
	size_t before = k->array ? *count : 0, exits = r->exits.count;
	struct loader l = {
		.r = r, .in = span_of(raw->data, raw->size), .next_exit = s->extra, .index = s->first,
	};

	if (s->count > raw->size || (k->array && !allow_gap(r, s->first, before)) ||
	    (s->kind == SECTION_PATHS && !allow_gap(r, s->extra, exits)))
		return false;
	for (; l.index < s->first + s->count; l.index++) {
		if (k->array && !array_reserve(at, capacity, l.index + 1, k->element_size))
			break;
		if (k->array)
			*count = l.index + 1;
		if (!k->read(&l) || l.in.bad)
			break;
	}
	if (l.index == s->first + s->count && l.in.at == l.in.end)
		return true;
	if (k->array)
		forget(r, k, before);
	forget_exits(r, exits);
	return false;
}

static int load_section(struct tf_reader *r, struct section *s, struct tf_error *error)
{
	const struct record_kind *kind = kind_of(s);
	struct buffer raw = { 0 };
	int status;

	if (section_known(s) < 0)
		return fail_at(error, TF_E_VERSION, s->offset, s->number,
			       "%s: section %u at offset %llu is of kind %u, version %u, which this "
			       "reader must know but does not; get a newer one", r->name, s->number,
			       (unsigned long long)s->offset, s->kind, s->version);
	if (!kind || section_known(s) == 0)
		return 0;
	if (!dictionary_plausible(s->stored, s->raw))
		status = TF_E_DAMAGED;
	else
		status = reader_payload(r, s, &raw, error);
	if (status == 0 && !read_records(r, s, kind, &raw))
		status = TF_E_DAMAGED;
	buffer_free(&raw);
	if (status == TF_E_DAMAGED) {
		reader_lose(r, s);
		r->schedule_lost |= s->kind == SECTION_SCHEDULE;
		status = 0;
	}
	return status;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct tf_symbol *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->size < y->size ? -1 : x->size > y->size;
}

/* Makes one sorted array of a module's symbols; one that was given out before stays. */
static bool sort_symbols(struct tf_reader *r, struct module_symbols *m)
{
	size_t count = m->count + m->pending.count;
	struct tf_symbol *all;

	if (!m->pending.count)
		return true;
	all = arena_alloc(&r->arena, count * sizeof(*all));
	if (!all)
		return false;
	if (m->count)
		memcpy(all, m->sorted, m->count * sizeof(*all));
	memcpy(all + m->count, m->pending.at, m->pending.count * sizeof(*all));
	qsort(all, count, sizeof(*all), compare_symbols);
	m->sorted = all;
	m->count = count;
	free(m->pending.at);
	memset(&m->pending, 0, sizeof(m->pending));
	return true;
}

int tf_load(struct tf_reader *r, struct tf_error *error)
{
	int status = 0;

	pthread_mutex_lock(&r->lock);
	r->lossy |= r->bytes_lost || reader_missing(r) || (r->compat & COMPAT_REPAIRED);
	while (status == 0 && r->loaded < r->sections.count) {
		status = load_section(r, &r->sections.at[r->loaded], error);
		if (status == 0)
			r->loaded++;
	}
	for (size_t i = 0; status == 0 && i < r->symbols.count; i++)
		if (!sort_symbols(r, &r->symbols.at[i]))
			status = fail_memory(error);
	pthread_mutex_unlock(&r->lock);
	return status;
}

void reader_forget_dictionary(struct tf_reader *r)
{
	for (size_t i = 0; i < r->blocks.count; i++)
		free(r->blocks.at[i]);
	for (size_t i = 0; i < r->paths.count; i++)
		free(r->paths.at[i]);
	for (size_t i = 0; i < r->symbols.count; i++)
		free(r->symbols.at[i].pending.at);
	arena_free(&r->arena);
	free(r->blocks.at);
	free(r->paths.at);
	free(r->exits.at);
	free(r->modules.at);
	free(r->symbols.at);
	free(r->processes.at);
	free(r->threads.at);
	free(r->functions.at);
	free(r->mappings.at);
	free(r->regions.at);
	free(r->samplers.at);
	free(r->schedule.at);
}
