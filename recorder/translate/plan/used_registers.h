/* SPDX-License-Identifier: MIT */
/* Captures the registers that an instruction's operands use, in hidden places of a record, for
 * --self-check. */
#ifndef USED_REGISTERS_H
#define USED_REGISTERS_H

#include "recorder/translate/plan/numbering.h"

enum { USED_REGISTERS_PLACES = 11 }; /* most places of an instruction */

/* Returns true if the processor and the kernel let programs read and write segment bases. */
bool used_registers_have_bases(void);

/* Adds the captures of an instruction's registers, before those of its values. */
void used_registers_capture(struct numbering *numbering, const struct isa_insn *fact,
			    unsigned insn);

/* Reads the registers from these places. */
void used_registers_read(const struct isa_insn *fact, const uint64_t *places,
			 struct isa_registers *registers);

#endif
