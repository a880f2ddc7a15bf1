/* SPDX-License-Identifier: MIT */
/* isa_values: addresses and extras from the registers before an execution. */
#include "traceformat/x86_64/internal.h"

#include <cpuid.h>
#include <pthread.h>
#include <string.h>

/* ---- the layout of the processor's XSAVE area ------------------------------------------------ */

enum {
	LEAF = 0xd,
	FIRST_EXTENDED = 2, /* components 0 and 1 are in the legacy region */
	N_COMPONENTS = 63,  /* bit 63 is not a component */
	LEGACY_AND_HEADER = 576,
	ALIGNED = 1 << 1, /* ecx: starts at a multiple of 64 bytes if compacted */
};

/* A constant of the machine, kept because a virtual machine takes microseconds for each CPUID. */
static struct component {
	uint32_t size, offset, flags;
} layout[N_COMPONENTS];
static pthread_once_t layout_read = PTHREAD_ONCE_INIT;

static void read_layout(void)
{
	uint32_t unused;

	if (__get_cpuid_max(0, NULL) < LEAF)
		return;
	for (int i = FIRST_EXTENDED; i < N_COMPONENTS; i++)
		__cpuid_count(LEAF, i, layout[i].size, layout[i].offset, layout[i].flags, unused);
}

/*
 * Returns the bytes of an XSAVE area that holds the given components (bits as in xcr0), by the
 * rules of ISA_SIZE_XSAVE or, if compacted, ISA_SIZE_XSAVEC.
 */
static uint32_t xsave_size(uint64_t enabled, bool compacted)
{
	uint32_t end = LEGACY_AND_HEADER;

	pthread_once(&layout_read, read_layout);
	for (int i = FIRST_EXTENDED; i < N_COMPONENTS; i++) {
		const struct component *component = &layout[i];
		uint32_t start = component->offset;

		if (!(enabled >> i & 1) || !component->size)
			continue;
		if (compacted)
			start = component->flags & ALIGNED ? (end + 63) & ~63u : end;
		if (start + component->size > end)
			end = start + component->size;
	}
	return end;
}

/* ---- addresses and extras -------------------------------------------------------------------- */

static uint64_t bit_string_offset(const struct isa_address *address,
				  const struct isa_registers *registers)
{
	unsigned width = address->bit_string;
	int64_t bits = (int64_t)(registers->general[address->bit_register] << (64 - width)) >>
		       (64 - width);

	return (uint64_t)((bits >> __builtin_ctz(width)) * (width / 8));
}

/* Offsets in a tile configuration: Intel SDM 2, LDTILECFG. */
enum { TILE_START_ROW = 1, TILE_COLUMNS = 16, TILE_ROWS = 48 };

/* Returns the bytes of a tile's row. */
static unsigned tile_columns(const struct isa_registers *registers, unsigned tile)
{
	const uint8_t *columns = &registers->tile_config[TILE_COLUMNS + 2 * tile];

	return columns[0] | columns[1] << 8;
}

/* Returns the rows that are accessed in a piece of so many bytes. */
static uint64_t tile_rows(const struct isa_registers *registers, unsigned tile, unsigned piece)
{
	unsigned first = registers->tile_config[TILE_START_ROW];
	unsigned rows = registers->tile_config[TILE_ROWS + tile];

	if (!(tile_columns(registers, tile) & piece) || first >= rows || rows > ISA_TILE_ROWS)
		return 0;
	return (1ull << rows) - (1ull << first);
}

static uint64_t find_address(const struct isa_address *address,
			     const struct isa_registers *registers)
{
	uint64_t value = address->displacement;

	if (address->base != ISA_NO_REGISTER)
		value += registers->general[address->base];
	if (address->index != ISA_NO_REGISTER) {
		uint64_t index = registers->general[address->index];

		value += (address->index_byte ? index & 0xff : index) * address->scale;
	}
	if (address->bit_string)
		value += bit_string_offset(address, registers);
	if (address->mask_source == ISA_MASK_TILE) /* the larger pieces come before this one */
		value += tile_columns(registers, address->mask_register) &
			 -(2u * address->mask_element);
	if (address->address32)
		value = (uint32_t)value;
	if (address->segment == TF_SEGMENT_FS)
		value += registers->fs_base;
	else if (address->segment == TF_SEGMENT_GS)
		value += registers->gs_base;
	if (address->align)
		value &= -(uint64_t)address->align;
	return value;
}

static uint64_t low_bits(unsigned n)
{
	return ~0ull >> (64 - n);
}

