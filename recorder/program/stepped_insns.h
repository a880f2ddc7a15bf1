/* SPDX-License-Identifier: MIT */
/* Tells instructions that are always stepped from those that may run in translated code. */
#ifndef STEPPED_INSNS_H
#define STEPPED_INSNS_H

#include "traceformat/traceisa.h"

/*
 * Returns true for an instruction that has another meaning at another address, or that behaves
 * differently when stepped: a far transfer, a transaction, a 16-bit branch, a trap, a load or store
 * of a tile, an opaque instruction, which has no effects. `code` has its bytes.
 */
bool insn_is_stepped(const struct isa_insn *fact, const struct isa_effects *effects,
		     const uint8_t *code);

#endif
