/* SPDX-License-Identifier: MIT */
/*
 * ChampSim ignores is_branch and classifies a branch by the registers of its record: whether it
 * reads and writes the stack pointer, the flags and the instruction pointer, and whether it reads
 * any other register. So the registers of branches are those that give the right class, not those
 * that the instruction has: an indirect branch by memory without address registers, as in each
 * PLT stub, reads a register that no instruction writes. A register or address of zero means
 * none.
 */
#include "cli/export/champsim_registers.h"

#include <stdlib.h>
#include <string.h>

#include "traceformat/traceisa.h"

enum { MM_0 = 83, XMM_0 = 91, YMM_0 = 123, ZMM_0 = 155, K_0 = 187, MXCSR = 204, ST_0 = 215 };

/* Registers whose names do not end in a number, and r8 to r15. */
static const struct {
	char name[6];
	uint8_t number;
} singles[] = {
	{ "rdi", 3 },  { "rsi", 4 },       { "rbp", 5 },  { "rsp", 6 },  { "rbx", 7 },
	{ "rdx", 8 },  { "rcx", 9 },       { "rax", 10 }, { "al", 27 },  { "ah", 28 },
	{ "ax", 29 },  { "cl", 30 },       { "ch", 31 },  { "cx", 32 },  { "dl", 33 },
	{ "dh", 34 },  { "dx", 35 },       { "bl", 36 },  { "bh", 37 },  { "bx", 38 },
	{ "bp", 39 },  { "si", 40 },       { "di", 41 },  { "sp", 42 },  { "edi", 45 },
	{ "dil", 46 }, { "esi", 47 },      { "sil", 48 }, { "ebp", 49 }, { "bpl", 50 },
	{ "esp", 51 }, { "spl", 52 },      { "ebx", 53 }, { "edx", 54 }, { "ecx", 55 },
	{ "eax", 56 }, { "mxcsr", MXCSR },
};

/* Registers with numbers: name, the number of the first one, the index of the first one. */
static const struct {
	char name[4];
	uint8_t first;
} rows[] = {
	{ "mm", MM_0 },   { "xmm", XMM_0 }, { "ymm", YMM_0 },
	{ "zmm", ZMM_0 }, { "k", K_0 },     { "st", ST_0 },
};

/* Returns the number of a general register by its x86-64 encoding number, 0 to 15. */
static uint8_t general_number(unsigned general)
{
	static const uint8_t numbers[16] = {
		10, 9, 8, 7, 6, 5, 4, 3, 11, 12, 13, 14, 15, 16, 17, 18
	};

	return numbers[general];
}

/* Returns the number of r8 to r15 and their parts, "r9", "r9b", "r9w" or "r9d". */
static uint8_t extended(const char *name)
{
	enum { R8 = 11, R8B = 59, PARTS = 3, FIRST = 8 };
	char *part;
	unsigned n = (unsigned)strtoul(name + 1, &part, 10) - FIRST;

	switch (*part) {
	case 'b': return (uint8_t)(R8B + PARTS * n);
	case 'w': return (uint8_t)(R8B + PARTS * n + 1);
	case 'd': return (uint8_t)(R8B + PARTS * n + 2);
	default: return (uint8_t)(R8 + n);
	}
}

/* Returns the number of a register by its name, or 0. */
static uint8_t number_of(const char *name)
{
	size_t letters = strcspn(name, "0123456789");

	if (name[0] == 'r' && letters == 1)
		return extended(name);
	for (size_t i = 0; i < sizeof(singles) / sizeof(*singles); i++)
		if (!strcmp(singles[i].name, name))
			return singles[i].number;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strlen(rows[i].name) == letters && !strncmp(rows[i].name, name, letters))
			return (uint8_t)(rows[i].first + strtoul(name + letters, NULL, 10));
	return 0;
}

/* Returns the number of a register of isa_facts, or of the register that contains it. */
static uint8_t register_number(uint8_t number, bool whole)
{
	uint8_t found = number_of(isa_register_name(whole ? isa_register_whole(number) : number));

	return whole && found >= ZMM_0 && found < K_0 ? (uint8_t)(found - ZMM_0 + XMM_0) : found;
}

/* ---- registers of records ---------------------------------------------------------------- */

static void add(struct champsim_set *set, uint8_t number)
{
	if (number && set->count < CHAMPSIM_MAX_SET && !memchr(set->at, number, set->count))
		set->at[set->count++] = number;
}

/* Returns the general registers that the addresses of the operands are made from, a bit each. */
static uint16_t address_registers(const struct isa_insn *insn)
{
	uint16_t found = 0;

	for (unsigned i = 0; i < insn->n_operands; i++) {
		const struct isa_address *address = &insn->operands[i].address;

		if (address->base != ISA_NO_REGISTER)
			found |= (uint16_t)(1u << address->base);
		if (address->index != ISA_NO_REGISTER)
			found |= (uint16_t)(1u << address->index);
	}
	return found;
}

