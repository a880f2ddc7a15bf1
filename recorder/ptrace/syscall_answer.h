/* SPDX-License-Identifier: MIT */
/* System calls that the recorder answers in the kernel's place. */
#ifndef SYSCALL_ANSWER_H
#define SYSCALL_ANSWER_H

#include "recorder/core/session.h"

/* Gives a task that is stopped before a system call the call's result; the kernel makes no call. */
void syscall_answer(struct task *task, int64_t result);

#endif
