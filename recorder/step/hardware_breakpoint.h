/* SPDX-License-Identifier: MIT */
/* Sets a task's hardware breakpoint: the task stops, by SIGTRAP, before it executes the instruction
 * there. */
#ifndef HARDWARE_BREAKPOINT_H
#define HARDWARE_BREAKPOINT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Sets the breakpoint of a stopped task. Returns false if the kernel has none for it. */
bool hardware_breakpoint_set(pid_t tid, uint64_t pc);

void hardware_breakpoint_clear(pid_t tid);

#endif
