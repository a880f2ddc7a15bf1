/* SPDX-License-Identifier: MIT */
/*
 * isa_effects: general registers and flags. Zydis lists registers with their accesses, hidden
 * operands included; this file adds what Zydis leaves out.
 */
#include "traceformat/x86_64/internal.h"

#include <string.h>

enum {
	STATUS_FLAGS = ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF |
		       ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF | ZYDIS_CPUFLAG_DF,
	R11 = 11,
	ALL_REGISTERS = 0xffff,
};

/* Returns the number of the general register of which `reg` is any part, high bytes included. */
static uint8_t general_number(ZydisRegister reg)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15
		       ? whole - ZYDIS_REGISTER_RAX
		       : ISA_NO_REGISTER;
}

static uint16_t general_bit(ZydisRegister reg)
{
	uint8_t number = general_number(reg);

	return number == ISA_NO_REGISTER ? 0 : 1 << number;
}

/* Returns true if the operand writes a register and a part of its old value may survive. */
static bool keeps_bits(const ZydisDecodedOperand *operand)
{
	return !(operand->actions & ZYDIS_OPERAND_ACTION_WRITE) ||
	       ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, operand->reg.value) < 32;
}

static void add_register(struct isa_effects *effects, const ZydisDecodedOperand *operand)
{
	uint16_t bit = general_bit(operand->reg.value);

	if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
		effects->reads |= bit;
	if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) {
		effects->writes |= bit;
		if (keeps_bits(operand))
			effects->reads |= bit;
	}
	if (operand->reg.value == ZYDIS_REGISTER_GS)
		effects->uses_gs = true;
}

static void add_memory(struct isa_effects *effects, const ZydisDecodedOperandMem *memory)
{
	effects->reads |= general_bit(memory->base) | general_bit(memory->index);
	if (memory->segment == ZYDIS_REGISTER_GS && memory->type != ZYDIS_MEMOP_TYPE_AGEN)
		effects->uses_gs = true;
}

static void add_operands(struct isa_effects *effects, const struct decoded *decoded)
{
	for (int i = 0; i < decoded->insn.operand_count; i++) {
		const ZydisDecodedOperand *operand = &decoded->operands[i];

		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER)
			add_register(effects, operand);
		else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
			add_memory(effects, &operand->mem);
	}
}

static void add_flags(struct isa_effects *effects, const ZydisAccessedFlags *flags)
{
	if (!flags)
		return;
	effects->reads_flags = flags->tested & STATUS_FLAGS;
	effects->writes_flags = (flags->modified | flags->set_0 | flags->set_1 | flags->undefined) &
				STATUS_FLAGS;
}

/*
 * Sets replaces_flags. Shifts by 0 and rep instructions without repetitions keep the flags. An
 * undefined AF is 0 (and, test).
 */
static void add_replaced_flags(struct isa_effects *effects, const struct decoded *decoded)
{
	enum { ALL = STATUS_FLAGS & ~ZYDIS_CPUFLAG_DF };
	const ZydisAccessedFlags *flags = decoded->insn.cpu_flags;
	uint32_t written;

	if (!flags || effects->reads_flags || is_string(decoded) ||
	    decoded->insn.meta.category == ZYDIS_CATEGORY_SHIFT ||
	    decoded->insn.meta.category == ZYDIS_CATEGORY_ROTATE)
		return;
	written = flags->modified | flags->set_0 | flags->set_1;
	written |= flags->undefined & ZYDIS_CPUFLAG_AF;
	effects->replaces_flags = (written & ALL) == ALL;
}

static bool is_system_call(const struct decoded *decoded)
{
	ZydisMnemonic mnemonic = decoded->insn.mnemonic;

	return mnemonic == ZYDIS_MNEMONIC_SYSCALL || mnemonic == ZYDIS_MNEMONIC_SYSENTER ||
	       (mnemonic == ZYDIS_MNEMONIC_INT && decoded->operands[0].imm.value.u == 0x80);
}

static void add_system_call(struct isa_effects *effects)
{
	effects->reads = ALL_REGISTERS;
	effects->writes |= 1 << ISA_RAX | 1 << ISA_RCX | 1 << R11;
	effects->reads_flags = true;
}

/*
 * Adds what Zydis lacks for string instructions: the steps of rsi and rdi in cmps, scas, ins and
 * outs, and repetitions that the manual does not define, since processors repeat under either
 * prefix.
 */
