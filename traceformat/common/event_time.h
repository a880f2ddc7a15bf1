/* SPDX-License-Identifier: MIT */
/* The times of events. */
#ifndef EVENT_TIME_H
#define EVENT_TIME_H

#include "traceformat/traceformat.h"

/*
 * Returns true if events of this kind have a time, and sets *time_ns to it, in nanoseconds of the
 * trace's clock; 0: the time is not known.
 */
static inline bool event_time(const struct tf_event *event, uint64_t *time_ns)
{
	switch (event->kind) {
	case TF_EVENT_SYSCALL: *time_ns = event->syscall.time_ns; return true;
	case TF_EVENT_SYSCALL_RESULT: *time_ns = event->syscall_result.time_ns; return true;
	case TF_EVENT_THREAD_START: *time_ns = event->thread_start.time_ns; return true;
	case TF_EVENT_THREAD_EXIT: *time_ns = event->thread_exit.time_ns; return true;
	case TF_EVENT_PROCESS_START: *time_ns = event->process_start.time_ns; return true;
	case TF_EVENT_PROCESS_EXIT: *time_ns = event->process_exit.time_ns; return true;
	case TF_EVENT_EXEC: *time_ns = event->exec.time_ns; return true;
	case TF_EVENT_TIME: *time_ns = event->time.time_ns; return true;
	default: return false;
	}
}

#endif
