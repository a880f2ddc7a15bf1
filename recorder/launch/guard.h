/* SPDX-License-Identifier: MIT */
/*
 * A process in whose memory the recorder has put translated code cannot do without the recorder:
 * the first trap in that code would end it. One that was started ends with the recorder anyway; one
 * that was attached to is not to. So what records it is a child of what the user has started and
 * may kill, in a process group of its own and with a name of its own ("tracelab-worker"): when its
 * parent is gone, it ends the recording in good order.
 */
#ifndef GUARD_H
#define GUARD_H

/*
 * Runs work in a child and hands SIGINT, SIGTERM and SIGHUP on to it. Returns its exit status, or
 * -1: it could not be started, or *signal (0 otherwise) has ended it.
 */
int guard_run(int (*work)(void *opaque), void *opaque, int *signal);

#endif
