/* SPDX-License-Identifier: MIT */
#include "analyzers/program/memory_regions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "analyzers/program/code_sites.h"
#include "cli/common/base_name.h"
#include "cli/common/checked.h"

/* ---- address spaces ---------------------------------------------------------------------- */

static void set(struct range_map *map, uint64_t first, uint64_t last, const struct tf_mapping *m)
{
	if (!range_map_set(map, (struct range){ first, last, m }))
		out_of_memory();
}

static void clear(struct range_map *map, uint64_t first, uint64_t last)
{
	if (!range_map_clear(map, first, last))
		out_of_memory();
}

static struct range_map *file_starts(struct memory_regions *r, uint32_t process, uint32_t module)
{
	struct file_starts *starts = TABLE_PUT(r->file_starts, { process, module });

	if (!starts)
		out_of_memory();
	return &starts->map;
}

static bool begins_file(const struct tf_mapping *m)
{
	return m->module != TF_NONE && !m->file_offset;
}

/* Keeps file_starts true when the addresses first .. last of a process become free. */
static void free_file_starts(struct memory_regions *r, uint32_t process, uint64_t first,
			     uint64_t last)
{
	const struct range *old = range_map_at_or_above(&r->spaces[process], first);

	while (old && old->first <= last) {
		const struct tf_mapping *m = old->value;

		if (begins_file(m) && old->first >= first)
			clear(file_starts(r, process, m->module), old->first, old->first);
		if (begins_file(m) && old->last > last)
			set(file_starts(r, process, m->module), last + 1, last + 1, m);
		if (old->last >= last)
			break;
		old = range_map_at_or_above(&r->spaces[process], old->last + 1);
	}
}

static void apply(struct memory_regions *r, const struct tf_mapping *m)
{
	uint64_t last = m->start + m->size - 1;

	if (m->process >= r->n_processes || m->change == TF_PROTECT || !m->size || last < m->start)
		return;
	free_file_starts(r, m->process, m->start, last);
	if (m->change != TF_MAP) {
		clear(&r->spaces[m->process], m->start, last);
		return;
	}
	set(&r->spaces[m->process], m->start, last, m);
	if (begins_file(m))
		set(file_starts(r, m->process, m->module), m->start, m->start, m);
}

void memory_regions_change(struct memory_regions *r, uint32_t mapping)
{
	const struct tf_mapping *m = tf_mapping(r->reader, mapping);

	if (m)
		apply(r, m);
}

/* ---- modules ----------------------------------------------------------------------------- */

/*
 * Returns the address, at or below `address`, where the first byte of a module's file is mapped, or
 * 0 if there is none.
 */
static uint64_t first_byte(struct memory_regions *r, uint32_t process, uint32_t module,
			   uint64_t address)
{
	const struct range *start = range_map_at_or_below(file_starts(r, process, module), address);

	return start ? start->first : 0;
}

static void map_all(struct memory_regions *r)
{
	for (uint32_t i = 0; i < tf_n_mappings(r->reader); i++) {
		const struct tf_mapping *m = tf_mapping(r->reader, i);

		if (m && m->change == TF_MAP)
			apply(r, m);
	}
}

/* A mapping of a file's first byte. */
struct file_start {
	uint32_t module, process;
	uint64_t address;
};

static int compare_starts(const void *a, const void *b)
{
	const struct file_start *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->address > y->address) - (x->address < y->address);
}

/* Returns the mappings of files' first bytes, by module, process and address. Free them. */
static struct file_start *list_starts(const struct memory_regions *r, size_t *n)
{
	ARRAY(struct file_start) starts = { 0 };
	const struct range *at;

	for (size_t i = 0; i < r->file_starts.count; i++) {
		const struct file_starts *s = &r->file_starts.at[i];

		for (uint64_t from = 0; (at = range_map_at_or_above(&s->map, from));
		     from = at->last + 1) {
			CHECKED_RESERVE(starts, starts.count + 1);
			starts.at[starts.count++] = (struct file_start){ s->key.module,
									 s->key.process,
									 at->first };
		}
	}
	if (starts.count)
		qsort(starts.at, starts.count, sizeof(*starts.at), compare_starts);
	*n = starts.count;
	return starts.at;
}

/* Returns the start of a module at or below a pc: the nearest in the first process that has one. */
static const struct file_start *start_below(const struct file_start *starts, size_t n, uint64_t pc)
{
	const struct file_start *found = NULL;

	for (size_t i = 0; i < n && (!found || found->process == starts[i].process); i++)
		if (starts[i].address <= pc)
			found = &starts[i];
	return found;
}

