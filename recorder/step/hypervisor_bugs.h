/* SPDX-License-Identifier: MIT */
/*
 * Finds out, by a process of the recorder's own on first use, where single-stepping and debug
 * registers fail on some virtual machines. A hypervisor that executes an instruction in the
 * processor's place may forget the trap flag. A hypervisor without debug registers may accept
 * breakpoints that never stop a task. In both cases executed instructions would be missing in the
 * trace.
 */
#ifndef HYPERVISOR_BUGS_H
#define HYPERVISOR_BUGS_H

#include <stdbool.h>

/* Returns true if a task that steps over cpuid stops only after the next instruction. */
bool hypervisor_cpuid_is_not_stepped(void);

/* Returns true if there are no hardware breakpoints. */
bool hypervisor_no_breakpoints(void);

#endif
