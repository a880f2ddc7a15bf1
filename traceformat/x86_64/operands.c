/* SPDX-License-Identifier: MIT */
/*
 * Finds memory operands. Zydis gives sizes and directions, hidden operands included. This file adds
 * lanes, masks, repetitions and stack displacements, and drops operands that access nothing.
 */
#include "traceformat/x86_64/internal.h"

#include <assert.h>

static bool in_range(ZydisRegister reg, ZydisRegister first, ZydisRegister last)
{
	return reg >= first && reg <= last;
}

static uint8_t general_number(ZydisRegister reg)
{
	if (in_range(reg, ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_R15))
		return reg - ZYDIS_REGISTER_RAX;
	if (in_range(reg, ZYDIS_REGISTER_EAX, ZYDIS_REGISTER_R15D))
		return reg - ZYDIS_REGISTER_EAX;
	if (in_range(reg, ZYDIS_REGISTER_AX, ZYDIS_REGISTER_R15W))
		return reg - ZYDIS_REGISTER_AX;
	return ISA_NO_REGISTER;
}

static uint8_t vector_number(ZydisRegister reg)
{
	if (in_range(reg, ZYDIS_REGISTER_XMM0, ZYDIS_REGISTER_XMM31))
		return reg - ZYDIS_REGISTER_XMM0;
	if (in_range(reg, ZYDIS_REGISTER_YMM0, ZYDIS_REGISTER_YMM31))
		return reg - ZYDIS_REGISTER_YMM0;
	if (in_range(reg, ZYDIS_REGISTER_ZMM0, ZYDIS_REGISTER_ZMM31))
		return reg - ZYDIS_REGISTER_ZMM0;
	return ISA_NO_REGISTER;
}

static struct isa_operand *add_operand(struct isa_insn *insn, uint8_t access, uint32_t size)
{
	struct isa_operand *operand = &insn->operands[insn->n_operands++];

	assert(insn->n_operands <= ISA_MAX_OPERANDS);
	operand->trace.access = access;
	operand->trace.size = size;
	operand->address.base = ISA_NO_REGISTER;
	operand->address.index = ISA_NO_REGISTER;
	operand->address.index_vector = ISA_NO_REGISTER;
	operand->address.row_stride = ISA_NO_REGISTER;
	return operand;
}

/* Adds an operand at general[base] + displacement that is not written in the assembly. */
static struct isa_operand *add_implicit(struct isa_insn *insn, uint8_t access, uint32_t size,
					uint8_t base, int64_t displacement)
{
	struct isa_operand *operand = add_operand(insn, access, size);

	operand->trace.flags = TF_IMPLICIT;
	operand->address.base = base;
	operand->address.displacement = displacement;
	return operand;
}

static uint8_t find_access(const ZydisDecodedOperand *operand)
{
	return (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ ? TF_LOAD : 0) |
	       (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ? TF_STORE : 0);
}

static void set_address(struct isa_operand *operand, const struct decoded *decoded,
			const ZydisDecodedOperandMem *memory, uint64_t pc)
{
	struct isa_address *address = &operand->address;
	bool relative = memory->base == ZYDIS_REGISTER_RIP || memory->base == ZYDIS_REGISTER_EIP;

	if (memory->segment == ZYDIS_REGISTER_FS)
		address->segment = TF_SEGMENT_FS;
	else if (memory->segment == ZYDIS_REGISTER_GS)
		address->segment = TF_SEGMENT_GS;
	operand->trace.segment = address->segment;
	address->base = general_number(memory->base);
	address->index = general_number(memory->index);
	if (address->index != ISA_NO_REGISTER)
		address->scale = memory->scale;
	if (memory->disp.has_displacement)
		address->displacement = memory->disp.value;
	if (relative)
		address->displacement += pc + decoded->insn.length;
	/* The stack pointer of implicit operands keeps 64 bits under an address-size prefix. */
	address->address32 = decoded->insn.address_width == 32 &&
			     !in_range(memory->base, ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_R15);
}

