/* SPDX-License-Identifier: MIT */
/* One traced thread: its registers, its memory, and resuming it. */
#ifndef TASK_H
#define TASK_H

#include <sys/ptrace.h>

#include "recorder/core/session.h"

/* How every task is traced; what it starts is traced in the same way. */
enum {
	TASK_TRACE_OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
			     PTRACE_O_TRACEVFORK | PTRACE_O_TRACEVFORKDONE | PTRACE_O_TRACEEXEC |
			     PTRACE_O_TRACEEXIT,
};

/* Returns the task, or NULL. */
struct task *task_find(struct session *session, pid_t tid);

/* Adds a task to the ring, behind the current one, in state TASK_NEW. NULL: memory is out. */
struct task *task_add(struct session *session, pid_t tid);

/* Removes it from the ring and frees it. Its process, stream and backend part must be gone. */
void task_remove(struct task *task);

/*
 * The functions below need a stopped task. They return false if the task has vanished (SIGKILL
 * or an exec by another thread), which is no error: waitpid will tell of its end, and the task is
 * TASK_DYING until then.
 */

/* Reads the registers into task->regs; task_write_regs writes them back. */
bool task_read_regs(struct task *task);
bool task_write_regs(struct task *task);

/* False, and TASK_DYING, if the task has vanished. */
bool task_is_there(struct task *task);

/* Resumes it by a ptrace request (PTRACE_SINGLESTEP, PTRACE_SYSCALL, PTRACE_CONT), delivering
 * task->signal, and sets its state. */
bool task_resume(struct task *task, int request, enum task_state state);

/* Copies up to size bytes from the task's memory; returns how many could be read. A page that another
 * thread is yet to provide cannot be: see touch.h. */
size_t task_read(const struct task *task, uint64_t address, void *bytes, size_t size);

/* The same, also from memory that may be executed but not read. */
size_t task_read_code(const struct task *task, uint64_t address, void *bytes, size_t size);

/* Writes to the task's memory, whatever its protection; false if that is impossible. */
bool task_write(const struct task *task, uint64_t address, const void *bytes, size_t size);

/* Closes the file of a process's memory: the memory goes, or becomes another one. */
void task_memory_close(struct process *process);

/* Sets the session's error: what stands at the task's pc cannot be recorded, and why. Returns
 * -1. */
int task_fail(const struct task *task, enum tf_status status, const char *why);

bool task_read_info(const struct task *task, siginfo_t *info);

/* The signals it blocks, bit n - 1 for signal n. */
bool task_read_mask(const struct task *task, uint64_t *mask);
bool task_write_mask(const struct task *task, uint64_t mask);

/* waitpid has told of its end out of turn; that is served later. The task is TASK_DYING. */
void task_note(struct task *task, int status);

/* Returns a task with such a status, which is *status then; NULL: there is none. */
struct task *task_noted(struct session *session, int *status);

/* Returns the character that /proc gives its state: R, S, D, ...; 0 if it is gone. *cpu (may be
 * NULL) receives where it ran last. */
char task_kernel_state(const struct task *task, int *cpu);

/* Returns the CPU time that the thread has used, as /proc tells it; 0 if it is gone. */
struct cpu_seconds task_cpu_seconds(const struct task *task);

#endif
