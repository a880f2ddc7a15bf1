/* SPDX-License-Identifier: MIT */
/* Writes the events of system calls and follows their effects. */
#ifndef SYSCALLS_H
#define SYSCALLS_H

#include "recorder/ptrace/altered_syscalls.h"

/*
 * Prepares a synchronized task that is about to be resumed into a system call. Returns 0 or -1; the
 * caller resumes the task in any case.
 */
int syscalls_prepare(struct task *task);

/*
 * Serves a task that has stopped on its way into a system call, with the instruction in its stream
 * already, and writes the event. rseq is answered with ENOSYS: stepping would abort every
 * restartable sequence. In a process that has run natively, rseq succeeds and syscalls_leave()
 * undoes it: once glibc has registered a thread, it aborts the program if it cannot register
 * another.
 */
int syscalls_enter(struct task *task, bool int80);

/* A system call that the task has made without a stop. */
struct syscall_made {
	uint64_t number, args[6];
	int64_t result;
	uint64_t entered_ns, left_ns;
};

/*
 * Writes both events of a call that has changed nothing that the session tracks. Accesses only the
 * stream, as the task may be running.
 */
int syscalls_made(struct task *task, const struct syscall_made *call);

/*
 * Writes the first event of a call whose result is not known yet. The task goes on as if it had
 * just entered the call at next_pc - SYSCALL_BYTES, and syscalls_leave ends it.
 */
int syscalls_making(struct task *task, const struct syscall_made *call, uint64_t next_pc);

/* Reads the arguments of that call from the registers of the task, which has stopped in it. */
void syscalls_read_args(struct task *task);

/*
 * States that only the recorder has interrupted the call. If no handler comes in between, the
 * instruction executes again, and must not be counted again.
 */
void syscalls_keep_count(struct task *task);

/*
 * Writes the result of a call that the task leaves, and the changes of mappings and segment bases.
 */
int syscalls_leave(struct task *task);

/*
 * Writes the result of an interrupted system call, which is now known. If a handler was entered, pc
 * and result are those in its frame. With pc 0 the call is executed again, and its result is the
 * kernel's own -ERESTART... code.
 */
int syscalls_release(struct task *task, uint64_t pc, int64_t result);

/* Writes SEGMENT_BASE events if the bases differ from those last written. */
int syscalls_segments(struct task *task);

/* Writes the event of one base, TF_SEGMENT_FS or TF_SEGMENT_GS. */
int syscalls_segment(struct task *task, uint32_t segment, uint64_t base);

#endif
