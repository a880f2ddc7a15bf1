/* SPDX-License-Identifier: MIT */
#include "recorder/translate/superblocks/dead_flags.h"

#include "recorder/program/code_pages.h"
#include "recorder/program/dictionary.h"
#include "recorder/program/flag_use.h"

/* Returns where control continues after the instruction, or 0 if there is more than one place. */
static uint64_t behind(const struct isa_insn *insn, uint64_t pc)
{
	switch ((enum tf_end)insn->end) {
	case TF_END_NONE: return pc + insn->length;
	case TF_END_CALL:
	case TF_END_JUMP: return insn->target;
	default: return 0;
	}
}

/* Returns what the instruction at pc does to the flags. Sets *next to where control continues, or
 * to 0 if that is unknown. */
static enum flag_use flag_use_at(struct task *t, uint64_t pc, uint64_t *next)
{
	const struct session *s = t->session;
	const struct isa_effects *effects;
	const struct isa_insn *insn;
	size_t available;
	unsigned length = 0;
	const uint8_t *code = code_pages_at(t, pc, &available);
	enum flag_use use = code ? flag_use_of_code(code, available, &length) : FLAGS_UNKNOWN;

	*next = pc + length;
	if (use != FLAGS_UNKNOWN || !code)
		return use;
	if (facts_glance(dictionary_facts(s->code.dictionary), code, available, pc,
			 s->processor.vendor, &insn, &effects) != FACTS_FOUND ||
	    !effects)
		return FLAGS_UNKNOWN;
	*next = behind(insn, pc);
	if (effects->reads_flags)
		return FLAGS_READ;
	return effects->replaces_flags ? FLAGS_REPLACED : FLAGS_PASSED;
}

/* Returns true if the flags at pc are replaced before they are read. */
static bool are_dead_at(struct task *t, uint64_t pc)
{
	enum { FAR_ENOUGH = 32 }; /* instructions */
	enum flag_use use = FLAGS_PASSED;

	for (unsigned i = 0; pc && use == FLAGS_PASSED && i < FAR_ENOUGH; i++)
		use = flag_use_at(t, pc, &pc);
	return use == FLAGS_REPLACED;
}

/* Clears the blocks whose flags are live: indirect jumps that enter a block count its pending count
 * by `sub`. */
static void find_enterable(struct task *t, struct plan *p)
{
	for (unsigned i = 0; i < p->n_blocks; i++)
		if (p->enterable >> i & 1 && !are_dead_at(t, p->blocks[i]->trace.pc))
			p->enterable &= ~(UINT32_C(1) << i);
}

void dead_flags_find(struct task *t, struct plan *p)
{
	find_enterable(t, p);
	for (unsigned i = 0; i < p->n_exits; i++)
		p->exits[i].flags_dead = are_dead_at(t, p->exits[i].target);
}
