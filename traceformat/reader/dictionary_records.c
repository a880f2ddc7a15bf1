/* SPDX-License-Identifier: MIT */
/* Reads records that are kept as they are: modules, threads, mappings, ... */
#include "traceformat/reader/dictionary_records.h"

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
