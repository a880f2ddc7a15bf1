/* SPDX-License-Identifier: MIT */
/* What an instruction's bytes alone tell, see the opcode maps of the Intel SDM, volume 2,
 * appendix A. */
#ifndef OPCODE_H
#define OPCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

/* Returns how many bytes stand before the opcode: legacy prefixes, and REX. */
unsigned opcode_prefixes(const uint8_t *code, unsigned length);

/* True for an instruction of that single opcode byte and prefixes. */
bool opcode_is(const uint8_t *code, unsigned length, uint8_t opcode);

/*
 * A jump, call or conditional branch with a relative target, without prefixes: which of them (below
 * OPCODE_BRANCHES), its length and where it leads from pc. False: it is none, or is cut off. What
 * else there is to know of it does not depend on where it stands.
 */
enum { OPCODE_BRANCHES = 256 + 16 };
struct opcode_branch {
	unsigned number, length;
	uint64_t target;
};
bool opcode_branch(const uint8_t *code, size_t available, uint64_t pc,
		   struct opcode_branch *branch);

/*
 * Whether a conditional branch to the very next instruction was taken: the pc cannot tell, but
 * flags and count are after it what it saw (loop: what it decremented to).
 */
bool opcode_branch_taken(const uint8_t *code, unsigned length, const struct user_regs_struct *regs);

#endif
