/* SPDX-License-Identifier: MIT */
/*
 * Decodes one instruction with Zydis, corrects the result to what the processor does, and makes of
 * it the facts about the instruction.
 */
#include "traceformat/x86_64/internal.h"

#include <string.h>

/* ---- decoding -------------------------------------------------------------------------------- */

bool decode_bytes(const uint8_t *code, size_t available, enum isa_vendor vendor,
		  struct decoded *decoded)
{
	ZydisDecodedInstruction *insn = &decoded->insn;
	ZydisDecoderContext context;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	/* Linux never enables MPX, so MPX instructions are the no-operations that they overlay. */
	ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_MPX, ZYAN_FALSE);
	ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_AMD_BRANCHES, vendor == ISA_AMD);
	if (ZYAN_FAILED(ZydisDecoderDecodeInstruction(&decoder, &context, code, available, insn)))
		return false;
	/* Only Xeon Phi coprocessors have these; elsewhere the bytes are free for new meanings. */
	if (insn->meta.isa_ext == ZYDIS_ISA_EXT_KNC || insn->meta.isa_ext == ZYDIS_ISA_EXT_KNCE ||
	    insn->meta.isa_ext == ZYDIS_ISA_EXT_KNCV)
		return false;
	if (ZYAN_FAILED(ZydisDecoderDecodeOperands(&decoder, &context, insn, decoded->operands,
						   insn->operand_count)))
		return false;
	decoded->vendor = vendor;
	decoded->branch16 = false;
	if (vendor == ISA_AMD)
		adapt_to_amd(decoded);
	return true;
}

/*
 * Returns true for instructions whose memory accesses cannot be expressed: LWP and user interrupts
 * (addresses from registers without a name), the padlock unit, and calls into an enclave or a
 * hypervisor.
 */
bool is_opaque(const struct decoded *decoded)
{
	switch (decoded->insn.mnemonic) {
	case ZYDIS_MNEMONIC_LLWPCB:
	case ZYDIS_MNEMONIC_SLWPCB:
	case ZYDIS_MNEMONIC_LWPINS:
	case ZYDIS_MNEMONIC_LWPVAL:
	case ZYDIS_MNEMONIC_SENDUIPI:
	case ZYDIS_MNEMONIC_ENCLU:
	case ZYDIS_MNEMONIC_VMCALL:
	case ZYDIS_MNEMONIC_VMMCALL:
	case ZYDIS_MNEMONIC_VMFUNC: return true;
	default: return has_category(decoded, ZYDIS_CATEGORY_PADLOCK);
	}
}

/* ---- the facts about an instruction ---------------------------------------------------------- */

/*
 * Returns true for instructions that fault in user mode whatever their operands, so that they never
 * retire.
 */
static bool always_traps(const struct decoded *decoded)
{
	if (decoded->insn.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED)
		return true;
	switch (decoded->insn.mnemonic) {
	case ZYDIS_MNEMONIC_SYSENTER: return decoded->vendor == ISA_AMD;
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	/* privileged too, but Zydis does not say so */
	case ZYDIS_MNEMONIC_CLGI:
	case ZYDIS_MNEMONIC_CLI:
	case ZYDIS_MNEMONIC_ENCLV:
	case ZYDIS_MNEMONIC_ENQCMDS:
	case ZYDIS_MNEMONIC_GETSEC:
	case ZYDIS_MNEMONIC_LGDT:
	case ZYDIS_MNEMONIC_RSM:
	case ZYDIS_MNEMONIC_SKINIT:
	case ZYDIS_MNEMONIC_STGI:
	case ZYDIS_MNEMONIC_STI:
	case ZYDIS_MNEMONIC_VMLOAD:
	case ZYDIS_MNEMONIC_VMRUN:
	case ZYDIS_MNEMONIC_VMSAVE: return true;
	default: return false;
	}
}

static bool is_relative(const struct decoded *decoded)
{
	return decoded->insn.raw.imm[0].is_relative;
}

static enum tf_end find_end(const struct decoded *decoded)
{
	switch (decoded->insn.meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return decoded->insn.mnemonic == ZYDIS_MNEMONIC_XEND ? TF_END_NONE
								     : TF_END_CONDITIONAL;
	case ZYDIS_CATEGORY_UNCOND_BR:
		if (decoded->insn.mnemonic == ZYDIS_MNEMONIC_XABORT)
			return TF_END_TRAP;
		return is_relative(decoded) ? TF_END_JUMP : TF_END_INDIRECT_JUMP;
	case ZYDIS_CATEGORY_CALL: return is_relative(decoded) ? TF_END_CALL : TF_END_INDIRECT_CALL;
	case ZYDIS_CATEGORY_RET: return TF_END_RETURN;
	case ZYDIS_CATEGORY_SYSCALL: return TF_END_SYSCALL;
	case ZYDIS_CATEGORY_INTERRUPT:
		if (decoded->insn.mnemonic == ZYDIS_MNEMONIC_INT &&
		    decoded->operands[0].imm.value.u == 0x80)
			return TF_END_SYSCALL;
		return TF_END_TRAP;
	default:
		return decoded->insn.mnemonic == ZYDIS_MNEMONIC_UIRET ? TF_END_RETURN : TF_END_NONE;
	}
}

