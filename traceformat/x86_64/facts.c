/* SPDX-License-Identifier: MIT */
/*
 * isa_facts: the facts that Pin gives a tool about an instruction. Zydis's tables have the
 * categories and the operand lists of XED, which Pin uses; this file corrects the differences.
 */
#include "traceformat/x86_64/internal.h"

#include <ctype.h>
#include <string.h>

/* ---- numbers of registers ---------------------------------------------------------------- */

/* Register classes in the order of their numbers: rax, eax and ax are three registers. */
static const struct register_class {
	ZydisRegister first;
	uint8_t count;
} register_classes[] = {
	{ ZYDIS_REGISTER_RAX, 16 },  { ZYDIS_REGISTER_EAX, 16 },  { ZYDIS_REGISTER_AX, 16 },
	{ ZYDIS_REGISTER_AL, 20 },   { ZYDIS_REGISTER_ST0, 8 },   { ZYDIS_REGISTER_MM0, 8 },
	{ ZYDIS_REGISTER_XMM0, 32 }, { ZYDIS_REGISTER_YMM0, 32 }, { ZYDIS_REGISTER_ZMM0, 32 },
	{ ZYDIS_REGISTER_K0, 8 },    { ZYDIS_REGISTER_MXCSR, 1 },
};

enum { N_CLASSES = sizeof(register_classes) / sizeof(register_classes[0]) };

/*
 * Returns the number of a register, or ISA_NO_REGISTER for flags, rip, segment, control, debug and
 * x87 status registers.
 */
static uint8_t number_of(ZydisRegister reg)
{
	unsigned base = 0;

	for (int i = 0; i < N_CLASSES; i++) {
		const struct register_class *class = &register_classes[i];

		if (reg >= class->first && reg < class->first + class->count)
			return base + (reg - class->first);
		base += class->count;
	}
	return ISA_NO_REGISTER;
}

static ZydisRegister register_of(uint8_t number)
{
	for (int i = 0; i < N_CLASSES; i++) {
		if (number < register_classes[i].count)
			return register_classes[i].first + number;
		number -= register_classes[i].count;
	}
	return ZYDIS_REGISTER_NONE;
}

static ZydisRegister whole_of(ZydisRegister reg)
{
	return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
}

const char *isa_register_name(uint8_t number)
{
	const char *name = ZydisRegisterGetString(register_of(number));

	return name ? name : "none";
}

uint8_t isa_register_whole(uint8_t number)
{
	uint8_t found = number_of(whole_of(register_of(number)));

	return found == ISA_NO_REGISTER ? number : found;
}

/* ---- sets -------------------------------------------------------------------------------- */

static void add(uint8_t *set, uint8_t *count, ZydisRegister reg)
{
	uint8_t number = number_of(reg);

	if (number != ISA_NO_REGISTER && !memchr(set, number, *count) &&
	    *count < ISA_MAX_FACT_REGISTERS)
		set[(*count)++] = number;
}

static void add_read(struct isa_facts *facts, ZydisRegister reg)
{
	add(facts->reads, &facts->n_reads, reg);
}

static void add_write(struct isa_facts *facts, ZydisRegister reg)
{
	add(facts->writes, &facts->n_writes, reg);
}

static void drop_read(struct isa_facts *facts, ZydisRegister reg)
{
	uint8_t *found = memchr(facts->reads, number_of(reg), facts->n_reads);

	if (found)
		*found = facts->reads[--facts->n_reads];
}

/* ---- operands ---------------------------------------------------------------------------- */

/*
 * Returns true for k0 of an EVEX instruction without a mask. Newer versions of XED list k0 as read;
 * the manual does not.
 */
static bool is_no_mask(const ZydisDecodedOperand *operand)
{
	return operand->encoding == ZYDIS_OPERAND_ENCODING_MASK &&
	       operand->reg.value == ZYDIS_REGISTER_K0;
}

static bool is_segment(ZydisRegister reg)
{
	return ZydisRegisterGetClass(reg) == ZYDIS_REGCLASS_SEGMENT;
}

