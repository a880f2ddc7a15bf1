/* SPDX-License-Identifier: MIT */
/* Writes the metadata of the trace: command, host, recorder (FORMAT.md 3.1). */
#ifndef METADATA_H
#define METADATA_H

#include "recorder/core/session.h"

/* Writes the metadata that is known before the program starts. Returns 0 or -1. */
int metadata_write(struct session *session);

/*
 * Writes that the order of several threads is not repeatable. Called when a thread may have been
 * added to the trace, with the number of threads before.
 */
int metadata_threads(struct session *session, uint32_t before);

/* Writes the metadata of a program that stands at its first instruction. */
int metadata_program(struct task *task);

/* Writes the command line of a program that replaced another one by exec, for the first 1000. */
int metadata_exec(struct task *task);

#endif
