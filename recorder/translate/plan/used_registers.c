/* SPDX-License-Identifier: MIT */
#include "recorder/translate/plan/used_registers.h"

#include <string.h>
#include <sys/auxv.h>

/* The registers that isa_values() reads for an instruction. */
struct used {
	uint16_t general; /* bit n: register n */
	uint8_t masks, mmx;
	bool fs_base;
	unsigned n_vectors;
	struct {
		uint8_t reg, places;
	} vectors[2]; /* an operand has at most indices and a mask */
};

static uint16_t general_bit(unsigned reg)
{
	return reg == ISA_NO_REGISTER ? 0 : (uint16_t)(1u << reg);
}

static void use_vector(struct used *u, unsigned reg, unsigned bytes)
{
	u->vectors[u->n_vectors].reg = (uint8_t)reg;
	u->vectors[u->n_vectors++].places = bytes <= 8 ? 1 : bytes <= 16 ? 2 : bytes <= 32 ? 4 : 8;
}

bool used_registers_have_bases(void)
{
	enum { FSGSBASE = 2 }; /* HWCAP2_FSGSBASE */

	return getauxval(AT_HWCAP2) & FSGSBASE;
}

static void use_operand(struct used *u, const struct isa_operand *o)
{
	const struct isa_address *a = &o->address;
	unsigned lanes = o->trace.form == TF_SIZED ? a->mask_lanes : o->trace.lanes;

	u->general |= general_bit(a->base) | general_bit(a->index);
	if (a->bit_string)
		u->general |= general_bit(a->bit_register);
	if (a->size_source == ISA_SIZE_XSAVE || a->size_source == ISA_SIZE_XSAVEC)
		u->general |= 1u << ISA_RAX | 1u << ISA_RDX;
	if (a->segment == TF_SEGMENT_FS)
		u->fs_base = used_registers_have_bases();
	if (a->mask_source == ISA_MASK_K)
		u->masks |= (uint8_t)(1u << a->mask_register);
	else if (a->mask_source == ISA_MASK_MMX)
		u->mmx |= (uint8_t)(1u << a->mask_register);
	else if (a->mask_source == ISA_MASK_SIGN)
		use_vector(u, a->mask_register, lanes * a->mask_element);
	if (a->index_vector != ISA_NO_REGISTER)
		use_vector(u, a->index_vector, o->trace.lanes * o->trace.index_size);
}

static struct used registers_used(const struct isa_insn *fact)
{
	struct used u = { .n_vectors = 0 };

	for (unsigned i = 0; i < fact->n_operands; i++)
		use_operand(&u, &fact->operands[i]);
	if (fact->flags & TF_INSN_REP)
		u.general |= 1u << ISA_RCX;
	return u;
}

void used_registers_capture(struct numbering *n, const struct isa_insn *fact, unsigned insn)
{
	struct used u = registers_used(fact);
	struct capture c = { .insn = (uint16_t)insn, .hidden = true, .index = ISA_NO_REGISTER };

	c.kind = CAPTURE_SUM;
	for (unsigned left = u.general; left; left &= left - 1) {
		c.base = (uint8_t)__builtin_ctz(left);
		numbering_capture(n, &c);
	}
	c.kind = CAPTURE_FS_BASE;
	if (u.fs_base)
		numbering_capture(n, &c);
	c.kind = CAPTURE_MASK;
	c.size = (uint8_t)capture_mask_bits(64);
	for (unsigned left = u.masks; left; left &= left - 1) {
		c.base = (uint8_t)__builtin_ctz(left);
		numbering_capture(n, &c);
	}
	c.kind = CAPTURE_MMX;
	for (unsigned left = u.mmx; left; left &= left - 1) {
		c.base = (uint8_t)__builtin_ctz(left);
		numbering_capture(n, &c);
	}
	c.kind = CAPTURE_VECTOR;
	for (unsigned i = 0; i < u.n_vectors; i++) {
		c.base = u.vectors[i].reg;
		c.n_places = u.vectors[i].places;
		numbering_capture(n, &c);
	}
}

void used_registers_read(const struct isa_insn *fact, const uint64_t *places,
			 struct isa_registers *r)
{
	struct used u = registers_used(fact);

	for (unsigned left = u.general; left; left &= left - 1)
		r->general[__builtin_ctz(left)] = *places++;
	if (u.fs_base)
		r->fs_base = *places++;
	for (unsigned left = u.masks; left; left &= left - 1)
		r->mask[__builtin_ctz(left)] = *places++;
	for (unsigned left = u.mmx; left; left &= left - 1)
		r->mmx[__builtin_ctz(left)] = *places++;
	for (unsigned i = 0; i < u.n_vectors; i++) {
		memcpy(r->vector[u.vectors[i].reg], places, 8u * u.vectors[i].places);
		places += u.vectors[i].places;
	}
}
