/* SPDX-License-Identifier: MIT */
#include "recorder/program/facts.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "recorder/core/opcode.h"
#include "traceformat/common/pages.h"

enum {
	FIRST_SLOTS = 1 << 12,
	LATELY = 1 << 14, /* instructions in the cache of recent ones */
	KEY_BYTES = 8,    /* longest key of it, in bytes */
	LENGTHS = 1 << 16,
};

/* A stored structure without pointers. */
struct kept {
	uint64_t hash;
	size_t size;
	char bytes[];
};

struct slot {
	uint32_t hash;     /* the higher half: most other entries need no further comparison */
	struct kept *kept; /* NULL: the slot is free */
};

/* Open addressing; never more than half full. */
struct table {
	struct slot *slots;
	uint32_t n_slots, count; /* a power of two */
};

/*
 * An instruction that is the same at every address. Two of them fit a line of the processor's
 * cache, so that none crosses lines; hardly any instruction is longer.
 */
enum { MET_BYTES = 14 };
struct met {
	const struct isa_insn *insn; /* NULL: none */
	const struct isa_effects *effects;
	uint8_t vendor, length, code[MET_BYTES];
};

struct facts {
	struct pool pool;
	struct table insns, effects;
	alignas(2 * sizeof(struct met)) struct met lately[LATELY];
	/* lengths of instructions with the same first bytes; 0: unknown */
	uint8_t lengths[LENGTHS];
	struct met branches[OPCODE_BRANCHES]; /* the first branch of each kind */
	struct isa_insn glanced;
	struct isa_effects does;
};

/* ---- a table ---- */

static bool begin(struct table *t)
{
	t->n_slots = FIRST_SLOTS;
	t->slots = calloc(t->n_slots, sizeof(*t->slots));
	return t->slots;
}

static bool is_of(const struct slot *s, uint64_t hash, const void *bytes, size_t size)
{
	return s->hash == hash >> 32 && s->kept->hash == hash && s->kept->size == size &&
	       memcmp(s->kept->bytes, bytes, size) == 0;
}

/* Returns the slot of the structure, or the free slot for it. */
static struct slot *slot(const struct table *t, uint64_t hash, const void *bytes, size_t size)
{
	for (uint64_t i = hash;; i++) {
		struct slot *at = &t->slots[i & (t->n_slots - 1)];

		if (!at->kept || is_of(at, hash, bytes, size))
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
		struct kept *k = t->slots[i].kept;

		if (k)
			*slot(&larger, k->hash, k->bytes, k->size) = t->slots[i];
	}
	free(t->slots);
	*t = larger;
	return true;
}

/* Returns the stored structure that is equal; NULL if memory is out. */
static const void *keep(struct table *t, struct pool *pool, const void *bytes, size_t size)
{
	uint64_t hash = XXH3_64bits(bytes, size);
	struct slot *place = slot(t, hash, bytes, size);
	struct kept *k = place->kept;

	if (k)
		return k->bytes;
	if (2 * t->count >= t->n_slots) {
		if (!grow(t))
			return NULL;
		place = slot(t, hash, bytes, size);
	}
	k = pool_alloc(pool, sizeof(*k) + size);
	if (!k)
		return NULL;
	t->count++;
	*place = (struct slot){ (uint32_t)(hash >> 32), k };
	k->hash = hash;
	k->size = size;
	return memcpy(k->bytes, bytes, size);
}

/* ---- what is kept ---- */

struct facts *facts_new(void)
{
	struct facts *f = pages_new(sizeof(*f));

	if (f && begin(&f->insns) && begin(&f->effects))
		return f;
	facts_free(f);
	return NULL;
}

void facts_free(struct facts *f)
{
	if (!f)
		return;
	free(f->insns.slots);
	free(f->effects.slots);
	pool_free(&f->pool);
	pages_free(f, sizeof(*f));
}

struct pool *facts_pool(struct facts *f)
{
	return &f->pool;
}

static size_t size_of(const struct isa_insn *insn)
{
	return offsetof(struct isa_insn, operands) + insn->n_operands * sizeof(struct isa_operand);
}

const struct isa_insn *facts_keep(struct facts *f, const struct isa_insn *insn)
{
	return keep(&f->insns, &f->pool, insn, size_of(insn));
}

const struct isa_effects *facts_keep_effects(struct facts *f, const struct isa_effects *effects)
{
	return keep(&f->effects, &f->pool, effects, sizeof(*effects));
}

/* ---- instructions ---- */

/*
 * Returns the place for the length of the latest instruction with the same prefix, opcode and
 * ModRM byte.
 */
static uint8_t *length_like(struct facts *f, const uint8_t *code)
{
	enum { REX = 0x40, TWO_BYTES = 0x0f };
	bool longer = (code[0] & 0xf0) == REX || code[0] == TWO_BYTES;
	bool longest = code[0] == 0x66 || code[0] == 0xf2 || code[0] == 0xf3;
	uint32_t first;

	memcpy(&first, code, sizeof(first));
	if (!longest)
		first &= longer ? 0xffffff : 0xffff;
	return &f->lengths[first * UINT32_C(0x9e3779b1) / (UINT32_MAX / LENGTHS + 1)];
}

/* Returns the cache entry for an instruction of that length. */
static struct met *met_at(struct facts *f, const uint8_t *code, unsigned length)
{
	uint64_t key;

