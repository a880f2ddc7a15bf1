/* SPDX-License-Identifier: MIT */
/*
 * Stepping sets the trap flag, which the kernel hides from the program, but for two instructions. A
 * pushf pushes it. From a popf on, also if it has yet to execute, the kernel assumes that the
 * program sets the flag itself, and as long as we step on it takes ours for the program's.
 */
#ifndef TRAP_FLAG_H
#define TRAP_FLAG_H

#include "recorder/core/session.h"

struct trap_flag {
	bool own;     /* the program has set it itself */
	bool tangled; /* it has not, but the kernel would think so */
};

/* The task is about to be stepped through an instruction, NULL: one that is not known. */
void trap_flag_before(struct trap_flag *flag, const struct task *task, const uint8_t *code,
		      unsigned length);

/* It has executed. */
void trap_flag_after(struct trap_flag *flag, struct task *task, const uint8_t *code,
		     unsigned length);

/* A handler's frame has been pushed, with the flags of what was interrupted. */
void trap_flag_after_frame(struct trap_flag *flag, struct task *task);

/* The stopped task is not stepped on: takes our flag out of its registers. */
void trap_flag_untangle(struct trap_flag *flag, struct task *task);

#endif
