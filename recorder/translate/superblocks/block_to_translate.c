/* SPDX-License-Identifier: MIT */
#include "recorder/translate/superblocks/block_to_translate.h"

#include <sys/mman.h>

#include "recorder/program/block_at.h"
#include "recorder/program/space.h"
#include "recorder/ptrace/cpu_model.h"

static bool is_stable(const struct task *t, uint64_t start, uint64_t end)
{
	const struct space *space = t->process->space;

	while (start < end) {
		const struct mapping *m = space_find(space, start);

		if (!m || !space_is_stable(m))
			return false;
		start = m->end;
	}
	return true;
}

/* Returns true if the code can be executed. Code that is not stable must also be readable, as it is
 * compared. */
static bool is_usable(const struct task *t, uint64_t start, uint64_t end, bool stable)
{
	return stable || space_allows(t->process->space, start, end, PROT_READ | PROT_EXEC);
}

static bool is_translatable(const struct session *s, struct code_block *b)
{
	bool answered = cpu_model_is_asked(s, b);

	if (b->translatable == TRANSLATABLE_UNKNOWN)
		b->translatable = !b->watch.to && !answered && plan_can_have(b) ? TRANSLATABLE
										: NOT_TRANSLATABLE;
	return b->translatable == TRANSLATABLE;
}

/* Returns the block if it can be translated, or NULL. */
static struct code_block *admit(struct task *t, uint64_t pc, struct code_block *b)
{
	uint64_t end = b ? pc + b->trace.code_size : pc;
	bool stable = is_stable(t, pc, end);

	if (!b || !is_translatable(t->session, b) || !is_usable(t, pc, end, stable))
		return NULL;
	if (!stable)
		b->may_change = true;
	else
		cache_keep_block(thread_of(t)->cache, b);
	return b;
}

/* Returns true if the program may execute the code at pc. */
static bool may_begin(const struct task *t, uint64_t pc)
{
	return pc && is_usable(t, pc, pc + 1, is_stable(t, pc, pc + 1));
}

bool block_is_to_be_found(const struct task *t, uint64_t pc)
{
	return !cache_block(thread_of(t)->cache, pc) && may_begin(t, pc);
}

int block_to_translate(struct task *t, uint64_t pc, struct code_block **block)
{
	struct code_block *b;

	*block = cache_block(thread_of(t)->cache, pc);
	if (*block || !may_begin(t, pc))
		return 0;
	if (block_at_kept(t, pc, &b) < 0)
		return -1;
	*block = admit(t, pc, b);
	return 0;
}

struct code_block *block_to_translate_found(struct task *t, uint64_t pc, struct code_block *found)
{
	struct code_block *known = cache_block(thread_of(t)->cache, pc);

	return known ? known : admit(t, pc, found);
}
