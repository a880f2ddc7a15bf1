/* SPDX-License-Identifier: MIT */
/*
 * A superblock has one or more machine instructions for an instruction of the program. The last one
 * does the work: it is a copy, or a replacement. The ones before it prepare the record; so does
 * everything in an exit stub.
 */
#include "recorder/translate/thread/origin.h"

#include "recorder/program/space.h"
#include "recorder/translate/cache/space_cache.h"

static bool is_same_insn(const struct state *a, const struct state *b)
{
	return a->executed == b->executed && a->place == b->place &&
	       !((a->flags ^ b->flags) & STATE_EXECUTED);
}

/* Returns the offset where the code that a state belongs to ends and another instruction's code
 * begins. */
static uint32_t end_of(const struct translation *t, const struct state *s)
{
	const uint8_t *packed = t->states;
	struct state next = { 0 };

	for (unsigned i = 0; i < t->n_states; i++) {
		packed = states_next(packed, &next);
		if (next.offset > s->offset && !is_same_insn(&next, s))
			return next.offset;
	}
	return t->size;
}

/* Returns true if the machine instruction at `offset` is the last one before `end`. */
static bool is_last(const uint8_t *code, uint32_t begin, uint32_t offset, uint32_t end,
		    enum isa_vendor vendor)
{
	struct isa_insn insn;

	while (begin < end && isa_decode(code + begin, end - begin, 0, vendor, &insn) == 0) {
		if (begin + insn.length == end)
			return offset >= begin;
		begin += insn.length;
	}
	return false;
}

static struct program_place in_superblock(const struct cache *cache, const struct translation *t,
					  uint64_t pc, enum isa_vendor vendor)
{
	uint32_t offset = (uint32_t)(pc - t->code);
	const struct state s = translation_state(t, offset);
	struct program_place place = { .is_known = true, .is_overhead = true, .pc = t->pc };

	if (!t->n_insns)
		return place;
	if (s.place != AT_INSN || s.executed == t->n_insns) {
		place.pc = translation_pc(t, s.executed ? s.executed - 1u : 0);
		return place;
	}
	place.pc = translation_pc(t, s.executed);
	place.is_overhead = s.flags & STATE_EXECUTED ||
			    !is_last(cache_local(cache, t->code), s.offset, offset, end_of(t, &s),
				     vendor);
	return place;
}

struct program_place origin_in(const struct cache *cache, enum isa_vendor vendor, uint64_t pc)
{
	struct translation *t;

	switch (cache_where(cache, pc, &t)) {
	case CACHE_SUPERBLOCK: return in_superblock(cache, t, pc, vendor);
	case CACHE_INDIRECT:
	case CACHE_BRIDGE:
	case CACHE_CALL:
	case CACHE_REQUEST:
	case CACHE_MISS: return (struct program_place){ t, true, t ? t->pc : 0 };
	case CACHE_ELSEWHERE: break;
	}
	return (struct program_place){ 0 };
}

struct program_place origin_find(const struct process *p, uint64_t pc)
{
	const struct cache *cache = space_cache_get(p->space);

	return cache ? origin_in(cache, p->session->processor.vendor, pc)
		     : (struct program_place){ 0 };
}
