/* SPDX-License-Identifier: MIT */
/*
 * Facts that follow from an instruction's first bytes without decoding it, see the opcode maps of
 * the Intel SDM, volume 2, appendix A.
 */
#ifndef OPCODE_H
#define OPCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

/* Returns the number of bytes before the opcode: legacy prefixes and REX. */
unsigned opcode_prefixes(const uint8_t *code, unsigned length);

/* Returns true if the instruction has this one-byte opcode; prefixes are allowed. */
bool opcode_is(const uint8_t *code, unsigned length, uint8_t opcode);

/*
 * Returns true if a single step over the instruction ends only after the next one: after mov to ss,
 * which delays debug exceptions (Intel SDM volume 3, 6.8.3), and after instructions that the kernel
 * may emulate (UMIP: sgdt, sidt, sldt, smsw, str; Intel SDM volume 3, 2.5, CR4.UMIP).
 */
bool opcode_hides_step(const uint8_t *code, unsigned length);

/*
 * Describes a jump, call or conditional branch with a relative target and without prefixes: its
 * kind (a number below OPCODE_BRANCHES), its length, and its target if it stands at pc. Returns
 * false if the instruction is none of these or is cut off. All other facts of such a branch do not
 * depend on its address.
 */
enum { OPCODE_BRANCHES = 256 + 16 };
struct opcode_branch {
	unsigned number, length;
	uint64_t target;
};
bool opcode_branch(const uint8_t *code, size_t available, uint64_t pc,
		   struct opcode_branch *branch);

/*
 * Returns whether a conditional branch to the very next instruction was taken. The pc does not
 * show it, but flags and count are still as the branch saw them (for loop: the decremented count).
 */
bool opcode_branch_taken(const uint8_t *code, unsigned length, const struct user_regs_struct *regs);

#endif
