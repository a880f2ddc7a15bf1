/* SPDX-License-Identifier: MIT */
/* Mappings of the new dictionary: an old one gives one for each unit that it reaches into. */
#include <stdio.h>

#include "cli/anonymise/dictionary.h"
#include "cli/common/checked.h"

struct mapped_unit {
	struct {
		uint64_t process, unit;
	} key;
	bool is_mapped;
};

struct mapping_maker {
	struct dictionary *d;
	const struct tf_mapping *old;
	struct tf_mapping mapping; /* with the new names */
	struct new_mappings *new;
	bool has_offset;
	/* The units of data that are mapped, if pages move. */
	HASH_TABLE(struct mapped_unit) mapped;
};

/* Mappings more than this many come only from traces that were made to exhaust memory. */
enum { MOST_MAPPINGS = 1 << 24 };

static int add_part(struct mapping_maker *m, uint64_t start, uint64_t size, uint64_t offset,
		    struct tf_error *error)
{
	struct dictionary *d = m->d;
	struct tf_mapping part = m->mapping;
	uint32_t index = 0;
	int status = 0;

	part.start = start;
	part.size = size;
	if (m->has_offset)
		part.file_offset += offset;
	if (d->n_new_mappings >= MOST_MAPPINGS) {
		snprintf(error->text, sizeof(error->text), "there are more than %d mappings",
			 MOST_MAPPINGS);
		return error->status = TF_E_ARGUMENT;
	}
	if (d->writer)
		status = tf_writer_add_mapping(d->writer, &part, &index, error);
	if (!m->new->count++)
		m->new->first = index;
	d->n_new_mappings++;
	return status;
}

/* A unit whose pages move one by one gets one mapping, which stays. */
static int add_moved_unit(struct mapping_maker *m, const struct unit *unit, struct tf_error *error)
{
	struct mapped_unit *mapped;

	if (m->old->change != TF_MAP)
		return 0;
	mapped = checked(TABLE_PUT(m->mapped, { m->old->process, unit->first }));
	if (mapped->is_mapped)
		return 0;
	mapped->is_mapped = true;
	return add_part(m, unit->to << PAGE_BITS, unit->pages << PAGE_BITS, 0, error);
}

/* Adds the part of a mapping from `at` to `last`, which is in one unit. */
static int add_in_unit(struct mapping_maker *m, const struct unit *unit, uint64_t at, uint64_t last,
		       struct tf_error *error)
{
	if (m->d->map->by_pages && unit->is_data)
		return add_moved_unit(m, unit, error);
	return add_part(m, at + ((unit->to - unit->first) << PAGE_BITS), last - at + 1,
			at - m->old->start, error);
}

#define LAST_OF(page) ((page) << PAGE_BITS | (PAGE - 1))

/* Adds the parts of a mapping that are in units, or in pages that stay. */
static int add_parts(struct mapping_maker *m, struct tf_error *error)
{
	uint64_t at = m->old->start, end = at + m->old->size - 1, last;
	int status = 0;

	if (end < at)
		end = UINT64_MAX;
	for (; status == 0; at = last + 1) {
		uint64_t page = at >> PAGE_BITS;
		const struct unit *unit = map_unit_from(m->d->map, page);
		bool inside = unit && unit->first <= page;

		if (page < FIXED_PAGES)
			last = LAST_OF((uint64_t)FIXED_PAGES - 1);
		else if (page == VSYSCALL_PAGE)
			last = LAST_OF(page);
		else if (inside)
			last = LAST_OF(unit->last);
		else
			last = unit ? (unit->first << PAGE_BITS) - 1 : UINT64_MAX;
		if (!inside && page < VSYSCALL_PAGE && last >> PAGE_BITS >= VSYSCALL_PAGE)
			last = LAST_OF(VSYSCALL_PAGE - 1);
		last = last < end ? last : end;
		if (page < FIXED_PAGES || page == VSYSCALL_PAGE)
			status = add_part(m, at, last - at + 1, at - m->old->start, error);
		else if (inside)
			status = add_in_unit(m, unit, at, last, error);
		if (last == end)
			break;
	}
	return status;
}

static void give_names(struct mapping_maker *m)
{
	struct dictionary *d = m->d;
	uint32_t module = m->old->module;
	bool has_module = module != TF_NONE;

	m->mapping.module = has_module ? d->new_modules[module] : TF_NONE;
	if (has_module && !strcmp(m->old->name, tf_module(d->reader, module)->path))
		m->mapping.name = d->module_names[module];
	else
		m->mapping.name = name_mapping(d->names, m->old->name);
	m->has_offset = has_module &&
			(d->levels->at[SWITCH_NAMES] == NAMES_KEEP || d->has_code[module]);
	if (!m->has_offset && d->levels->at[SWITCH_NAMES] != NAMES_KEEP)
		m->mapping.file_offset = 0;
}

int dictionary_add_mappings(struct dictionary *d, struct tf_error *error)
{
	struct mapping_maker m = { .d = d };
	int status = 0;

	for (uint32_t i = 0; i < tf_n_mappings(d->reader) && status == 0; i++) {
		if (!d->use->mappings[i])
			continue;
		m.old = tf_mapping(d->reader, i);
		m.mapping = *m.old;
		m.new = &d->new_mappings[i];
		give_names(&m);
		if (d->map->identity)
			status = add_part(&m, m.old->start, m.old->size, 0, error);
		else if (m.old->size)
			status = add_parts(&m, error);
	}
	TABLE_FREE(m.mapped);
	return status;
}
