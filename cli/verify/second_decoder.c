/* SPDX-License-Identifier: MIT */
/*
 * Compares libtraceisa's decoding with capstone's. The errors of capstone 4.0.2 that real code and
 * random bytes have shown are in known_errors, each with its reason. An error excuses one part of
 * one kind of instruction, and nothing else.
 */
#include "cli/verify/second_decoder.h"

#include <capstone/capstone.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct second_decoder {
	csh handle;
	cs_insn *insn;
};

struct second_decoder *second_decoder_open(void)
{
	struct second_decoder *decoder = calloc(1, sizeof(*decoder));

	if (!decoder)
		return NULL;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &decoder->handle) != CS_ERR_OK) {
		free(decoder);
		return NULL;
	}
	cs_option(decoder->handle, CS_OPT_DETAIL, CS_OPT_ON);
	decoder->insn = cs_malloc(decoder->handle);
	if (!decoder->insn) {
		second_decoder_close(decoder);
		return NULL;
	}
	return decoder;
}

void second_decoder_close(struct second_decoder *decoder)
{
	if (!decoder)
		return;
	if (decoder->insn)
		cs_free(decoder->insn, 1);
	cs_close(&decoder->handle);
	free(decoder);
}

const char *decoded_part_name(enum decoded_part part)
{
	static const char *const names[] = { [DECODED_LENGTH] = "length",
					     [DECODED_TRANSFER] = "control transfer",
					     [DECODED_OPERAND] = "memory operand",
					     [DECODED_SIZE] = "access size" };

	return names[part];
}

/* ---- known errors of capstone ------------------------------------------------------------ */

/*
 * Returns the number of legacy and REX prefixes, in any order: a REX prefix before other prefixes
 * has no effect.
 */
static size_t skip_prefixes(const uint8_t *code, size_t available)
{
	size_t i = 0;

	while (i < available &&
	       (memchr("\x66\x67\xf0\xf2\xf3\x26\x2e\x36\x3e\x64\x65", code[i], 11) ||
		(code[i] & 0xf0) == 0x40))
		i++;
	return i;
}

/* The encoding of an instruction, by which known errors are recognized. */
struct encoding {
	const uint8_t *code, *opcode; /* opcode: behind legacy prefixes and REX; VEX and EVEX too */
	size_t n_prefixes, n_opcode;  /* bytes that may be read at code, at opcode */
	enum isa_vendor vendor;
	const cs_insn *theirs;
};

static bool has_high_source(const struct encoding *e)
{
	return e->n_opcode > 3 && e->opcode[0] == 0x62 && !(e->opcode[3] & 8);
}

/* Returns true for an EVEX prefix, opcode and ModRM. */
static bool is_evex(const struct encoding *e)
{
	return e->n_opcode > 5 && e->opcode[0] == 0x62;
}

static bool begins_with(const struct encoding *e, const char *start)
{
	return !strncmp(e->theirs->mnemonic, start, strlen(start));
}

static bool ends_with(const struct encoding *e, const char *end)
{
	size_t size = strlen(e->theirs->mnemonic), n = strlen(end);

	return size >= n && !strcmp(e->theirs->mnemonic + size - n, end);
}

static bool is_scatter_or_prefetch(const struct encoding *e)
{
	return is_evex(e) && (begins_with(e, "vscatter") || begins_with(e, "vpscatter") ||
			      begins_with(e, "vgatherpf"));
}

static bool has_embedded_rounding(const struct encoding *e)
{
	return is_evex(e) && e->opcode[3] & 0x10 && e->opcode[5] >= 0xc0;
}

static bool is_evex_scalar(const struct encoding *e)
{
	return is_evex(e) &&
	       (ends_with(e, "ss") || ends_with(e, "sd") || e->theirs->id == X86_INS_VMOVQ);
}

static bool is_byte_or_word_with_w(const struct encoding *e)
{
	return is_evex(e) && e->opcode[2] & 0x80 && (ends_with(e, "b") || ends_with(e, "w"));
}

static bool is_eighth(const struct encoding *e)
{
	return is_evex(e) && begins_with(e, "vpmov") && (ends_with(e, "qb") || ends_with(e, "bq"));
}

static bool is_exponential(const struct encoding *e)
{
	return is_evex(e) && (begins_with(e, "vexp2p") || begins_with(e, "vrcp28p") ||
			      begins_with(e, "vrsqrt28p"));
}

static bool is_ud0_or_ud1(const struct encoding *e)
{
	return e->n_opcode > 1 && e->opcode[0] == 0x0f &&
	       (e->opcode[1] == 0xb9 || e->opcode[1] == 0xff);
}

static bool has_prefix(const struct encoding *e, uint8_t prefix)
{
	return memchr(e->code, prefix, e->n_prefixes);
}