/* The starts of a module. */
struct module_starts {
	const struct file_start *at;
	size_t n;
	uint64_t lowest; /* address */
};

static struct module_starts *starts_by_module(const struct memory_regions *r,
					      const struct file_start *starts, size_t n)
{
	struct module_starts *modules = checked_array(r->n_modules, sizeof(*modules));

	for (size_t i = 0; i < n; i++) {
		struct module_starts *m = &modules[starts[i].module];

		if (!m->n++)
			*m = (struct module_starts){ &starts[i], 1, starts[i].address };
		else if (starts[i].address < m->lowest)
			m->lowest = starts[i].address;
	}
	return modules;
}

/*
 * Learns from the first mapped block of each module by how much its load bias differs from its
 * first byte.
 */
static void learn_all(struct memory_regions *r)
{
	size_t n;
	struct file_start *starts = list_starts(r, &n);
	struct module_starts *modules = starts_by_module(r, starts, n);

	for (uint32_t id = 0; id < tf_n_blocks(r->reader); id++) {
		const struct tf_block *block = tf_block(r->reader, id);
		struct module_starts *m = block && block->module < r->n_modules
						  ? &modules[block->module]
						  : NULL;

		if (!m || !m->n || block->pc < m->lowest)
			continue;
		r->load_offsets[block->module] = block->pc - block->module_offset -
						 start_below(m->at, m->n, block->pc)->address;
		m->n = 0;
	}
	free(modules);
	free(starts);
}

static void unmap_all(struct memory_regions *r)
{
	for (uint32_t i = 0; i < r->n_processes; i++)
		range_map_free(&r->spaces[i]);
	for (size_t i = 0; i < r->file_starts.count; i++)
		range_map_free(&r->file_starts.at[i].map);
}

void memory_regions_init(struct memory_regions *r, const struct tf_reader *reader,
			 struct symbol_names *symbols, bool partial)
{
	*r = (struct memory_regions){ .reader = reader, .symbols = symbols };
	r->n_processes = tf_n_processes(reader);
	r->n_modules = tf_n_modules(reader);
	r->spaces = checked_array(r->n_processes, sizeof(*r->spaces));
	r->load_offsets = checked_array(r->n_modules, sizeof(*r->load_offsets));
	map_all(r);
	learn_all(r);
	if (!partial)
		unmap_all(r);
}

void memory_regions_free(struct memory_regions *r)
{
	unmap_all(r);
	free(r->spaces);
	TABLE_FREE(r->file_starts);
	free(r->load_offsets);
	numbering_free(&r->names);
}

/* ---- regions ----------------------------------------------------------------------------- */

/* Returns the module whose data a range holds: its file, or the zeroed memory that follows it. */
static uint32_t module_at(const struct range_map *space, const struct range *range)
{
	const struct tf_mapping *m = range->value;
	const struct range *before = range->first ? range_map_at(space, range->first - 1) : NULL;

	if (m->module != TF_NONE || *m->name || !before)
		return m->module;
	m = before->value;
	return m->protection & PROT_WRITE ? m->module : TF_NONE;
}

static char *name_module(struct memory_regions *r, uint32_t process, uint32_t module,
			 uint64_t address)
{
	uint64_t first = first_byte(r, process, module, address);
	const struct tf_symbol *symbol = NULL;
	const char *path = tf_module(r->reader, module)->path;

	if (first)
		symbol = tf_symbol(r->reader, module, address - first - r->load_offsets[module]);
	return text_format("%s%s%s", base_name(path), symbol ? ":" : "",
			   symbol ? symbol_name(r->symbols, symbol) : "");
}

/* Returns the name of the memory at an address in a range of a process. Free it. */
static char *name_of(struct memory_regions *r, uint32_t process, const struct range *range,
		     uint64_t address)
{
	const struct tf_mapping *mapping = range->value;
	uint32_t module = module_at(&r->spaces[process], range);

	if (*mapping->name == '[')
		return checked_copy(mapping->name);
	if (tf_module(r->reader, module))
		return name_module(r, process, module, address);
	if (*mapping->name)
		return checked_copy(base_name(mapping->name));
	return text_format("[anonymous] %#" PRIx64, mapping->start);
}

uint32_t memory_regions_find(struct memory_regions *r, uint32_t process, uint64_t address)
{
	const struct range *range = process < r->n_processes
					    ? range_map_at(&r->spaces[process], address)
					    : NULL;
	uint32_t number;
	char *name;

	if (!range)
		return numbering_add_text(&r->names, "[unknown]");
	name = name_of(r, process, range, address);
	number = numbering_add_text(&r->names, name);
	free(name);
	return number;
}
