/* SPDX-License-Identifier: MIT */
/* Memory that the recorder and a traced process both see, each at its own address. */
#ifndef SHARED_H
#define SHARED_H

#include "recorder/core/session.h"

struct shared {
	uint8_t *local;
	uint64_t remote;
	size_t size; /* bytes; 0: none */
	int fd;      /* of what children inherit; -1: not kept */
};

/*
 * Finds a place of that size for code that reaches near (within 1.25 GiB); 0: there is none. Where
 * the program's own mappings will go is avoided: the heap, below the libraries, the stack.
 */
uint64_t shared_place(const struct task *task, uint64_t near, size_t size);

/* The same for what need not be near anything: where programs and the kernel put nothing. */
uint64_t shared_place_apart(const struct task *task, size_t size);

enum shared_children { SHARED_ALONE, SHARED_INHERITED };

/*
 * Maps size bytes, zero, at a free place of a synchronized task's process: read and write here, with
 * the protection given there. Forked children inherit it or not. Returns 0, or a negative errno.
 */
int shared_map(struct task *task, struct shared *shared, uint64_t place, size_t size,
	       int protection, enum shared_children children);

/* Maps what children inherit at the same place in a synchronized task's process, which is another one.
 * Returns 0, or a negative errno. */
int shared_map_there(struct task *task, const struct shared *shared, int protection);

/*
 * Makes what the task's process has at `from`, shared with us, appear at `to` as well, in place of
 * what is there; children do not inherit that. Returns 0 or a negative errno.
 */
int shared_again(struct task *task, uint64_t from, size_t size, uint64_t to);

/* Takes away all access to a part of it in the process. */
int shared_guard(struct task *task, const struct shared *shared, size_t offset, size_t size);

/* Takes all that we have mapped in the synchronized task's process away there. */
void shared_unmap_all(struct task *task);

/* Forgets it here; the process keeps its own mapping. */
void shared_unmap(struct shared *shared);

#endif