static bool has_dword_indices(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_VGATHERDPS:
	case ZYDIS_MNEMONIC_VGATHERDPD:
	case ZYDIS_MNEMONIC_VPGATHERDD:
	case ZYDIS_MNEMONIC_VPGATHERDQ:
	case ZYDIS_MNEMONIC_VSCATTERDPS:
	case ZYDIS_MNEMONIC_VSCATTERDPD:
	case ZYDIS_MNEMONIC_VPSCATTERDD:
	case ZYDIS_MNEMONIC_VPSCATTERDQ: return true;
	default: return false;
	}
}

static void set_k_mask(struct isa_address *address, const struct decoded *decoded)
{
	address->mask_source = ISA_MASK_K;
	address->mask_register = decoded->insn.avx.mask.reg - ZYDIS_REGISTER_K0;
}

static void set_sign_mask(struct isa_address *address, const ZydisDecodedOperand *mask,
			  uint8_t element)
{
	address->mask_source = ISA_MASK_SIGN;
	address->mask_register = vector_number(mask->reg.value);
	address->mask_element = element;
}

/* Sets the lanes of gather and scatter; AVX2 has the mask in its third operand. */
static void set_lanes(struct isa_operand *operand, const struct decoded *decoded,
		      const ZydisDecodedOperandMem *memory)
{
	struct tf_operand *trace = &operand->trace;
	unsigned vector_size = decoded->insn.avx.vector_length / 8;

	trace->form = TF_LANES;
	trace->index_size = has_dword_indices(decoded->insn.mnemonic) ? 4 : 8;
	trace->lanes = vector_size /
		       (trace->size > trace->index_size ? trace->size : trace->index_size);
	trace->scale = memory->scale;
	if (operand->address.address32)
		trace->flags |= TF_ADDRESS32;
	operand->n_extras = 1 + (trace->lanes * trace->index_size + 7) / 8;
	operand->address.index_vector = vector_number(memory->index);
	if (decoded->insn.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX)
		set_k_mask(&operand->address, decoded);
	else
		set_sign_mask(&operand->address, &decoded->operands[2], trace->size);
}

static void set_masked(struct isa_operand *operand, uint32_t element, uint8_t lanes)
{
	operand->trace.form = TF_MASKED;
	operand->trace.size = element;
	operand->trace.lanes = lanes;
	operand->n_extras = 1;
}

static void set_sized(struct isa_operand *operand, enum isa_size_source source)
{
	operand->trace.form = TF_SIZED;
	operand->trace.size = 0;
	operand->address.size_source = source;
	operand->n_extras = 1;
}

/*
 * Returns true if a load touches no more than its active lanes. Instructions without fault
 * suppression (exception classes NF, and some that Zydis has in other classes) read the whole
 * operand: their lanes are not the mask's.
 */
static bool load_is_masked(const struct decoded *decoded)
{
	if (has_category(decoded, ZYDIS_CATEGORY_AVX512_4FMAPS) ||
	    has_category(decoded, ZYDIS_CATEGORY_AVX512_4VNNIW))
		return false;
	switch (decoded->insn.mnemonic) {
	case ZYDIS_MNEMONIC_VCVTNE2PS2BF16:
	case ZYDIS_MNEMONIC_VDBPSADBW:
	case ZYDIS_MNEMONIC_VGF2P8AFFINEQB:
	case ZYDIS_MNEMONIC_VGF2P8AFFINEINVQB: return false;
	default: break;
	}
	switch (decoded->insn.meta.exception_class) {
	case ZYDIS_EXCEPTION_CLASS_E4NF:
	case ZYDIS_EXCEPTION_CLASS_E5NF:
	case ZYDIS_EXCEPTION_CLASS_E6NF: return false;
	default: /* the other NF classes have no masks */ return true;
	}
}

/* Returns how many lanes of the register receive each lane of memory. */
static unsigned broadcast_copies(const struct decoded *decoded)
{
	switch (decoded->insn.avx.broadcast.mode) {
	case ZYDIS_BROADCAST_MODE_1_TO_2:
	case ZYDIS_BROADCAST_MODE_2_TO_4:
	case ZYDIS_BROADCAST_MODE_4_TO_8:
	case ZYDIS_BROADCAST_MODE_8_TO_16: return 2;
	case ZYDIS_BROADCAST_MODE_1_TO_4:
	case ZYDIS_BROADCAST_MODE_2_TO_8:
	case ZYDIS_BROADCAST_MODE_4_TO_16: return 4;
	case ZYDIS_BROADCAST_MODE_1_TO_8:
	case ZYDIS_BROADCAST_MODE_2_TO_16: return 8;
	case ZYDIS_BROADCAST_MODE_1_TO_16: return 16;
	case ZYDIS_BROADCAST_MODE_1_TO_32: return 32;
	case ZYDIS_BROADCAST_MODE_1_TO_64: return 64;
	default: return 1;
	}
}

