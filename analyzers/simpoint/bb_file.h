/* SPDX-License-Identifier: MIT */
/*
 * Files of basic block vectors, .bb: a line for each interval,
 *
 *	T:1:5   :2:99996
 *
 * with pairs of a block's id and its count in the interval. exp-bbv, trace-bbv, gem5, QEMU's and
 * DynamoRIO's clients write them, plain or compressed; they differ in blanks, in the order of the
 * ids, and in the lines that do not begin with a T (comments, summaries), which are ignored, except
 * "(Interval Size N)" of exp-bbv.
 */
#ifndef BB_FILE_H
#define BB_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The vector of one interval. An id may stand in it more than once; its counts then add up. */
struct bb_row {
	const uint32_t *ids;  /* numbers of ids, from 1, see bb_id; n of them */
	const double *values; /* not negative; n of them */
	uint32_t n;
	double sum; /* of values */
};

struct bb_rows {
	struct bb_row *at;
	size_t n, capacity;
	uint32_t n_dims;         /* the greatest id */
	uint32_t n_numbers;      /* of ids: n_dims, or of few ids among many how many there are */
	uint32_t *id_of;         /* by number - 1, ascending; NULL: numbers are the ids */
	uint64_t size;           /* of the file, as it was read, bytes */
	uint64_t interval_size;  /* as the file says it; 0: it does not */
	struct bb_piece *pieces; /* where ids and values are */
};

/*
 * Reads the vectors of a file ("-": standard input) on up to `jobs` cores. Irregular but
 * understandable input is accepted with a warning: ids from 0 (all are then taken to be one more),
 * a missing colon before an id, empty vectors (the interval stays, as a vector of zeros), a last
 * line without a line break, a byte order mark. Other garbage in a line of a vector is an error. A
 * line that is left out but looks like a vector is reported, since each shifts all intervals after
 * it.
 *
 * Memory is bounded by the size of the file: ids that are few among many get numbers, a line has at
 * most 128 MiB, and all counts together are at most 2^53, so that they are exact.
 *
 * as_simpoint: reads the file as SimPoint 3.2 does instead: an empty vector ends it, a last line
 * without a line break is not there, a pair is any character, an integer, any character, a number,
 * with blanks between, and a vector ends at the first thing that is not.
 *
 * Returns false after a message. Ends the process if memory is out.
 */
bool bb_read(const char *path, bool as_simpoint, unsigned jobs, struct bb_rows *rows);

/*
 * Does the same for text that comes piece by piece; name is for messages. Feed and end return false
 * after a message; end frees the parser.
 */
struct bb_parser;
struct bb_parser *bb_parser_new(const char *name, bool as_simpoint, unsigned jobs,
				struct bb_rows *rows);
bool bb_parser_feed(struct bb_parser *parser, const char *text, size_t size);
bool bb_parser_end(struct bb_parser *parser);

void bb_free(struct bb_rows *rows);

/* Sets row i, which has no pairs yet, to a copy of another. Ends the process if memory is out. */
void bb_set_row(struct bb_rows *rows, size_t i, const struct bb_row *row);

/* Returns the id with a number. */
static inline uint32_t bb_id(const struct bb_rows *rows, uint32_t number)
{
	return rows->id_of ? rows->id_of[number - 1] : number;
}

/* Returns true if a file that begins with these bytes is a trace and no file of vectors. */
static inline bool begins_as_trace(const char *bytes, size_t size)
{
	static const char magic[8] = "\x89TRC\r\n\x1a\n";

	return size >= sizeof(magic) && !memcmp(bytes, magic, sizeof(magic));
}

#endif
