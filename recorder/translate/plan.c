/* SPDX-License-Identifier: MIT */
#include "recorder/translate/plan.h"

#include <string.h>

/* ---- what can be translated ---- */

static bool operand_fits(const struct isa_operand *o)
{
	const struct isa_address *a = &o->address;

	if (a->bit_string || a->align || a->index_byte)
		return false;
	switch ((enum tf_form)o->trace.form) {
	case TF_PLAIN:
	case TF_REP:
		return true;
	case TF_MASKED:
		return a->mask_source == ISA_MASK_K;
	case TF_SIZED:
		return a->size_source != ISA_SIZE_LANES;
	case TF_LANES:
		break;
	}
	return false;
}

/* Instructions that are not what they seem when they run elsewhere, or on which stepping and
 * running differ: the trap and direction flags, far transfers, transactions, 16-bit branches. */
static bool is_special(const uint8_t *code, const struct isa_insn *fact, const struct isa_effects *e)
{
	enum { POPF = 0x9d, IRET = 0xcf, STD = 0xfd, RETF_IMM = 0xca, RETF = 0xcb, GROUP_5 = 0xff,
	       GROUP_11 = 0xc7, XBEGIN = 0xf8, OPERAND_SIZE = 0x66, FAR_CALL = 3, FAR_JMP = 5 };
	const uint8_t *opcode = code + e->opcode;
	bool branch = fact->end != TF_END_NONE && fact->end != TF_END_SYSCALL;

	switch (*opcode) {
	case POPF: case IRET: case STD: case RETF_IMM: case RETF:
		return true;
	case GROUP_5:
		if ((opcode[1] >> 3 & 7) == FAR_CALL || (opcode[1] >> 3 & 7) == FAR_JMP)
			return true;
		break;
	case GROUP_11:
		if (opcode[1] == XBEGIN)
			return true;
		break;
	}
	return branch && memchr(code, OPERAND_SIZE, e->opcode);
}

static bool fits(const struct isa_insn *fact, const uint8_t *code, uint64_t pc)
{
	struct isa_effects e;

	if (fact->flags & TF_INSN_OPAQUE || fact->loads_control_word || fact->writes_segment_base ||
	    fact->end == TF_END_TRAP)
		return false;
	if (fact->flags & TF_INSN_REP && fact->address32)
		return false;
	for (unsigned i = 0; i < fact->n_operands; i++)
		if (!operand_fits(&fact->operands[i]))
			return false;
	return isa_effects(code, fact->length, pc, &e) == 0 && !e.uses_gs &&
	       !is_special(code, fact, &e);
}

bool plan_can_have(const struct code_block *b)
{
	for (unsigned i = 0; i < b->trace.n_insns; i++) {
		unsigned offset = b->trace.insns[i].offset;

		if (!fits(&b->facts[i], b->trace.code + offset, b->trace.pc + offset))
			return false;
	}
	return true;
}

/* ---- what is recorded ---- */

static void add_value(struct plan *p, struct tf_recipe recipe)
{
	p->recipes[p->n_values++] = recipe;
}

static struct tf_recipe slot_recipe(unsigned slot)
{
	return (struct tf_recipe){ .base = TF_BASE_SLOT, .slot = (uint16_t)slot };
}

static void add_address(struct plan *p, const struct isa_address *a, unsigned insn)
{
	add_value(p, p->no_addresses ? (struct tf_recipe){ .base = TF_BASE_UNKNOWN }
				     : numbering_address(&p->numbering, a, insn));
}

static void correct_later(struct plan *p, unsigned slot, unsigned lanes,
			  const struct isa_insn *size)
{
	p->corrections[p->n_corrections++] = (struct plan_correction){
		.slot = (uint16_t)slot, .lanes = (uint8_t)lanes, .size = size,
	};
}

/* Count before, repetitions done, flags. */
static void add_rep(struct plan *p, unsigned insn)
{
	struct numbering *n = &p->numbering;
	unsigned count, done, zero;

	count = numbering_capture(n, &(struct capture){
		.insn = (uint16_t)insn, .kind = CAPTURE_SUM, .base = ISA_RCX,
		.index = ISA_NO_REGISTER });
	done = numbering_capture(n, &(struct capture){
		.insn = (uint16_t)insn, .kind = CAPTURE_REPETITIONS, .after = true,
		.count_slot = (uint16_t)count });
	zero = numbering_capture(n, &(struct capture){
		.insn = (uint16_t)insn, .kind = CAPTURE_ZERO_FLAG, .after = true });
	add_value(p, slot_recipe(count));
	add_value(p, slot_recipe(done));
	add_value(p, (struct tf_recipe){ .base = TF_BASE_CONSTANT, .scale = TF_REP_ZF,
					 .index_slot = (uint16_t)zero });
}