	memcpy(&key, code, KEY_BYTES);
	if (length < KEY_BYTES)
		key &= (UINT64_C(1) << 8 * length) - 1;
	return &f->lately[key * 0x9e3779b97f4a7c15u / (UINT64_MAX / LATELY + 1)];
}

/* Compares a few bytes without a function call. */
static bool is_same(const uint8_t *a, const uint8_t *b, unsigned length)
{
	for (unsigned i = 0; i < length; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/*
 * Returns the cache entry of an instruction, or NULL. Exactly the instruction's bytes are
 * compared: decoding depends on no byte behind it.
 */
static const struct met *find_met(struct facts *f, const uint8_t *code, size_t available,
				  enum isa_vendor vendor)
{
	unsigned length = available < KEY_BYTES ? 0 : *length_like(f, code);
	const struct met *m = length ? met_at(f, code, length) : NULL;

	return m && m->insn && m->vendor == vendor && m->length <= available &&
			       is_same(m->code, code, m->length)
		       ? m
		       : NULL;
}

/*
 * Returns true if the facts are the same at every address: those of relative branches and rip-
 * relative operands are not.
 */
static bool is_same_elsewhere(const struct isa_insn *insn, const struct isa_effects *effects)
{
	return effects && !effects->rip_field && !insn->target && insn->end != TF_END_CALL &&
	       insn->end != TF_END_JUMP && insn->end != TF_END_CONDITIONAL;
}

/*
 * Derives a relative branch from another one of its kind. Without prefixes, all vendors decode it
 * in the same way.
 */
static bool glance_at_branch(struct facts *f, const uint8_t *code, size_t available, uint64_t pc)
{
	struct opcode_branch branch;
	const struct met *like;

	if (!opcode_branch(code, available, pc, &branch))
		return false;
	like = &f->branches[branch.number];
	if (!like->insn)
		return false;
	memcpy(&f->glanced, like->insn, size_of(like->insn));
	f->does = *like->effects;
	f->glanced.target = branch.target;
	return true;
}

enum glance { MET, NEW, UNDECODABLE };

/* Finds the facts of an instruction: in *met, or, for a new one, in f->glanced and f->does. */
static enum glance glance(struct facts *f, const uint8_t *code, size_t available, uint64_t pc,
			  enum isa_vendor vendor, const struct met **met)
{
	*met = find_met(f, code, available, vendor);
	if (*met)
		return MET;
	if (glance_at_branch(f, code, available, pc) ||
	    isa_decode_all(code, available, pc, vendor, &f->glanced, &f->does) == 0)
		return NEW;
	return UNDECODABLE;
}

static const struct isa_effects *effects_glanced(const struct facts *f)
{
	return f->glanced.flags & TF_INSN_OPAQUE ? NULL : &f->does;
}

enum facts_status facts_glance(struct facts *f, const uint8_t *code, size_t available, uint64_t pc,
			       enum isa_vendor vendor, const struct isa_insn **insn,
			       const struct isa_effects **effects)
{
	const struct met *met;
	enum glance status = glance(f, code, available, pc, vendor, &met);

	if (status == UNDECODABLE)
		return FACTS_UNDECODABLE;
	*insn = status == NEW ? &f->glanced : met->insn;
	*effects = status == NEW ? effects_glanced(f) : met->effects;
	return FACTS_FOUND;
}

/* Stores an instruction without searching for an equal one. */
static const struct isa_insn *keep_alone(struct facts *f, const struct isa_insn *insn)
{
	struct isa_insn *copy = pool_alloc(&f->pool, size_of(insn));

	return copy ? memcpy(copy, insn, size_of(insn)) : NULL;
}

/*
 * Stores the facts of the last glance and enters them in the cache. Returns false if memory is
 * out.
 */
static bool keep_glanced(struct facts *f, const uint8_t *code, size_t available, uint64_t pc,
			 enum isa_vendor vendor, struct met *now)
{
	const struct isa_effects *does = effects_glanced(f);
	bool same = is_same_elsewhere(&f->glanced, does);
	struct opcode_branch branch;

	*now = (struct met){
		.insn = same ? facts_keep(f, &f->glanced) : keep_alone(f, &f->glanced),
		.effects = does ? facts_keep_effects(f, does) : NULL,
		.vendor = (uint8_t)vendor,
		.length = f->glanced.length,
	};
	if (!now->insn || (does && !now->effects))
		return false;
	if (now->length <= MET_BYTES)
		memcpy(now->code, code, now->length);
	if (same && available >= KEY_BYTES && now->length <= MET_BYTES) {
		*met_at(f, code, now->length) = *now;
		*length_like(f, code) = now->length;
	} else if (opcode_branch(code, now->length, pc, &branch)) {
		f->branches[branch.number] = *now;
	}
	return true;
}

enum facts_status facts_of_code(struct facts *f, const uint8_t *code, size_t available, uint64_t pc,
				enum isa_vendor vendor, const struct isa_insn **insn,
				const struct isa_effects **effects)
{
	const struct met *met;
	enum glance status = glance(f, code, available, pc, vendor, &met);
	struct met now;

	if (status == UNDECODABLE)
		return FACTS_UNDECODABLE;
	if (status == NEW && !keep_glanced(f, code, available, pc, vendor, &now))
		return FACTS_MEMORY;
	*insn = status == NEW ? now.insn : met->insn;
	*effects = status == NEW ? now.effects : met->effects;
	return FACTS_FOUND;
}
