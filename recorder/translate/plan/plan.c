/* SPDX-License-Identifier: MIT */
#include "recorder/translate/plan/plan.h"

#include <string.h>

#include "recorder/program/stepped_insns.h"
#include "recorder/translate/plan/used_registers.h"

/* Hidden places for the control words that a superblock's last instruction loads. */
enum { CONTROL_WORDS = 3 };

/* ---- instructions that can be translated ---- */

static bool operand_fits(const struct isa_operand *o)
{
	const struct isa_address *a = &o->address;

	switch ((enum isa_mask_source)a->mask_source) {
	case ISA_MASK_SIGN: return __builtin_cpu_supports("avx");
	default:
		/* the address is rounded down after the segment's base has been added */
		return !a->align || !a->segment;
	}
}

/* Returns true unless the instruction goes through gs, or loads a segment base, in a way that
 * special.c cannot execute. */
static bool segments_fit(const struct isa_insn *fact, const struct isa_effects *effects)
{
	if (!effects->uses_gs && !fact->writes_segment_base)
		return true;
	return used_registers_have_bases() && fact->end == TF_END_NONE &&
	       !(fact->flags & TF_INSN_REP);
}

static bool fits(const struct isa_insn *fact, const struct isa_effects *effects,
		 const uint8_t *code)
{
	if (insn_is_stepped(fact, effects, code) || !segments_fit(fact, effects))
		return false;
	for (unsigned i = 0; i < fact->n_operands; i++)
		if (!operand_fits(&fact->operands[i]))
			return false;
	return true;
}

bool plan_can_have(const struct code_block *b)
{
	for (unsigned i = 0; i < b->trace.n_insns; i++)
		if (!fits(b->facts[i], b->effects[i], b->trace.code + b->trace.insns[i].offset))
			return false;
	return true;
}

/* ---- values of a record ---- */

static void add_value(struct plan *p, struct tf_recipe recipe)
{
	p->recipes[p->n_values++] = recipe;
}

static const struct tf_recipe unknown = { .base = TF_BASE_UNKNOWN };

static struct tf_recipe slot_recipe(unsigned slot)
{
	return (struct tf_recipe){ .base = TF_BASE_SLOT, .slot = (uint16_t)slot };
}

/* Adds a value that follows from a slot by a correction. Returns the slot's place. */
static unsigned add_corrected(struct plan *p, const struct capture *c,
			      struct plan_correction correction)
{
	unsigned slot = numbering_capture(&p->numbering, c);

	correction.slot = (uint16_t)slot;
	p->corrections[p->n_corrections++] = correction;
	add_value(p, slot_recipe(slot));
	return p->numbering.places[slot];
}

/* Adds an address that is rounded down, as clzero does. */
static void add_aligned(struct plan *p, const struct isa_address *a, unsigned insn)
{
	add_corrected(p,
		      &(struct capture){ .insn = (uint16_t)insn,
					 .kind = CAPTURE_SUM,
					 .base = a->base,
					 .index = ISA_NO_REGISTER },
		      (struct plan_correction){ .keep = (a->address32 ? UINT32_MAX : UINT64_MAX) &
							-(uint64_t)a->align });
}

static void add_address(struct plan *p, const struct isa_address *a, unsigned insn)
{
	if (p->options.no_addresses)
		add_value(p, unknown);
	else if (a->align)
		add_aligned(p, a, insn);
	else
		add_value(p, numbering_address(&p->numbering, a, insn));
}

/* Adds the values of a rep instruction: initial count, repetitions done, flags. */
static void add_rep(struct plan *p, const struct isa_insn *fact, unsigned insn)
{
	const struct plan_correction half = { .keep = UINT32_MAX };
	struct capture count = { .insn = (uint16_t)insn,
				 .kind = CAPTURE_SUM,
				 .base = ISA_RCX,
				 .index = ISA_NO_REGISTER };
	struct capture done = { .insn = (uint16_t)insn,
				.kind = CAPTURE_REPETITIONS,
				.after = true };
	struct numbering *n = &p->numbering;
	unsigned slot;

	if (fact->address32) {
		done.count_place = (uint16_t)add_corrected(p, &count, half);
		add_corrected(p, &done, half);
	} else {
		slot = numbering_capture(n, &count);
		add_value(p, slot_recipe(slot));
		done.count_place = n->places[slot];
		add_value(p, slot_recipe(numbering_capture(n, &done)));
	}
	add_value(p, slot_recipe(numbering_capture(n, &(struct capture){ .insn = (uint16_t)insn,
									 .kind = CAPTURE_REP_FLAGS,
									 .after = true })));
}