static void set_evex_mask(struct isa_operand *operand, const struct decoded *decoded,
			  const ZydisDecodedOperand *zydis)
{
	ZydisRegister mask = decoded->insn.avx.mask.reg;
	unsigned copies = broadcast_copies(decoded);

	if (!in_range(mask, ZYDIS_REGISTER_K1, ZYDIS_REGISTER_K7))
		return;
	if (has_category(decoded, ZYDIS_CATEGORY_COMPRESS) ||
	    has_category(decoded, ZYDIS_CATEGORY_EXPAND)) {
		set_sized(operand, ISA_SIZE_LANES);
		operand->address.mask_element = zydis->element_size / 8;
		operand->address.mask_lanes = zydis->element_count;
		set_k_mask(&operand->address, decoded);
	} else if (operand->trace.access == TF_STORE || load_is_masked(decoded)) {
		set_masked(operand, zydis->element_size / 8, zydis->element_count);
		if (copies > 1)
			operand->address.mask_lanes = zydis->element_count * copies;
		set_k_mask(&operand->address, decoded);
	}
}

/*
 * Sets the bit string of bt and its kin with a register operand, which reaches beyond the operand.
 */
static void set_bit_string(struct isa_operand *operand, const struct decoded *decoded)
{
	const ZydisDecodedOperand *offset = &decoded->operands[1];

	if (offset->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return;
	operand->address.bit_string = decoded->insn.operand_width;
	operand->address.bit_register = general_number(offset->reg.value);
}

static void set_prefetch(struct isa_operand *operand)
{
	operand->trace.access = TF_PREFETCH;
	operand->trace.size = 1;
}

/* Refines stores of lanes that another register chooses. */
static void refine_masked(struct isa_operand *operand, const struct decoded *decoded)
{
	struct isa_address *address = &operand->address;

	switch (decoded->insn.mnemonic) {
	case ZYDIS_MNEMONIC_MASKMOVDQU:
	case ZYDIS_MNEMONIC_VMASKMOVDQU:
		set_masked(operand, 1, 16);
		set_sign_mask(address, &decoded->operands[1], 1);
		break;
	case ZYDIS_MNEMONIC_MASKMOVQ:
		set_masked(operand, 1, 8);
		address->mask_source = ISA_MASK_MMX;
		address->mask_register = decoded->operands[1].reg.value - ZYDIS_REGISTER_MM0;
		address->mask_element = 1;
		break;
	case ZYDIS_MNEMONIC_VMASKMOVPS:
	case ZYDIS_MNEMONIC_VPMASKMOVD:
		set_masked(operand, 4, operand->trace.size / 4);
		set_sign_mask(address, &decoded->operands[1], 4);
		break;
	case ZYDIS_MNEMONIC_VMASKMOVPD:
	case ZYDIS_MNEMONIC_VPMASKMOVQ:
		set_masked(operand, 8, operand->trace.size / 8);
		set_sign_mask(address, &decoded->operands[1], 8);
		break;
	default: break;
	}
}

static void refine_xsave(struct isa_operand *operand, const struct decoded *decoded)
{
	switch (decoded->insn.mnemonic) {
	case ZYDIS_MNEMONIC_XSAVE:
	case ZYDIS_MNEMONIC_XSAVE64:
	case ZYDIS_MNEMONIC_XSAVEOPT:
	case ZYDIS_MNEMONIC_XSAVEOPT64:
		operand->trace.access = TF_STORE; /* its read of the header is left out */
		set_sized(operand, ISA_SIZE_XSAVE);
		break;
	case ZYDIS_MNEMONIC_XRSTOR:
	case ZYDIS_MNEMONIC_XRSTOR64: set_sized(operand, ISA_SIZE_XSAVE); break;
	case ZYDIS_MNEMONIC_XSAVEC:
	case ZYDIS_MNEMONIC_XSAVEC64: set_sized(operand, ISA_SIZE_XSAVEC); break;
	default: break;
	}
}

static void refine_address(struct isa_operand *operand, const struct decoded *decoded, bool hidden)
{
	struct isa_address *address = &operand->address;

	switch (decoded->insn.mnemonic) {
	case ZYDIS_MNEMONIC_POP:
		if (!hidden && address->base == ISA_RSP)
			address->displacement += operand->trace.size;
		break;
	case ZYDIS_MNEMONIC_BT:
	case ZYDIS_MNEMONIC_BTS:
	case ZYDIS_MNEMONIC_BTR:
	case ZYDIS_MNEMONIC_BTC: set_bit_string(operand, decoded); break;
	case ZYDIS_MNEMONIC_MOVSXD:
		/* Zydis gives movsxd r16 four bytes; Intel's processors read two. */
		if (decoded->insn.operand_width == 16 && decoded->vendor == ISA_INTEL)
			operand->trace.size = 2;
		break;
	case ZYDIS_MNEMONIC_XLAT:
		address->index = ISA_RAX;
		address->scale = 1;
		address->index_byte = 1;
		break;
	default: break;
	}
}

/* Corrects operands of particular instructions. */
static void refine(struct isa_operand *operand, const struct decoded *decoded, bool hidden)
{
	refine_address(operand, decoded, hidden);
	refine_masked(operand, decoded);
	refine_xsave(operand, decoded);
	if (has_category(decoded, ZYDIS_CATEGORY_PREFETCH) ||
	    has_category(decoded, ZYDIS_CATEGORY_PREFETCHWT1))
		set_prefetch(operand);
}

static void add_memory(struct isa_insn *insn, const struct decoded *decoded,
		       const ZydisDecodedOperand *zydis, uint64_t pc)
{
	/* The hidden destination of movdir64b is written as a register. */
	bool hidden = zydis->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
		      decoded->insn.mnemonic != ZYDIS_MNEMONIC_MOVDIR64B;
	struct isa_operand *operand = add_operand(insn, find_access(zydis), zydis->size / 8);

	set_address(operand, decoded, &zydis->mem, pc);
	if (hidden)
		operand->trace.flags |= TF_IMPLICIT;
	if (hidden && zydis->mem.base == ZYDIS_REGISTER_RSP && operand->trace.access == TF_STORE)
		operand->address.displacement = -(int64_t)operand->trace.size;
	if (insn->flags & TF_INSN_REP) {
		operand->trace.form = TF_REP;
		operand->n_extras = 3;
	}
	if (zydis->mem.type == ZYDIS_MEMOP_TYPE_VSIB)
		set_lanes(operand, decoded, &zydis->mem);
	else if (decoded->insn.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX)
		set_evex_mask(operand, decoded, zydis);
	refine(operand, decoded, hidden);
}

/* Returns true for instructions that name memory but make no access that a trace has. */
static bool accesses_nothing(const struct decoded *decoded)
{
	switch (decoded->insn.meta.category) {
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
	case ZYDIS_CATEGORY_CLDEMOTE:
	case ZYDIS_CATEGORY_CLFLUSHOPT:
	case ZYDIS_CATEGORY_CLWB: return true;
	case ZYDIS_CATEGORY_GATHER:
	case ZYDIS_CATEGORY_SCATTER:
		/* Prefetches have no destination or source beside memory and mask. */
		return decoded->insn.operand_count_visible == 2;
	default: return decoded->insn.mnemonic == ZYDIS_MNEMONIC_CLFLUSH;
	}
}

/*
 * Adds the rows of an AMX tile: Intel SDM 2, TILELOADD and TILESTORED. SIB's index is the rows'
 * stride, and no part of the address. Only the tile configuration has the bytes of a row.
 */
static void add_tile(struct isa_insn *insn, const struct decoded *decoded,
		     const ZydisDecodedOperand *zydis, ZydisRegister tile, uint64_t pc)
{
	for (unsigned piece = ISA_TILE_COLUMNS; piece; piece /= 2) {
		struct isa_operand *operand = add_operand(insn, find_access(zydis), piece);
		struct isa_address *address = &operand->address;

		set_address(operand, decoded, &zydis->mem, pc);
		address->row_stride = address->index;
		address->index = ISA_NO_REGISTER;
		address->mask_source = ISA_MASK_TILE;
		address->mask_register = tile - ZYDIS_REGISTER_TMM0;
		address->mask_element = piece;
		operand->trace.form = TF_LANES;
		operand->trace.lanes = ISA_TILE_ROWS;
		operand->trace.index_size = 8;
		operand->trace.scale = 1;
		operand->n_extras = 1 + ISA_TILE_ROWS;
	}
}

/* Returns false if the instruction accesses no tile in memory. */
static bool add_tiles(struct isa_insn *insn, const struct decoded *decoded, uint64_t pc)
{
	const ZydisDecodedOperand *operands = decoded->operands;

	switch (decoded->insn.mnemonic) {
	case ZYDIS_MNEMONIC_TILELOADD:
	case ZYDIS_MNEMONIC_TILELOADDT1:
		add_tile(insn, decoded, &operands[1], operands[0].reg.value, pc);
		return true;
	case ZYDIS_MNEMONIC_TILESTORED:
		add_tile(insn, decoded, &operands[0], operands[1].reg.value, pc);
		return true;
	default: return false;
	}
}

/*
 * Adds the operands of enter n, level. The instruction pushes rbp, then for level > 0 copies the
 * level - 1 frame pointers below [rbp] and pushes the new one. One operand stands for each run.
 */
static void add_enter(struct isa_insn *insn, const struct decoded *decoded)
{
	int64_t level = decoded->operands[1].imm.value.u % 32;
	int64_t size = decoded->insn.operand_width / 8;
	int64_t copied = level > 1 ? (level - 1) * size : 0;
	int64_t pushed = level > 0 ? (level + 1) * size : size;

	if (copied)
		add_implicit(insn, TF_LOAD, copied, ISA_RBP, -copied);
	add_implicit(insn, TF_STORE, pushed, ISA_RSP, -pushed);
}

/* Adds operands that Zydis does not list. */
static void add_missing(struct isa_insn *insn, const struct decoded *decoded)
{
	bool address32 = decoded->insn.address_width == 32;
	struct isa_operand *operand;

	switch (decoded->insn.mnemonic) {
	case ZYDIS_MNEMONIC_CLZERO:
		operand = add_implicit(insn, TF_STORE, 64, ISA_RAX, 0);
		operand->address.align = 64;
		operand->address.address32 = address32;
		break;
	case ZYDIS_MNEMONIC_ENQCMD:
		operand = add_operand(insn, TF_STORE, 64);
		operand->address.base = general_number(decoded->operands[0].reg.value);
		operand->address.address32 = address32;
		break;
	case ZYDIS_MNEMONIC_UIRET: /* rip, rflags, rsp */
		add_implicit(insn, TF_LOAD, 24, ISA_RSP, 0);
		break;
	default: break;
	}
}

static bool is_access(const ZydisDecodedOperand *zydis)
{
	return zydis->type == ZYDIS_OPERAND_TYPE_MEMORY && find_access(zydis) &&
	       (zydis->mem.type == ZYDIS_MEMOP_TYPE_MEM ||
		zydis->mem.type == ZYDIS_MEMOP_TYPE_VSIB);
}

void find_operands(const struct decoded *decoded, uint64_t pc, struct isa_insn *insn)
{
	if (accesses_nothing(decoded) || add_tiles(insn, decoded, pc))
		return;
	if (decoded->insn.mnemonic == ZYDIS_MNEMONIC_ENTER) {
		add_enter(insn, decoded);
		return;
	}
	/* Loads come before stores, as they execute. */
	for (int stores = 0; stores < 2; stores++)
		for (int i = 0; i < decoded->insn.operand_count; i++) {
			const ZydisDecodedOperand *zydis = &decoded->operands[i];

			if (is_access(zydis) && (find_access(zydis) == TF_STORE) == stores)
				add_memory(insn, decoded, zydis, pc);
		}
	add_missing(insn, decoded);
}
