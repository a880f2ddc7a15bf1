/* SPDX-License-Identifier: MIT */
/* Writes a random trace, all of it or call by call. */
#ifndef RANDOM_PLAY_H
#define RANDOM_PLAY_H

#include "tests/unit/traces/random/random_trace.h"
#include "traceformat/tracewriter.h"

/* A trace being written. */
struct random_player {
	const struct random_trace *trace;
	struct tf_writer *writer;
	struct tf_stream **streams;
	size_t next_op;
	uint32_t n_blocks, n_paths; /* added so far */
	struct tf_error error;
};

/* Begins writing to fd. The caller calls random_play_end(), also after an error. */
int random_play_begin(struct random_player *p, const struct random_trace *t, int fd);

/* Adds the paths up to `path` and their blocks, unless added before. */
int random_add_paths(struct random_player *p, uint32_t path);

int random_play_op(struct random_player *p, const struct random_op *op);

/* Performs the script's next `count` calls, or all that are left. */
int random_play(struct random_player *p, size_t count);

/* Closes everything, finishes the trace if asked to, and returns the first error. */
int random_play_end(struct random_player *p, bool finish);

/* Writes the whole trace to fd. Returns 0 or the first error. */
int random_trace_write(const struct random_trace *t, int fd, bool finish, struct tf_error *error);

#endif