static void add_extras(struct plan *p, const struct isa_operand *o, const struct isa_insn *fact,
		       unsigned insn)
{
	struct capture c = { .insn = (uint16_t)insn };
	unsigned slot;

	if (o->trace.form == TF_MASKED) {
		c.kind = CAPTURE_MASK;
		c.base = o->address.mask_register;
	} else {
		c.kind = CAPTURE_COMPONENTS;
	}
	slot = numbering_capture(&p->numbering, &c);
	correct_later(p, slot, o->trace.form == TF_MASKED ? o->trace.lanes : 0,
		      o->trace.form == TF_MASKED ? NULL : fact);
	add_value(p, slot_recipe(slot));
}

/* The values of a block: addresses of all instructions first, then extras of all. */
static void add_values(struct plan *p, const struct code_block *b)
{
	unsigned first_insn = p->n_insns, first_value = p->n_values;
	unsigned extra = first_value + b->trace.n_operands;
	struct numbering *n = &p->numbering;

	for (unsigned i = 0; i < b->trace.n_insns; i++) {
		const struct isa_insn *fact = &b->facts[i];
		unsigned offset = b->trace.insns[i].offset, at = first_insn + i;
		struct plan_insn *insn = &p->insns[at];

		*insn = (struct plan_insn){
			.fact = fact, .code = b->trace.code + offset, .pc = b->trace.pc + offset,
			.first_capture = (uint16_t)n->n_captures, .last = i + 1 == b->trace.n_insns,
		};
		isa_effects(insn->code, fact->length, insn->pc, &insn->effects);
		p->n_values = first_value + b->trace.insns[i].first_operand;
		for (unsigned k = 0; k < fact->n_operands; k++)
			add_address(p, &fact->operands[k].address, at);
		p->n_values = extra;
		if (fact->flags & TF_INSN_REP && fact->n_values > fact->n_operands)
			add_rep(p, at);
		else
			for (unsigned k = 0; k < fact->n_operands; k++)
				if (fact->operands[k].n_extras)
					add_extras(p, &fact->operands[k], fact, at);
		extra = p->n_values;
		numbering_retire(n, &insn->effects);
	}
	p->n_values = first_value + b->trace.n_values;
	p->n_insns += b->trace.n_insns;
}

/* ---- the path ---- */

void plan_begin(struct plan *p, uint64_t pc, bool no_addresses, uint32_t function, unsigned n_args)
{
	p->pc = pc;
	p->no_addresses = no_addresses;
	p->function = function;
	p->n_args = n_args;
	p->n_blocks = p->n_insns = p->n_exits = p->n_values = p->n_corrections = 0;
	numbering_begin(&p->numbering);
}

bool plan_fits(const struct plan *p, const struct code_block *b)
{
	unsigned captures = p->numbering.n_captures + b->trace.n_values + PLAN_EXITS;

	return !p->n_blocks ||
	       (p->n_blocks < PLAN_BLOCKS && p->n_insns + b->trace.n_insns <= PLAN_INSNS &&
		captures <= NUMBERING_SLOTS && p->n_values + b->trace.n_values <= PLAN_VALUES);
}

void plan_add(struct plan *p, struct code_block *b)
{
	p->blocks[p->n_blocks++] = b;
	add_values(p, b);
}

static const struct code_block *last_block(const struct plan *p)
{
	return p->blocks[p->n_blocks - 1];
}

static uint64_t behind(const struct code_block *b)
{
	return b->trace.pc + b->trace.code_size;
}

uint64_t plan_next(const struct plan *p)
{
	const struct code_block *b = last_block(p);

	switch ((enum tf_end)b->trace.end) {
	case TF_END_JUMP:
	case TF_END_CALL:
		return b->trace.target;
	case TF_END_NONE:
		return behind(b);
	case TF_END_CONDITIONAL:
		return b->trace.target > behind(b) ? behind(b) : 0;
	default:
		return 0;
	}
}

