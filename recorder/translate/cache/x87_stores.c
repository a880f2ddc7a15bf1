/* SPDX-License-Identifier: MIT */
#include "recorder/translate/cache/x87_stores.h"

#include "recorder/core/x87.h"

static void arm(const struct arenas *arenas, uint64_t pc)
{
	asm_make_trap(arena_local(arenas_of(arenas, pc), pc));
}

static bool has_pointers(const struct plan *p)
{
	for (unsigned i = p->start.n_insns; i < p->n_insns; i++)
		if (x87_use_of(p->insns[i].code, p->insns[i].fact->length) == X87_POINTS)
			return true;
	return false;
}

/* Changes a single byte at each place, because other threads may run there. */
void x87_stores_arm(struct x87_stores *s, const struct arenas *arenas)
{
	for (size_t i = 0; i < s->pcs.count && !s->armed; i++)
		arm(arenas, s->pcs.at[i]);
	s->armed = true;
}

bool x87_stores_add(struct x87_stores *s, const struct arenas *arenas, const struct plan *p,
		    const struct translation *t)
{
	if (!RESERVE(s->pcs, s->pcs.count + t->n_x87_stores))
		return false;
	for (unsigned i = 0; i < t->n_x87_stores; i++) {
		uint64_t pc = t->code + t->x87_stores[i];

		s->pcs.at[s->pcs.count++] = pc;
		if (s->armed)
			arm(arenas, pc);
	}
	if (!s->armed && has_pointers(p))
		x87_stores_arm(s, arenas);
	return true;
}

bool x87_stores_has(const struct x87_stores *s, uint64_t pc)
{
	for (size_t i = 0; i < s->pcs.count; i++)
		if (s->pcs.at[i] == pc)
			return true;
	return false;
}
