/* SPDX-License-Identifier: MIT */
/*
 * Jumps to addresses that no program can have code at, because they are not canonical or the
 * kernel's. Translated, they succeed and miss. Whether a jump faults or what it leads to does is
 * the processor's to say: the jump is taken back and stepped.
 */
#ifndef NOWHERE_H
#define NOWHERE_H

#include "recorder/translate/thread/precise.h"

/*
 * Where the task, as precise_state has left it, has jumped to such an address: changes registers
 * and *state to those before the jump, and returns true. from: the first record in the buffer;
 * record: where the next one goes, state->undo not yet taken back. If that of the jump has been
 * written, it is added to state->undo.
 */
bool nowhere_return(struct task *task, const uint8_t *from, const uint8_t *record,
		    struct precise *state);

#endif
