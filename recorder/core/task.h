/* SPDX-License-Identifier: MIT */
/* Accesses the registers and the memory of a traced thread, and resumes it. */
#ifndef TASK_H
#define TASK_H

#include <sys/ptrace.h>

#include "recorder/core/session.h"

/* The ptrace options of every task and of all that it starts. */
enum {
	TASK_TRACE_OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
			     PTRACE_O_TRACEVFORK | PTRACE_O_TRACEVFORKDONE | PTRACE_O_TRACEEXEC |
			     PTRACE_O_TRACEEXIT,
};

/* Returns the task with that tid, or NULL. */
struct task *task_find(struct session *session, pid_t tid);

/*
 * Adds a task to the ring, behind the current one, in state TASK_NEW. Returns NULL if memory is
 * out.
 */
struct task *task_add(struct session *session, pid_t tid);

/* Removes a task from the ring and frees it. Its process, stream and backend part must be gone. */
void task_remove(struct task *task);

/*
 * The functions below need a stopped task. They return false if the task has vanished (SIGKILL or
 * an exec by another thread), which is no error: waitpid will report its end, and the task is
 * TASK_DYING until then.
 */

/* Reads the registers into task->regs; task_write_regs writes them back. */
bool task_read_regs(struct task *task);
bool task_write_regs(struct task *task);

/* Copies all registers of task->regs that addresses can depend on, but not the vectors. */
void task_isa_registers(const struct task *task, struct isa_registers *registers);

/* Returns false, and makes the task TASK_DYING, if it has vanished. */
bool task_is_there(struct task *task);

/*
 * Resumes a task by a ptrace request (PTRACE_SINGLESTEP, PTRACE_SYSCALL, PTRACE_CONT), delivers
 * task->signals.number, and sets the task's state.
 */
bool task_resume(struct task *task, int request, enum task_state state);

/*
 * Copies up to size bytes from the task's memory and returns how many could be read. A page that
 * another thread has yet to provide cannot be read: see touch.h.
 */
size_t task_read(const struct task *task, uint64_t address, void *bytes, size_t size);

/* Reads like task_read(), and also from memory that may be executed but not read. */
size_t task_read_code(const struct task *task, uint64_t address, void *bytes, size_t size);

/* Writes to the task's memory, whatever its protection. Returns false if that is impossible. */
bool task_write(const struct task *task, uint64_t address, const void *bytes, size_t size);

/* Closes the file of a process's memory, because the memory is freed or replaced. */
void task_memory_close(struct process *process);

/*
 * Sets the session's error, that the code at the task's pc cannot be recorded, and why. Returns
 * -1.
 */
int task_fail(const struct task *task, enum tf_status status, const char *why);

bool task_read_info(const struct task *task, siginfo_t *info);

/* Read or write the task's signal mask: bit n - 1 is set if signal n is blocked. */
bool task_read_mask(const struct task *task, uint64_t *mask);
bool task_write_mask(const struct task *task, uint64_t mask);

/*
 * Keeps the status of an end that waitpid has reported out of turn, to be served later. The task
 * is TASK_DYING.
 */
void task_keep_end(struct task *task, int status);

/*
 * Returns a task with a status that task_keep_end() has kept, and stores it in *status; NULL if
 * there is none.
 */
struct task *task_take_end(struct session *session, int *status);

/*
 * Returns the state of a thread as /proc has it: R, S, D, ...; 0 if the thread is gone. *cpu (may
 * be NULL) receives the CPU where it ran last.
 */
char task_kernel_state(const struct task *task, int *cpu);

/* Returns the CPU time of the thread from /proc; 0 if the thread is gone. */
struct cpu_seconds task_cpu_seconds(const struct task *task);

/* ---- signals, as the kernel reports them ---- */

/* Sets of signals: bit n - 1 is signal n. */
struct signal_sets {
	uint64_t pending, process_pending; /* for the thread, for any thread of the process */
	uint64_t blocked;
	uint64_t ignored, caught; /* by the program's actions */
};

/* Returns the sets of /proc/PID/status; empty ones if the thread is gone. */
struct signal_sets signal_sets(const struct task *task);

static inline uint64_t signal_bit(int signal)
{
	return UINT64_C(1) << (signal - 1);
}

/* Returns true for the signals that the recorder unblocks in a task, and may hold back. */
static inline bool signal_may_be_held(int signal)
{
	return signal == SIGTRAP || signal == SIGSEGV || signal == SIGBUS;
}

/*
 * Returns true if a signal that an instruction raises (SIGTRAP, SIGSEGV, ...) stops the task next.
 */
bool signals_raised(const struct task *task);

/*
 * Returns what the signal does if it is delivered: SIGNAL_ACTS stops or ends the task. The kernel
 * would drop a SIGNAL_IGNORED one, were the task not traced. Within a stop, the answer stays the
 * same.
 */
enum signal_fate { SIGNAL_CAUGHT, SIGNAL_IGNORED, SIGNAL_ACTS };
enum signal_fate signal_fate(struct task *task, int signal);

/* Returns true if a signal that the task neither blocks nor ignores stops it next. */
bool signals_wait(const struct task *task);

#endif