static void add_generals(struct champsim_set *set, uint16_t generals)
{
	for (unsigned i = 0; i < 16; i++)
		if (generals >> i & 1)
			add(set, general_number(i));
}

/* Adds registers of isa_facts, the stack pointer last. */
static void add_facts(struct champsim_set *set, const uint8_t *numbers, unsigned n, bool whole)
{
	for (int pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < n; i++) {
			uint8_t number = register_number(numbers[i], whole);

			if ((number == CHAMPSIM_STACK_POINTER) == (pass == 1))
				add(set, number);
		}
}

/*
 * Adds the registers that the target of an indirect branch comes from: those of its address if it
 * is in memory.
 */
static void add_target(struct champsim_set *from, const struct insn_facts *f)
{
	bool by_memory = false;
	uint16_t generals;

	for (unsigned i = 0; i < f->insn.n_operands; i++)
		by_memory |= f->insn.operands[i].trace.access == TF_LOAD;
	generals = by_memory ? address_registers(&f->insn) : f->effects.reads;
	generals &= (uint16_t) ~(1u << ISA_RSP);
	add_generals(from, generals);
	if (!generals)
		add(from, CHAMPSIM_NOBODYS);
}

static void set_call(struct champsim_registers *r)
{
	add(&r->to, CHAMPSIM_INSTRUCTION_POINTER);
	add(&r->to, CHAMPSIM_STACK_POINTER);
	add(&r->from, CHAMPSIM_INSTRUCTION_POINTER);
	add(&r->from, CHAMPSIM_STACK_POINTER);
}

/* The counter of loop and jrcxz is a register like any other. */
static void set_conditional(struct champsim_registers *r, const struct insn_facts *f)
{
	add(&r->to, CHAMPSIM_INSTRUCTION_POINTER);
	add(&r->from, CHAMPSIM_INSTRUCTION_POINTER);
	if (f->effects.reads_flags)
		add(&r->from, CHAMPSIM_FLAGS);
	if (f->effects.reads >> ISA_RCX & 1)
		add(&r->from, CHAMPSIM_RCX);
	if (f->effects.writes >> ISA_RCX & 1)
		add(&r->to, CHAMPSIM_RCX);
}

/* Sets the registers of a branch. Returns false for other instructions. */
static bool set_branch(struct champsim_registers *r, const struct insn_facts *f)
{
	switch (f->insn.end) {
	case TF_END_CONDITIONAL:
		if (!strcmp(f->facts.iclass, "XBEGIN"))
			return false;
		set_conditional(r, f);
		return true;
	case TF_END_JUMP:
		add(&r->to, CHAMPSIM_INSTRUCTION_POINTER);
		add(&r->from, CHAMPSIM_INSTRUCTION_POINTER);
		return true;
	case TF_END_INDIRECT_JUMP:
		add(&r->to, CHAMPSIM_INSTRUCTION_POINTER);
		add_target(&r->from, f);
		return true;
	case TF_END_CALL: set_call(r); return true;
	case TF_END_INDIRECT_CALL:
		set_call(r);
		add_target(&r->from, f);
		return true;
	case TF_END_RETURN:
		add(&r->to, CHAMPSIM_INSTRUCTION_POINTER);
		add(&r->to, CHAMPSIM_STACK_POINTER);
		add(&r->from, CHAMPSIM_STACK_POINTER);
		return true;
	default: return false;
	}
}

/* System calls leave the return address in rcx and the flags in r11. */
static void set_syscall(struct champsim_registers *r, const struct insn_facts *f)
{
	add(&r->from, CHAMPSIM_RAX);
	if (strcmp(f->facts.iclass, "SYSCALL") != 0) {
		add(&r->to, CHAMPSIM_RAX);
		return;
	}
	add(&r->to, CHAMPSIM_RCX);
	add(&r->to, CHAMPSIM_R11);
}

void champsim_set_registers(struct champsim_registers *r, const struct insn_facts *f, bool whole)
{
	if (!f->known)
		return;
	r->branch = set_branch(r, f);
	if (r->branch)
		return;
	if (f->insn.end == TF_END_SYSCALL) {
		set_syscall(r, f);
		return;
	}
	if (whole)
		add_generals(&r->from, address_registers(&f->insn));
	add_facts(&r->from, f->facts.reads, f->facts.n_reads, whole);
	add_facts(&r->to, f->facts.writes, f->facts.n_writes, whole);
	if (f->effects.reads_flags)
		add(&r->from, CHAMPSIM_FLAGS);
	if (f->effects.writes_flags)
		add(&r->to, CHAMPSIM_FLAGS);
}
