/* SPDX-License-Identifier: MIT */
/*
 * Handles jumps to addresses that cannot have code of the program: addresses that are not
 * canonical, and addresses of the kernel. The translated jump succeeds and then misses. Only the
 * processor can decide whether the original jump faults and what happens at its target, so the jump
 * is undone and stepped.
 */
#ifndef NON_CANONICAL_H
#define NON_CANONICAL_H

#include "recorder/translate/thread/state_reconstruction.h"

/*
 * Undoes such a jump if the task, in the state that reconstruct_state() has left, has just made
 * one: sets the registers and *state to those before the jump, and returns true. `from` is the
 * first record in the buffer; `record` is where the next record goes, with state->undo not yet
 * subtracted. If the jump's own record has been written, its size is added to state->undo.
 */
bool non_canonical_return(struct task *task, const uint8_t *from, const uint8_t *record,
			  struct reconstruction *state);

#endif
