/* SPDX-License-Identifier: MIT */
/*
 * Jumps to addresses that no program can have code at, because they are not canonical or the
 * kernel's. Translated, they succeed and miss. Whether a jump faults or what it leads to does is
 * the processor's to say: the jump is taken back and stepped.
 */
#ifndef NON_CANONICAL_H
#define NON_CANONICAL_H

#include "recorder/translate/thread/state_reconstruction.h"

/*
 * Where the task, as reconstruct_state has left it, has jumped to such an address: changes registers
 * and *state to those before the jump, and returns true. from: the first record in the buffer;
 * record: where the next one goes, state->undo not yet taken back. If that of the jump has been
 * written, it is added to state->undo.
 */
bool non_canonical_return(struct task *task, const uint8_t *from, const uint8_t *record,
			  struct reconstruction *state);

#endif
