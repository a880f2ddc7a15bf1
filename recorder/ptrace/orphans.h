/* SPDX-License-Identifier: MIT */
/*
 * Children that nobody will tell of. A child is traced from its first instruction on and stops
 * there, often before its parent's PTRACE_EVENT_FORK says whose it is. Where the parent is killed
 * in between (by SIGKILL, by another thread's exec), that event never comes.
 */
#ifndef ORPHANS_H
#define ORPHANS_H

#include "recorder/core/session.h"

/* Lets go of the tasks that wait to be told of, once no other task can be about to do that. */
void orphans_release(struct session *session);

#endif
