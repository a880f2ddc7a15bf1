/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/insn.h"

#include <stdlib.h>
#include <string.h>

#include "analyzers/locality/accesses.h"

/* Sorted by name. */
static const struct ibs_op_count table[] = {
	{ "BSF", 8, 8, 0 },          { "BSR", 8, 8, 0 },          { "BT", 1, 7, 0 },
	{ "BTC", 2, 11, 0 },         { "BTR", 2, 11, 0 },         { "BTS", 2, 11, 0 },
	{ "CALL_NEAR", 2, 3, 0 },    { "CLD", 3, 3, 0 },          { "CLFLUSH", 4, 4, 0 },
	{ "CLFLUSHOPT", 2, 2, 0 },   { "CMPSB", 6, 6, 0 },        { "CMPSD", 6, 6, 0 },
	{ "CMPSQ", 6, 6, 0 },        { "CMPSW", 6, 6, 0 },        { "CMPXCHG", 5, 6, 0 },
	{ "CMPXCHG16B", 28, 28, 0 }, { "CMPXCHG8B", 19, 19, 0 },  { "CPUID", 45, 45, 150 },
	{ "CVTPI2PD", 2, 2, 0 },     { "CVTPI2PS", 2, 2, 0 },     { "CVTSD2SI", 2, 2, 0 },
	{ "CVTSI2SD", 2, 2, 0 },     { "CVTSI2SS", 2, 2, 0 },     { "CVTSS2SI", 2, 2, 0 },
	{ "CVTTSD2SI", 2, 2, 0 },    { "CVTTSS2SI", 2, 2, 0 },    { "CWD", 2, 2, 0 },
	{ "DIV", 2, 2, 0 },          { "DPPD", 3, 5, 8 },         { "DPPS", 8, 10, 11 },
	{ "ENTER", 12, 12, 12 },     { "EXTRACTPS", 2, 2, 0 },    { "F2XM1", 10, 10, 50 },
	{ "FBLD", 60, 60, 60 },      { "FBSTP", 64, 64, 100 },    { "FCOS", 60, 60, 60 },
	{ "FDIV", 1, 1, 13 },        { "FLDENV", 40, 40, 60 },    { "FNSAVE", 60, 60, 100 },
	{ "FNSTCW", 2, 2, 0 },       { "FNSTENV", 30, 30, 60 },   { "FNSTSW", 2, 3, 0 },
	{ "FPATAN", 30, 30, 60 },    { "FPREM", 8, 8, 25 },       { "FPREM1", 10, 10, 25 },
	{ "FPTAN", 60, 60, 80 },     { "FRNDINT", 3, 3, 0 },      { "FRSTOR", 60, 60, 100 },
	{ "FSIN", 60, 60, 60 },      { "FSINCOS", 60, 60, 80 },   { "FSQRT", 1, 1, 25 },
	{ "FXRSTOR", 64, 64, 80 },   { "FXRSTOR64", 64, 64, 80 }, { "FXSAVE", 64, 64, 80 },
	{ "FXSAVE64", 64, 64, 80 },  { "FYL2X", 25, 25, 60 },     { "FYL2XP1", 25, 25, 60 },
	{ "HADDPD", 3, 4, 0 },       { "HADDPS", 3, 4, 0 },       { "IDIV", 2, 2, 0 },
	{ "IRETQ", 60, 60, 60 },     { "LAHF", 4, 4, 0 },         { "LEAVE", 2, 2, 0 },
	{ "LODSB", 3, 3, 0 },        { "LODSD", 2, 2, 0 },        { "LODSQ", 2, 2, 0 },
	{ "LODSW", 3, 3, 0 },        { "MASKMOVDQU", 60, 60, 0 }, { "MASKMOVQ", 30, 30, 0 },
	{ "MFENCE", 3, 3, 50 },      { "MOVSB", 5, 5, 0 },        { "MOVSD", 5, 5, 0 },
	{ "MOVSQ", 5, 5, 0 },        { "MOVSW", 5, 5, 0 },        { "MPSADBW", 4, 6, 4 },
	{ "MUL", 2, 2, 0 },          { "MULX", 2, 2, 0 },         { "PAUSE", 8, 8, 64 },
	{ "PCLMULQDQ", 4, 4, 4 },    { "PCMPESTRI", 8, 12, 6 },   { "PCMPESTRM", 7, 12, 7 },
	{ "PCMPISTRI", 4, 4, 4 },    { "PCMPISTRM", 3, 4, 7 },    { "PEXTRB", 2, 2, 0 },
	{ "PEXTRD", 2, 2, 0 },       { "PEXTRQ", 2, 2, 0 },       { "PEXTRW", 2, 2, 0 },
	{ "PHADDD", 3, 4, 0 },       { "PHADDSW", 3, 4, 0 },      { "PHADDW", 3, 4, 0 },
	{ "PHSUBD", 3, 4, 0 },       { "PHSUBSW", 3, 4, 0 },      { "PHSUBW", 3, 4, 0 },
	{ "PINSRB", 2, 2, 0 },       { "PINSRD", 2, 2, 0 },       { "PINSRQ", 2, 2, 0 },
	{ "PINSRW", 2, 2, 0 },       { "POP", 1, 2, 0 },          { "POPF", 35, 35, 20 },
	{ "POPFQ", 35, 35, 20 },     { "PUSH", 1, 2, 0 },         { "PUSHF", 9, 9, 8 },
	{ "PUSHFQ", 9, 9, 8 },       { "RCL", 7, 8, 4 },          { "RCR", 7, 8, 4 },
	{ "RDRAND", 20, 20, 200 },   { "RDSEED", 20, 20, 200 },   { "RDTSC", 38, 38, 40 },
	{ "RDTSCP", 38, 38, 40 },    { "RET_FAR", 40, 40, 60 },   { "SCASB", 3, 3, 0 },
	{ "SCASD", 3, 3, 0 },        { "SCASQ", 3, 3, 0 },        { "SCASW", 3, 3, 0 },
	{ "SHA1MSG1", 2, 2, 0 },     { "SHA256MSG1", 2, 2, 0 },   { "SHA256MSG2", 4, 4, 0 },
	{ "SHLD", 6, 6, 3 },         { "SHRD", 6, 6, 3 },         { "SQRTPD", 1, 1, 20 },
	{ "SQRTPS", 1, 1, 14 },      { "SQRTSD", 1, 1, 20 },      { "SQRTSS", 1, 1, 14 },
	{ "STD", 4, 4, 0 },          { "STOSB", 3, 3, 0 },        { "STOSD", 3, 3, 0 },
	{ "STOSQ", 3, 3, 0 },        { "STOSW", 3, 3, 0 },        { "SYSCALL", 40, 40, 0 },
	{ "VCVTSD2SI", 2, 2, 0 },    { "VCVTSI2SD", 2, 2, 0 },    { "VCVTSI2SS", 2, 2, 0 },
	{ "VCVTSS2SI", 2, 2, 0 },    { "VCVTTSD2SI", 2, 2, 0 },   { "VCVTTSS2SI", 2, 2, 0 },
	{ "VDPPS", 8, 10, 11 },      { "VEXTRACTPS", 2, 2, 0 },   { "VGATHERDPD", 1, 22, 0 },
	{ "VGATHERDPS", 1, 39, 0 },  { "VGATHERQPD", 1, 22, 0 },  { "VGATHERQPS", 1, 27, 0 },
	{ "VHADDPD", 3, 4, 0 },      { "VHADDPS", 3, 4, 0 },      { "VMASKMOVPD", 1, 18, 0 },
	{ "VMASKMOVPS", 1, 18, 0 },  { "VPCLMULQDQ", 4, 4, 4 },   { "VPCMPESTRI", 8, 12, 6 },
	{ "VPCMPISTRI", 4, 4, 4 },   { "VPEXTRB", 2, 2, 0 },      { "VPEXTRD", 2, 2, 0 },
	{ "VPEXTRQ", 2, 2, 0 },      { "VPEXTRW", 2, 2, 0 },      { "VPGATHERDD", 1, 39, 0 },
	{ "VPGATHERDQ", 1, 22, 0 },  { "VPGATHERQD", 1, 27, 0 },  { "VPGATHERQQ", 1, 22, 0 },
	{ "VPHADDD", 3, 4, 0 },      { "VPHADDW", 3, 4, 0 },      { "VPINSRB", 2, 2, 0 },
	{ "VPINSRD", 2, 2, 0 },      { "VPINSRQ", 2, 2, 0 },      { "VPINSRW", 2, 2, 0 },
	{ "VPMASKMOVD", 1, 18, 0 },  { "VPMASKMOVQ", 1, 18, 0 },  { "VPSCATTERDD", 1, 60, 0 },
	{ "VPSCATTERDQ", 1, 40, 0 }, { "VPSCATTERQD", 1, 40, 0 }, { "VPSCATTERQQ", 1, 40, 0 },
	{ "VSCATTERDPD", 1, 40, 0 }, { "VSCATTERDPS", 1, 60, 0 }, { "VSCATTERQPD", 1, 40, 0 },
	{ "VSCATTERQPS", 1, 40, 0 }, { "VSQRTPD", 1, 1, 20 },     { "VSQRTPS", 1, 1, 14 },
	{ "VSQRTSD", 1, 1, 20 },     { "VSQRTSS", 1, 1, 14 },     { "VZEROALL", 20, 20, 0 },
	{ "XADD", 2, 4, 0 },         { "XCHG", 2, 2, 0 },         { "XGETBV", 7, 7, 10 },
	{ "XLAT", 2, 2, 0 },         { "XRSTOR", 64, 64, 100 },   { "XRSTORS", 64, 64, 100 },
	{ "XSAVE", 64, 64, 100 },    { "XSAVEC", 64, 64, 100 },   { "XSAVEOPT", 64, 64, 100 },
};

