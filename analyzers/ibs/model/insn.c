/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/insn.h"

#include <string.h>

#include "analyzers/locality/accesses.h"

static bool is_division(const struct isa_facts *facts)
{
	return strstr(facts->iclass, "DIV") != NULL;
}

/* Returns the latency of a class. Moves have no latency of their own beyond that of memory. */
static uint32_t latency_of_class(const struct machine *machine, const struct isa_insn *insn,
				 const struct isa_facts *facts)
{
	bool reads_memory = insn->n_operands && insn->operands[0].trace.access & TF_LOAD;

	switch ((enum isa_class)insn->class) {
	case ISA_CLASS_MOVE:
	case ISA_CLASS_STACK:
	case ISA_CLASS_STRING: return reads_memory ? 0 : machine->integer;
	case ISA_CLASS_VECTOR_MOVE: return reads_memory ? machine->vector_load : machine->integer;
	case ISA_CLASS_INT_MULTIPLY:
		return is_division(facts) ? machine->divide : machine->multiply;
	case ISA_CLASS_VECTOR_INT: return machine->vector;
	case ISA_CLASS_VECTOR_FLOAT:
	case ISA_CLASS_X87:
		return is_division(facts) ? machine->floating_divide : machine->floating;
	case ISA_CLASS_CRYPTO: return machine->crypto;
	case ISA_CLASS_ATOMIC: return machine->atomic;
	case ISA_CLASS_SYSTEM: return machine->system;
	default: return machine->integer;
	}
}

static uint32_t latency_of(const struct machine *machine, const struct isa_insn *insn,
			   const struct isa_facts *facts, const struct ibs_op_count *count)
{
	return count && count->latency ? count->latency : latency_of_class(machine, insn, facts);
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

/* Returns true if an instruction clears a register and so needs no value: xor %eax,%eax. */
static bool is_clearing(const struct isa_facts *facts, const struct isa_insn *insn)
{
	static const char *const general[] = { "XOR", "SUB" };
	static const char *const vector[] = { "PXOR",   "XORPS",  "XORPD",  "VPXOR",
					      "VXORPS", "VXORPD", "VPXORD", "VPXORQ" };

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

static void find_sources(struct ibs_op_facts *op, const struct isa_facts *facts,
			 const struct isa_effects *effects, const struct isa_insn *decoded)
{
	if (is_clearing(facts, decoded))
		return;
	add_registers(op->sources, &op->n_sources, facts->reads, facts->n_reads);
	if (effects->reads_flags)
		add_register(op->sources, &op->n_sources, IBS_FLAGS);
}

static void find_results(struct ibs_op_facts *op, const struct isa_facts *facts,
			 const struct isa_effects *effects, const struct isa_insn *decoded)
{
	add_registers(op->results, &op->n_results, facts->writes, facts->n_writes);
	if (effects->writes_flags)
		add_register(op->results, &op->n_results, IBS_FLAGS);
	if (effects->to != ISA_NO_REGISTER && decoded->n_operands) {
		op->moved = effects->to;
		op->is_stack = effects->to == ISA_RSP && effects->from == ISA_RSP;
	}
}

static void find_memory(struct ibs_op_facts *op, const struct isa_insn *decoded)
{
	for (unsigned i = 0; i < decoded->n_operands; i++) {
		uint8_t access = decoded->operands[i].trace.access;

		op->kinds |= access & TF_LOAD ? ACCESS_READ : 0;
		op->kinds |= access & TF_STORE ? ACCESS_WRITE : 0;
		op->is_prefetch |= access == TF_PREFETCH;
	}
	op->kinds |= op->is_prefetch ? ACCESS_READ : 0;
}

static unsigned count_ops(const struct machine *machine, const struct isa_insn *decoded,
			  const struct ibs_op_count *count)
{
	if (!machine->several_ops || !count || decoded->flags & TF_INSN_REP)
		return 1;
	for (unsigned i = 0; i < decoded->n_operands; i++)
		if (!(decoded->operands[i].trace.flags & TF_IMPLICIT))
			return count->memory;
	return count->registers;
}

static void pad_registers(struct ibs_op_facts *op)
{
	for (unsigned i = op->n_sources; i < IBS_LEAST_SOURCES; i++)
		op->sources[i] = IBS_KNOWN;
	for (unsigned i = op->n_results; i < IBS_LEAST_RESULTS; i++)
		op->results[i] = IBS_IGNORED;
}

/* Divides an instruction that was decoded as one op into n ops. */
static void divide(struct ibs_op_facts *ops, unsigned n, const struct machine *machine)
{
	struct ibs_op_facts whole = ops[0];

	for (unsigned i = 0; i + 1 < n; i++) {
		ops[i] = whole;
		ops[i].continues = i > 0;
		ops[i].end = TF_END_NONE;
		ops[i].kinds = i ? 0 : whole.kinds & ACCESS_READ;
		ops[i].latency = ops[i].kinds ? 0 : machine->integer;
		ops[i].n_results = 0;
		ops[i].moved = IBS_IGNORED;
		ops[i].is_stack = false;
	}
	if (ops[0].kinds & ACCESS_READ)
		add_register(ops[0].results, &ops[0].n_results, IBS_INTERNAL);
	ops[n - 1] = whole;
	ops[n - 1].continues = true;
	ops[n - 1].kinds &= ~ACCESS_READ;
	if (ops[0].kinds & ACCESS_READ)
		add_register(ops[n - 1].sources, &ops[n - 1].n_sources, IBS_INTERNAL);
}

unsigned ibs_insn_decode(struct ibs_op_facts ops[IBS_MAX_OPS], const struct machine *machine,
			 enum isa_vendor vendor, const uint8_t *code, size_t length, uint64_t pc)
{
	struct isa_effects effects = { .to = ISA_NO_REGISTER };
	struct isa_insn decoded = { .class = ISA_CLASS_OPAQUE };
	struct isa_facts facts;

	isa_decode(code, length, pc, vendor, &decoded);
	isa_facts(code, length, vendor, &facts);
	isa_effects(code, length, pc, vendor, &effects);

	const struct ibs_op_count *count = ibs_find_op_count(facts.iclass);
	unsigned n = count_ops(machine, &decoded, count);

	ops[0] = (struct ibs_op_facts){
		.pc = pc,
		.length = length,
		.n_ops = n,
		.end = decoded.end,
		.moved = IBS_IGNORED,
		.crosses_line = pc >> MACHINE_LINE_SHIFT != (pc + length - 1) >> MACHINE_LINE_SHIFT,
		.serializes = decoded.class == ISA_CLASS_SYSTEM,
		.locked = decoded.class == ISA_CLASS_ATOMIC,
		.latency = latency_of(machine, &decoded, &facts, count),
	};
	find_memory(&ops[0], &decoded);
	find_sources(&ops[0], &facts, &effects, &decoded);
	find_results(&ops[0], &facts, &effects, &decoded);
	if (n > 1)
		divide(ops, n, machine);
	for (unsigned i = 0; i < n; i++)
		pad_registers(&ops[i]);
	return n;
}