/* Adds the mask of so many lanes, or with `size` the number of bytes in its active lanes. The
 * captured number may have bits of more lanes. */
static void add_mask(struct plan *p, const struct isa_address *a, unsigned lanes, bool size,
		     unsigned insn)
{
	struct capture c = { .insn = (uint16_t)insn,
			     .kind = CAPTURE_MASK,
			     .base = a->mask_register };
	unsigned bits = a->mask_lanes ? a->mask_lanes : lanes, stored;

	if (a->mask_source == ISA_MASK_MMX) {
		c.kind = CAPTURE_MMX_SIGNS;
		stored = lanes;
	} else if (a->mask_source == ISA_MASK_SIGN) {
		c.kind = CAPTURE_SIGNS;
		c.size = a->mask_element;
		c.bytes = (uint8_t)(lanes * a->mask_element);
		stored = c.bytes < 16 ? 16u / c.size : lanes;
	} else {
		c.size = (uint8_t)capture_mask_bits(bits);
		stored = c.size;
	}
	if (size || stored != lanes)
		add_corrected(p, &c,
			      (struct plan_correction){ .lanes = (uint8_t)bits,
							.folded = bits != lanes ? (uint8_t)lanes
										: 0,
							.element = size ? a->mask_element : 0 });
	else
		add_value(p, slot_recipe(numbering_capture(&p->numbering, &c)));
}

/* Adds the indices of lanes, 8 bytes a value. */
static void add_indices(struct plan *p, const struct isa_operand *o, unsigned insn)
{
	unsigned n = o->n_extras - 1u, slot;

	if (p->options.no_addresses) {
		for (unsigned i = 0; i < n; i++)
			add_value(p, unknown);
		return;
	}
	slot = numbering_capture(&p->numbering,
				 &(struct capture){ .insn = (uint16_t)insn,
						    .kind = CAPTURE_VECTOR,
						    .n_places = (uint8_t)n,
						    .base = o->address.index_vector });
	for (unsigned i = 0; i < n; i++)
		add_value(p, slot_recipe(slot + i));
}

static void add_extras(struct plan *p, const struct isa_operand *o, const struct isa_insn *fact,
		       unsigned insn)
{
	const struct isa_address *a = &o->address;

	switch ((enum tf_form)o->trace.form) {
	case TF_MASKED: add_mask(p, a, o->trace.lanes, false, insn); break;
	case TF_LANES:
		add_mask(p, a, o->trace.lanes, false, insn);
		add_indices(p, o, insn);
		break;
	case TF_SIZED:
		if (a->size_source == ISA_SIZE_LANES)
			add_mask(p, a, a->mask_lanes, true, insn);
		else
			add_corrected(p,
				      &(struct capture){ .insn = (uint16_t)insn,
							 .kind = CAPTURE_COMPONENTS },
				      (struct plan_correction){ .size = fact });
		break;
	case TF_PLAIN:
	case TF_REP: break;
	}
}

/* Returns the loaded control words and segment bases that are recorded by an event after the
 * instruction. */
static unsigned loaded_words(const struct isa_insn *fact)
{
	return fact->loads_control_word |
	       (fact->writes_segment_base == TF_SEGMENT_FS ? PLAN_FS_BASE : 0u) |
	       (fact->writes_segment_base == TF_SEGMENT_GS ? PLAN_GS_BASE : 0u);
}

/* Adds the captures for these events. The instruction is the last one of its superblock. */
static void add_control_words(struct plan *p, unsigned insn)
{
	static const struct {
		unsigned word;
		enum capture_kind kind;
	} words[] = {
		{ ISA_X87_CONTROL, CAPTURE_X87_CONTROL },
		{ ISA_MXCSR, CAPTURE_MXCSR },
		{ PLAN_FS_BASE, CAPTURE_FS_BASE },
		{ PLAN_GS_BASE, CAPTURE_GS_BASE },
	};
	unsigned which = loaded_words(p->insns[insn].fact);
	struct capture c = { .insn = (uint16_t)insn, .after = true, .hidden = true };

	p->control_words = which;
	p->control_place = p->numbering.n_places;
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		c.kind = words[i].kind;
		if (which & words[i].word)
			numbering_capture(&p->numbering, &c);
	}
}

/*
 * Adds instruction i of a block, which follows what the plan has so far. Each member is set in its
 * place: an initializer of the whole would first be made elsewhere, and clearing takes longer.
 */
