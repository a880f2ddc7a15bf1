/* SPDX-License-Identifier: MIT */
/*
 * Hides the trap flag, which stepping sets, from the program. The kernel hides it except in two
 * cases. A pushf pushes it. From a popf on, even before it executes, the kernel assumes that the
 * program sets the flag itself, and takes the recorder's flag for the program's as long as stepping
 * continues.
 */
#ifndef TRAP_FLAG_H
#define TRAP_FLAG_H

#include "recorder/core/session.h"

struct trap_flag {
	bool own;     /* the program has set the flag itself */
	bool tangled; /* the program has not, but the kernel assumes so */
};

/* Prepares to step the task through an instruction, or through an unknown one if `code` is NULL. */
void trap_flag_before(struct trap_flag *flag, const struct task *task, const uint8_t *code,
		      unsigned length);

/* Corrects the flag after the instruction has executed. */
void trap_flag_after(struct trap_flag *flag, struct task *task, const uint8_t *code,
		     unsigned length);

/* Corrects the flags of the interrupted code in a handler's frame that has been pushed. */
void trap_flag_after_frame(struct trap_flag *flag, struct task *task);

/*
 * Removes the recorder's flag from the registers of a stopped task that is not stepped any further.
 */
void trap_flag_untangle(struct trap_flag *flag, struct task *task);

#endif
