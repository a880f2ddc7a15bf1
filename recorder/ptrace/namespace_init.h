/* SPDX-License-Identifier: MIT */
/*
 * The first process of a pid namespace. The kernel drops signals without a handler that are sent to
 * it, and a tracer's delivery counts as sent: a fault that ends it natively would happen again for
 * ever.
 */
#ifndef NAMESPACE_INIT_H
#define NAMESPACE_INIT_H

#include "recorder/core/session.h"

/*
 * Returns true if task->signals.info is a fault of an instruction of such a process, which no handler
 * catches.
 */
bool namespace_init_faults(const struct task *task);

/*
 * Releases the process before the instruction that has faulted, so that its fault ends it without
 * a tracer. The task is synchronized. Returns 0 or -1.
 */
int namespace_init_let_go(struct task *task);

#endif
