/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/sharers.h"

#include <stdio.h>

#include "cli/common/checked.h"

struct sharers {
	ARRAY(struct sharer);
};

/* Returns the sharer of a line that is the access's thread. first: of the line. */
static struct sharer *sharer_of(struct sharers *sharers, size_t first,
				const struct contended_access *access)
{
	size_t i = first;

	while (i < sharers->count && sharers->at[i].thread != access->key.thread)
		i++;
	if (i == sharers->count) {
		CHECKED_RESERVE(*sharers, sharers->count + 1);
		sharers->at[sharers->count++] = (struct sharer){
			.line = access->key.line,
			.thread = access->key.thread,
			.core = access->core,
			.site = access->key.site,
		};
	}
	return &sharers->at[i];
}

static void add_access(struct sharer *sharer, const struct contention *c,
		       const struct contended_access *access)
{
	const struct contention_counts *counts = &access->counts;
	uint64_t units = coherence_units(c->coherence, access->key.offset, access->key.size);

	if (counts->stores)
		sharer->written |= units;
	if (counts->loads)
		sharer->read |= units;
	sharer->all.loads += counts->loads;
	sharer->all.stores += counts->stores;
	sharer->all.true_sharing += counts->true_sharing;
	sharer->all.false_sharing += counts->false_sharing;
	if (counts->false_sharing > sharer->most) {
		sharer->most = counts->false_sharing;
		sharer->site = access->key.site;
	}
}

static bool is_falsely_shared(const struct contended_line *line)
{
	return line->counts.false_sharing > line->counts.true_sharing;
}

static int by_thread(const void *a, const void *b)
{
	const struct sharer *x = a, *y = b;

	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

struct sharer *false_sharers(const struct contention *c, uint64_t top, size_t *count)
{
	uint32_t *lines = contention_lines(c), *accesses = contention_accesses(c);
	size_t *first = contention_first_accesses(c);
	struct sharers sharers = { 0 };

	for (size_t i = 0; i < c->lines.count && i < top; i++) {
		size_t begin = sharers.count;

		if (!is_falsely_shared(&c->lines.at[lines[i]]))
			continue;
		for (size_t k = first[lines[i]]; k < first[lines[i] + 1]; k++) {
			const struct contended_access *access = &c->accesses.at[accesses[k]];

			add_access(sharer_of(&sharers, begin, access), c, access);
		}
		qsort(sharers.at + begin, sharers.count - begin, sizeof(*sharers.at), by_thread);
	}
	free(first);
	free(accesses);
	free(lines);
	*count = sharers.count;
	return sharers.at;
}

char *sharer_bytes(const struct contention *c, uint64_t units)
{
	unsigned bytes = 1u << c->coherence->unit_shift;
	char *text;
	size_t size;
	FILE *out;

	if (!units)
		return NULL;
	out = checked(open_memstream(&text, &size));
	for (unsigned i = 0; i < 64; i++) {
		unsigned first = i;

		if (!(units >> i & 1))
			continue;
		while (i < 63 && units >> (i + 1) & 1)
			i++;
		fprintf(out, "%s%u-%u", ftell(out) ? "," : "", first * bytes, (i + 1) * bytes - 1);
	}
	if (fclose(out))
		out_of_memory();
	return text;
}
