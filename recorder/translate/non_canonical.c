/* SPDX-License-Identifier: MIT */
#include "recorder/translate/non_canonical.h"

#include <string.h>

#include "recorder/core/task.h"
#include "recorder/translate/cache/cache.h"
#include "recorder/translate/thread/thread.h"

enum { USER_BITS = 47, POINTER = 8 };

/*
 * Restores the memory operand of an indirect call if the pushed return address has overwritten it.
 */
static void restore_operand(struct task *t, const struct isa_insn *fact, uint64_t target)
{
	struct isa_registers r;
	uint64_t values[ISA_MAX_VALUES];

	if (!fact->n_operands || fact->operands[0].trace.access != TF_LOAD)
		return;
	memset(&r, 0, sizeof(r));
	reconstruct_general_registers(&t->regs, r.general);
	r.fs_base = t->regs.fs_base;
	r.gs_base = thread_of(t)->context->gs_base;
	isa_values(fact, &r, values);
	if (values[0] + POINTER - 1 - (t->regs.rsp - POINTER) < 2 * POINTER - 1)
		task_write(t, values[0], &target, sizeof(target));
}

static void before_jump(struct task *t, const struct translation *superblock, unsigned insn)
{
	const struct isa_insn *fact = translation_fact(superblock, insn);
	uint64_t target = t->regs.rip;
	struct isa_effects e;

	t->regs.rip = translation_pc(superblock, insn);
	isa_effects(translation_code(superblock, insn), fact->length, t->regs.rip,
		    t->session->processor.vendor, &e);
	if (e.to == ISA_RSP)
		t->regs.rsp -= (uint64_t)e.displacement;
	if (fact->end == TF_END_INDIRECT_CALL)
		restore_operand(t, fact, target);
}

/*
 * Returns the size of the last record in from .. to, or 0 if that record belongs to no superblock.
 */
static unsigned last_record(const struct task *t, const uint8_t *from, const uint8_t *to,
			    struct cache_exit *e)
{
	const struct cache *c = thread_of(t)->cache;
	unsigned size = 0;

	while (from < to) {
		size = cache_record_size(t->session, c, from, e);
		if (!size)
			return 0;
		from += size;
	}
	return size && e->translation ? size : 0;
}

/* Undoes a jump that a counting variant, which writes no records, has made. */
static bool return_uncounted(struct task *t, struct reconstruction *p)
{
	const struct thread *th = thread_of(t);
	uint32_t number = (uint32_t)th->context->left_by, *counters = exit_counters_of(t);
	struct cache_exit e = cache_exit(th->cache, number);

	if (counters && !p->counted)
		counters[number]--;
	p->counted = e.translation;
	p->exit = INSIDE_SUPERBLOCK;
	p->executed = e.translation->exits[e.exit].n_insns - 1u;
	before_jump(t, e.translation, p->executed);
	p->uncounted--;
	return true;
}

bool non_canonical_return(struct task *t, const uint8_t *from, const uint8_t *record,
			  struct reconstruction *p)
{
	struct cache_exit e = { .translation = p->superblock, .exit = (unsigned)p->exit };
	bool recorded = p->indirect;
	unsigned size = 0;

	if (!(t->regs.rip >> USER_BITS))
		return false;
	if (thread_of(t)->quota)
		return p->indirect && return_uncounted(t, p);
	if (recorded)
		size = last_record(t, from, record - p->undo, &e);
	if (recorded ? !size : !p->superblock || p->exit == INSIDE_SUPERBLOCK)
		return false;
	*p = (struct reconstruction){ .superblock = e.translation,
				      .exit = INSIDE_SUPERBLOCK,
				      .executed = e.translation->exits[e.exit].n_insns - 1u,
				      .undo = p->undo + size };
	before_jump(t, p->superblock, p->executed);
	return true;
}
