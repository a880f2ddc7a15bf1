/* SPDX-License-Identifier: MIT */
/* The numbers that Pin gives registers in 64-bit mode, which ChampSim's traces have. */
#ifndef CHAMPSIM_REGISTERS_H
#define CHAMPSIM_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/export/insn_cache.h"

enum champsim_register {
	CHAMPSIM_RCX = 9,
	CHAMPSIM_RAX = 10,
	CHAMPSIM_R11 = 14,
	CHAMPSIM_STACK_POINTER = 6,
	CHAMPSIM_FLAGS = 25,
	CHAMPSIM_INSTRUCTION_POINTER = 26,
	CHAMPSIM_NOBODYS = 254, /* of no instruction: reading it makes no dependence */
};

enum { CHAMPSIM_MAX_SET = 2 * ISA_MAX_FACT_REGISTERS + 8 };

struct champsim_set {
	uint8_t at[CHAMPSIM_MAX_SET];
	unsigned count;
};

/* The registers of a static instruction, in the order in which a record has them. */
struct champsim_registers {
	struct champsim_set from, to;
	bool branch;
};

/*
 * Adds the registers of an instruction. whole: with the numbers of the registers that contain them
 * (eax: 10, as rax; ymm3: 94, as xmm3), so that writing eax and then reading rax is a dependence.
 */
void champsim_set_registers(struct champsim_registers *r, const struct insn_facts *f, bool whole);

#endif
