/* SPDX-License-Identifier: MIT */
/*
 * Programs that let the kernel judge their system calls by seccomp(2). The recorder's calls in such
 * a program must pass. So every filter that the program installs gets a prologue
 * (filter_program.h). The recorder emulates strict mode: the kernel gets it right before the first
 * call that strict mode does not allow, or when the task is released. The program makes its own
 * calls at their own addresses, which filters may inspect.
 *
 * Filters that the recorder has not seen, of an attached process or one that has run natively, are
 * suspended for the recorder's calls. That takes CAP_SYS_ADMIN (struct confinement, sealed).
 *
 * Functions return 0, or -1 with session->error set, unless stated otherwise.
 */
#ifndef CONFINEMENT_H
#define CONFINEMENT_H

#include "recorder/core/session.h"

/* Passes on the confinement of a task to the child that it has started. */
void confinement_child(struct task *child, const struct task *parent);

/* Prepares a synchronized task for the system call that it is about to make. */
int confinement_before(struct task *task);

/*
 * Replaces a filter by one with a prologue; the task has stopped on its way into the call, whose
 * event has been written.
 */
void confinement_entering(struct task *task);

/*
 * Sets the registers of a task that has stopped on its way out of a call to what the program
 * expects.
 */
int confinement_leaving(struct task *task);

/*
 * Sets the confinement of a synchronized task in the kernel, before the task is released. Calls of
 * the recorder then need the confinement suspended.
 */
void confinement_leave(struct task *task);

/* As confinement_leave(), before a task runs natively for a while and is recorded again. */
void confinement_pause(struct task *task);

/*
 * Reads from the kernel how a task is confined that has run natively. Returns false if the
 * recorder may not suspend that confinement.
 */
bool confinement_look(struct task *task);

/* Sets session->error for a task whose confinement may not be suspended. Returns -1. */
int confinement_refuse(const struct task *task);

#endif
