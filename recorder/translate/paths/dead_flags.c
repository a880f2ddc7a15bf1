/* SPDX-License-Identifier: MIT */
#include "recorder/translate/paths/dead_flags.h"

#include "recorder/translate/paths/block_to_translate.h"
#include "recorder/translate/plan/foresee.h"

/* Finds out whether flags with which the program comes to pc are replaced before they are read. */
static int find_at(struct task *t, uint64_t pc, bool *dead)
{
	enum { FAR_ENOUGH = 4 };	/* blocks */

	*dead = false;
	for (unsigned i = 0; pc && i < FAR_ENOUGH; i++) {
		struct foresight f = { .depth = 0 };
		struct code_block *b;
		enum foreseen_flags flags;

		if (block_to_translate(t, pc, &b) < 0)
			return -1;
		flags = b && !b->may_change ? foresee_flags(b) : FLAGS_LIVE;
		*dead = flags == FLAGS_DEAD;
		if (flags != FLAGS_PASSED_ON || b->trace.end == TF_END_CONDITIONAL)
			return 0;
		pc = foresee_next(&f, b);
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
