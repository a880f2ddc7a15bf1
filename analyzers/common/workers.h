/* SPDX-License-Identifier: MIT */
/*
 * Threads that process batches while the caller fills the next ones. Each of n_tasks tasks
 * processes each batch, one after the other; different tasks run at the same time, perhaps with
 * different batches. The caller processes, too, when all batches are filled:
 *
 *	caller  [fill 0][fill 1][fill 2][task 3, batch 0][fill 3] ...
 *	thread          [task 0, batch 0][task 1, batch 0][task 0, batch 1] ...
 */
#ifndef WORKERS_H
#define WORKERS_H

struct workers;

/*
 * Starts up to n threads, as many as the system gives, for tasks and batches that are numbered from
 * 0. Ends the process if memory is out.
 */
struct workers *workers_new(unsigned n, unsigned n_tasks, unsigned n_batches,
			    void (*work)(void *opaque, unsigned task, unsigned batch),
			    void *opaque);

/*
 * Makes the tasks stages: each processes a batch after the task before it has. The threads prefer
 * late stages, and the caller early ones. To be called before the first batch is handed out.
 */
void workers_in_stages(struct workers *workers);

/* Returns the batch to be filled next, when all tasks have processed what it had before. */
unsigned workers_batch(struct workers *workers);

/* Lets the tasks process the batch of the last workers_batch. */
void workers_hand_out(struct workers *workers);

/* Returns when all tasks have processed all batches. */
void workers_finish(struct workers *workers);

/* Finishes the batches, and ends the threads. NULL is allowed. */
void workers_free(struct workers *workers);

#endif
