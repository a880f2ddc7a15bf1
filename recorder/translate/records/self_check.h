/* SPDX-License-Identifier: MIT */
/*
 * --self-check: what a recording says of itself. Beside the slots of the trace, records then hold,
 * in hidden places, the registers that each instruction's operands use, as they are just before it.
 * When a record is read, isa_values() computes addresses, masks, sizes and counts from those, as
 * the step backend does, and they are compared with what the superblock's recipes yield. So are pcs:
 * where a superblock was left must be where the next one begins.
 */
#ifndef SELF_CHECK_H
#define SELF_CHECK_H

#include <stdint.h>

struct session;
struct task;
struct translation;
struct self_check;

/* A task's. NULL: memory is out. */
struct self_check *self_check_new(void);
void self_check_free(struct self_check *check);

/* The stopped task enters the cache, with these registers; no record of it is unread. */
void self_check_enter(struct self_check *check, const struct task *task);

/*
 * Checks the first `executed` instructions of a record: the superblock's places, and the slots that the
 * trace gets. Returns 0, or -1 with session->error: at which instruction there is a difference.
 */
int self_check_insns(struct self_check *check, struct task *task,
		     const struct translation *superblock, unsigned executed,
		     const uint64_t *places, const uint64_t *slots);

/* The same for the whole of one that was left by an exit. */
int self_check_exit(struct self_check *check, struct task *task,
		    const struct translation *superblock, unsigned exit, const uint64_t *places,
		    const uint64_t *slots);

#endif
