/* SPDX-License-Identifier: MIT */
#include "recorder/program/facts.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/core/opcode.h"
#include "traceformat/common/hash_table.h"
#include "traceformat/common/pages.h"

enum {
	LATELY = 1 << 14, /* instructions in the cache of recent ones */
	KEY_BYTES = 8,    /* longest key of it, in bytes */
	LENGTHS = 1 << 16,
};

/* A stored structure without pointers. */
struct kept {
	size_t size;
	char bytes[];
};

/* The stored structures of one kind, each once. */
struct table {
	struct hash_index index;
	ARRAY(struct kept *) kept;
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

/* Returns the stored structure that is equal; NULL if memory is out. */
static const void *keep(struct table *t, struct pool *pool, const void *bytes, size_t size)
{
	uint64_t hash = hash_bytes(bytes, size), at = hash;
	uint32_t number;
	struct kept *k;

	while ((number = hash_index_next(&t->index, hash, &at)) != HASH_NONE) {
		k = t->kept.at[number];
		if (k->size == size && !memcmp(k->bytes, bytes, size))
			return k->bytes;
	}
	k = pool_alloc(pool, sizeof(*k) + size);
	if (!k || !RESERVE(t->kept, t->kept.count + 1) ||
	    !hash_index_add(&t->index, hash, (uint32_t)t->kept.count))
		return NULL;
	t->kept.at[t->kept.count++] = k;
	k->size = size;
	return memcpy(k->bytes, bytes, size);
}

static void table_free(struct table *t)
{
	hash_index_free(&t->index);
	free(t->kept.at);
}

/* ---- what is kept ---- */

struct facts *facts_new(void)
{
	return pages_new(sizeof(struct facts));
}

void facts_free(struct facts *f)
{
	if (!f)
		return;
	table_free(&f->insns);
	table_free(&f->effects);
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