static void begin_insn(struct plan *p, const struct code_block *b, unsigned i)
{
	struct plan_insn *insn = &p->insns[p->n_insns + i];
	unsigned offset = b->trace.insns[i].offset;

	insn->fact = b->facts[i];
	insn->code = b->trace.code + offset;
	insn->pc = b->trace.pc + offset;
	insn->effects = *b->effects[i];
	insn->first_capture = (uint16_t)p->numbering.n_captures;
	insn->n_before = insn->n_after = 0;
	insn->first_place = (uint16_t)p->numbering.n_places;
	insn->first_slot = (uint16_t)p->numbering.n_slots;
	insn->last = i + 1 == b->trace.n_insns;
	insn->taken = false;
	insn->guard = 0;
	insn->check = 0;
}

static void add_all_extras(struct plan *p, const struct isa_insn *fact, unsigned insn)
{
	if (fact->flags & TF_INSN_REP && fact->n_values > fact->n_operands) {
		add_rep(p, fact, insn);
		return;
	}
	for (unsigned k = 0; k < fact->n_operands; k++)
		if (fact->operands[k].n_extras)
			add_extras(p, &fact->operands[k], fact, insn);
}

/* Adds an instruction's addresses from number `value` on, and its extras from *extra on. */
static void add_values(struct plan *p, unsigned insn, unsigned value, unsigned *extra)
{
	const struct isa_insn *fact = p->insns[insn].fact;

	if (p->options.self_check)
		used_registers_capture(&p->numbering, fact, insn);
	p->n_values = value;
	for (unsigned k = 0; k < fact->n_operands; k++)
		add_address(p, &fact->operands[k].address, insn);
	p->n_values = *extra;
	add_all_extras(p, fact, insn);
	*extra = p->n_values;
	add_control_words(p, insn);
	numbering_retire(&p->numbering, &p->insns[insn].effects);
}

/* Fetches ahead what the block's instructions need, which lies in many places of memory. */
static void fetch_facts(const struct code_block *b)
{
	for (unsigned i = 0; i < b->trace.n_insns; i++) {
		__builtin_prefetch(b->facts[i]);
		__builtin_prefetch(b->effects[i]);
	}
}

/*
 * Adds the instructions of a block and, unless they are only counted, their values: first the
 * addresses of all instructions, then all extras.
 */
static void add_insns(struct plan *p, const struct code_block *b)
{
	unsigned first_value = p->n_values, extra = first_value + b->trace.n_operands;

	fetch_facts(b);
	for (unsigned i = 0; i < b->trace.n_insns; i++) {
		begin_insn(p, b, i);
		if (!p->options.counted)
			add_values(p, p->n_insns + i, first_value + b->trace.insns[i].first_operand,
				   &extra);
	}
	if (!p->options.counted)
		p->n_values = first_value + b->trace.n_values;
	p->n_insns += b->trace.n_insns;
}

/* ---- code that may change ---- */

/* Returns true if the instruction may store to code. Stores through rsp are assumed to go to the
 * stack, and executed code not to be there. */
static bool may_store_to_code(const struct isa_insn *fact)
{
	for (unsigned i = 0; i < fact->n_operands; i++)
		if (fact->operands[i].trace.access & TF_STORE &&
		    fact->operands[i].address.base != ISA_RSP)
			return true;
	return false;
}

/* Adds checks of a block whose first instruction is number `first`. The block is compared part by
 * part. Each part ends with a store, because the program executes what the store has changed. */
static void add_checks(struct plan *p, const struct code_block *b, unsigned first)
{
	unsigned part = 0;

	for (unsigned i = 0; i < b->trace.n_insns; i++) {
		const struct tf_insn *insn = &b->trace.insns[i];
		unsigned end = insn->offset + insn->length;

		p->insns[first + part].check = (uint16_t)(end - b->trace.insns[part].offset);
		if (may_store_to_code(b->facts[i]))
			part = i + 1;
	}
	p->checked = true;
}

/* ---- the superblock ---- */

void plan_begin(struct plan *p, uint64_t pc, const struct plan_options *options)
{
	p->pc = pc;
	p->start = (struct plan_start){ 0 };
	p->options = *options;
	p->checked = false;
	p->control_words = 0;
	p->enterable = 0;
	p->n_blocks = p->n_insns = p->n_exits = p->n_values = p->n_corrections = 0;
	numbering_begin(&p->numbering);
}

