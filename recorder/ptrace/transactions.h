/* SPDX-License-Identifier: MIT */
/*
 * Transactions (Intel's TSX: RTM and HLE). A stop inside a transaction aborts it, and so do system
 * calls and full buffers: a recorded program would abort where it commits natively, differently
 * each time. So cpuid reports no transactions to programs, and xbegin aborts at once.
 */
#ifndef TRANSACTIONS_H
#define TRANSACTIONS_H

#include <stdbool.h>

#include "recorder/ptrace/cpu_leaf.h"

/*
 * Returns true if the processor with these answers has transactions, or reports transactions that
 * always abort.
 */
bool transactions_are_told(const struct cpu_leaf *leaf7);

/* Takes transactions out of an answer of cpuid. */
void transactions_hide(uint32_t number, uint32_t sub, struct cpu_leaf *leaf);

/* True if the instruction is xbegin. */
bool transactions_begin(const uint8_t *code, unsigned length);

#endif
