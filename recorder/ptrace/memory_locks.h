/* SPDX-License-Identifier: MIT */
/*
 * mlockall(2) locks the recorder's memory in the process as well, and the kernel compares the size
 * of the whole address space with the limit of locked memory. So a call may fail that succeeds
 * natively. The recorder then locks the program's mappings one by one.
 */
#ifndef MEMORY_LOCKS_H
#define MEMORY_LOCKS_H

#include "recorder/core/session.h"

/* Makes a call succeed that has failed only because of the recorder's memory. */
void memory_locks_leaving(struct task *task);

#endif
