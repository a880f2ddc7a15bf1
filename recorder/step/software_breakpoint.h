/* SPDX-License-Identifier: MIT */
/* A breakpoint by int3 in the program's code. No other task may run while the breakpoint is set. */
#ifndef SOFTWARE_BREAKPOINT_H
#define SOFTWARE_BREAKPOINT_H

#include "recorder/core/session.h"

struct software_breakpoint {
	uint64_t pc;
	uint8_t original; /* the program's byte at pc */
	bool set;
};

/* Sets the breakpoint of a stopped task. Returns false if there is no memory at pc. */
bool software_breakpoint_set(struct task *task, struct software_breakpoint *breakpoint,
			     uint64_t pc);

/*
 * Removes the breakpoint, if there is one, after a stop. Returns true if the stop was the
 * breakpoint's; the task then stands at pc.
 */
bool software_breakpoint_remove(struct task *task, struct software_breakpoint *breakpoint);

#endif