static int compare_names(const void *name, const void *entry)
{
	return strcmp(name, ((const struct ibs_op_count *)entry)->iclass);
}

const struct ibs_op_count *ibs_find_op_count(const char *iclass)
{
	return bsearch(iclass, table, sizeof(table) / sizeof(table[0]), sizeof(table[0]),
		       compare_names);
}

static bool is_division(const struct isa_facts *facts)
{
	return strstr(facts->iclass, "DIV") != NULL;
}

/* Returns the latency of a class. Moves have no latency of their own beyond that of memory. */
static uint32_t latency_of_class(const struct machine *machine, const struct isa_insn *insn,
				 const struct isa_facts *facts)
{
	bool reads_memory = insn->n_operands && insn->operands[0].trace.access & TF_LOAD;

	switch ((enum isa_class)insn->insn_class) {
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

/* Has the known facts of an instruction. Unknown facts stay as in NOTHING_KNOWN. */
struct known {
	struct isa_effects effects;
	struct isa_insn decoded;
	struct isa_facts facts;
};
#define NOTHING_KNOWN                                                                 \
	{                                                                             \
		.effects.to = ISA_NO_REGISTER, .decoded.insn_class = ISA_CLASS_OPAQUE \
	}

static unsigned make_ops(struct ibs_op_facts ops[IBS_MAX_OPS], const struct machine *machine,
			 const struct known *known, uint64_t pc, size_t length)
{
	const struct isa_insn *decoded = &known->decoded;
	const struct ibs_op_count *count = ibs_find_op_count(known->facts.iclass);
	unsigned n = count_ops(machine, decoded, count);

	ops[0] = (struct ibs_op_facts){
		.pc = pc,
		.length = length,
		.n_ops = n,
		.end = decoded->end,
		.moved = IBS_IGNORED,
		.crosses_line = pc >> MACHINE_LINE_SHIFT != (pc + length - 1) >> MACHINE_LINE_SHIFT,
		.serializes = decoded->insn_class == ISA_CLASS_SYSTEM,
		.locked = decoded->insn_class == ISA_CLASS_ATOMIC,
		.latency = latency_of(machine, decoded, &known->facts, count),
	};
	find_memory(&ops[0], decoded);
	find_sources(&ops[0], &known->facts, &known->effects, decoded);
	find_results(&ops[0], &known->facts, &known->effects, decoded);
	if (n > 1)
		divide(ops, n, machine);
	for (unsigned i = 0; i < n; i++)
		pad_registers(&ops[i]);
	return n;
}

unsigned ibs_insn_decode(struct ibs_op_facts ops[IBS_MAX_OPS], const struct machine *machine,
			 enum isa_vendor vendor, const uint8_t *code, size_t length, uint64_t pc)
{
	struct known known = NOTHING_KNOWN;

	isa_decode(code, length, pc, vendor, &known.decoded);
	isa_facts(code, length, vendor, &known.facts);
	isa_effects(code, length, pc, vendor, &known.effects);
	return make_ops(ops, machine, &known, pc, length);
}

unsigned ibs_insn_of_block(struct ibs_op_facts ops[IBS_MAX_OPS], const struct machine *machine,
			   enum isa_vendor vendor, const struct tf_block *block, unsigned index)
{
	const struct tf_insn *insn = &block->insns[index];
	struct known known = NOTHING_KNOWN;

	isa_block_insn(block, index, vendor, &known.decoded);
	isa_block_facts(block, index, vendor, &known.facts);
	isa_block_effects(block, index, vendor, &known.effects);
	return make_ops(ops, machine, &known, block->pc + insn->offset, insn->length);
}
