/* SPDX-License-Identifier: MIT */
/*
 * Children that no event will name. A child is traced from its first instruction on and stops
 * there, often before its parent's PTRACE_EVENT_FORK names it. If the parent is killed in between
 * (by SIGKILL, by another thread's exec), that event never comes.
 */
#ifndef ORPHANS_H
#define ORPHANS_H

#include "recorder/core/session.h"

/*
 * Releases the tasks that wait for their parent's event, once no other task can have such an event
 * pending.
 */
void orphans_release(struct session *session);

#endif
