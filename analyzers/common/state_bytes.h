/* SPDX-License-Identifier: MIT */
/*
 * The writer and the reader that an analyzer's save and load get: numbers in the bytes of a file.
 */
#ifndef STATE_BYTES_H
#define STATE_BYTES_H

#include "analyzers/common/analyzer.h"
#include "traceformat/common/bytes.h"

struct state_writer {
	struct buffer bytes;
};

struct state_reader {
	struct span bytes;
};

/* Saves a state. Ends the process if memory is out. Returns 0 or an exit code. */
int state_save(const struct analyzer *analyzer, void *state, struct state_writer *writer);

/*
 * Loads a state that has been started. Returns 0, or an exit code after a message if the bytes
 * cannot be those of such a state; or they are bad, see struct span.
 */
int state_load(const struct analyzer *analyzer, void *state, struct state_reader *reader);

/* Adds the results of the later state to those of the first. Returns 0 or an exit code. */
int state_merge(const struct analyzer *analyzer, void *first, const void *later);

/* Returns true if states can be merged, and if they can be saved, too. */
bool state_can_merge(const struct analyzer *analyzer);
bool state_can_save(const struct analyzer *analyzer);

#endif
