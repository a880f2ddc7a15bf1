/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/simpoints.h"

#include <math.h>

#include "cli/common/checked.h"
#include "traceformat/common/range_map.h"

/* Finds where the intervals of a file begin: by their size if the file has it, else by their counts. */
static void count_intervals(const struct simpoints *s, double *starts)
{
	const struct bb_rows *rows = &s->rows;
	uint64_t size = rows->interval_size;
	/* exp-bbv's first interval has one instruction more, but may have lost some. */
	bool one_more = size && s->o.counter == COUNTER_EXP_BBV && rows->at[0].sum != (double)size;

	starts[0] = 0;
	for (size_t i = 0; i < rows->n; i++)
		starts[i + 1] = size ? (double)((i + 1) * size + one_more)
				     : starts[i] + rows->at[i].sum;
}

static void locate_by_counts(struct simpoints *s)
{
	double *starts = checked_array(s->rows.n + 1, sizeof(*starts));

	count_intervals(s, starts);
	for (unsigned i = 0; i < s->selection.n; i++) {
		size_t at = s->selection.at[i].interval;

		s->regions[i].start = (uint64_t)llround(starts[at]);
		s->regions[i].end = (uint64_t)llround(starts[at + 1]);
	}
	s->instructions = (uint64_t)llround(starts[s->rows.n]);
	free(starts);
}

static const char *module_path(const struct simpoints *s, const struct place *place)
{
	const struct tf_module *module = place->found ? tf_module(s->reader, place->module) : NULL;

	return module ? module->path : NULL;
}

/* The addresses that a module is mapped at. */
struct module_addresses {
	struct range_map begins; /* those of its file's beginning, one range each */
	uint64_t lowest;         /* of all its mappings; UINT64_MAX: there are none */
};

/* Returns the addresses of all modules. Free them with free_addresses(). */
static struct module_addresses *read_addresses(const struct tf_reader *reader)
{
	uint32_t n = tf_n_modules(reader);
	struct module_addresses *modules = checked_array(n, sizeof(*modules));

	for (uint32_t i = 0; i < n; i++)
		modules[i].lowest = UINT64_MAX;
	for (uint32_t i = 0; i < tf_n_mappings(reader); i++) {
		const struct tf_mapping *m = tf_mapping(reader, i);

		if (!m || m->module >= n || m->change != TF_MAP)
			continue;
		if (m->file_offset == 0 &&
		    !range_map_set(&modules[m->module].begins,
				   (struct range){ m->start, m->start, NULL }))
			out_of_memory();
		if (m->start < modules[m->module].lowest)
			modules[m->module].lowest = m->start;
	}
	return modules;
}

static void free_addresses(struct module_addresses *modules, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		range_map_free(&modules[i].begins);
	free(modules);
}

/* Returns the lowest address that the module of a place is mapped at, from which image offsets count:
 * that of the nearest mapping below of its file's beginning, or if there is none, of any. */
static uint64_t low_address(const struct simpoints *s, const struct module_addresses *modules,
			    const struct place *place)
{
	const struct module_addresses *m = place->module < tf_n_modules(s->reader)
						   ? &modules[place->module]
						   : NULL;
	const struct range *begin = m ? range_map_at_or_below(&m->begins, place->pc) : NULL;

	if (begin && begin->first)
		return begin->first;
	return m && m->lowest <= place->pc ? m->lowest : place->pc - place->module_offset;
}

static bool locate_in_trace(struct simpoints *s)
{
	unsigned n = s->selection.n;
	struct module_addresses *modules = read_addresses(s->reader);
	struct place *places = checked_array(2 * (size_t)n, sizeof(*places));
	bool found;

	for (unsigned i = 0; i < n; i++) {
		size_t at = s->selection.at[i].interval;

		s->regions[i].start = places[2 * i].ordinal = interval_start(&s->intervals, at);
		s->regions[i].end = places[2 * i + 1].ordinal = interval_start(&s->intervals,
									       at + 1);
		places[2 * i].since = places[2 * i + 1].since = interval_start(&s->intervals, at);
	}
	found = places_find(s->reader, (uint32_t)s->o.thread, places, 2 * (size_t)n);
	for (unsigned i = 0; i < n && found; i++) {
		s->regions[i].first = places[2 * i];
		s->regions[i].behind = places[2 * i + 1];
		s->regions[i].first_module = module_path(s, &places[2 * i]);
		s->regions[i].behind_module = module_path(s, &places[2 * i + 1]);
		s->regions[i].first_low = low_address(s, modules, &places[2 * i]);
		s->regions[i].behind_low = low_address(s, modules, &places[2 * i + 1]);
	}
	s->instructions = interval_start(&s->intervals, s->intervals.n);
	free(places);
	free_addresses(modules, tf_n_modules(s->reader));
	return found;
}

/* Sets where the regions begin and end in the program. Recorded vectors do not say at which
 * instructions. */
static void locate_in_vectors(struct simpoints *s)
{
	for (unsigned i = 0; i < s->selection.n; i++) {
		size_t at = s->selection.at[i].interval;

		s->regions[i].start = interval_start(&s->intervals, at);
		s->regions[i].end = interval_start(&s->intervals, at + 1);
	}
	s->instructions = interval_start(&s->intervals, s->intervals.n);
}

bool simpoints_locate(struct simpoints *s)
{
	s->regions = checked_array(s->selection.n, sizeof(*s->regions));
	for (unsigned i = 0; i < s->selection.n && s->rows.n; i++)
		s->regions[i].function = pc_names_heaviest(
			&s->names, &s->rows, &s->rows.at[s->selection.at[i].interval]);
	if (s->recorded)
		locate_in_vectors(s);
	else if (s->reader && !locate_in_trace(s))
		return false;
	if (!s->reader && s->rows.n)
		locate_by_counts(s);
	for (size_t i = 0; i < s->rows.n; i++)
		for (unsigned p = 0; p < s->selection.n; p++)
			if (s->selection.at[p].cluster == s->selection.labels[i])
				s->regions[p].cluster_instructions += (uint64_t)s->rows.at[i].sum;
	return true;
}