static bool is_intel_operand_size(const struct encoding *e)
{
	return e->vendor == ISA_INTEL && has_prefix(e, 0x66);
}

static bool has_null_segment(const struct encoding *e)
{
	return has_prefix(e, 0x2e) || has_prefix(e, 0x36) || has_prefix(e, 0x3e) ||
	       has_prefix(e, 0x26);
}

static bool repeats_and_operand_size(const struct encoding *e)
{
	return has_prefix(e, 0x66) && (has_prefix(e, 0xf2) || has_prefix(e, 0xf3));
}

static bool is_scalar_compare(const struct encoding *e)
{
	return e->theirs->id == X86_INS_COMISS || e->theirs->id == X86_INS_COMISD;
}

static bool is_far(const struct encoding *e)
{
	switch (e->theirs->id) {
	case X86_INS_LCALL:
	case X86_INS_LJMP:
	case X86_INS_LFS:
	case X86_INS_LGS:
	case X86_INS_LSS: return true;
	}
	return false;
}

static bool is_floating_point_state(const struct encoding *e)
{
	switch (e->theirs->id) {
	case X86_INS_FNSAVE:
	case X86_INS_FRSTOR:
	case X86_INS_FNSTENV:
	case X86_INS_FLDENV:
	case X86_INS_FXSAVE:
	case X86_INS_FXRSTOR:
	case X86_INS_FXSAVE64:
	case X86_INS_FXRSTOR64:
	case X86_INS_FNSTSW: return true;
	}
	return false;
}

static bool is_mmx_unpack(const struct encoding *e)
{
	switch (e->theirs->id) {
	case X86_INS_PUNPCKLBW:
	case X86_INS_PUNPCKLWD:
	case X86_INS_PUNPCKLDQ: return true;
	}
	return false;
}

static bool is_segment_limit(const struct encoding *e)
{
	return e->theirs->id == X86_INS_LSL;
}

static bool is_narrow_sign_extension(const struct encoding *e)
{
	return e->theirs->id == X86_INS_MOVSXD && has_prefix(e, 0x66);
}

static const struct known_error {
	enum decoded_part part;
	bool (*applies)(const struct encoding *);
	const char *reason;
} known_errors[] = {
	{ DECODED_OPERAND, has_high_source,
	  "takes EVEX.V' (vector source 16-31) for the high bit of a vector index" },
	{ DECODED_OPERAND, is_scatter_or_prefetch,
	  "takes the vector index for a general register" },
	{ DECODED_LENGTH, has_embedded_rounding, "takes a rounding mode for an immediate byte" },
	{ DECODED_SIZE, is_evex_scalar,
	  "takes a scalar for a whole vector, and 64-bit integers for 32 bits" },
	{ DECODED_SIZE, is_byte_or_word_with_w, "takes EVEX.W, which is ignored, for a length" },
	{ DECODED_SIZE, is_eighth, "takes an eighth of the vector for a quarter" },
	{ DECODED_SIZE, is_exponential, "does not know their broadcasts" },
	{ DECODED_LENGTH, is_ud0_or_ud1, "leaves out ModRM, which processors fetch" },
	{ DECODED_LENGTH, is_intel_operand_size,
	  "16-bit branch displacements, as AMD has them; Intel's processors ignore the prefix" },
	{ DECODED_TRANSFER, is_intel_operand_size,
	  "16-bit branch targets, as AMD has them; Intel's processors ignore the prefix" },
	{ DECODED_OPERAND, has_null_segment,
	  "cs, ds, es, ss hide a preceding fs or gs; in 64-bit mode they mean nothing" },
	{ DECODED_SIZE, repeats_and_operand_size, "forgets the operand size beside f2 or f3" },
	{ DECODED_SIZE, is_scalar_compare, "takes a scalar for a whole vector" },
	{ DECODED_SIZE, is_far, "has no size for far pointers" },
	{ DECODED_SIZE, is_floating_point_state, "has no size for floating-point state" },
	{ DECODED_SIZE, is_mmx_unpack, "takes the half that is read for the whole register" },
	{ DECODED_SIZE, is_segment_limit, "takes the selector for a register's width" },
	{ DECODED_SIZE, is_narrow_sign_extension, "takes a 16-bit source for 32 bits" },
};

/* ---- what capstone says ------------------------------------------------------------------ */

