/* SPDX-License-Identifier: MIT */
#include "cli/common/sample_places.h"

#include <stdlib.h>

#include "cli/common/checked.h"
#include "traceformat/common/pool.h"
#include "traceformat/common/range_map.h"
#include "traceformat/tracesamples.h"

struct known_mapping {
	const struct tf_mapping *mapping;
	uint64_t bias;
};

struct known_space {
	bool begun;                /* false: the process has its parent's mappings */
	struct range_map mappings; /* of struct known_mapping; unmapped ranges are absent */
};

struct sample_places {
	const struct tf_reader *reader;
	struct known_space *spaces;   /* by process */
	uint32_t n_processes, kernel; /* process with pid 0, TF_NONE */
	struct pool pool;             /* has each known_mapping */
};

struct sample_places *sample_places_new(const struct tf_reader *reader)
{
	struct sample_places *p = checked_array(1, sizeof(*p));

	p->reader = reader;
	p->kernel = TF_NONE;
	p->n_processes = tf_n_processes(reader);
	for (uint32_t i = 0; i < p->n_processes; i++)
		if (tf_process(reader, i) && tf_process(reader, i)->pid == 0)
			p->kernel = i;
	p->spaces = checked_array(p->n_processes + (size_t)1, sizeof(*p->spaces));
	return p;
}

void sample_places_free(struct sample_places *p)
{
	for (uint32_t i = 0; i < p->n_processes; i++)
		range_map_free(&p->spaces[i].mappings);
	pool_free(&p->pool);
	free(p->spaces);
	free(p);
}

/* Returns the process from which a process was forked, or TF_NONE. */
static uint32_t origin(const struct sample_places *p, uint32_t process)
{
	const struct tf_process *child = tf_process(p->reader, process);

	return child && child->parent < p->n_processes && child->parent != p->kernel ? child->parent
										     : TF_NONE;
}

/*
 * Returns the space of a process, which begins as a copy of its parent's. All ancestors that have
 * not begun get a copy of the space of the nearest ancestor that has begun.
 */
static struct known_space *space_of(struct sample_places *p, uint32_t process)
{
	uint32_t ancestor = process;

	while (ancestor != TF_NONE && !p->spaces[ancestor].begun) {
		p->spaces[ancestor].begun = true;
		ancestor = origin(p, ancestor);
	}
	for (uint32_t at = process; ancestor != TF_NONE && at != ancestor; at = origin(p, at))
		p->spaces[at].mappings = range_map_copy(&p->spaces[ancestor].mappings);
	return &p->spaces[process];
}

void sample_places_follow(struct sample_places *p, const struct tf_sample *sample)
{
	const struct tf_mapping *new;
	struct known_mapping *known;
	struct range_map *space;
	uint64_t last;

	if (sample->kind != TF_SAMPLES_MAPPING)
		return;
	new = tf_mapping(p->reader, sample->mapping);
	if (!new || new->process >= p->n_processes || new->change == TF_PROTECT || !new->size)
		return;
	space = &space_of(p, new->process)->mappings;
	last = new->size - 1 < UINT64_MAX - new->start ? new->start + new->size - 1 : UINT64_MAX;
	known = checked(pool_alloc(&p->pool, sizeof(*known)));
	*known = (struct known_mapping){ new, sample->bias };
	if (new->change == TF_UNMAP
		    ? !range_map_clear(space, new->start, last)
		    : !range_map_set(space, (struct range){ new->start, last, known }))
		out_of_memory();
}

void sample_places_find(struct sample_places *p, uint32_t thread, bool kernel, uint64_t address,
			struct sample_place *place)
{
	const struct tf_thread *t = tf_thread(p->reader, thread);
	const struct known_mapping *known;
	const struct range *range;
	uint32_t of = kernel ? p->kernel : t ? t->process : TF_NONE;

	*place = (struct sample_place){ .process = t ? t->process : TF_NONE, .module = TF_NONE };
	if (of >= p->n_processes)
		return;
	range = range_map_at(&space_of(p, of)->mappings, address);
	if (!range)
		return;
	known = range->value;
	place->mapping = known->mapping;
	place->module = known->mapping->module;
	place->module_offset = address - known->bias;
}
