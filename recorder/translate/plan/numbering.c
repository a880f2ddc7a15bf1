/* SPDX-License-Identifier: MIT */
#include "recorder/translate/plan/numbering.h"

#include <string.h>

/* Values 0 to 15 are those of the registers at the superblock's entry. */
enum { NO_VALUE = 0xffff, ENTRY_RSP = ISA_RSP };

void numbering_begin(struct numbering *n)
{
	n->n_values = 16;
	n->n_slots = n->n_places = n->n_captures = n->n_known = 0;
	for (unsigned i = 0; i < 16; i++)
		n->registers[i] = (struct register_value){ (uint16_t)i, 0 };
}

unsigned numbering_capture(struct numbering *n, const struct capture *capture)
{
	struct capture *c = &n->captures[n->n_captures++];
	unsigned first = n->n_slots, place = n->n_places;

	*c = *capture;
	c->place = (uint16_t)place;
	if (!c->n_places)
		c->n_places = 1;
	n->n_places += c->n_places;
	if (c->hidden)
		return place;
	for (unsigned i = 0; i < c->n_places; i++)
		n->places[n->n_slots++] = (uint16_t)(place + i);
	return first;
}

static const struct slot_value *find(const struct numbering *n, uint16_t base, uint16_t index,
				     unsigned scale)
{
	for (unsigned i = 0; i < n->n_known; i++) {
		const struct slot_value *k = &n->known[i];

		if (k->base == base && k->index == index && k->scale == scale)
			return k;
	}
	return NULL;
}

/* Returns a slot with general[base] + general[index] * scale. Either register may be none. */
static const struct slot_value *sum(struct numbering *n, unsigned base, unsigned index,
				    unsigned scale, unsigned insn, bool after)
{
	static const struct register_value none = { NO_VALUE, 0 };
	struct register_value b = base == ISA_NO_REGISTER ? none : n->registers[base];
	struct register_value i = index == ISA_NO_REGISTER ? none : n->registers[index];
	const struct slot_value *known = find(n, b.value, i.value, scale);
	struct slot_value *add;

	if (known)
		return known;
	add = &n->known[n->n_known];
	*add = (struct slot_value){
		.base = b.value,
		.index = i.value,
		.scale = (uint8_t)scale,
		.displacement = b.displacement + i.displacement * (int64_t)scale,
	};
	add->slot = (uint16_t)numbering_capture(n, &(struct capture){
							   .insn = (uint16_t)insn,
							   .kind = CAPTURE_SUM,
							   .after = after,
							   .base = (uint8_t)base,
							   .index = (uint8_t)index,
							   .scale = (uint8_t)scale,
						   });
	n->n_known++;
	return add;
}

static bool is_entry_rsp(const struct numbering *n, unsigned reg)
{
	return reg != ISA_NO_REGISTER && n->registers[reg].value == ENTRY_RSP;
}

/* Completes the recipe of an address whose base is rsp's entry value. The index is any register or
 * none. */
static void address_from_rsp(struct numbering *n, unsigned base, unsigned index, unsigned scale,
			     unsigned insn, struct tf_recipe *r)
{
	const struct slot_value *s;

	r->base = TF_BASE_RSP;
	r->displacement += n->registers[base].displacement;
	if (index == ISA_NO_REGISTER)
		return;
	s = sum(n, index, ISA_NO_REGISTER, 0, insn, false);
	r->scale = (uint8_t)scale;
	r->index_slot = s->slot;
	r->displacement += (n->registers[index].displacement - s->displacement) * (int64_t)scale;
}

static void address_from_slot(struct numbering *n, unsigned base, unsigned index, unsigned scale,
			      unsigned insn, struct tf_recipe *r)
{
	const struct slot_value *s = sum(n, base, index, scale, insn, false);

	r->base = TF_BASE_SLOT;
	r->slot = s->slot;
	if (base != ISA_NO_REGISTER)
		r->displacement += n->registers[base].displacement;
	if (index != ISA_NO_REGISTER)
		r->displacement += n->registers[index].displacement * (int64_t)scale;
	r->displacement -= s->displacement;
}

/* Captures the low bits of a register in a slot of their own. */
static uint16_t part(struct numbering *n, unsigned reg, unsigned bits, unsigned insn)
{
	return (uint16_t)numbering_capture(n, &(struct capture){ .insn = (uint16_t)insn,
								 .kind = CAPTURE_PART,
								 .base = (uint8_t)reg,
								 .size = (uint8_t)bits });
}

/* Adds the part of an address besides base and index. A recipe has room for one such part. */
static void add_bits_or_byte(struct numbering *n, const struct isa_address *a, unsigned insn,
			     struct tf_recipe *r)
{
	if (a->bit_string) {
		r->bit_string = a->bit_string;
		r->index_slot = part(n, a->bit_register, a->bit_string, insn);
	} else if (a->index_byte) {
		r->scale = a->scale;
		r->index_slot = part(n, a->index, 8, insn);
	}
}

struct tf_recipe numbering_address(struct numbering *n, const struct isa_address *a, unsigned insn)
{
	struct tf_recipe r = {
		.base = TF_BASE_CONSTANT,
		.address32 = a->address32,
		.segment = a->segment,
		.displacement = a->displacement,
	};
	unsigned base = a->base, index = a->index_byte ? ISA_NO_REGISTER : a->index;
	bool one_index = a->bit_string || a->index_byte;
	unsigned scale = index == ISA_NO_REGISTER ? 0 : a->scale;

	if (is_entry_rsp(n, base) && (!one_index || index == ISA_NO_REGISTER)) {
		address_from_rsp(n, base, index, scale, insn, &r);
	} else if (is_entry_rsp(n, index) && scale == 1 && !one_index) {
		address_from_rsp(n, index, base, 1, insn, &r);
	} else if (base != ISA_NO_REGISTER || index != ISA_NO_REGISTER) {
		address_from_slot(n, base, index, scale, insn, &r);
	}
	add_bits_or_byte(n, a, insn, &r);
	return r;
}

unsigned capture_mask_bits(unsigned lanes)
{
	if (lanes <= 8 && __builtin_cpu_supports("avx512dq"))
		return 8;
	if (lanes <= 16 || !__builtin_cpu_supports("avx512bw"))
		return 16;
	return lanes <= 32 ? 32 : 64;
}

void numbering_retire(struct numbering *n, const struct isa_effects *e)
{
	struct register_value follows = { 0, 0 };

	if (e->to != ISA_NO_REGISTER) {
		follows = n->registers[e->from];
		follows.displacement += e->displacement;
	}
	for (unsigned i = 0; i < 16; i++)
		if (e->writes >> i & 1)
			n->registers[i] = (struct register_value){ (uint16_t)n->n_values++, 0 };
	if (e->to != ISA_NO_REGISTER)
		n->registers[e->to] = follows;
}

void numbering_rsp(struct numbering *n, struct tf_exit *exit, unsigned insn)
{
	const struct register_value *rsp = &n->registers[ISA_RSP];
	const struct slot_value *s;

	if (rsp->value == ENTRY_RSP) {
		exit->rsp_rule = TF_RSP_DELTA;
		exit->rsp_value = rsp->displacement;
		return;
	}
	s = sum(n, ISA_RSP, ISA_NO_REGISTER, 0, insn, true);
	exit->rsp_rule = TF_RSP_SLOT;
	exit->rsp_slot = s->slot;
	exit->rsp_value = rsp->displacement - s->displacement;
}
