/* SPDX-License-Identifier: MIT */
/*
 * Files of partial results: what an analyzer has counted in a part of a trace. PARTIAL.md describes
 * the file byte by byte. A file is untrusted input.
 */
#ifndef PARTIAL_H
#define PARTIAL_H

#include "analyzers/common/part_choice.h"
#include "analyzers/common/part_ranges.h"
#include "traceformat/common/bytes.h"

/* The facts that must agree before results are merged. */
struct partial_head {
	char *analyzer; /* its command, "trace-mix" */
	uint64_t state_version;
	uint8_t uuid[16]; /* of the trace */
	uint64_t layout;  /* hash of the trace's chunks, by which it is cut */
	char *trace;      /* where it was */
	char *options;    /* those on which the state depends, a line "NAME=VALUE" for each */
	struct part_choice part; /* n_parts 0: several parts, merged */
	bool damaged;            /* something in the trace could not be read */
	struct part_ranges ranges;
};

struct partial {
	const char *path;
	struct partial_head head;
	uint64_t hash; /* of the contents */
	uint8_t *payload;
	struct span state; /* in the payload */
};

/*
 * Writes a file. Returns 0, or an exit code after a message. path must last until the end.
 */
int partial_write(const char *path, const struct partial_head *head, const struct buffer *state);

/*
 * Reads a file. Returns 0, or an exit code after a message. Call partial_free in either case; path
 * must last until then.
 */
int partial_read(struct partial *partial, const char *path);
void partial_free(struct partial *partial);

/* Frees the state, but not the head. */
void partial_free_state(struct partial *partial);

void partial_head_free(struct partial_head *head);

#endif