static void add_register(struct isa_facts *facts, const struct decoded *decoded,
			 const ZydisDecodedOperand *operand)
{
	ZydisRegister reg = operand->reg.value;
	bool hidden = operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;

	if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ && !is_no_mask(operand))
		add_read(facts, reg);
	if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
		add_write(facts, reg);
	/* The pointers of string instructions are parts of their memory operands. */
	if (hidden && is_string(decoded) &&
	    (whole_of(reg) == ZYDIS_REGISTER_RSI || whole_of(reg) == ZYDIS_REGISTER_RDI))
		return;
	if (!(hidden && is_segment(reg)))
		facts->n_register_operands++;
}

static void add_memory(struct isa_facts *facts, const struct decoded *decoded,
		       const ZydisDecodedOperandMem *memory)
{
	add_read(facts, memory->base);
	add_read(facts, memory->index);
	if (is_string(decoded))
		add_write(facts, memory->base);
}

static void add_operands(struct isa_facts *facts, const struct decoded *decoded)
{
	for (int i = 0; i < decoded->insn.operand_count; i++) {
		const ZydisDecodedOperand *operand = &decoded->operands[i];

		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER)
			add_register(facts, decoded, operand);
		else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
			add_memory(facts, decoded, &operand->mem);
	}
}

/*
 * Returns true for loads and stores that push or pop the x87 stack, for which XED has a
 * pseudo-register.
 */
static bool moves_x87_stack(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_FLD:
	case ZYDIS_MNEMONIC_FILD:
	case ZYDIS_MNEMONIC_FBLD:
	case ZYDIS_MNEMONIC_FLD1:
	case ZYDIS_MNEMONIC_FLDL2T:
	case ZYDIS_MNEMONIC_FLDL2E:
	case ZYDIS_MNEMONIC_FLDPI:
	case ZYDIS_MNEMONIC_FLDLG2:
	case ZYDIS_MNEMONIC_FLDLN2:
	case ZYDIS_MNEMONIC_FLDZ:
	case ZYDIS_MNEMONIC_FSTP:
	case ZYDIS_MNEMONIC_FISTP:
	case ZYDIS_MNEMONIC_FISTTP:
	case ZYDIS_MNEMONIC_FBSTP:
	case ZYDIS_MNEMONIC_FSTPNCE:
	case ZYDIS_MNEMONIC_FADDP:
	case ZYDIS_MNEMONIC_FMULP:
	case ZYDIS_MNEMONIC_FSUBP:
	case ZYDIS_MNEMONIC_FSUBRP:
	case ZYDIS_MNEMONIC_FDIVP:
	case ZYDIS_MNEMONIC_FDIVRP:
	case ZYDIS_MNEMONIC_FCOMP:
	case ZYDIS_MNEMONIC_FCOMPP:
	case ZYDIS_MNEMONIC_FICOMP:
	case ZYDIS_MNEMONIC_FUCOMP:
	case ZYDIS_MNEMONIC_FUCOMPP:
	case ZYDIS_MNEMONIC_FCOMIP:
	case ZYDIS_MNEMONIC_FUCOMIP:
	case ZYDIS_MNEMONIC_FYL2X:
	case ZYDIS_MNEMONIC_FYL2XP1:
	case ZYDIS_MNEMONIC_FPATAN:
	case ZYDIS_MNEMONIC_FPTAN:
	case ZYDIS_MNEMONIC_FXTRACT:
	case ZYDIS_MNEMONIC_FSINCOS:
	case ZYDIS_MNEMONIC_FFREEP: return true;
	default: return false;
	}
}

/* Returns true if a string instruction repeats and Zydis does not list the count. */
static bool lacks_count(const struct decoded *decoded)
{
	const ZydisDecodedInstruction *insn = &decoded->insn;

	if (!is_string(decoded) ||
	    !(insn->attributes &
	      (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)))
		return false;
	for (int i = 0; i < insn->operand_count; i++)
		if (decoded->operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    whole_of(decoded->operands[i].reg.value) == ZYDIS_REGISTER_RCX)
			return false;
	return true;
}

