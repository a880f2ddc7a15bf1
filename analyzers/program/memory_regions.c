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

/* Returns the first entry that ends after an address. */
static size_t find(const struct memory_space *space, uint64_t address)
{
	size_t low = 0, high = space->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (space->mapped[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void insert(struct memory_space *space, size_t at, struct memory_mapped mapped)
{
	if (space->count == space->room) {
		space->room = space->room ? 2 * space->room : 32;
		space->mapped = checked(
			reallocarray(space->mapped, space->room, sizeof(*space->mapped)));
	}
	memmove(&space->mapped[at + 1], &space->mapped[at],
		(space->count - at) * sizeof(*space->mapped));
	space->mapped[at] = mapped;
	space->count++;
}

/* Makes a range free. Returns the index at which an entry for it would be inserted. */
static size_t clear(struct memory_space *space, uint64_t start, uint64_t end)
{
	size_t at = find(space, start), last;

	if (at < space->count && space->mapped[at].start < start) {
		struct memory_mapped head = space->mapped[at];

		head.end = start;
		space->mapped[at].start = start;
		insert(space, at++, head);
	}
	for (last = at; last < space->count && space->mapped[last].end <= end; last++)
		;
	if (last < space->count && space->mapped[last].start < end)
		space->mapped[last].start = end;
	if (last > at)
		memmove(&space->mapped[at], &space->mapped[last],
			(space->count - last) * sizeof(*space->mapped));
	space->count -= last - at;
	return at;
}

static void apply(struct memory_regions *r, const struct tf_mapping *m)
{
	uint64_t end = m->start + m->size;

	if (m->process >= r->n_processes || m->change == TF_PROTECT || end <= m->start)
		return;
	struct memory_space *space = &r->spaces[m->process];
	size_t at = clear(space, m->start, end);

	if (m->change == TF_MAP)
		insert(space, at, (struct memory_mapped){ m->start, end, m });
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
static uint64_t first_byte(const struct memory_space *space, uint32_t module, uint64_t address)
{
	for (size_t i = find(space, address) + 1; i-- > 0;)
		if (i < space->count && space->mapped[i].mapping->module == module &&
		    !space->mapped[i].mapping->file_offset && space->mapped[i].start <= address)
			return space->mapped[i].start;
	return 0;
}

/* Learns from a mapped block by how much a module's load bias differs from its first byte. */
static void learn(struct memory_regions *r, const struct tf_block *block, bool *known)
{
	for (uint32_t process = 0; process < r->n_processes && !known[block->module]; process++) {
		uint64_t first = first_byte(&r->spaces[process], block->module, block->pc);

		if (!first)
			continue;
		r->load_offsets[block->module] = block->pc - block->module_offset - first;
		known[block->module] = true;
	}
}

static void map_all(struct memory_regions *r)
{
	for (uint32_t i = 0; i < tf_n_mappings(r->reader); i++) {
		const struct tf_mapping *m = tf_mapping(r->reader, i);

		if (m && m->change == TF_MAP)
			apply(r, m);
	}
}

static void learn_all(struct memory_regions *r)
{
	bool *known = checked_array(r->n_modules, sizeof(*known));

	for (uint32_t id = 0; id < tf_n_blocks(r->reader); id++) {
		const struct tf_block *block = tf_block(r->reader, id);

		if (block && block->module < r->n_modules && !known[block->module])
			learn(r, block, known);
	}
	free(known);
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
	for (uint32_t i = 0; i < r->n_processes && !partial; i++)
		r->spaces[i].count = 0;
}

void memory_regions_free(struct memory_regions *r)
{
	for (uint32_t i = 0; i < r->n_processes; i++)
		free(r->spaces[i].mapped);
	free(r->spaces);
	free(r->load_offsets);
	numbering_free(&r->names);
}

/* ---- regions ----------------------------------------------------------------------------- */

/* Returns the module whose data an entry holds: its file, or the zeroed memory that follows it. */
static uint32_t module_at(const struct memory_space *space, size_t at)
{
	const struct memory_mapped *m = &space->mapped[at];

	if (m->mapping->module != TF_NONE || *m->mapping->name || !at || m[-1].end != m->start ||
	    !(m[-1].mapping->protection & PROT_WRITE))
		return m->mapping->module;
	return m[-1].mapping->module;
}

static char *name_module(const struct memory_regions *r, const struct memory_space *space,
			 uint32_t module, uint64_t address)
{
	uint64_t first = first_byte(space, module, address);
	const struct tf_symbol *symbol = NULL;
	const char *path = tf_module(r->reader, module)->path;

	if (first)
		symbol = tf_symbol(r->reader, module, address - first - r->load_offsets[module]);
	return text_format("%s%s%s", base_name(path), symbol ? ":" : "",
			   symbol ? symbol_name(r->symbols, symbol) : "");
}

/* Returns the name of the memory at a place of a space. Free it. */
static char *name_of(const struct memory_regions *r, const struct memory_space *space, size_t at,
		     uint64_t address)
{
	const struct tf_mapping *mapping = space->mapped[at].mapping;
	uint32_t module = module_at(space, at);

	if (*mapping->name == '[')
		return checked_copy(mapping->name);
	if (tf_module(r->reader, module))
		return name_module(r, space, module, address);
	if (*mapping->name)
		return checked_copy(base_name(mapping->name));
	return text_format("[anonymous] %#" PRIx64, mapping->start);
}

uint32_t memory_regions_find(struct memory_regions *r, uint32_t process, uint64_t address)
{
	const struct memory_space *space = process < r->n_processes ? &r->spaces[process] : NULL;
	size_t at = space ? find(space, address) : 0;
	uint32_t number;
	char *name;

	if (!space || at == space->count || space->mapped[at].start > address)
		return numbering_add_text(&r->names, "[unknown]");
	name = name_of(r, space, at, address);
	number = numbering_add_text(&r->names, name);
	free(name);
	return number;
}
