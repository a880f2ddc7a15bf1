/* SPDX-License-Identifier: MIT */
/* Signals for the program: SIGNAL events, and delivery. */
#ifndef SIGNALS_H
#define SIGNALS_H

#include "recorder/core/session.h"

/*
 * Offsets, from rsp at a handler's first instruction, of the registers that rt_sigreturn restores:
 * the kernel's struct rt_sigframe.
 */
enum {
	SIGNALS_FRAME_RAX = 8 + 40 + 13 * 8,
	SIGNALS_FRAME_RIP = 8 + 40 + 16 * 8,
	SIGNALS_FRAME_FLAGS = 8 + 40 + 17 * 8,
};

/*
 * Prepares the delivery of a signal to a synchronized task that has stopped before it: sets
 * task->signals.number, and task->signals.delivering if a handler will be entered. If none will,
 * writes the event. Returns 0 or -1.
 */
int signals_arrived(struct task *task, int signal);

/*
 * Makes the task send its pending signal to itself, unchanged, if system calls for the recorder
 * have ended its signal-delivery stop; the signal then arrives once more.
 */
void signals_send_again(struct task *task);

/* Writes the event of a task that stands at the handler's first instruction. Returns 0 or -1. */
int signals_entered(struct task *task);

/*
 * Writes the event if no handler was entered, because the stack is not writable or the handler is
 * gone.
 */
int signals_not_entered(struct task *task);

#endif
