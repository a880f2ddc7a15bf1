/* SPDX-License-Identifier: MIT */
/* Vector, mask and MMX registers, as the kernel hands them out in XSAVE's layout. */
#ifndef VECTORS_H
#define VECTORS_H

#include "recorder/core/session.h"

/* Finds out where this CPU keeps which registers. */
void vectors_begin(struct vector_layout *layout);

/* True if the task's protection keys, pkeys(7), deny it memory with key 0, or writes to that. */
bool vectors_deny_key_0(const struct task *task);

/*
 * Fills in mask, mmx, vector, xcr0 and tile_config from so many bytes of an XSAVE area of the
 * standard format; what they do not have is 0.
 */
void vectors_unpack(const struct vector_layout *layout, const uint8_t *bytes, size_t size,
		    struct isa_registers *registers);

/* Fills in the same members from a stopped task. */
void vectors_read(const struct task *task, struct isa_registers *registers);

#endif