static bool compares(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_CMPSB:
	case ZYDIS_MNEMONIC_CMPSW:
	case ZYDIS_MNEMONIC_CMPSD:
	case ZYDIS_MNEMONIC_CMPSQ:
	case ZYDIS_MNEMONIC_SCASB:
	case ZYDIS_MNEMONIC_SCASW:
	case ZYDIS_MNEMONIC_SCASD:
	case ZYDIS_MNEMONIC_SCASQ: return true;
	default: return false;
	}
}

/*
 * The last of the prefixes F2 and F3 decides. Zydis reports F2 only where the manual defines it;
 * processors repeat movs, stos, lods, ins and outs under either.
 */
static void find_repetition(const struct decoded *decoded, struct isa_insn *insn)
{
	const ZydisDecodedInstruction *zydis = &decoded->insn;
	uint8_t prefix = 0;

	for (int i = 0; i < zydis->raw.prefix_count; i++)
		if (zydis->raw.prefixes[i].value == 0xf2 || zydis->raw.prefixes[i].value == 0xf3)
			prefix = zydis->raw.prefixes[i].value;
	insn->address32 = zydis->address_width == 32;
	if (!prefix)
		return;
	insn->flags |= TF_INSN_REP;
	insn->rep_element = zydis->operand_width / 8;
	if (compares(zydis->mnemonic))
		insn->rep_condition = prefix == 0xf3 ? 1 : 2;
}

static uint8_t find_control_words(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_FLDCW:
	case ZYDIS_MNEMONIC_FLDENV:
	case ZYDIS_MNEMONIC_FRSTOR:
	case ZYDIS_MNEMONIC_FNINIT:
	case ZYDIS_MNEMONIC_FNSAVE: return ISA_X87_CONTROL;
	case ZYDIS_MNEMONIC_LDMXCSR:
	case ZYDIS_MNEMONIC_VLDMXCSR: return ISA_MXCSR;
	case ZYDIS_MNEMONIC_FXRSTOR:
	case ZYDIS_MNEMONIC_FXRSTOR64:
	case ZYDIS_MNEMONIC_XRSTOR:
	case ZYDIS_MNEMONIC_XRSTOR64: return ISA_X87_CONTROL | ISA_MXCSR;
	default: return 0;
	}
}

static uint8_t find_segment_write(const struct decoded *decoded)
{
	if (decoded->insn.mnemonic == ZYDIS_MNEMONIC_WRFSBASE)
		return TF_SEGMENT_FS;
	if (decoded->insn.mnemonic == ZYDIS_MNEMONIC_WRGSBASE)
		return TF_SEGMENT_GS;
	for (int i = 0; i < decoded->insn.operand_count; i++) {
		const ZydisDecodedOperand *operand = &decoded->operands[i];

		if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		if (operand->reg.value == ZYDIS_REGISTER_FS)
			return TF_SEGMENT_FS;
		if (operand->reg.value == ZYDIS_REGISTER_GS)
			return TF_SEGMENT_GS;
	}
	return TF_SEGMENT_NONE;
}

static uint8_t count_values(const struct isa_insn *insn)
{
	uint8_t extras = 0;

	for (int i = 0; i < insn->n_operands; i++)
		if (insn->operands[i].trace.form != TF_REP)
			extras += insn->operands[i].n_extras;
		else if (i == 0)
			extras += insn->operands[i].n_extras;
	return insn->n_operands + extras;
}

static void find_facts(const struct decoded *decoded, uint64_t pc, struct isa_insn *insn)
{
	memset(insn, 0, sizeof(*insn));
	insn->length = decoded->insn.length;
	if (is_opaque(decoded)) {
		insn->flags = TF_INSN_OPAQUE;
		insn->end = TF_END_OPAQUE;
		insn->insn_class = ISA_CLASS_OPAQUE;
		return;
	}
	insn->insn_class = classify(decoded);
	if (always_traps(decoded)) {
		insn->end = TF_END_TRAP;
		return;
	}
	insn->end = find_end(decoded);
	if (is_relative(decoded))
		insn->target = branch_target(decoded, pc);
	if (is_string(decoded))
		find_repetition(decoded, insn);
	insn->loads_control_word = find_control_words(decoded->insn.mnemonic);
	insn->writes_segment_base = find_segment_write(decoded);
	find_operands(decoded, pc, insn);
	insn->n_values = count_values(insn);
}

int isa_decode(const uint8_t *code, size_t available, uint64_t pc, enum isa_vendor vendor,
	       struct isa_insn *insn)
{
	struct decoded decoded;

	if (!decode_bytes(code, available, vendor, &decoded))
		return -1;
	find_facts(&decoded, pc, insn);
	return 0;
}

int isa_decode_all(const uint8_t *code, size_t available, uint64_t pc, enum isa_vendor vendor,
		   struct isa_insn *insn, struct isa_effects *effects)
{
	struct decoded decoded;

	if (!decode_bytes(code, available, vendor, &decoded))
		return -1;
	find_facts(&decoded, pc, insn);
	if (!(insn->flags & TF_INSN_OPAQUE))
		find_effects(&decoded, effects);
	return 0;
}
