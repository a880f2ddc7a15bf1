/* SPDX-License-Identifier: MIT */
/*
 * Disassembles for people to read. Zydis's AT&T syntax marks the size of memory operands by its own
 * rules and forgets the star of indirect branches; here both become what assemblers print.
 */
#include "traceformat/x86_64/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINE_SIZE = 256 };

static const char undecodable[] = "(bad)";

static const ZydisDecodedOperand *find_memory(const struct decoded *decoded)
{
	for (int i = 0; i < decoded->insn.operand_count_visible; i++)
		if (decoded->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
			return &decoded->operands[i];
	return NULL;
}

static const char *integer_suffix(unsigned bits)
{
	return bits == 8 ? "b" : bits == 16 ? "w" : bits == 32 ? "l" : bits == 64 ? "q" : "";
}

static const char *vector_suffix(unsigned bits)
{
	return bits == 128 ? "x" : bits == 256 ? "y" : bits == 512 ? "z" : "";
}

static const char *x87_suffix(const ZydisDecodedOperand *memory)
{
	switch (memory->element_type) {
	case ZYDIS_ELEMENT_TYPE_FLOAT32: return "s";
	case ZYDIS_ELEMENT_TYPE_FLOAT64: return "l";
	case ZYDIS_ELEMENT_TYPE_FLOAT80: return "t";
	case ZYDIS_ELEMENT_TYPE_INT:
		return memory->size == 16 ? "s" : memory->size == 32 ? "l" : "ll";
	default: return "";
	}
}

/* Returns the suffix of conversions whose registers do not show how much memory they read. */
static const char *conversion_suffix(const struct decoded *decoded,
				     const ZydisDecodedOperand *memory)
{
	switch (decoded->insn.mnemonic) {
	case ZYDIS_MNEMONIC_CVTSI2SD:
	case ZYDIS_MNEMONIC_CVTSI2SS:
	case ZYDIS_MNEMONIC_VCVTSI2SD:
	case ZYDIS_MNEMONIC_VCVTSI2SH:
	case ZYDIS_MNEMONIC_VCVTSI2SS:
	case ZYDIS_MNEMONIC_VCVTUSI2SD:
	case ZYDIS_MNEMONIC_VCVTUSI2SH:
	case ZYDIS_MNEMONIC_VCVTUSI2SS: return integer_suffix(memory->size);
	default: break;
	}
	if (decoded->insn.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY ||
	    memory == &decoded->operands[0] ||
	    memory->element_size <= decoded->operands[0].element_size)
		return "";
	return vector_suffix(memory->size);
}

static bool has_register_of_size(const struct decoded *decoded, unsigned bits, bool shift)
{
	for (int i = 0; i < decoded->insn.operand_count_visible; i++) {
		const ZydisDecodedOperand *operand = &decoded->operands[i];

		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER && operand->size == bits &&
		    !(shift && operand->reg.value == ZYDIS_REGISTER_CL))
			return true;
	}
	return false;
}

