/* SPDX-License-Identifier: MIT */
/* Messages about a trace that is incomplete. */
#ifndef LOSS_H
#define LOSS_H

#include <stdbool.h>

#include "traceformat/traceformat.h"

/* Reports on stderr the missing, damaged and contradictory parts of the trace; nothing if it is
 * complete. */
void note_loss(const char *path, const struct tf_info *info);

/* Warns that the result lacks the accesses of opaque instructions. The trace must have some. */
void note_opaque(const char *path, const struct tf_info *info);

/*
 * Warns of a trace with so many repetitions of string instructions that it takes long to treat
 * each.
 */
void note_repetitions(const char *path, const struct tf_info *info);

/*
 * Returns whether any instruction or sample can be read although bytes are lost, and reports on
 * stderr if not. Returns false, too, for a trace that contradicts itself, which note_loss has
 * reported. The exit code is then EXIT_FAILED, because the rest is not a result for that trace.
 */
bool check_readable(const char *path, const struct tf_info *info);

/* Returns true if the trace has basic block vectors instead of executions. */
bool has_only_vectors(const struct tf_info *info);

/*
 * Returns whether the trace has any instruction, sample or vector, and reports on stderr if not.
 * The exit code is then EXIT_FAILED. If bytes are lost, check_readable decides.
 */
bool check_recorded(const char *path, const struct tf_info *info);

/*
 * Returns whether the thread exists, and reports on stderr if not; the exit code is then
 * EXIT_UNSUITABLE.
 */
bool check_thread(const char *path, uint64_t thread, uint32_t n_threads);

/*
 * Returns whether the record of a thread of a loaded trace exists, and reports on stderr if it is
 * lost. The exit code is then EXIT_UNSUITABLE.
 */
bool check_thread_record(const char *path, const struct tf_reader *reader, uint32_t thread);

/* Warns that a thread, or all threads together (TF_MERGED), end before instruction `from`. */
void note_beyond(struct tf_reader *reader, uint32_t thread, uint64_t from);

#endif
