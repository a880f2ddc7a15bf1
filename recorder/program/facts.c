/* SPDX-License-Identifier: MIT */
#include "recorder/program/facts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum {
	FIRST_SLOTS = 1 << 12,
	LATELY = 1 << 13,	/* instructions that are remembered, */
	KEY_BYTES = 4,		/* by so many bytes of code: their first ones, and what is behind */
};

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

/* An instruction that is the same wherever it stands. */
struct met {
	const struct isa_insn *insn;	/* NULL: none */
	const struct isa_effects *effects;
	uint8_t vendor, code[TF_MAX_INSN_BYTES];
};

struct facts {
	struct table insns, effects;
	struct met lately[LATELY];
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

/* ---- instructions ---- */

static struct met *met_at(struct facts *f, const uint8_t *code)
{
	uint32_t key;

	memcpy(&key, code, KEY_BYTES);
	return &f->lately[key * UINT32_C(0x9e3779b1) / (UINT32_MAX / LATELY + 1)];
}

/* What is compared is as long as the instruction: decoding depends on no byte behind it. */
static bool is_met(const struct met *m, const uint8_t *code, size_t available,
		   enum isa_vendor vendor)
{
	return m->insn && m->vendor == vendor && m->insn->length <= available &&
	       memcmp(m->code, code, m->insn->length) == 0;
}

/* Relative branches and rip-relative operands tell of addresses. */
static bool is_same_elsewhere(const struct isa_insn *insn, const struct isa_effects *effects)
{
	return effects && !effects->rip_field && !insn->target && insn->end != TF_END_CALL &&
	       insn->end != TF_END_JUMP && insn->end != TF_END_CONDITIONAL;
}

static void meet(struct met *m, const uint8_t *code, enum isa_vendor vendor,
		 const struct isa_insn *insn, const struct isa_effects *effects)
{
	*m = (struct met){ .insn = insn, .effects = effects, .vendor = (uint8_t)vendor };
	memcpy(m->code, code, insn->length);
}

enum facts_status facts_of_code(struct facts *f, const uint8_t *code, size_t available,
				uint64_t pc, enum isa_vendor vendor, const struct isa_insn **insn,
				const struct isa_effects **effects)
{
	struct met *met = available < KEY_BYTES ? NULL : met_at(f, code);
	struct isa_insn decoded;
	struct isa_effects does;

	if (met && is_met(met, code, available, vendor)) {
		*insn = met->insn;
		*effects = met->effects;
		return FACTS_FOUND;
	}
	if (isa_decode_all(code, available, pc, vendor, &decoded, &does) < 0)
		return FACTS_UNDECODABLE;
	*insn = facts_keep(f, &decoded);
	*effects = decoded.flags & TF_INSN_OPAQUE ? NULL : facts_keep_effects(f, &does);
	if (!*insn || (!*effects && !(decoded.flags & TF_INSN_OPAQUE)))
		return FACTS_MEMORY;
	if (met && is_same_elsewhere(*insn, *effects))
		meet(met, code, vendor, *insn, *effects);
	return FACTS_FOUND;
}
