/* SPDX-License-Identifier: MIT */
/* System calls by number and by the call path that made them. */
#ifndef CALLS_SYSCALLS_H
#define CALLS_SYSCALLS_H

#include "analyzers/calls/paths.h"
#include "cli/common/tracereport.h"

struct call_syscall {
	struct call_syscall_key {
		uint64_t number;
		uint64_t node; /* of the path that made it */
	} key;
	uint64_t calls;
	uint64_t errors;     /* results from -4095 to -1 */
	uint64_t elapsed_ns; /* from calls to results, where the trace has both times */
};

/* The system call that a thread is in. */
struct call_syscall_entry {
	uint32_t call; /* its number in the table, or CALL_NONE */
	uint64_t number, time_ns;
};

/* The events of a thread whose earlier events are in another part of the trace. */
struct call_syscall_first {
	bool seen;       /* a call or a result, */
	bool has_result; /* of which this result is the first one */
	uint64_t number, time_ns;
	int64_t result;
};

struct call_syscalls {
	uint32_t n_threads;
	struct call_syscall_entry *entries; /* by thread */
	struct call_syscall_first *firsts;  /* by thread */
	HASH_TABLE(struct call_syscall) calls;
};

/* Initializes the table. All functions end the process if memory is out. */
void call_syscalls_init(struct call_syscalls *syscalls, uint32_t n_threads);
void call_syscalls_free(struct call_syscalls *syscalls);

/* Counts an event of a thread that is in a node. */
void call_syscalls_event(struct call_syscalls *syscalls, uint32_t node,
			 const struct tf_event *event);

/*
 * Adds the system calls of a later part of the trace. nodes: by node of that part, the node here.
 */
void call_syscalls_merge(struct call_syscalls *syscalls, const struct call_syscalls *later,
			 const uint32_t *nodes);

/*
 * Reports the system calls, and at most `top` paths with a system call, those with the most calls
 * first.
 */
void call_syscalls_report(const struct call_syscalls *syscalls, const struct call_paths *paths,
			  uint64_t top, struct report *report);

#endif