static void add_string(struct isa_effects *effects, const struct decoded *decoded)
{
	effects->writes |= effects->reads & (1 << ISA_RSI | 1 << ISA_RDI);
	if (has_prefix(decoded, 0xf2) || has_prefix(decoded, 0xf3)) {
		effects->reads |= 1 << ISA_RCX;
		effects->writes |= 1 << ISA_RCX;
	}
}

/* Adds effects that Zydis does not list. */
static void add_missing(struct isa_effects *effects, const struct decoded *decoded)
{
	if (is_string(decoded))
		add_string(effects, decoded);
	if (is_system_call(decoded))
		add_system_call(effects);
	switch (decoded->insn.mnemonic) {
	case ZYDIS_MNEMONIC_BSF: /* of 0 leaves the destination as it is */
	case ZYDIS_MNEMONIC_BSR:
	case ZYDIS_MNEMONIC_RDSSPD: /* no operation without a shadow stack */
	case ZYDIS_MNEMONIC_RDSSPQ:
	case ZYDIS_MNEMONIC_SLDT: /* Linux, emulating them (UMIP), leaves the high bits */
	case ZYDIS_MNEMONIC_SMSW:
	case ZYDIS_MNEMONIC_STR: effects->reads |= effects->writes; break;
	case ZYDIS_MNEMONIC_XLAT: effects->reads |= 1 << ISA_RAX; break;
	case ZYDIS_MNEMONIC_CLZERO:
	case ZYDIS_MNEMONIC_MONITOR:
	case ZYDIS_MNEMONIC_MONITORX:
		effects->reads |= 1 << ISA_RAX;
		effects->uses_gs |= has_prefix(decoded, 0x65);
		break;
	case ZYDIS_MNEMONIC_MWAITX: effects->reads |= 1 << ISA_RBX; break;
	case ZYDIS_MNEMONIC_UMONITOR: effects->uses_gs |= has_prefix(decoded, 0x65); break;
	case ZYDIS_MNEMONIC_ENTER:
		effects->reads |= 1 << ISA_RSP | 1 << ISA_RBP;
		effects->writes |= 1 << ISA_RSP | 1 << ISA_RBP;
		break;
	case ZYDIS_MNEMONIC_UIRET:
		effects->reads |= 1 << ISA_RSP;
		effects->writes |= 1 << ISA_RSP;
		effects->writes_flags = true;
		break;
	case ZYDIS_MNEMONIC_RDGSBASE:
	case ZYDIS_MNEMONIC_WRGSBASE:
	case ZYDIS_MNEMONIC_SWAPGS: effects->uses_gs = true; break;
	default: break;
	}
}

/* ---- one register from another ----------------------------------------------------------- */

static void set_relation(struct isa_effects *effects, uint8_t to, uint8_t from,
			 int64_t displacement)
{
	effects->to = to;
	effects->from = from;
	effects->displacement = displacement;
}

/* Returns the number of a 64-bit general register, or ISA_NO_REGISTER for any other operand. */
static uint8_t wide_number(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER && operand->size == 64
		       ? general_number(operand->reg.value)
		       : ISA_NO_REGISTER;
}

static void relate_lea(struct isa_effects *effects, const struct decoded *decoded)
{
	uint8_t to = wide_number(&decoded->operands[0]);
	const ZydisDecodedOperandMem *memory = &decoded->operands[1].mem;
	uint8_t base = general_number(memory->base);

	if (to == ISA_NO_REGISTER || base == ISA_NO_REGISTER ||
	    memory->index != ZYDIS_REGISTER_NONE || decoded->insn.address_width != 64)
		return;
	set_relation(effects, to, base, memory->disp.has_displacement ? memory->disp.value : 0);
}

/* add, sub, inc, dec: sign 1 or -1; amount NULL: 1 */
static void relate_sum(struct isa_effects *effects, const struct decoded *decoded, int64_t sign,
		       const ZydisDecodedOperand *amount)
{
	uint8_t to = wide_number(&decoded->operands[0]);

	if (to == ISA_NO_REGISTER || (amount && amount->type != ZYDIS_OPERAND_TYPE_IMMEDIATE))
		return;
	set_relation(effects, to, to, sign * (amount ? amount->imm.value.s : 1));
}

