/* SPDX-License-Identifier: MIT */
/*
 * A process with translated code in its memory needs the recorder: the first trap in that code
 * would end it. A process that the recorder started ends with the recorder anyway; an attached
 * process must not. So the recorder is a child of the command that the user has started and may
 * kill, in a process group and with a name of its own ("tracelab-worker"). When its parent is
 * gone, the child ends the recording in good order.
 */
#ifndef GUARD_H
#define GUARD_H

/*
 * Runs work in a child and hands SIGINT, SIGTERM and SIGHUP on to it. Returns its exit status, or
 * -1: it could not be started, or *signal (0 otherwise) has ended it.
 */
int guard_run(int (*work)(void *opaque), void *opaque, int *signal);

#endif
