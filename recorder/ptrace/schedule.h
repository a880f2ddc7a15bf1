/* SPDX-License-Identifier: MIT */
/* Chooses the task that runs next and its CPU, and waits for a stop. */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include "recorder/core/session.h"

/* The length of a turn, in blocks or the like. */
enum { SCHEDULE_QUANTUM = 1000 };

/* Returns true if tasks run one at a time now. */
bool schedule_is_serial(const struct session *session);

/*
 * Returns the task to resume now, or NULL if a task must stop first. If tasks run one at a time,
 * the current task goes on until its turn is over or it sleeps in a system call. Then the next task
 * in the ring that can run has its turn. Tasks that the kernel is about to hand over are waited
 * for, so that the order does not depend on the kernel's speed.
 */
struct task *schedule_next(struct session *session);

/*
 * Stops the other tasks, so that none runs beside this one until its next stop. Returns 1 on
 * success, 0 if others wait for this task or the task has vanished, or -1.
 */
int schedule_run_alone(struct task *task);

/* Uses up a part of the turn of the current task. Returns true if the turn is over. */
bool schedule_use_turn(struct session *session, unsigned blocks);

/* Ends the turn of the current task, so that the next task has its turn. */
void schedule_end_turn(struct session *session);

/* Returns the CPUs that the recorder may use. */
const cpu_set_t *schedule_cpus(const struct session *session);

/*
 * Takes a system call of the task off its turn. Otherwise the task could wait for another one by
 * calls that return at once, and never lose its turn.
 */
void schedule_syscall(struct task *task);

/*
 * Waits for a task to stop or end: returns its tid and *status, 0 if there is something else to
 * do (the timer, or another task may run while the current one is in the kernel), or -1 if there
 * is nothing to wait for. *status is that of waitpid.
 */
pid_t schedule_wait(struct session *session, int *status);

/*
 * Confines a task to the recorder's CPU, as long as it is stepped or makes system calls for the
 * recorder: stepping is four times as fast if both share a CPU, but the kernel would wake the task
 * on an idle one.
 */
void schedule_confine(struct task *task);

/*
 * Gives a task its own CPUs back. Called wherever the program could notice the confinement: before
 * its system calls and at the end.
 */
void schedule_free(struct task *task);

/* Returns true if the task may run only on the recorder's CPU. */
bool schedule_is_confined(const struct task *task);

/* Forgets a task that is about to be removed. Its turn passes to the next task. */
void schedule_forget(struct task *task);

/*
 * Decides how the recorder waits for a task that runs in the cache and stopped because it needs the
 * recorder. While such runs are brief, waking the other side on another CPU would take most of the
 * time. So the recorder polls the task (polling.h) or, where it cannot, shares its CPU with the
 * task.
 */
void schedule_help(struct task *task);

/*
 * Prepares a task that is about to run: it shares the recorder's CPU if it `stops_soon`. If tasks
 * run at the same time, only one of them shares that CPU.
 */
void schedule_share_run(struct task *task, bool stops_soon);

/*
 * Gives a task its own CPUs, which the program may ask for now. The task shares the recorder's CPU
 * again only after a few more brief runs.
 */
void schedule_stop_sharing(struct task *task);

/*
 * Gives all tasks and the recorder their own CPUs, so that they choose a CPU again: a task that
 * shared the recorder's CPU may run for longer now, and other programs may keep that CPU busy.
 */
void schedule_look_again(struct session *session);

/* Starts the timer that ends waiting now and then, and remembers the recorder's CPUs. */
void schedule_begin(struct session *session);
void schedule_end(struct session *session);

/*
 * ---- stalls ----
 *
 * A task may sleep where the recorder expects it to stop soon: in a page fault that another thread
 * has to serve, with userfaultfd(2) or as the server of a file system. If tasks run one at a time,
 * that thread may be waiting for its turn.
 */

/*
 * Returns true if a running task, or one that is about to enter a system call, waits for another
 * one.
 */
bool stalls_running(const struct task *task);

/* Returns true if a task in a system call that sleeps uninterruptibly may wait for another one. */
bool stalls_in_call(const struct task *task);

/* Takes the turn from a stalled task: once it can go on, it stops as soon as possible. */
void stalls_begin(struct task *task);

#endif
