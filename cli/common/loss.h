/* SPDX-License-Identifier: MIT */
/* What is said of a trace that lacks something. */
#ifndef LOSS_H
#define LOSS_H

#include <stdbool.h>

#include "traceformat/traceformat.h"

/* Says on stderr what of the trace is not there, is damaged, or contradicts the rest; nothing if it is
 * complete. */
void note_loss(const char *path, const struct tf_info *info);

/* Warns that the accesses of opaque instructions are in no result; there are some. */
void note_opaque(const char *path, const struct tf_info *info);

/*
 * Whether anything of what was executed or sampled can be read, if bytes are lost; says on stderr if
 * not. False, too, of a trace that contradicts itself, which note_loss has told. The exit code is then
 * EXIT_FAILED, for what is there is not the result of that trace.
 */
bool check_readable(const char *path, const struct tf_info *info);

/* Whether the trace holds anything that was executed or sampled; says on stderr if not. The exit code
 * is then EXIT_FAILED. Where bytes are lost, check_readable decides. */
bool check_recorded(const char *path, const struct tf_info *info);

/* Whether there is such a thread; says on stderr if not. The exit code is then EXIT_UNSUITABLE. */
bool check_thread(const char *path, uint64_t thread, uint32_t n_threads);

/* Whether the record of a thread is there, which is loaded; says on stderr if it is lost. The exit code is
 * then EXIT_UNSUITABLE. */
bool check_thread_record(const char *path, const struct tf_reader *reader, uint32_t thread);

/* Warns that there is nothing from instruction `from` of a thread, or of all (TF_MERGED), on. */
void note_beyond(struct tf_reader *reader, uint32_t thread, uint64_t from);

#endif
