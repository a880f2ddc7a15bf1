/* SPDX-License-Identifier: MIT */
/*
 * The signals that are pending for a task, or blocked, ignored or caught by it, as the kernel
 * reports them.
 */
#ifndef SIGNAL_SETS_H
#define SIGNAL_SETS_H

#include "recorder/core/session.h"

/* A set of signals from /proc/PID/status: "SigCgt", "SigIgn"; bit n - 1 for signal n. */
uint64_t signal_set(const struct task *task, const char *set);

static inline uint64_t signal_bit(int signal)
{
	return UINT64_C(1) << (signal - 1);
}

/* Whether a signal that an instruction raises (SIGTRAP, SIGSEGV, ...) will stop it next. */
bool signals_raised(const struct task *task);

/* Whether the kernel would drop the signal, were the task not traced; so it only interrupts it. */
bool signals_ignored(const struct task *task, int signal);

/* Whether any signal that it neither blocks nor ignores will stop it next. */
bool signals_wait(const struct task *task);

#endif
