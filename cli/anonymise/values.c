/* SPDX-License-Identifier: MIT */
/*
 * Values that nobody reads are not copied: addresses of operands that access nothing, indices of
 * lanes that are not active, and whatever belongs to instructions that were not executed.
 */
#include "cli/anonymise/values.h"

#include <string.h>

/* An operand's values, and where they go. */
struct place {
	const struct tf_operand *operand;
	const struct operand_layout *layout;
	const uint64_t *address, *extra;
};

static uint64_t active_lanes(const struct tf_operand *operand, uint64_t mask)
{
	return operand->lanes < 64 ? mask & ((UINT64_C(1) << operand->lanes) - 1) : mask;
}

/* Maps the address of an operand by the place of its first access. */
static uint64_t map_by(struct map_lookup *l, uint64_t address, uint64_t accessed)
{
	return address + (map_address(l, accessed) - accessed);
}

static void write_masked(struct map_lookup *l, const struct place *p, uint64_t *slots)
{
	uint64_t address = *p->address;
	uint64_t mask = active_lanes(p->operand, *p->extra);

	slots[p->layout->to_extra] = mask;
	if (p->layout->to == NO_SLOT)
		return;
	slots[p->layout->to] = mask ? map_by(l, address,
					     address + (uint64_t)__builtin_ctzll(mask) *
							       p->operand->size)
				    : map_unread(l->map, address);
}

static void write_repeated(struct map_lookup *l, const struct place *p, uint64_t *slots)
{
	const uint64_t *extra = p->extra;

	memcpy(slots + p->layout->to_extra, extra, 3 * sizeof(*extra));
	if (p->layout->to != NO_SLOT)
		slots[p->layout->to] = extra[1] ? map_address(l, *p->address)
						: map_unread(l->map, *p->address);
}

static void write_sized(struct map_lookup *l, const struct place *p, uint64_t *slots)
{
	slots[p->layout->to_extra] = *p->extra;
	if (p->layout->to != NO_SLOT)
		slots[p->layout->to] = *p->extra ? map_address(l, *p->address)
						 : map_unread(l->map, *p->address);
}

/* ---- lanes ------------------------------------------------------------------------------- */

static int64_t index_at(const uint64_t *vector, unsigned i, unsigned size)
{
	if (size == sizeof(uint64_t))
		return (int64_t)vector[i];
	return (int32_t)(vector[i / 2] >> i % 2 * 32);
}

static uint64_t lane_address(const struct tf_operand *operand, uint64_t base,
			     const uint64_t *vector, unsigned i)
{
	uint64_t address = base +
			   (uint64_t)index_at(vector, i, operand->index_size) * operand->scale;

	return operand->flags & TF_ADDRESS32 ? (uint32_t)address : address;
}

/* Writes each lane's distance from the first active one, which is the new address. */
static void write_wide(struct map_lookup *l, const struct place *p, uint64_t mask, uint64_t *slots)
{
	const uint64_t *vector = p->extra + 1;
	uint64_t base = *p->address, first = 0;

	for (uint64_t left = mask; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);
		uint64_t lane = map_address(l, lane_address(p->operand, base, vector, i));

		if (left == mask)
			slots[p->layout->to] = first = lane;
		slots[p->layout->to_extra + 1 + i] = lane - first;
	}
}

/* Writes the indices of active lanes as they are. Returns false if lanes move differently. */
static bool write_narrow(struct map_lookup *l, const struct place *p, uint64_t mask,
			 uint64_t *slots)
{
	const uint64_t *vector = p->extra + 1;
	uint64_t base = *p->address, moved = 0;
	unsigned bits = p->operand->index_size * 8u;
	bool alike = true;

	for (uint64_t left = mask; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left), at = i * bits;
		uint64_t field = bits == 64 ? UINT64_MAX : UINT64_C(0xffffffff) << at % 64;
		uint64_t lane = lane_address(p->operand, base, vector, i);
		uint64_t by = map_address(l, lane) - lane;

		if (left == mask)
			moved = by;
		alike &= by == moved;
		slots[p->layout->to_extra + 1 + at / 64] |= vector[at / 64] & field;
	}
	slots[p->layout->to] = base + moved;
	return alike;
}

static bool write_lanes(struct map_lookup *l, const struct place *p, uint64_t *slots)
{
	uint64_t mask = active_lanes(p->operand, *p->extra);

	slots[p->layout->to_extra] = mask;
	if (p->layout->to == NO_SLOT)
		return true;
	if (!mask) {
		slots[p->layout->to] = map_unread(l->map, *p->address);
		return true;
	}
	if (!p->layout->wide)
		return write_narrow(l, p, mask, slots);
	write_wide(l, p, mask, slots);
	return true;
}

/* ---- extras that tell nothing ------------------------------------------------------------ */

static void write_uniform(const struct place *p, uint64_t *slots)
{
	uint64_t *extra = slots + p->layout->to_extra;

	switch ((enum tf_form)p->operand->form) {
	case TF_PLAIN: break;
	case TF_MASKED:
	case TF_LANES: extra[0] = active_lanes(p->operand, UINT64_MAX); break;
	case TF_REP:
		extra[0] = extra[1] = 1;
		extra[2] = 0;
		break;
	case TF_SIZED: extra[0] = p->operand->size ? p->operand->size : 1; break;
	}
}

/* ------------------------------------------------------------------------------------------ */

bool values_write(struct map_lookup *l, const struct block_layout *layout, uint32_t executed,
		  const uint64_t *values, uint64_t *slots)
{
	const struct tf_block *block = layout->block;
	bool alike = true;

	for (unsigned k = 0; k < block->n_operands && block->operands[k].insn < executed; k++) {
		const struct place p = { &block->operands[k], &layout->operands[k], &values[k],
					 values + block->operands[k].extra };

		if (p.layout->uniform) {
			write_uniform(&p, slots);
			continue;
		}
		switch ((enum tf_form)p.operand->form) {
		case TF_PLAIN:
			if (p.layout->to != NO_SLOT)
				slots[p.layout->to] = map_address(l, *p.address);
			break;
		case TF_MASKED: write_masked(l, &p, slots); break;
		case TF_REP: write_repeated(l, &p, slots); break;
		case TF_LANES: alike &= write_lanes(l, &p, slots); break;
		case TF_SIZED: write_sized(l, &p, slots); break;
		}
	}
	return alike;
}
