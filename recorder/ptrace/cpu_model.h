/* SPDX-License-Identifier: MIT */
/*
 * The model processor of --cpu, which programs see in place of the real one, so that programs and
 * libraries that choose their code by the processor choose the same on every machine. The model has
 * the features of a level of the x86-64 psABI (x86-64-v2, -v3, -v4) and no others. Its vendor is
 * Intel: C libraries ignore the features of a vendor that they do not know.
 *
 * cpuid and xgetbv are stepped and their results replaced; the auxiliary vector is replaced when a
 * program begins. Only the layout of xsave areas is the real processor's, as its instructions are.
 */
#ifndef CPU_MODEL_H
#define CPU_MODEL_H

#include <stdbool.h>

#include "recorder/core/cpu_leaf.h"
#include "recorder/core/session.h"
#include "recorder/program/code_block.h"

/*
 * Fails if the machine's processor has fewer features. Finds out whether transactions must be
 * hidden. Returns 0, or -1 with the error.
 */
int cpu_model_check(struct session *session);

/*
 * Replaces the auxiliary vector of a program that is about to begin, with the stack as the kernel
 * made it.
 */
void cpu_model_begin(struct task *task);

/* Returns true if an instruction of the block queries the processor and gets another answer. */
bool cpu_model_is_asked(const struct session *session, const struct code_block *block);

/*
 * Executes the task's next instruction in the recorder, if it is cpuid, and moves registers and pc
 * behind it. Returns false if the instruction is another one or the task has vanished.
 */
bool cpu_model_executes(struct task *task, const uint8_t *code, unsigned length);

/*
 * Executes the task's next instruction in the recorder, if it is xbegin and the processor has
 * transactions: the transaction aborts. Returns false if the instruction is another one or the
 * task has vanished.
 */
bool cpu_model_aborts(struct task *task, const uint8_t *code, unsigned length, uint64_t fallback);

/*
 * Replaces the results of an executed instruction that queries the processor; rax and rcx are
 * those from before it.
 */
void cpu_model_answer(struct task *task, const uint8_t *code, unsigned length, uint64_t rax,
		      uint64_t rcx);

/*
 * Returns the level of "native", "x86-64-v2" and the like, as options.cpu has it; -1: no such name.
 */
int cpu_model_level(const char *name);

/*
 * ---- transactions ----
 *
 * Transactions (Intel's TSX: RTM and HLE). A stop inside a transaction aborts it, and so do system
 * calls and full buffers: a recorded program would abort where it commits natively, differently
 * each time. So cpuid reports no transactions to programs, and xbegin aborts at once.
 */

/*
 * Returns true if the processor with these answers has transactions, or reports transactions that
 * always abort.
 */
bool transactions_are_reported(const struct cpu_leaf *leaf7);

/* Takes transactions out of an answer of cpuid. */
void transactions_hide(uint32_t number, uint32_t sub, struct cpu_leaf *leaf);

/* Returns true if the instruction is xbegin. */
bool transactions_begin(const uint8_t *code, unsigned length);

#endif