bool plan_fits(const struct plan *p, const struct code_block *b)
{
	const struct numbering *n = &p->numbering;
	unsigned slots = b->trace.n_values + b->trace.n_operands + PLAN_EXITS;
	unsigned hidden = CONTROL_WORDS;
	unsigned most_blocks = p->options.hot ? PLAN_BLOCKS : PLAN_COLD_BLOCKS;
	unsigned most_insns = p->options.hot ? PLAN_INSNS : PLAN_COLD_INSNS;

	if (p->options.self_check)
		hidden += b->trace.n_insns * USED_REGISTERS_PLACES;
	return !p->n_blocks ||
	       (p->n_blocks < most_blocks && p->n_insns + b->trace.n_insns <= most_insns &&
		n->n_slots + slots <= NUMBERING_SLOTS &&
		n->n_places + slots + hidden <= NUMBERING_PLACES &&
		p->n_values + b->trace.n_values <= PLAN_VALUES);
}

void plan_add(struct plan *p, struct code_block *b)
{
	p->blocks[p->n_blocks++] = b;
	add_insns(p, b);
	if (b->may_change)
		add_checks(p, b, p->n_insns - b->trace.n_insns);
}

static const struct code_block *last_block(const struct plan *p)
{
	return p->blocks[p->n_blocks - 1];
}

static uint64_t behind(const struct code_block *b)
{
	return b->trace.pc + b->trace.code_size;
}

/* Returns true if an event follows the block. */
static bool loads_control_words(const struct code_block *b)
{
	return loaded_words(b->facts[b->trace.n_insns - 1]);
}

uint64_t plan_next(const struct plan *p)
{
	const struct code_block *b = last_block(p);

	switch ((enum tf_end)b->trace.end) {
	case TF_END_JUMP:
	case TF_END_CALL: return b->trace.target;
	case TF_END_NONE: return loads_control_words(b) ? 0 : behind(b);
	case TF_END_CONDITIONAL: return b->trace.target > behind(b) ? behind(b) : 0;
	default: return 0;
	}
}

static void add_exit(struct plan *p, enum tf_outcome outcome, uint64_t target)
{
	struct plan_exit *e = &p->exits[p->n_exits++];

	*e = (struct plan_exit){
		.trace = { .n_blocks = (uint16_t)p->n_blocks, .outcome = (uint8_t)outcome },
		.n_insns = (uint16_t)p->n_insns,
		.target = target,
	};
	if (!p->options.no_addresses && !p->options.counted)
		numbering_rsp(&p->numbering, &e->trace, p->n_insns - 1);
	e->trace.n_slots = (uint16_t)p->numbering.n_slots;
	e->n_places = (uint16_t)p->numbering.n_places;
}

bool plan_leads_to(const struct code_block *b, uint64_t pc)
{
	switch ((enum tf_end)b->trace.end) {
	case TF_END_JUMP:
	case TF_END_CALL: return pc == b->trace.target;
	case TF_END_NONE: return pc == behind(b) && !loads_control_words(b);
	case TF_END_CONDITIONAL:
		return b->trace.target != behind(b) && (pc == b->trace.target || pc == behind(b));
	case TF_END_INDIRECT_JUMP:
	case TF_END_INDIRECT_CALL:
	case TF_END_RETURN: return true;
	default: return false;
	}
}

bool plan_ends_indirectly(const struct code_block *b)
{
	return b->trace.end == TF_END_INDIRECT_JUMP || b->trace.end == TF_END_INDIRECT_CALL ||
	       b->trace.end == TF_END_RETURN;
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
	default: break;
	}
}

/* Counts each instruction's captures before and after it executes. */
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

	p->n_insn_slots = p->numbering.n_slots;
	p->n_insn_places = p->numbering.n_places;
	switch ((enum tf_end)b->trace.end) {
	case TF_END_CONDITIONAL:
		add_exit(p, TF_NOT_TAKEN, behind(b));
		add_exit(p, TF_TAKEN, b->trace.target);
		break;
	case TF_END_JUMP:
	case TF_END_CALL: add_exit(p, TF_TAKEN, b->trace.target); break;
	case TF_END_INDIRECT_JUMP:
	case TF_END_INDIRECT_CALL:
	case TF_END_RETURN: add_exit(p, TF_TAKEN, 0); break;
	default: add_exit(p, TF_NOT_TAKEN, behind(b)); break;
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
		if (c->keep)
			slots[c->slot] &= c->keep;
		if (c->lanes)
			slots[c->slot] &= ~UINT64_C(0) >> (64 - c->lanes);
		if (c->folded)
			slots[c->slot] = isa_fold_mask(slots[c->slot], c->folded);
		if (c->element)
			slots[c->slot] = (uint64_t)__builtin_popcountll(slots[c->slot]) *
					 c->element;
		if (c->size)
			slots[c->slot] = area_size(c->size, slots[c->slot], xcr0);
	}
}
