/* SPDX-License-Identifier: MIT */
/*
 * Explains which programs and processes cannot be recorded: one line with the reason and a remedy.
 */
#ifndef REFUSALS_H
#define REFUSALS_H

#include "recorder/core/session.h"

/* Returns true if the file is no script, as shells decide: it begins as an ELF file does, however
 * short it is, or its first line has a null byte. */
bool refusals_is_binary(const char *path);

/* Returns why a program that is to be started cannot be recorded, or NULL. */
const char *refusals_start(const char *path);

/* Returns why the program that a process has just executed cannot be recorded, or NULL. */
const char *refusals_program(pid_t pid);

/* Returns a number from /proc/PID/status, or -1 if there is none. */
long refusals_status(pid_t tid, const char *name);

/*
 * Returns true if the thread is confined by more seccomp filters than the recorder, which may be
 * in a container.
 */
bool refusals_is_confined(pid_t tid);

/* Returns why a process that runs already cannot be recorded, or NULL. */
const char *refusals_process(pid_t pid);

/*
 * The first returns true if a thread has ended; the second returns the thread's tracer, 0 for
 * none.
 */
bool refusals_is_gone(pid_t tid);
pid_t refusals_tracer(pid_t tid);

/*
 * Sets the error for a ptrace call that failed with errno, and returns -1. The process is a child
 * of the recorder, or a running process.
 */
int refusals_ptrace(struct session *session, pid_t pid, bool child);

#endif
