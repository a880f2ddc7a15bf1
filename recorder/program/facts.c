/* SPDX-License-Identifier: MIT */
#include "recorder/program/facts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { FIRST_SLOTS = 1 << 12 };

/* Open addressing; never more than half full. */
struct facts {
	struct isa_insn **slots;
	uint32_t n_slots, count;	/* a power of two */
};

struct facts *facts_new(void)
{
	struct facts *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->n_slots = FIRST_SLOTS;
	f->slots = calloc(f->n_slots, sizeof(*f->slots));
	if (f->slots)
		return f;
	free(f);
	return NULL;
}

void facts_free(struct facts *f)
{
	for (uint32_t i = 0; f && i < f->n_slots; i++)
		free(f->slots[i]);
	if (f)
		free(f->slots);
	free(f);
}

/* Bytes of one, up to its last operand. */
static size_t size_of(const struct isa_insn *insn)
{
	return offsetof(struct isa_insn, operands) + insn->n_operands * sizeof(struct isa_operand);
}

static bool is_same(const struct isa_insn *a, const struct isa_insn *b)
{
	return a->n_operands == b->n_operands && memcmp(a, b, size_of(a)) == 0;
}

/* Where it is, or would be. */
static struct isa_insn **slot(const struct facts *f, const struct isa_insn *insn)
{
	uint64_t i = XXH3_64bits(insn, size_of(insn));

	while (f->slots[i & (f->n_slots - 1)] && !is_same(f->slots[i & (f->n_slots - 1)], insn))
		i++;
	return &f->slots[i & (f->n_slots - 1)];
}

static bool grow(struct facts *f)
{
	struct facts larger = { .n_slots = f->n_slots * 2, .count = f->count };

	larger.slots = calloc(larger.n_slots, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (uint32_t i = 0; i < f->n_slots; i++)
		if (f->slots[i])
			*slot(&larger, f->slots[i]) = f->slots[i];
	free(f->slots);
	*f = larger;
	return true;
}

const struct isa_insn *facts_keep(struct facts *f, const struct isa_insn *insn)
{
	struct isa_insn **place = slot(f, insn);

	if (*place)
		return *place;
	if (2 * f->count >= f->n_slots) {
		if (!grow(f))
			return NULL;
		place = slot(f, insn);
	}
	*place = malloc(size_of(insn));
	if (!*place)
		return NULL;
	f->count++;
	return memcpy(*place, insn, size_of(insn));
}