/* Corrects facts in which Zydis differs from XED. */
static void correct(struct isa_facts *facts, const struct decoded *decoded)
{
	if (moves_x87_stack(decoded->insn.mnemonic))
		facts->n_register_operands++;
	if (lacks_count(decoded)) {
		ZydisRegister count = decoded->insn.address_width == 32 ? ZYDIS_REGISTER_ECX
									: ZYDIS_REGISTER_RCX;

		add_read(facts, count);
		add_write(facts, count);
		facts->n_register_operands++;
	}
	switch (decoded->insn.mnemonic) {
	case ZYDIS_MNEMONIC_XLAT: add_read(facts, ZYDIS_REGISTER_AL); break;
	case ZYDIS_MNEMONIC_FLDCW: /* the control word */
	case ZYDIS_MNEMONIC_FNSTCW: facts->n_register_operands++; break;
	case ZYDIS_MNEMONIC_CVTSI2SD: /* keeps the upper part: a partial write like others */
	case ZYDIS_MNEMONIC_CVTSI2SS: drop_read(facts, decoded->operands[0].reg.value); break;
	case ZYDIS_MNEMONIC_ENTER: add_read(facts, ZYDIS_REGISTER_RSP); break;
	case ZYDIS_MNEMONIC_NOP: /* reads only base and index */
	case ZYDIS_MNEMONIC_ENDBR32:
	case ZYDIS_MNEMONIC_ENDBR64:
		facts->n_reads = facts->n_writes = facts->n_register_operands = 0;
		for (int i = 0; i < decoded->insn.operand_count; i++)
			if (decoded->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
				add_memory(facts, decoded, &decoded->operands[i].mem);
		break;
	default: break;
	}
}

/* ---- names ------------------------------------------------------------------------------- */

static const char *category_of(const struct decoded *decoded)
{
	ZydisMnemonic mnemonic = decoded->insn.mnemonic;

	if (mnemonic == ZYDIS_MNEMONIC_NOP && !has_category(decoded, ZYDIS_CATEGORY_NOP))
		return "WIDENOP";
	if (has_category(decoded, ZYDIS_CATEGORY_AMD3DNOW))
		return "3DNOW";
	return ZydisCategoryGetString(decoded->insn.meta.category);
}

static bool is_far(const struct decoded *decoded)
{
	return decoded->insn.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;
}

/* Returns XED's iclass where it is not Zydis's mnemonic in upper case, else NULL. */
static const char *special_class(const struct decoded *decoded)
{
	switch (decoded->insn.mnemonic) {
	case ZYDIS_MNEMONIC_CALL: return is_far(decoded) ? "CALL_FAR" : "CALL_NEAR";
	case ZYDIS_MNEMONIC_RET: return is_far(decoded) ? "RET_FAR" : "RET_NEAR";
	case ZYDIS_MNEMONIC_JMP: return is_far(decoded) ? "JMP_FAR" : NULL;
	case ZYDIS_MNEMONIC_MOVSD: return is_string(decoded) ? NULL : "MOVSD_XMM";
	case ZYDIS_MNEMONIC_CMPSD: return is_string(decoded) ? NULL : "CMPSD_XMM";
	default: return NULL;
	}
}

static void name_class(struct isa_facts *facts, const struct decoded *decoded)
{
	const char *name = special_class(decoded);
	size_t i;

	if (!name)
		name = ZydisMnemonicGetString(decoded->insn.mnemonic);
	for (i = 0; name[i] && i < sizeof(facts->iclass) - 1; i++)
		facts->iclass[i] = toupper((unsigned char)name[i]);
	facts->iclass[i] = '\0';
}

static bool is_register_transfer(const struct decoded *decoded)
{
	if (decoded->insn.mnemonic != ZYDIS_MNEMONIC_MOV)
		return false;
	for (int i = 0; i < decoded->insn.operand_count; i++)
		if (decoded->operands[i].type != ZYDIS_OPERAND_TYPE_REGISTER)
			return false;
	return true;
}

int isa_facts(const uint8_t *code, size_t available, enum isa_vendor vendor,
	      struct isa_facts *facts)
{
	struct decoded decoded;

	*facts = (struct isa_facts){ .category = "INVALID", .iclass = "INVALID" };
	if (!decode_bytes(code, available, vendor, &decoded))
		return -1;
	facts->category = category_of(&decoded);
	facts->conditional = !strcmp(facts->category, "COND_BR");
	facts->register_transfer = is_register_transfer(&decoded);
	name_class(facts, &decoded);
	add_operands(facts, &decoded);
	correct(facts, &decoded);
	return 0;
}
