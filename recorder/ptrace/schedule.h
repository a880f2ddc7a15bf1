/* SPDX-License-Identifier: MIT */
/* Chooses the task that runs next and its CPU, and waits for a stop. */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include "recorder/core/session.h"

/* The length of a turn, in blocks or the like. */
enum { SCHEDULE_QUANTUM = 1000 };

/* True if tasks run one at a time now. */
bool schedule_is_serial(const struct session *session);

/*
 * Returns the task to resume now, or NULL if one must stop first. One at a time, the current task
 * goes on until its quantum is used up or it sleeps in a system call; then it is the turn of the
 * next one in the ring that can run, and whether one can does not depend on how long the kernel
 * takes: those that it has yet to hand over are waited for.
 */
struct task *schedule_next(struct session *session);

/* Uses up a part of the turn of the current task. Returns true if the turn is over. */
bool schedule_use_turn(struct session *session, unsigned blocks);

/* Ends the turn of the current task, so that the next task has its turn. */
void schedule_end_turn(struct session *session);

/* Returns the CPUs that the recorder may use. */
const cpu_set_t *schedule_cpus(const struct session *session);

/* The task is in a system call: that uses its turn up as well, or it could wait for another task by
 * calls that return at once. */
void schedule_syscall(struct task *task);

/*
 * Waits for a task to stop or end: returns its tid and *status, 0 if there is something else to
 * do (the timer, or another task may run while the current one is in the kernel), or -1 if there
 * is nothing to wait for. *status is that of waitpid.
 */
pid_t schedule_wait(struct session *session, int *status);

/*
 * Stepping is four times as fast if recorder and task share a CPU, but the kernel would wake the
 * task on an idle one. So a task is confined to the recorder's CPU as long as it is stepped or
 * makes system calls for us, and set free whenever it could notice: in its own ones, at the end.
 */
void schedule_confine(struct task *task);
void schedule_free(struct task *task);

/* Returns true if the task may run only on the recorder's CPU. */
bool schedule_is_confined(const struct task *task);

/* Forgets a task that is about to be removed. Its turn passes to the next task. */
void schedule_forget(struct task *task);

/*
 * The task runs where the recorder need not look, but has stopped to be helped on. While such runs
 * are brief, most of the time would go by with waking the other side on another CPU. So the
 * recorder polls it (polling.h), or, where it cannot, the task shares its CPU.
 */
void schedule_help(struct task *task);

/* A task is about to run, and shares the recorder's CPU if it `stops_soon`. Where tasks run at the
 * same time, only one of them does that. */
void schedule_share_run(struct task *task, bool stops_soon);

/* The task is to see its own CPUs now: it shares none before it has stopped that way a few
 * times. */
void schedule_stop_sharing(struct task *task);

/* Sets tasks and recorder free for a moment: one that shared its CPU may run on by now, and others
 * may keep that CPU busy. */
void schedule_look_again(struct session *session);

/* Starts the timer that ends waiting now and then, and remembers the recorder's CPUs. */
void schedule_begin(struct session *session);
void schedule_end(struct session *session);

#endif
