/* SPDX-License-Identifier: MIT */
/* Decodes one instruction with Zydis and corrects the result to what the processor does. */
#include "traceformat/x86_64/internal.h"

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
