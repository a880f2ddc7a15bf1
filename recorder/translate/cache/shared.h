/* SPDX-License-Identifier: MIT */
/* Maps memory that the recorder and a traced process both see, each at its own address. */
#ifndef SHARED_H
#define SHARED_H

#include "recorder/core/session.h"

struct shared {
	uint8_t *local;
	uint64_t remote;
	size_t size; /* bytes; 0: nothing is mapped */
	int fd;      /* memory that children inherit; -1: not kept open */
};

/*
 * Returns a free place of `size` bytes for code that reaches `near` (within 1.25 GiB), or 0. Avoids
 * the places where the program's next mappings will go: the heap, below the libraries, the stack.
 */
uint64_t shared_place(const struct task *task, uint64_t near, size_t size);

/* Returns a free place for memory that need not be near code: where programs and the kernel map
 * nothing. */
uint64_t shared_place_apart(const struct task *task, size_t size);

enum shared_children { SHARED_ALONE, SHARED_INHERITED };

/*
 * Maps `size` zero bytes at a free place of a synchronized task's process. The recorder reads and
 * writes them; the process has `protection`. Forked children inherit the memory or not. Returns 0,
 * or a negative errno.
 */
int shared_map(struct task *task, struct shared *shared, uint64_t place, size_t size,
	       int protection, enum shared_children children);

/* Maps SHARED_INHERITED memory at the same address in another process, that of a synchronized task.
 * Returns 0, or a negative errno. */
int shared_map_there(struct task *task, const struct shared *shared, int protection);

/*
 * Maps the memory at `from`, which the task's process shares with the recorder, at `to` as well,
 * replacing what is there. Returns 0 or a negative errno.
 */
int shared_again(struct task *task, uint64_t from, size_t size, uint64_t to,
		 enum shared_children children);

/* Removes the process's access to a part of the memory. */
int shared_guard(struct task *task, const struct shared *shared, size_t offset, size_t size);

/* Provides a part of the memory in the task's process, which is about to write to all of it. */
void shared_provide(struct task *task, const struct shared *shared, size_t offset, size_t size);

/* Unmaps all of the recorder's memory from the synchronized task's process. */
void shared_unmap_all(struct task *task);

/* Unmaps the memory in the recorder; the process keeps its mapping. */
void shared_unmap(struct shared *shared);

#endif