/* capstone's name of a register as libtraceisa numbers them. */
static uint8_t general_number(x86_reg reg)
{
	static const x86_reg wide[] = { X86_REG_RAX, X86_REG_RCX, X86_REG_RDX, X86_REG_RBX,
					X86_REG_RSP, X86_REG_RBP, X86_REG_RSI, X86_REG_RDI,
					X86_REG_R8,  X86_REG_R9,  X86_REG_R10, X86_REG_R11,
					X86_REG_R12, X86_REG_R13, X86_REG_R14, X86_REG_R15 };
	static const x86_reg narrow[] = { X86_REG_EAX,  X86_REG_ECX,  X86_REG_EDX,  X86_REG_EBX,
					  X86_REG_ESP,  X86_REG_EBP,  X86_REG_ESI,  X86_REG_EDI,
					  X86_REG_R8D,  X86_REG_R9D,  X86_REG_R10D, X86_REG_R11D,
					  X86_REG_R12D, X86_REG_R13D, X86_REG_R14D, X86_REG_R15D };

	for (int i = 0; i < 16; i++)
		if (reg == wide[i] || reg == narrow[i])
			return i;
	return ISA_NO_REGISTER;
}

static uint8_t vector_number(x86_reg reg)
{
	if (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM31)
		return reg - X86_REG_XMM0;
	if (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM31)
		return reg - X86_REG_YMM0;
	if (reg >= X86_REG_ZMM0 && reg <= X86_REG_ZMM31)
		return reg - X86_REG_ZMM0;
	return ISA_NO_REGISTER;
}

static uint8_t segment_number(x86_reg reg)
{
	return reg == X86_REG_FS ? TF_SEGMENT_FS : reg == X86_REG_GS ? TF_SEGMENT_GS : 0;
}

static const cs_x86_op *find_operand(const cs_insn *theirs, x86_op_type type)
{
	const cs_x86 *x86 = &theirs->detail->x86;

	for (int i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == type)
			return &x86->operands[i];
	return NULL;
}

static bool has_group(const cs_insn *theirs, uint8_t group)
{
	return memchr(theirs->detail->groups, group, theirs->detail->groups_count);
}

/* Returns the enum tf_end that capstone's instruction id and operands mean. */
static uint8_t transfer_of(const cs_insn *theirs)
{
	bool direct = find_operand(theirs, X86_OP_IMM);

	switch (theirs->id) {
	case X86_INS_JMP: return direct ? TF_END_JUMP : TF_END_INDIRECT_JUMP;
	case X86_INS_LJMP: return TF_END_INDIRECT_JUMP;
	case X86_INS_CALL: return direct ? TF_END_CALL : TF_END_INDIRECT_CALL;
	case X86_INS_LCALL: return TF_END_INDIRECT_CALL;
	case X86_INS_SYSCALL:
	case X86_INS_SYSENTER: return TF_END_SYSCALL;
	case X86_INS_LOOP:
	case X86_INS_LOOPE:
	case X86_INS_LOOPNE:
	case X86_INS_XBEGIN:
	case X86_INS_JRCXZ:
	case X86_INS_JECXZ:
	case X86_INS_JCXZ: return TF_END_CONDITIONAL;
	case X86_INS_RET:
	case X86_INS_RETF:
	case X86_INS_RETFQ:
	case X86_INS_IRET:
	case X86_INS_IRETD:
	case X86_INS_IRETQ: return TF_END_RETURN;
	}
	return has_group(theirs, CS_GRP_JUMP) ? TF_END_CONDITIONAL : TF_END_NONE;
}

/* ---- comparing --------------------------------------------------------------------------- */

static bool has_static_target(const struct isa_insn *insn)
{
	return insn->end == TF_END_CONDITIONAL || insn->end == TF_END_JUMP ||
	       insn->end == TF_END_CALL;
}

/*
 * Returns whether the instruction enters the kernel. capstone does not distinguish system calls,
 * traps and instructions that always fault.
 */
static bool ends_in_kernel(const struct isa_insn *insn)
{
	return insn->end == TF_END_SYSCALL || insn->end == TF_END_TRAP;
}

static bool same_transfer(const struct isa_insn *insn, const cs_insn *theirs)
{
	const cs_x86_op *immediate = find_operand(theirs, X86_OP_IMM);
	uint8_t end = transfer_of(theirs);

	if (ends_in_kernel(insn) || insn->end == TF_END_OPAQUE)
		return end == TF_END_NONE || end == TF_END_SYSCALL;
	if (insn->end != end)
		return false;
	return !has_static_target(insn) || (immediate && (uint64_t)immediate->imm == insn->target);
}

