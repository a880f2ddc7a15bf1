/* SPDX-License-Identifier: MIT */
/* What the trace says of itself: command, host, recorder (FORMAT.md 3.1). */
#ifndef METADATA_H
#define METADATA_H

#include "recorder/core/session.h"

/* Writes what is known before the program starts. Returns 0 or -1. */
int metadata_write(struct session *session);

/*
 * To be called when a thread may have been added to the trace, with the number of its threads
 * before: several run in an order that no other recording will have.
 */
int metadata_threads(struct session *session, uint32_t before);

/* Writes what is known of the program once it stands at its first instruction. */
int metadata_program(struct task *task);

/* Writes the command line of a program that has taken the place of another one: of the first 1000. */
int metadata_exec(struct task *task);

#endif
