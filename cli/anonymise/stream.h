/* SPDX-License-Identifier: MIT */
/* The second pass: the executions and events of a thread, rewritten. */
#ifndef STREAM_H
#define STREAM_H

#include "cli/anonymise/events.h"
#include "cli/common/progress.h"

/* Writes the streams of all threads, decoded by so many threads. Returns 0 or a status. */
int streams_write(struct dictionary *d, struct event_rules *rules, unsigned jobs,
		  struct progress *progress, struct tf_error *error);

/* Writes the order in which the threads ran. */
int schedule_write(struct tf_reader *reader, struct tf_writer *writer, struct tf_error *error);

#endif
