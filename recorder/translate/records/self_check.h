/* SPDX-License-Identifier: MIT */
/*
 * Implements --self-check, by which a recording verifies itself. Beside the slots of the trace,
 * records then hold, in hidden places, the registers that each instruction's operands use, as they
 * are just before it. When a record is read, isa_values() computes addresses, masks, sizes and
 * counts from these registers, as the step backend does. The results are compared with those of the
 * superblock's recipes. Program counters are compared too: the next superblock must begin where the
 * previous one was left.
 */
#ifndef SELF_CHECK_H
#define SELF_CHECK_H

#include <stdint.h>

struct session;
struct task;
struct translation;
struct self_check;

/* Creates the state of one task. Returns NULL if memory is out. */
struct self_check *self_check_new(void);
void self_check_free(struct self_check *check);

/* Begins when the stopped task enters the cache with its present registers. All of its records have
 * been read. */
void self_check_enter(struct self_check *check, const struct task *task);

/*
 * Checks the first `executed` instructions of a record: the superblock's places, and the slots of
 * the trace. Returns 0, or -1 with session->error, which names the instruction that differs.
 */
int self_check_insns(struct self_check *check, struct task *task,
		     const struct translation *superblock, unsigned executed,
		     const uint64_t *places, const uint64_t *slots);

/* Does the same for all of a superblock that was left by an exit. */
int self_check_exit(struct self_check *check, struct task *task,
		    const struct translation *superblock, unsigned exit, const uint64_t *places,
		    const uint64_t *slots);

#endif
