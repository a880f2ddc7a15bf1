/* SPDX-License-Identifier: MIT */
/*
 * System calls that change only the calling thread's signal mask or gs base. The recorder has to
 * know both, so a task cannot make these calls unseen. The recorder makes the same change by
 * ptrace, which takes a stop less on the way into the kernel and one less on the way out.
 */
#ifndef EMULATED_CALLS_H
#define EMULATED_CALLS_H

#include "recorder/core/session.h"

/*
 * Does what the kernel would do in the system call that a synchronized task is about to make with a
 * syscall instruction; syscalls_prepare() has been called. Sets *result to what the program gets.
 * Returns false, and changes nothing, if the kernel has to make the call: another one, one that
 * fails, one that a filter may judge, or any while signals are limited (signal_rate.h).
 */
bool emulated_call(struct task *task, int64_t *result);

#endif
