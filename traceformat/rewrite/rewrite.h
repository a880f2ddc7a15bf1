/* SPDX-License-Identifier: MIT */
/* Steps that repair, repack and cut share: making a new trace from the sections of another. */
#ifndef REWRITE_H
#define REWRITE_H

#include "traceformat/reader/reader.h"
#include "traceformat/replay/lane.h"
#include "traceformat/writer/writer.h"

/* Opens the file to write, which must not be the one that is read. Returns its descriptor. */
int rewrite_open(const struct tf_reader *reader, const char *to, struct tf_error *error);

/* Closes the file, and removes it if the status is an error, since half a trace is of no use. */
void rewrite_close(int fd, const char *to, int status);

/* Makes room for the totals of the reader's threads. */
int rewrite_add_threads(const struct tf_reader *reader, struct tf_writer *writer,
			struct tf_error *error);

/*
 * Replays the k-th chunk (from 0) of its thread, and counts its contents. Returns 0, or a negative
 * status with *error, also if the totals in the chunk's head are wrong. error may be NULL.
 */
int rewrite_check_chunk(struct tf_reader *reader, struct lane *lane, const struct section *chunk,
			size_t k, struct tf_totals *counted, struct tf_error *error);

/*
 * Loads the dictionary, and refuses a trace that is not whole, because nobody could tell whether
 * the new trace lost anything, or whose vectors and intervals contradict each other.
 */
int rewrite_check_whole(struct tf_reader *reader, struct tf_error *error);

/* Writes the UUID of the old trace as the value of a META key. */
void rewrite_note_origin(const struct tf_reader *reader, struct tf_writer *writer, const char *key);

/* Finishes the trace with the old one's wait status and stop reason. */
int rewrite_finish(struct tf_reader *reader, struct tf_writer *writer, struct tf_error *error);

#endif
