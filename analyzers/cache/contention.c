/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/contention.h"

#include "cli/common/checked.h"

void contention_init(struct contention *c, const struct coherence *coherence, struct places *places)
{
	*c = (struct contention){ .coherence = coherence, .places = places, .current = TF_NONE };
}

void contention_free(struct contention *c)
{
	TABLE_FREE(c->lines);
	TABLE_FREE(c->accesses);
}

void contention_clear(struct contention *c)
{
	contention_free(c);
	contention_init(c, c->coherence, c->places);
}

/* ---- counting ---------------------------------------------------------------------------- */

/* Returns the line that is touched. */
static struct contended_line *line_of(struct contention *c, const struct place *place)
{
	size_t known = c->lines.count;
	struct contended_line *line = checked(TABLE_PUT(c->lines, c->coherence->touch.line));
	const struct heap_object *object;

	if (c->lines.count == known)
		return line;
	places_object(c->places, place, &object);
	line->process = place->process;
	line->region = memory_regions_find(&c->places->regions, place->process, place->address);
	line->object = object ? object->sampled : TF_NONE;
	return line;
}

static void count(struct contention_counts *counts, enum cache_kind kind,
		  const struct coherence_counts *effect)
{
	counts->loads += kind != CACHE_STORE;
	counts->stores += kind == CACHE_STORE;
	counts->coherence.upgrades += effect->upgrades;
	counts->coherence.invalidations += effect->invalidations;
	counts->coherence.transfers += effect->transfers;
}

void contention_access(struct contention *c, const struct place *place, uint64_t address,
		       uint64_t bytes, enum cache_kind kind)
{
	const struct coherence_touch *touch = &c->coherence->touch;

	c->current = TF_NONE;
	c->missed = false;
	if (!touch->contended || !bytes)
		return;
	struct contended_line *line = line_of(c, place);
	const struct contended_access_key key = {
		.line = (uint32_t)(line - c->lines.at),
		.site = places_site(c->places, place),
		.thread = place->thread,
		.offset = (uint32_t)(address - touch->line),
		.size = (uint32_t)bytes,
	};
	struct contended_access *access = checked(TABLE_PUT(c->accesses, key));

	*(kind == CACHE_STORE ? &line->writers : &line->readers) |= UINT64_C(1) << touch->core;
	access->core = touch->core;
	count(&line->counts, kind, &touch->counts);
	count(&access->counts, kind, &touch->counts);
	c->current = (uint32_t)(access - c->accesses.at);
}

void contention_miss(struct contention *c, enum cache_miss sharing)
{
	if (c->current == TF_NONE || c->missed)
		return;
	struct contended_access *access = &c->accesses.at[c->current];
	struct contended_line *line = &c->lines.at[access->key.line];

	c->missed = true;
	if (sharing == CACHE_TRUE_SHARING) {
		access->counts.true_sharing++;
		line->counts.true_sharing++;
	} else {
		access->counts.false_sharing++;
		line->counts.false_sharing++;
	}
}

/* ---- order ------------------------------------------------------------------------------- */

static int greater_first(uint64_t a, uint64_t b)
{
	return a != b ? (a > b ? -1 : 1) : 0;
}

static int lesser_first(uint64_t a, uint64_t b)
{
	return greater_first(b, a);
}

static int compare_lines(const void *a, const void *b, void *opaque)
{
	const struct contention *c = opaque;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct contention_counts *x = &c->lines.at[i].counts, *y = &c->lines.at[k].counts;
	int order = greater_first(x->true_sharing + x->false_sharing,
				  y->true_sharing + y->false_sharing);

	if (!order)
		order = greater_first(x->coherence.invalidations, y->coherence.invalidations);
	return order ? order : lesser_first(i, k);
}

static int compare_accesses(const void *a, const void *b, void *opaque)
{
	const struct contention *c = opaque;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct contended_access_key *x = &c->accesses.at[i].key, *y = &c->accesses.at[k].key;
	int order = lesser_first(x->line, y->line);

	if (!order)
		order = lesser_first(x->offset, y->offset);
	if (!order)
		order = lesser_first(x->site, y->site);
	if (!order)
		order = lesser_first(x->thread, y->thread);
	return order ? order : lesser_first(i, k);
}

/* Returns the numbers below n in an order. */
static uint32_t *sorted(size_t n, int (*compare)(const void *a, const void *b, void *opaque),
			const struct contention *c)
{
	uint32_t *numbers = checked_array(n, sizeof(*numbers));

	for (size_t i = 0; i < n; i++)
		numbers[i] = (uint32_t)i;
	qsort_r(numbers, n, sizeof(*numbers), compare, (void *)c);
	return numbers;
}

uint32_t *contention_lines(const struct contention *c)
{
	return sorted(c->lines.count, compare_lines, c);
}

uint32_t *contention_accesses(const struct contention *c)
{
	return sorted(c->accesses.count, compare_accesses, c);
}

size_t *contention_first_accesses(const struct contention *c)
{
	size_t *first = checked_array(c->lines.count + 1, sizeof(*first));

	for (size_t i = 0; i < c->accesses.count; i++)
		first[c->accesses.at[i].key.line + 1]++;
	for (size_t i = 0; i < c->lines.count; i++)
		first[i + 1] += first[i];
	return first;
}
