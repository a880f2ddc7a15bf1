/* SPDX-License-Identifier: MIT */
#include "recorder/translate/paths/dead_flags.h"

#include "recorder/output.h"
#include "recorder/program/dictionary.h"
#include "recorder/tracee/code_pages.h"

/* Where control goes on behind the instruction, if there is but one place. */
static uint64_t behind(const struct isa_insn *insn, uint64_t pc)
{
	switch ((enum tf_end)insn->end) {
	case TF_END_NONE:
		return pc + insn->length;
	case TF_END_CALL:
	case TF_END_JUMP:
		return insn->target;
	default:
		return 0;
	}
}

/* Finds out whether flags with which the program comes to pc are replaced before they are read. */
static int find_at(struct task *t, uint64_t pc, bool *dead)
{
	enum { FAR_ENOUGH = 32 };	/* instructions */
	const struct session *s = t->session;

	*dead = false;
	for (unsigned i = 0; pc && i < FAR_ENOUGH; i++) {
		size_t available;
		const uint8_t *code = code_pages_at(t, pc, &available);
		const struct isa_insn *insn;
		const struct isa_effects *effects;
		enum facts_status status = FACTS_UNDECODABLE;

		if (code)
			status = facts_of_code(dictionary_facts(s->dictionary), code, available, pc,
					       s->vendor, &insn, &effects);
		if (status == FACTS_MEMORY)
			return output_memory(s->output);
		if (status != FACTS_FOUND || !effects || effects->reads_flags)
			return 0;
		*dead = effects->replaces_flags;
		pc = *dead ? 0 : behind(insn, pc);
	}
	return 0;
}

/* Indirect jumps that enter a block count its arrears by `sub`. */
static int find_enterable(struct task *t, struct plan *p)
{
	uint32_t dead = 0;
	bool is_dead;

	for (unsigned i = 0; i < p->n_blocks; i++) {
		if (!(p->enterable >> i & 1))
			continue;
		if (find_at(t, p->blocks[i]->trace.pc, &is_dead) < 0)
			return -1;
		dead |= (uint32_t)is_dead << i;
	}
	p->enterable = dead;
	return 0;
}

int dead_flags_find(struct task *t, struct plan *p)
{
	int status = find_enterable(t, p);

	for (unsigned i = 0; i < p->n_exits && status == 0; i++)
		status = find_at(t, p->exits[i].target, &p->exits[i].flags_dead);
	return status;
}
