/* SPDX-License-Identifier: MIT */
/*
 * The registers of a task that the kernel gives in XSAVE's layout: vector, mask, MMX and tile
 * registers, protection keys, and the control words. The x87 pointers are in x87_state.h.
 */
#ifndef EXTENDED_STATE_H
#define EXTENDED_STATE_H

#include "recorder/core/session.h"

/* Asks the processor for the layout of an XSAVE area. */
void vectors_begin(struct vector_layout *layout);

/*
 * Returns true if the task's protection keys, pkeys(7), deny it memory with key 0, or writes to
 * such memory.
 */
bool vectors_deny_key_0(const struct task *task);

/*
 * Fills in mask, mmx, vector, xcr0 and tile_config from `size` bytes of an XSAVE area of the
 * standard format. Registers beyond these bytes become 0.
 */
void vectors_unpack(const struct vector_layout *layout, const uint8_t *bytes, size_t size,
		    struct isa_registers *registers);

/* Fills in the same members from a stopped task. */
void vectors_read(const struct task *task, struct isa_registers *registers);

/*
 * Writes control word events: the values that an instruction has loaded into the x87 control word
 * or mxcsr. `which` is of enum isa_control_word, or-ed. Writes none while nothing is recorded.
 * Returns 0 or -1 with session->error, as the functions below do.
 */
int control_words_write(struct task *task, unsigned which, uint16_t x87, uint32_t mxcsr);

/* Writes these events with the present values of the stopped task. */
int control_words_record(struct task *task, unsigned which);

/*
 * Writes an event for each word, as instructions that were not recorded may have loaded the words.
 */
int control_words_catch_up(struct task *task);

#endif
