/* SPDX-License-Identifier: MIT */
/* Checks whether the child, stopped in the cache, has the program's native state. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/recorder/translated/box.h"

enum {
	BELOW_RSP = 8,        /* written by a call to a non-canonical address that was undone */
	STATUS_FLAGS = 0xcd5, /* cf pf af zf sf df of */
};

/* Returns true if the program replaces the boundary's flags before it reads them, as far as the
 * native run shows. */
static bool flags_are_dead(const struct boundary *b)
{
	for (; b < &box.native[box.n]; b++) {
		const struct code_block *block = block_at_pc(b->regs.rip);
		const struct isa_effects *e;

		if (!block)
			return true;
		e = block->effects[0];
		if (e->reads_flags || e->replaces_flags)
			return !e->reads_flags;
	}
	return true;
}

static bool same_registers(const struct user_regs_struct *a, const struct user_regs_struct *b)
{
	uint64_t x[16], y[16];

	general_registers(a, x);
	general_registers(b, y);
	return a->rip == b->rip && !memcmp(x, y, sizeof(x)) && a->fs_base == b->fs_base &&
	       a->gs_base == b->gs_base;
}

static bool same_flags(const struct user_regs_struct *r, const struct boundary *b)
{
	return !((r->eflags ^ b->regs.eflags) & STATUS_FLAGS) || (box.counted && flags_are_dead(b));
}

static bool same_memory(const struct boundary *b)
{
	uint64_t hole = b->regs.rsp - BELOW_RSP - DATA;
	const uint8_t *memory = (const uint8_t *)DATA;

	if (!box.nowhere || hole > DATA_BYTES - BELOW_RSP)
		return !memcmp(memory, b->memory, DATA_BYTES);
	return !memcmp(memory, b->memory, hole) &&
	       !memcmp(memory + hole + BELOW_RSP, b->memory + hole + BELOW_RSP,
		       DATA_BYTES - hole - BELOW_RSP);
}

bool is_at(const struct user_regs_struct *r, const struct boundary *b)
{
	return same_registers(r, &b->regs) && same_flags(r, b) && same_memory(b);
}

void show_difference(const struct user_regs_struct *found, uint64_t cache_pc)
{
	const struct user_regs_struct *r = &box.native[box.at].regs;
	uint64_t a[16], b[16];

	general_registers(found, a);
	general_registers(r, b);
	printf("boundary %u of %u: at %#llx with flags %#llx, found (cache pc %#lx) %#llx %#llx\n",
	       box.at, box.n, r->rip, r->eflags, cache_pc, found->rip, found->eflags);
	printf("  fs and gs: %#llx %#llx, found %#llx %#llx\n", r->fs_base, r->gs_base,
	       found->fs_base, found->gs_base);
	for (unsigned i = 0; i < 16; i++)
		if (a[i] != b[i])
			printf("  register %u: %#lx, found %#lx\n", i, b[i], a[i]);
	fflush(stdout);
}
