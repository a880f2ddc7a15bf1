/* SPDX-License-Identifier: MIT */
/*
 * Cuts what is analyzed into parts for several machines. Where the parts begin follows only from
 * the trace, so the machines need not talk to each other.
 *
 * The streams of threads are cut before chunks: a chunk belongs to part floor(P * N / W), P being
 * the instructions before the chunk and W all instructions. Where the order of threads matters, the
 * merged order is cut behind the path execution that contains instruction W * part / N.
 */
#ifndef PART_RANGES_H
#define PART_RANGES_H

#include "analyzers/common/replay.h"
#include "traceformat/common/array.h"

/* A range of one stream. */
struct part_range {
	uint32_t thread; /* index, or TF_MERGED: all in the recorded order */
	uint64_t first;  /* instruction */
	uint64_t end;    /* behind the last one; UINT64_MAX: the end of the stream */
};

/* The ranges of analyzers with shares are of numbers of shares instead, of TF_MERGED. */

struct part_ranges {
	ARRAY(struct part_range);
};

/*
 * Fills *ranges with part `part` of `n_parts`, ascending, of `thread`, or of all with TF_MERGED,
 * within the instructions replay->first to replay->count. A part can be empty. Ends the process if
 * memory is out.
 */
void part_ranges_init(struct part_ranges *ranges, const struct replay *replay, uint32_t thread,
		      uint64_t part, uint64_t n_parts);
void part_ranges_free(struct part_ranges *ranges);

/*
 * Returns the first instruction of the block's execution that contains an instruction of a stream,
 * or that instruction if it cannot be read.
 */
uint64_t part_execution_begin(struct tf_reader *reader, uint32_t thread, uint64_t instruction);

/* Appends a range, to the last one if they are adjacent. */
void part_ranges_add(struct part_ranges *ranges, struct part_range range);

#endif
