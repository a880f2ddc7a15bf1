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

/* Returns the number of a general register by its x86-64 encoding number, 0 to 15. */
uint8_t champsim_general(unsigned general);

/*
 * Returns the number of a register of isa_facts. whole: of the register that contains it (eax:
 * 10, as rax; ymm3: 94, as xmm3), so that writing eax and then reading rax is a dependence.
 */
uint8_t champsim_register(uint8_t number, bool whole);

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

/* Adds the registers of an instruction; whole as above. */
void champsim_set_registers(struct champsim_registers *r, const struct insn_facts *f, bool whole);

#endif
