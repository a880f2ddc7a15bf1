/* SPDX-License-Identifier: MIT */
/* What cannot be recorded, and why: one line that says what to do. */
#ifndef REFUSALS_H
#define REFUSALS_H

#include "recorder/core/session.h"

/* True if the file begins as an ELF file does. */
bool refusals_is_elf(const char *path);

/* Returns why the code of a file cannot be recorded, or NULL. */
const char *refusals_file(const char *path);

/* Returns why a program that is to be started cannot be recorded, or NULL. */
const char *refusals_start(const char *path);

/* Returns why the program that a process has just executed cannot be recorded, or NULL. */
const char *refusals_program(pid_t pid);

/* A number from /proc/PID/status; -1: there is none. */
long refusals_status(pid_t tid, const char *name);

/* True if the thread is confined by seccomp more than we are, who may be so in a container. */
bool refusals_is_confined(pid_t tid);

/* Returns why a process that runs already cannot be recorded, or NULL. */
const char *refusals_process(pid_t pid);

/* True if a thread has ended; its tracer, 0: it has none. */
bool refusals_is_gone(pid_t tid);
pid_t refusals_tracer(pid_t tid);

/* ptrace has been refused, for the reason in errno: sets the error and returns -1. The process is
 * a child of ours, or one that runs already. */
int refusals_ptrace(struct session *session, pid_t pid, bool child);

#endif
