/* SPDX-License-Identifier: MIT */
/*
 * The x87 pointers of a task that the recorder stops. Each stop is a context switch, and processors
 * of AMD lose the pointers there, unless an x87 exception is pending. So the recorder keeps the
 * pointers, and puts them where the program could find them: in what fnstenv and fnsave store, and
 * in the registers of a task that goes on by itself. On these processors, fxsave and its successors
 * store no pointers natively either.
 *
 * On processors that keep the pointers, these functions do nothing.
 */
#ifndef X87_STATE_H
#define X87_STATE_H

#include "recorder/core/session.h"

/* Follows the instruction that the task is about to execute. */
void x87_state_before(struct task *task, const struct isa_insn *insn, const uint8_t *code);

/* Follows the instruction after it has executed. */
void x87_state_after(struct task *task, const uint8_t *code, unsigned length);

/* Puts the pointers into memory where the task has just stored an environment without them. */
void x87_state_store(const struct task *task, const struct x87_layout *layout, uint64_t at,
		     const struct x87_pointers *pointers);

/* Takes the pointers from the frame of a signal handler from which the task is about to return. */
void x87_state_sigreturn(struct task *task);

/* Clears the pointers, as the kernel does when a handler or a new program begins. */
void x87_state_clear(struct task *task);

/* Sets the pointers to those of an instruction; pc 0: clears them. */
void x87_state_set(struct task *task, uint64_t pc, uint16_t opcode, uint64_t operand);

/* Puts the pointers into the registers of a stopped task that goes on natively. */
void x87_state_restore(struct task *task);

#endif
