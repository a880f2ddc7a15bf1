/* SPDX-License-Identifier: MIT */
/* A task's hardware breakpoint: it stops, by SIGTRAP, before it executes what stands there. */
#ifndef HARDWARE_BREAKPOINT_H
#define HARDWARE_BREAKPOINT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Sets it for a stopped task. False: the kernel has none for it. */
bool hardware_breakpoint_set(pid_t tid, uint64_t pc);

void hardware_breakpoint_clear(pid_t tid);

#endif