uint64_t isa_fold_mask(uint64_t mask, unsigned lanes)
{
	uint64_t folded = mask & low_bits(lanes);

	for (unsigned at = lanes; at < 64; at += lanes)
		folded |= mask >> at & low_bits(lanes);
	return folded;
}

/* Returns the bits of a mask register that the instruction uses, for each lane of memory. */
static uint64_t find_k_mask(const struct isa_address *address, unsigned lanes,
			    const struct isa_registers *registers)
{
	uint64_t mask = registers->mask[address->mask_register];

	if (address->mask_lanes)
		return isa_fold_mask(mask & low_bits(address->mask_lanes), lanes);
	return mask & low_bits(lanes);
}

/* Returns the mask of an operand, bits beyond its lanes clear. */
static uint64_t find_mask(const struct isa_address *address, unsigned lanes,
			  const struct isa_registers *registers)
{
	const uint8_t *vector;
	uint64_t mask = 0;

	if (address->mask_source == ISA_MASK_K)
		return find_k_mask(address, lanes, registers);
	if (address->mask_source == ISA_MASK_TILE)
		return tile_rows(registers, address->mask_register, address->mask_element);
	vector = address->mask_source == ISA_MASK_MMX
			 ? (const uint8_t *)&registers->mmx[address->mask_register]
			 : registers->vector[address->mask_register];
	for (unsigned i = 0; i < lanes; i++) {
		unsigned last = (i + 1) * address->mask_element - 1;

		mask |= (uint64_t)(vector[last] >> 7) << i;
	}
	return mask;
}

static uint64_t find_size(const struct isa_address *address, const struct isa_registers *registers)
{
	uint64_t components;

	if (address->size_source == ISA_SIZE_LANES)
		return __builtin_popcountll(find_mask(address, address->mask_lanes, registers)) *
		       address->mask_element;
	components = registers->general[ISA_RDX] << 32 | (uint32_t)registers->general[ISA_RAX];
	return xsave_size(components & registers->xcr0, address->size_source == ISA_SIZE_XSAVEC);
}

/*
 * Finds the distances of a tile's rows from the first one. The address wraps without its segment
 * base.
 */
static void find_rows(const struct isa_address *address, const struct isa_registers *registers,
		      uint64_t *indices)
{
	struct isa_address in_segment = *address;
	uint64_t first, stride = 0;

	if (address->row_stride != ISA_NO_REGISTER)
		stride = registers->general[address->row_stride] * address->scale;
	in_segment.segment = TF_SEGMENT_NONE;
	first = find_address(&in_segment, registers);
	for (unsigned i = 0; i < ISA_TILE_ROWS; i++) {
		uint64_t row = first + stride * i;

		indices[i] = (address->address32 ? (uint32_t)row : row) - first;
	}
}

static void find_extras(const struct isa_insn *insn, const struct isa_operand *operand,
			const struct isa_registers *registers, uint64_t *extras)
{
	const struct isa_address *address = &operand->address;
	const struct tf_operand *trace = &operand->trace;

	memset(extras, 0, operand->n_extras * sizeof(*extras));
	switch (trace->form) {
	case TF_REP:
		extras[0] = registers->general[ISA_RCX];
		if (insn->address32)
			extras[0] = (uint32_t)extras[0];
		break;
	case TF_MASKED: extras[0] = find_mask(address, trace->lanes, registers); break;
	case TF_LANES:
		extras[0] = find_mask(address, trace->lanes, registers);
		if (address->mask_source == ISA_MASK_TILE)
			find_rows(address, registers, extras + 1);
		else
			memcpy(extras + 1, registers->vector[address->index_vector],
			       trace->lanes * trace->index_size);
		break;
	case TF_SIZED: extras[0] = find_size(address, registers); break;
	default: break;
	}
}

void isa_values(const struct isa_insn *insn, const struct isa_registers *registers,
		uint64_t *values)
{
	uint64_t *extras = values + insn->n_operands;

	for (int i = 0; i < insn->n_operands; i++) {
		const struct isa_operand *operand = &insn->operands[i];

		values[i] = find_address(&operand->address, registers);
		if (operand->trace.form == TF_REP && i > 0)
			continue;
		find_extras(insn, operand, registers, extras);
		extras += operand->n_extras;
	}
}

bool isa_needs_vectors(const struct isa_insn *insn)
{
	for (int i = 0; i < insn->n_operands; i++) {
		const struct isa_address *address = &insn->operands[i].address;

		if (address->mask_source || address->size_source ||
		    address->index_vector != ISA_NO_REGISTER)
			return true;
	}
	return false;
}
