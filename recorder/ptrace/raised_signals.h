/* SPDX-License-Identifier: MIT */
/*
 * Tells signals that an instruction has raised from those that a program sends itself with the same
 * si_code. The kernel allows a positive si_code in siginfo only to a program that sends to itself,
 * by rt_sigqueueinfo, rt_tgsigqueueinfo or pidfd_send_signal. So each siginfo of these calls is
 * kept until a signal with exactly this siginfo arrives. The same tells a signal that was queued to
 * a thread from one that was queued to the process, if the program has sent it to itself; one from
 * another process counts as sent to the process.
 */
#ifndef RAISED_SIGNALS_H
#define RAISED_SIGNALS_H

#include "recorder/core/session.h"

/* Keeps the siginfo of the system call that the task enters, if it is such a call. */
void raised_signals_entering(const struct task *task);

/* Keeps the siginfo of a signal that the task sends itself again. */
void raised_signals_send_again(const struct task *task, const struct sent_signal *sent);

/* Returns true if an instruction has raised the signal. */
bool raised_signals_has(const struct task *task, const siginfo_t *info);

/* Does the same for a signal that is being delivered, and forgets its siginfo. Sets *to_process to
 * true if the signal is known to have been sent to the process. */
bool raised_signals_take(const struct task *task, const siginfo_t *info, bool *to_process);

#endif
