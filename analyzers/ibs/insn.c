/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/insn.h"

#include <string.h>

/* Moves have no latency of their own beyond that of memory. */
static uint32_t latency_of(const struct machine *machine, const struct isa_insn *insn,
			   const struct isa_facts *facts)
{
	bool reads_memory = insn->n_operands && insn->operands[0].trace.access & TF_LOAD;

	switch ((enum isa_class)insn->class) {
	case ISA_CLASS_MOVE:
	case ISA_CLASS_VECTOR_MOVE:
	case ISA_CLASS_STACK:
	case ISA_CLASS_STRING:
		return reads_memory ? 0 : machine->integer;
	case ISA_CLASS_INT_MULTIPLY:
		return strstr(facts->iclass, "DIV") ? machine->divide : machine->multiply;
	case ISA_CLASS_VECTOR_INT:
		return machine->vector;
	case ISA_CLASS_VECTOR_FLOAT:
	case ISA_CLASS_X87:
		return machine->floating;
	case ISA_CLASS_CRYPTO:
		return machine->crypto;
	case ISA_CLASS_ATOMIC:
		return machine->atomic;
	case ISA_CLASS_SYSTEM:
		return machine->system;
	default:
		return machine->integer;
	}
}

static void add_register(uint8_t *set, uint8_t *count, uint8_t reg)
{
	if (!memchr(set, reg, *count))
		set[(*count)++] = reg;
}

static void add_registers(uint8_t *set, uint8_t *count, const uint8_t *registers, uint8_t n)
{
	for (uint8_t i = 0; i < n; i++)
		add_register(set, count, isa_register_whole(registers[i]));
}

/* Clears a register, and so needs no value: xor %eax,%eax. */
static bool is_clearing(const struct isa_facts *facts, const struct isa_insn *insn)
{
	static const char *const general[] = { "XOR", "SUB" };
	static const char *const vector[] = {
		"PXOR", "XORPS", "XORPD", "VPXOR", "VXORPS", "VXORPD", "VPXORD", "VPXORQ",
	};

	if (facts->n_reads != 1 || insn->n_operands)
		return false;
	for (size_t i = 0; i < sizeof(general) / sizeof(general[0]); i++)
		if (!strcmp(facts->iclass, general[i]))
			return facts->n_register_operands == 3;
	for (size_t i = 0; i < sizeof(vector) / sizeof(vector[0]); i++)
		if (!strcmp(facts->iclass, vector[i]))
			return facts->n_register_operands >= 2;
	return false;
}

static void find_registers(struct ibs_insn *insn, const struct isa_facts *facts,
			   const struct isa_effects *effects, const struct isa_insn *decoded)
{
	if (!is_clearing(facts, decoded)) {
		add_registers(insn->sources, &insn->n_sources, facts->reads, facts->n_reads);
		if (effects->reads_flags)
			add_register(insn->sources, &insn->n_sources, IBS_FLAGS);
	}
	add_registers(insn->results, &insn->n_results, facts->writes, facts->n_writes);
	if (effects->writes_flags)
		add_register(insn->results, &insn->n_results, IBS_FLAGS);
	if (effects->to != ISA_NO_REGISTER && decoded->n_operands) {
		insn->moved = effects->to;
		insn->is_stack = effects->to == ISA_RSP && effects->from == ISA_RSP;
	}
}

void ibs_insn_decode(struct ibs_insn *insn, const struct machine *machine,
		     enum isa_vendor vendor, const uint8_t *code, size_t length, uint64_t pc)
{
	struct isa_effects effects = { .to = ISA_NO_REGISTER };
	struct isa_insn decoded = { .class = ISA_CLASS_OPAQUE };
	struct isa_facts facts;

	*insn = (struct ibs_insn){ .pc = pc, .length = length, .moved = IBS_NO_REGISTER };
	isa_decode(code, length, pc, vendor, &decoded);
	isa_facts(code, length, vendor, &facts);
	isa_effects(code, length, pc, vendor, &effects);
	insn->end = decoded.end;
	insn->serializes = decoded.class == ISA_CLASS_SYSTEM;
	insn->locked = decoded.class == ISA_CLASS_ATOMIC;
	insn->latency = latency_of(machine, &decoded, &facts);
	find_registers(insn, &facts, &effects, &decoded);
}
