/* SPDX-License-Identifier: MIT */
/* Keeps a list of mappings for each process; the newest is the last and hides those that it covers. */
#include "cli/common/sample_places.h"

#include <stdlib.h>

#include "cli/common/checked.h"

struct known_mapping {
	const struct tf_mapping *mapping;
	uint64_t bias;
};

struct known_space {
	bool begun; /* else it is that of its parent */
	ARRAY(struct known_mapping) mappings;
};

struct sample_places {
	const struct tf_reader *reader;
	struct known_space *spaces;   /* by process */
	uint32_t n_processes, kernel; /* process with pid 0, TF_NONE */
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
		free(p->spaces[i].mappings.at);
	free(p->spaces);
	free(p);
}

static void append(struct known_space *space, struct known_mapping known)
{
	CHECKED_RESERVE(space->mappings, space->mappings.count + 1);
	space->mappings.at[space->mappings.count++] = known;
}

/* Returns the space of a process, which begins as a copy of its parent's. */
static struct known_space *space_of(struct sample_places *p, uint32_t process)
{
	struct known_space *space = &p->spaces[process];
	uint32_t parent = tf_process(p->reader, process)->parent;

	if (space->begun)
		return space;
	space->begun = true;
	if (parent < p->n_processes && parent != p->kernel) {
		const struct known_space *old = space_of(p, parent);

		for (size_t i = 0; i < old->mappings.count; i++)
			append(space, old->mappings.at[i]);
	}
	return space;
}

static bool covers(const struct tf_mapping *new, const struct tf_mapping *old)
{
	return new->start <= old->start &&
	       old->start - new->start < new->size &&new->size - (old->start - new->start) >=
		       old->size;
}

void sample_places_follow(struct sample_places *p, const struct tf_sample *sample)
{
	const struct tf_mapping *new;
	struct known_space *space;
	size_t kept = 0;

	if (sample->kind != TF_SAMPLES_MAPPING)
		return;
	new = tf_mapping(p->reader, sample->mapping);
	if (!new || new->process >= p->n_processes || new->change == TF_PROTECT)
		return;
	space = space_of(p, new->process);
	for (size_t i = 0; i < space->mappings.count; i++)
		if (!covers(new, space->mappings.at[i].mapping))
			space->mappings.at[kept++] = space->mappings.at[i];
	space->mappings.count = kept;
	append(space, (struct known_mapping){ new, sample->bias });
}

void sample_places_find(struct sample_places *p, uint32_t thread, bool kernel, uint64_t address,
			struct sample_place *place)
{
	const struct tf_thread *t = tf_thread(p->reader, thread);
	const struct known_space *space;
	uint32_t of = kernel ? p->kernel : t ? t->process : TF_NONE;

	*place = (struct sample_place){ .process = t ? t->process : TF_NONE, .module = TF_NONE };
	if (of >= p->n_processes)
		return;
	space = space_of(p, of);
	for (size_t i = space->mappings.count; i--;) {
		const struct known_mapping *known = &space->mappings.at[i];

		if (address - known->mapping->start >= known->mapping->size)
			continue;
		if (known->mapping->change == TF_UNMAP)
			return;
		place->mapping = known->mapping;
		place->module = known->mapping->module;
		place->module_offset = address - known->bias;
		return;
	}
}