static void relate_return(struct isa_effects *effects, const struct decoded *decoded)
{
	int64_t width = decoded->insn.operand_width / 8;
	const ZydisDecodedOperand *first = &decoded->operands[0];
	int64_t released = 0;

	if (decoded->insn.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return;
	if (decoded->insn.operand_count_visible && first->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		released = first->imm.value.u & 0xffff;
	set_relation(effects, ISA_RSP, ISA_RSP, width + released);
}

static void relate_stack(struct isa_effects *effects, const struct decoded *decoded)
{
	const ZydisDecodedOperand *operands = decoded->operands;
	int64_t width = decoded->insn.operand_width / 8;

	switch (decoded->insn.mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
	case ZYDIS_MNEMONIC_PUSHF:
	case ZYDIS_MNEMONIC_PUSHFQ: set_relation(effects, ISA_RSP, ISA_RSP, -width); break;
	case ZYDIS_MNEMONIC_POP:
		if (operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    general_number(operands[0].reg.value) == ISA_RSP)
			break;
		set_relation(effects, ISA_RSP, ISA_RSP, width);
		break;
	case ZYDIS_MNEMONIC_POPF:
	case ZYDIS_MNEMONIC_POPFQ: set_relation(effects, ISA_RSP, ISA_RSP, width); break;
	case ZYDIS_MNEMONIC_CALL:
		if (decoded->insn.meta.branch_type != ZYDIS_BRANCH_TYPE_FAR)
			set_relation(effects, ISA_RSP, ISA_RSP, -width);
		break;
	case ZYDIS_MNEMONIC_RET: relate_return(effects, decoded); break;
	case ZYDIS_MNEMONIC_LEAVE: set_relation(effects, ISA_RSP, ISA_RBP, width); break;
	default: break;
	}
}

static void relate(struct isa_effects *effects, const struct decoded *decoded)
{
	const ZydisDecodedOperand *operands = decoded->operands;

	effects->to = effects->from = ISA_NO_REGISTER;
	switch (decoded->insn.mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
		if (wide_number(&operands[0]) != ISA_NO_REGISTER &&
		    wide_number(&operands[1]) != ISA_NO_REGISTER)
			set_relation(effects, wide_number(&operands[0]), wide_number(&operands[1]),
				     0);
		break;
	case ZYDIS_MNEMONIC_LEA: relate_lea(effects, decoded); break;
	case ZYDIS_MNEMONIC_ADD: relate_sum(effects, decoded, 1, &operands[1]); break;
	case ZYDIS_MNEMONIC_SUB: relate_sum(effects, decoded, -1, &operands[1]); break;
	case ZYDIS_MNEMONIC_INC: relate_sum(effects, decoded, 1, NULL); break;
	case ZYDIS_MNEMONIC_DEC: relate_sum(effects, decoded, -1, NULL); break;
	default: relate_stack(effects, decoded); break;
	}
}

/* ---- fields ------------------------------------------------------------------------------ */

static void find_fields(struct isa_effects *effects, const ZydisDecodedInstruction *insn)
{
	effects->opcode = insn->raw.prefix_count;
	if (!(insn->attributes & ZYDIS_ATTRIB_HAS_MODRM))
		return;
	effects->modrm = insn->raw.modrm.offset;
	/* Instructions whose ModRM always means registers have no displacement. */
	if (insn->raw.modrm.mod != 0 || insn->raw.modrm.rm != 5 || insn->raw.disp.size != 32)
		return;
	effects->rip_field = insn->raw.disp.offset;
	effects->immediate = insn->length - insn->raw.disp.offset - 4;
}

void find_effects(const struct decoded *decoded, struct isa_effects *effects)
{
	memset(effects, 0, sizeof(*effects));
	add_operands(effects, decoded);
	add_flags(effects, decoded->insn.cpu_flags);
	add_missing(effects, decoded);
	add_replaced_flags(effects, decoded);
	relate(effects, decoded);
	find_fields(effects, &decoded->insn);
}

int isa_effects(const uint8_t *code, size_t available, uint64_t pc, enum isa_vendor vendor,
		struct isa_effects *effects)
{
	struct decoded decoded;

	(void)pc;
	if (!decode_bytes(code, available, vendor, &decoded) || is_opaque(&decoded))
		return -1;
	find_effects(&decoded, effects);
	return 0;
}