static bool same_address(const struct isa_insn *insn, const struct isa_operand *operand,
			 const cs_insn *theirs, const x86_op_mem *memory)
{
	const struct isa_address *address = &operand->address;
	int64_t displacement = memory->disp;

	if (memory->base == X86_REG_RIP || memory->base == X86_REG_EIP)
		displacement += theirs->address + theirs->size;
	/* pop computes its destination with the new rsp */
	if (theirs->id == X86_INS_POP && address->base == ISA_RSP)
		displacement += insn->operands[0].trace.size;
	return address->base == general_number(memory->base) &&
	       address->index == general_number(memory->index) &&
	       address->index_vector == vector_number(memory->index) &&
	       (address->index == ISA_NO_REGISTER || address->scale == memory->scale) &&
	       (address->index_vector == ISA_NO_REGISTER ||
		operand->trace.scale == memory->scale) &&
	       address->segment == segment_number(memory->segment) &&
	       (address->address32 ? (uint32_t)address->displacement == (uint32_t)displacement
				   : address->displacement == displacement);
}

/*
 * Compares the one explicit memory operand. Returns false, and the part that differs, if they
 * differ.
 */
static bool same_operand(const struct isa_insn *insn, const struct isa_operand *operand,
			 const cs_insn *theirs, enum decoded_part *part)
{
	const cs_x86_op *memory = find_operand(theirs, X86_OP_MEM);

	*part = DECODED_OPERAND;
	if (!memory || !same_address(insn, operand, theirs, &memory->mem))
		return false;
	*part = DECODED_SIZE;
	return operand->trace.form != TF_PLAIN || operand->trace.access & TF_PREFETCH ||
	       operand->trace.size == memory->size;
}

/*
 * Returns whether the instruction accesses its memory operand: not if it uses only the address, and
 * not for privileged instructions, which never retire in user mode.
 */
static bool accesses_memory(const cs_insn *theirs)
{
	switch (theirs->id) {
	case X86_INS_LEA:
	case X86_INS_NOP:
	case X86_INS_CLFLUSH:
	case X86_INS_CLFLUSHOPT:
	case X86_INS_CLWB:
	case X86_INS_INVLPG:
	case X86_INS_LGDT:
	case X86_INS_LIDT:
	case X86_INS_LLDT:
	case X86_INS_LTR:
	case X86_INS_LMSW:
	case X86_INS_XSAVES:
	case X86_INS_XSAVES64:
	case X86_INS_XRSTORS:
	case X86_INS_XRSTORS64:
	case X86_INS_VMREAD:
	case X86_INS_VMWRITE:
	case X86_INS_VMPTRLD:
	case X86_INS_VMPTRST:
	case X86_INS_VMCLEAR:
	case X86_INS_VMXON:
	case X86_INS_INVEPT:
	case X86_INS_INVVPID:
	case X86_INS_INVPCID: return false;
	}
	return find_operand(theirs, X86_OP_MEM);
}

static bool same_insn(const struct isa_insn *insn, const cs_insn *theirs, enum decoded_part *part)
{
	*part = DECODED_LENGTH;
	if (insn->length != theirs->size)
		return false;
	*part = DECODED_TRANSFER;
	if (!same_transfer(insn, theirs))
		return false;
	*part = DECODED_OPERAND;
	if (!insn->n_operands && !(insn->flags & TF_INSN_OPAQUE) && accesses_memory(theirs))
		return false;
	for (int i = 0; i < insn->n_operands; i++)
		if (!(insn->operands[i].trace.flags & TF_IMPLICIT) &&
		    !same_operand(insn, &insn->operands[i], theirs, part))
			return false;
	return true;
}

static const char *known_error(const struct encoding *encoding, enum decoded_part part)
{
	for (size_t i = 0; i < sizeof(known_errors) / sizeof(known_errors[0]); i++)
		if (known_errors[i].part == part && known_errors[i].applies(encoding))
			return known_errors[i].reason;
	return NULL;
}

enum agreement second_decoder_compare(struct second_decoder *decoder, const uint8_t *code,
				      size_t available, uint64_t pc, enum isa_vendor vendor,
				      const struct isa_insn *insn,
				      struct decoder_difference *difference)
{
	const cs_insn *theirs = decoder->insn;
	const uint8_t *next = code;
	size_t left = available;
	uint64_t after = pc;

	if (!cs_disasm_iter(decoder->handle, &next, &left, &after, decoder->insn)) {
		difference->theirs[0] = '\0';
		return DECODERS_ONE;
	}
	if (same_insn(insn, theirs, &difference->part))
		return DECODERS_AGREE;
	size_t n_prefixes = skip_prefixes(code, available);
	struct encoding encoding = { code,       code + n_prefixes,
				     n_prefixes, available - n_prefixes,
				     vendor,     theirs };

	difference->reason = known_error(&encoding, difference->part);
	snprintf(difference->theirs, sizeof(difference->theirs), "%s%s%s", theirs->mnemonic,
		 *theirs->op_str ? " " : "", theirs->op_str);
	return difference->reason ? DECODERS_EXCUSED : DECODERS_DIFFER;
}