static void add_exit(struct plan *p, enum tf_outcome outcome, uint64_t target)
{
	struct plan_exit *e = &p->exits[p->n_exits++];

	*e = (struct plan_exit){
		.trace = { .n_blocks = (uint16_t)p->n_blocks, .outcome = (uint8_t)outcome },
		.n_insns = (uint16_t)p->n_insns, .target = target,
	};
	if (!p->no_addresses)
		numbering_rsp(&p->numbering, &e->trace, p->n_insns - 1);
	e->trace.n_slots = (uint16_t)p->numbering.n_slots;
}

bool plan_can_go_on(const struct plan *p, uint64_t pc)
{
	const struct code_block *b = last_block(p);

	switch ((enum tf_end)b->trace.end) {
	case TF_END_JUMP:
	case TF_END_CALL:
		return pc == b->trace.target;
	case TF_END_NONE:
		return pc == behind(b);
	case TF_END_CONDITIONAL:
		return b->trace.target != behind(b) && (pc == b->trace.target || pc == behind(b));
	case TF_END_INDIRECT_JUMP:
	case TF_END_INDIRECT_CALL:
	case TF_END_RETURN:
		return true;
	default:
		return false;
	}
}

void plan_go_on(struct plan *p, uint64_t pc)
{
	const struct code_block *b = last_block(p);
	struct plan_insn *insn = &p->insns[p->n_insns - 1];

	switch ((enum tf_end)b->trace.end) {
	case TF_END_CONDITIONAL:
		insn->taken = pc == b->trace.target;
		if (insn->taken)
			add_exit(p, TF_NOT_TAKEN, behind(b));
		else
			add_exit(p, TF_TAKEN, b->trace.target);
		break;
	case TF_END_INDIRECT_JUMP:
	case TF_END_INDIRECT_CALL:
	case TF_END_RETURN:
		insn->guard = pc;
		add_exit(p, TF_TAKEN, 0);
		break;
	default:
		break;
	}
}

/* How many of the instruction's captures are taken before it executes. */
static void divide_captures(struct plan *p)
{
	for (unsigned i = 0; i < p->n_insns; i++) {
		struct plan_insn *insn = &p->insns[i];
		unsigned end = i + 1 < p->n_insns ? p->insns[i + 1].first_capture
						  : p->numbering.n_captures;

		for (unsigned k = insn->first_capture; k < end; k++) {
			insn->n_after += p->numbering.captures[k].after;
			insn->n_before += !p->numbering.captures[k].after;
		}
	}
}

void plan_end(struct plan *p)
{
	const struct code_block *b = last_block(p);

	p->n_insn_captures = p->numbering.n_captures;
	switch ((enum tf_end)b->trace.end) {
	case TF_END_CONDITIONAL:
		add_exit(p, TF_NOT_TAKEN, behind(b));
		add_exit(p, TF_TAKEN, b->trace.target);
		break;
	case TF_END_JUMP:
	case TF_END_CALL:
		add_exit(p, TF_TAKEN, b->trace.target);
		break;
	case TF_END_INDIRECT_JUMP:
	case TF_END_INDIRECT_CALL:
	case TF_END_RETURN:
		add_exit(p, TF_TAKEN, 0);
		break;
	default:
		add_exit(p, TF_NOT_TAKEN, behind(b));
		break;
	}
	divide_captures(p);
}

/* ---- corrections ---- */

static uint64_t area_size(const struct isa_insn *fact, uint64_t components, uint64_t xcr0)
{
	struct isa_registers r;
	uint64_t values[ISA_MAX_VALUES];

	memset(&r, 0, sizeof(r));
	r.general[ISA_RAX] = (uint32_t)components;
	r.general[ISA_RDX] = components >> 32;
	r.xcr0 = xcr0;
	isa_values(fact, &r, values);
	return values[fact->n_operands];
}

void plan_correct(const struct plan_correction *corrections, unsigned n, uint64_t xcr0,
		  uint64_t *slots, unsigned n_slots)
{
	for (unsigned i = 0; i < n; i++) {
		const struct plan_correction *c = &corrections[i];

		if (c->slot >= n_slots)
			continue;
		if (c->lanes)
			slots[c->slot] &= ~UINT64_C(0) >> (64 - c->lanes);
		else
			slots[c->slot] = area_size(c->size, slots[c->slot], xcr0);
	}
}
