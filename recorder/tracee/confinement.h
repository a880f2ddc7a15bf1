/* SPDX-License-Identifier: MIT */
/*
 * Programs that let the kernel judge their system calls by seccomp. Calls that the recorder makes
 * in such a program must pass. So every filter that the program installs gets a prologue
 * (filter_program.h), and strict mode is kept here: the kernel has it only from the first call on
 * that it does not allow, or when the task is let go. The program's own calls are made at their
 * own places, where filters may look.
 *
 * A filter that the recorder has not seen, of a process that is attached to or has run natively,
 * is suspended for the recorder's calls, which takes CAP_SYS_ADMIN (task->sealed).
 *
 * Functions return 0 or -1 unless stated otherwise.
 */
#ifndef CONFINEMENT_H
#define CONFINEMENT_H

#include "recorder/session.h"

/* A settled task is about to make a system call. */
int confinement_before(struct task *task);

/* It has stopped on its way into the call, whose event has been written. */
void confinement_entering(struct task *task);

/* It has stopped on its way out; its registers become what the program expects. */
int confinement_leaving(struct task *task);

/* A settled task is to go on natively: its confinement becomes the kernel's. Afterwards calls of
 * the recorder need the task's confinement suspended. */
void confinement_leave(struct task *task);

/* The same; it may be followed again. */
void confinement_pause(struct task *task);

/* Asks the kernel how a task is confined that has run natively. False: it is, by what the recorder
 * may not suspend. */
bool confinement_look(struct task *task);

/* What a task says whose confinement may not be suspended. */
int confinement_refuse(const struct task *task);

#endif
