/* SPDX-License-Identifier: MIT */
/*
 * What single-stepping and its debug registers do not do on some virtual machines, found out by a
 * process of our own when it is first asked for. A hypervisor that executes an instruction in the
 * processor's place may forget the trap flag, and one that has no debug registers to give accepts
 * breakpoints that never stop anybody: what is executed then would be missing in the trace.
 */
#ifndef HYPERVISOR_BUGS_H
#define HYPERVISOR_BUGS_H

#include <stdbool.h>

/* A task that steps over cpuid stops behind the instruction after it. */
bool hypervisor_cpuid_is_not_stepped(void);

/* There are no hardware breakpoints. */
bool hypervisor_no_breakpoints(void);

#endif
