/* SPDX-License-Identifier: MIT */
#include "recorder/program/facts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { FIRST_SLOTS = 1 << 12 };

/* A structure without pointers that is kept. */
struct kept {
	uint64_t hash;
	size_t size;
	char bytes[];
};

/* Open addressing; never more than half full. */
struct table {
	struct kept **slots;
	uint32_t n_slots, count;	/* a power of two */
};

struct facts {
	struct table insns, effects;
};

/* ---- a table ---- */

static bool begin(struct table *t)
{
	t->n_slots = FIRST_SLOTS;
	t->slots = calloc(t->n_slots, sizeof(*t->slots));
	return t->slots;
}

static void end(struct table *t)
{
	for (uint32_t i = 0; t->slots && i < t->n_slots; i++)
		free(t->slots[i]);
	free(t->slots);
}

/* Where it is, or would be. */
static struct kept **slot(const struct table *t, uint64_t hash, const void *bytes, size_t size)
{
	for (uint64_t i = hash; ; i++) {
		struct kept **at = &t->slots[i & (t->n_slots - 1)], *k = *at;

		if (!k ||
		    (k->hash == hash && k->size == size && memcmp(k->bytes, bytes, size) == 0))
			return at;
	}
}

static bool grow(struct table *t)
{
	struct table larger = { .n_slots = t->n_slots * 2, .count = t->count };

	larger.slots = calloc(larger.n_slots, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (uint32_t i = 0; i < t->n_slots; i++) {
		struct kept *k = t->slots[i];

		if (k)
			*slot(&larger, k->hash, k->bytes, k->size) = k;
	}
	free(t->slots);
	*t = larger;
	return true;
}

/* Returns the one that is kept, NULL: memory is out. */
static const void *keep(struct table *t, const void *bytes, size_t size)
{
	uint64_t hash = XXH3_64bits(bytes, size);
	struct kept **place = slot(t, hash, bytes, size);

	if (*place)
		return (*place)->bytes;
	if (2 * t->count >= t->n_slots) {
		if (!grow(t))
			return NULL;
		place = slot(t, hash, bytes, size);
	}
	*place = malloc(sizeof(**place) + size);
	if (!*place)
		return NULL;
	t->count++;
	(*place)->hash = hash;
	(*place)->size = size;
	return memcpy((*place)->bytes, bytes, size);
}

/* ---- what is kept ---- */

struct facts *facts_new(void)
{
	struct facts *f = calloc(1, sizeof(*f));

	if (f && begin(&f->insns) && begin(&f->effects))
		return f;
	facts_free(f);
	return NULL;
}

void facts_free(struct facts *f)
{
	if (!f)
		return;
	end(&f->insns);
	end(&f->effects);
	free(f);
}

const struct isa_insn *facts_keep(struct facts *f, const struct isa_insn *insn)
{
	return keep(&f->insns, insn, offsetof(struct isa_insn, operands) +
				     insn->n_operands * sizeof(struct isa_operand));
}

const struct isa_effects *facts_keep_effects(struct facts *f, const struct isa_effects *effects)
{
	return keep(&f->effects, effects, sizeof(*effects));
}
