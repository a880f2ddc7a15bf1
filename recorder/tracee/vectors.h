/* SPDX-License-Identifier: MIT */
/* Vector, mask and MMX registers, as the kernel hands them out in XSAVE's layout. */
#ifndef VECTORS_H
#define VECTORS_H

#include "recorder/session.h"

/* Finds out where this CPU keeps which registers. */
void vectors_begin(struct vector_layout *layout);

/* True if the task's protection keys, pkeys(7), deny it memory with key 0, or writes to that. */
bool vectors_deny_key_0(const struct task *task);

/* Fills in mask, mmx, vector and xcr0 of a stopped task; what cannot be read is 0. */
void vectors_read(const struct task *task, struct isa_registers *registers);

#endif
