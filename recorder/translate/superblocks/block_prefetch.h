/* SPDX-License-Identifier: MIT */
/*
 * Finds blocks on a thread of its own, ahead of the recording thread that needs them. A third to a
 * half of the time in which saved superblocks are translated goes into finding their blocks:
 * reading and decoding code. From block_prefetch_begin() to block_prefetch_end(), only the
 * prefetching thread uses the dictionary, and nobody changes the task's space.
 */
#ifndef BLOCK_PREFETCH_H
#define BLOCK_PREFETCH_H

#include "recorder/core/session.h"
#include "recorder/program/code_block.h"

enum { PREFETCH_BLOCKS = 1 << 14 }; /* most blocks of one request */

/*
 * Requests the blocks at n addresses of the task's program, in that order. An address may be 0:
 * there is no block. The addresses stay the caller's. Returns false if there is no thread, as on a
 * machine with one CPU.
 */
bool block_prefetch_begin(struct task *task, const uint64_t *pcs, unsigned n);

/* Returns requested block i, which is NULL if there is none. May wait for the thread. */
struct code_block *block_prefetch_take(struct session *session, unsigned i);

/* Ends the request. Returns 0, or -1 if the thread has failed, with session->error. */
int block_prefetch_end(struct session *session);

/* Ends the thread; NULL is allowed. */
void block_prefetch_free(struct block_prefetch *prefetch);

#endif