static const char *find_suffix(const struct decoded *decoded)
{
	const ZydisDecodedOperand *memory = find_memory(decoded);
	bool shift = false;

	if (!memory)
		return "";
	switch (decoded->insn.meta.category) {
	case ZYDIS_CATEGORY_X87_ALU: return x87_suffix(memory);
	case ZYDIS_CATEGORY_CONVERT: return conversion_suffix(decoded, memory);
	case ZYDIS_CATEGORY_ROTATE:
	case ZYDIS_CATEGORY_SHIFT: shift = true; break;
	case ZYDIS_CATEGORY_BINARY:
	case ZYDIS_CATEGORY_BITBYTE:
	case ZYDIS_CATEGORY_LOGICAL: break;
	case ZYDIS_CATEGORY_WIDENOP: return integer_suffix(memory->size);
	case ZYDIS_CATEGORY_POP:
	case ZYDIS_CATEGORY_PUSH: return memory->size == 16 ? "w" : "";
	default:
		if (decoded->insn.mnemonic == ZYDIS_MNEMONIC_CRC32)
			return integer_suffix(memory->size);
		if (decoded->insn.mnemonic != ZYDIS_MNEMONIC_MOV ||
		    decoded->operands[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
			return "";
		break;
	}
	return has_register_of_size(decoded, memory->size, shift) ? ""
								  : integer_suffix(memory->size);
}

/* Writes the mnemonic in AT&T syntax. */
static void write_mnemonic(const struct decoded *decoded, char *text, size_t size)
{
	const ZydisDecodedOperand *operands = decoded->operands;

	switch (decoded->insn.mnemonic) {
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVZX:
		snprintf(text, size, "mov%c%s%s",
			 decoded->insn.mnemonic == ZYDIS_MNEMONIC_MOVSX ? 's' : 'z',
			 integer_suffix(operands[1].size), integer_suffix(operands[0].size));
		break;
	case ZYDIS_MNEMONIC_MOVSXD:
		snprintf(text, size, "movsl%s", integer_suffix(operands[0].size));
		break;
	case ZYDIS_MNEMONIC_CALL:
	case ZYDIS_MNEMONIC_JMP:
	case ZYDIS_MNEMONIC_RET:
		snprintf(text, size, "%s%s", ZydisMnemonicGetString(decoded->insn.mnemonic),
			 decoded->branch16 ? "w" : "");
		break;
	default:
		snprintf(text, size, "%s%s", ZydisMnemonicGetString(decoded->insn.mnemonic),
			 find_suffix(decoded));
		break;
	}
}

/*
 * Corrects a line of AT&T syntax. line: prefixes, mnemonic with Zydis's suffix, operands; room for
 * LINE_SIZE characters.
 */
static void fix_att(const struct decoded *decoded, char *line)
{
	char *start = strstr(line, ZydisMnemonicGetString(decoded->insn.mnemonic));
	char mnemonic[32], rest[LINE_SIZE];
	const char *star = "";
	char *operands;

	if (!start)
		return;
	write_mnemonic(decoded, mnemonic, sizeof(mnemonic));
	operands = start + strcspn(start, " ");
	snprintf(rest, sizeof(rest), "%s", operands + strspn(operands, " *"));
	if ((has_category(decoded, ZYDIS_CATEGORY_CALL) ||
	     decoded->insn.mnemonic == ZYDIS_MNEMONIC_JMP) &&
	    !decoded->insn.raw.imm[0].is_relative)
		star = "*";
	snprintf(start, LINE_SIZE - (start - line), "%s%s%s%s", mnemonic, *rest ? " " : "", star,
		 rest);
}

/*
 * Swaps the operands of enter, the one instruction whose operands stand in the same order in both
 * syntaxes.
 */
static void fix_enter(struct decoded *decoded)
{
	ZydisDecodedOperand size;

	if (decoded->insn.mnemonic != ZYDIS_MNEMONIC_ENTER)
		return;
	size = decoded->operands[0];
	decoded->operands[0] = decoded->operands[1];
	decoded->operands[1] = size;
}

/* Adjusts the offset of a relative branch, since Zydis prints the sum of pc, length and offset. */
static void aim(struct decoded *decoded, uint64_t pc)
{
	decoded->operands[0].imm.value.u = branch_target(decoded, pc) - pc - decoded->insn.length;
}

static void init_formatter(ZydisFormatter *formatter, enum isa_syntax syntax)
{
	ZydisFormatterInit(formatter, syntax == ISA_SYNTAX_INTEL ? ZYDIS_FORMATTER_STYLE_INTEL
								 : ZYDIS_FORMATTER_STYLE_ATT);
	ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_FORCE_SIZE, ZYAN_TRUE);
	ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
	ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_FORCE_RELATIVE_RIPREL, ZYAN_TRUE);
	ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
				  ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING,
				  ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING,
				  ZYDIS_PADDING_DISABLED);
}

/* Appends the address of an operand that is relative to rip, as objdump does: "  # 0x402000". */
static void add_address(const struct decoded *decoded, uint64_t pc, char *line)
{
	const ZydisDecodedOperand *memory = find_memory(decoded);
	size_t length = strlen(line);
	ZyanU64 address;

	if (memory &&
	    (memory->mem.base == ZYDIS_REGISTER_RIP || memory->mem.base == ZYDIS_REGISTER_EIP) &&
	    ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&decoded->insn, memory, pc, &address)))
		snprintf(line + length, LINE_SIZE - length, "  # 0x%" PRIx64, address);
}

void isa_disassemble(const uint8_t *code, size_t available, uint64_t pc, enum isa_vendor vendor,
		     enum isa_syntax syntax, char *text, size_t size)
{
	ZydisFormatter formatter;
	struct decoded decoded;
	char line[LINE_SIZE];

	if (!decode_bytes(code, available, vendor, &decoded)) {
		snprintf(text, size, "%s", undecodable);
		return;
	}
	if (decoded.branch16 && decoded.insn.raw.imm[0].is_relative)
		aim(&decoded, pc);
	if (has_category(&decoded, ZYDIS_CATEGORY_WIDENOP))
		decoded.insn.operand_count_visible =
			1; /* the other operands are encoded but have no meaning */
	init_formatter(&formatter, syntax);
	if (syntax == ISA_SYNTAX_ATT)
		fix_enter(&decoded);
	if (ZYAN_FAILED(ZydisFormatterFormatInstruction(&formatter, &decoded.insn, decoded.operands,
							decoded.insn.operand_count_visible, line,
							sizeof(line), pc, ZYAN_NULL)))
		snprintf(line, sizeof(line), "%s", undecodable);
	else if (syntax == ISA_SYNTAX_ATT)
		fix_att(&decoded, line);
	add_address(&decoded, pc, line);
	snprintf(text, size, "%s", line);
}

void isa_mnemonic(const uint8_t *code, size_t available, uint64_t pc, enum isa_vendor vendor,
		  char *text, size_t size)
{
	struct decoded decoded;

	(void)pc;
	if (decode_bytes(code, available, vendor, &decoded))
		snprintf(text, size, "%s", ZydisMnemonicGetString(decoded.insn.mnemonic));
	else
		snprintf(text, size, "%s", undecodable);
}
