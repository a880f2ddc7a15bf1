/* SPDX-License-Identifier: MIT */
/* The paths and blocks of a trace, by the ids that executions have. */
#ifndef PATHS_H
#define PATHS_H

#include "traceformat/common/pool.h"
#include "traceformat/traceformat.h"

/* The parts of a path that are executed if it is left by an exit. */
struct exit_use {
	const struct tf_path *path; /* NULL: no such exit */
	const uint16_t *sizes;      /* by value: bytes of the access at this address; NULL: not all
				       values are addresses of TF_PLAIN, or the exit is partial */
	uint32_t n_values;
	uint16_t n_blocks; /* of a partial exit: all of the path */
	bool is_partial;
};

/* An exit is prefetched by so many executions: caches may be too small for all exits. */
enum { EXITS_AHEAD = 8 };

struct paths {
	const struct tf_path **paths;   /* by path id; NULL: there is none, or it lacks a block */
	const struct tf_block **blocks; /* by block id */
	struct exit_use *exits;         /* by exit id */
	uint32_t n_paths, n_blocks, n_exits;
	struct pool pool;
};

/* Collects those of a loaded trace. */
void paths_begin(struct paths *paths, const struct tf_reader *reader);
void paths_free(struct paths *paths);

/* Returns the number of extras of an operand. */
unsigned extras_of(const struct tf_operand *operand);

#endif
