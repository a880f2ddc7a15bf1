/* SPDX-License-Identifier: MIT */
/*
 * Instructions of DynamoRIO's synthetic instruction set, regdeps: the kind of an instruction and
 * the registers on which it depends, without its code. The layout is that of DynamoRIO's
 * core/ir/isa_regdeps: a u32 with the numbers of registers, the use of flags and the categories;
 * with registers, the size of the operation, then the registers written and those read; zeros up
 * to a multiple of 4 bytes.
 */
#ifndef REGDEPS_H
#define REGDEPS_H

#include "cli/export/insn_cache.h"

enum {
	REGDEPS_MAX_BYTES = 12,    /* readers refuse more than 15, and sizes are multiples of 4 */
	REGDEPS_MAX_REGISTERS = 7, /* then fit; registers read beyond them are left out */
};

struct regdeps_insn {
	uint8_t bytes[REGDEPS_MAX_BYTES];
	uint8_t size; /* bytes */
	uint8_t lost; /* registers that are left out */
};

/*
 * Makes the synthetic instruction of an instruction. Registers are whole ones. Their numbers are
 * names without a meaning: 2 + that of isa_facts, as DynamoRIO's 0 and 1 are no registers.
 */
struct regdeps_insn regdeps_make(const struct insn_facts *facts);

#endif
