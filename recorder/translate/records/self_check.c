/* SPDX-License-Identifier: MIT */
#include "recorder/translate/records/self_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/core/session.h"
#include "recorder/translate/emit/translation.h"
#include "recorder/translate/plan/used_registers.h"

struct self_check {
	uint64_t rsp;     /* at the next superblock's entry */
	uint64_t next_pc; /* where that superblock must begin; 0: anywhere */
	struct isa_registers registers;
};

/* Evaluates a recipe; see FORMAT.md 4.3. */
static uint64_t evaluate(const struct tf_recipe *r, const uint64_t *slots, uint64_t rsp,
			 const struct task *t)
{
	const uint64_t segments[] = { 0, t->trace.fs_base, t->trace.gs_base };
	uint64_t v = (uint64_t)r->displacement;

	if (r->base == TF_BASE_SLOT)
		v += slots[r->slot];
	else if (r->base == TF_BASE_RSP)
		v += rsp;
	if (r->scale)
		v += slots[r->index_slot] * r->scale;
	if (r->bit_string)
		v += (uint64_t)((int64_t)slots[r->index_slot] >> __builtin_ctz(r->bit_string)) *
		     (r->bit_string / 8);
	if (r->address32)
		v = (uint32_t)v;
	return v + segments[r->segment];
}

static int differs(struct task *t, const struct translation *superblock, unsigned insn,
		   const char *what, uint64_t recorded, const char *source, uint64_t expected)
{
	const struct isa_insn *fact = translation_fact(superblock, insn);
	const uint8_t *code = translation_code(superblock, insn);
	char bytes[2 * TF_MAX_INSN_BYTES + 1];

	for (unsigned i = 0; i < fact->length; i++)
		snprintf(bytes + 2 * i, 3, "%02x", code[i]);
	return session_fail(t->session, TF_E_DAMAGED,
			    "self-check: process %d, instruction %s at "
			    "%#llx: %s is recorded as %#llx, but %s %#llx; please report this",
			    (int)t->process->pid, bytes,
			    (unsigned long long)translation_pc(superblock, insn), what,
			    (unsigned long long)recorded, source, (unsigned long long)expected);
}

/* Returns true if a rep instruction's values agree: it did all repetitions, or its condition ended
 * it. */
static bool repetitions_fit(const struct isa_insn *fact, const uint64_t *extras)
{
	enum { REPNE = 2 };
	uint64_t count = extras[0], done = extras[1], flags = extras[2];

	if (done >= count || flags & TF_REP_INTERRUPTED)
		return done <= count;
	return fact->rep_condition && !(flags & TF_REP_ZF) == (fact->rep_condition != REPNE);
}

/* Returns the index of an operand or extra of the instruction among the values of its block. */
static unsigned value_at(const struct code_block *b, unsigned insn, unsigned value)
{
	unsigned n_operands = b->facts[insn]->n_operands;

	return value < n_operands ? b->trace.insns[insn].first_operand + value
				  : b->extras[insn] + value - n_operands;
}

/* Checks one instruction. `recipes` are those of the block; `number` is the instruction's number in
 * the superblock. */
static int check_insn(struct self_check *c, struct task *t, const struct translation *superblock,
		      unsigned number, const struct code_block *b, unsigned insn,
		      const struct tf_recipe *recipes, const uint64_t *slots)
{
	static const char *const names[] = { "an address", "a count, mask, index or size" };
	static const char from_registers[] = "the registers give";
	const struct isa_insn *fact = b->facts[insn];
	bool repeats = fact->flags & TF_INSN_REP;
	uint64_t expected[ISA_MAX_VALUES], recorded[ISA_MAX_VALUES];

	isa_values(fact, &c->registers, expected);
	for (unsigned i = 0; i < fact->n_values; i++) {
		const struct tf_recipe *r = &recipes[value_at(b, insn, i)];

		recorded[i] = evaluate(r, slots, c->rsp, t);
		/* Only the first of a rep's extras, the count, is checked here. */
		if (r->base == TF_BASE_UNKNOWN || (repeats && i > fact->n_operands))
			continue;
		t->session->stats.checked++;
		if (recorded[i] != expected[i])
			return differs(t, superblock, number, names[i >= fact->n_operands],
				       recorded[i], from_registers, expected[i]);
	}
	if (repeats && fact->n_values > fact->n_operands &&
	    !repetitions_fit(fact, recorded + fact->n_operands))
		return differs(t, superblock, number, "the number of repetitions",
			       recorded[fact->n_operands + 1], "the count was",
			       expected[fact->n_operands]);
	return 0;
}

int self_check_insns(struct self_check *c, struct task *t, const struct translation *superblock,
		     unsigned executed, const uint64_t *places, const uint64_t *slots)
{
	const struct tf_recipe *recipes = superblock->recipes;
	unsigned number = 0;

	if (c->next_pc && c->next_pc != superblock->pc)
		return differs(t, superblock, 0, "its address", superblock->pc,
			       "the code before it leads to", c->next_pc);
	c->registers.xcr0 = t->session->processor.vectors.xcr0;
	c->registers.fs_base = t->trace.fs_base;
	c->registers.gs_base = t->trace.gs_base;
	for (unsigned k = 0; k < superblock->n_blocks && number < executed; k++) {
		const struct code_block *b = superblock->blocks[k];

		for (unsigned i = 0; i < b->trace.n_insns && number < executed; i++, number++) {
			if (!b->facts[i]->n_values)
				continue;
			used_registers_read(b->facts[i],
					    places + translation_places_before(superblock, number),
					    &c->registers);
			if (check_insn(c, t, superblock, number, b, i, recipes, slots) < 0)
				return -1;
		}
		recipes += b->trace.n_values;
	}
	return 0;
}

int self_check_exit(struct self_check *c, struct task *t, const struct translation *superblock,
		    unsigned exit, const uint64_t *places, const uint64_t *slots)
{
	const struct translation_exit *e = &superblock->exits[exit];

	if (self_check_insns(c, t, superblock, e->n_insns, places, slots) < 0)
		return -1;
	c->next_pc = e->target;
	if (e->trace.rsp_rule == TF_RSP_DELTA)
		c->rsp += (uint64_t)e->trace.rsp_value;
	else if (e->trace.rsp_rule == TF_RSP_SLOT)
		c->rsp = slots[e->trace.rsp_slot] + (uint64_t)e->trace.rsp_value;
	return 0;
}

/* ---- the state of a task ---- */

struct self_check *self_check_new(void)
{
	return calloc(1, sizeof(struct self_check));
}

void self_check_free(struct self_check *c)
{
	free(c);
}

void self_check_enter(struct self_check *c, const struct task *t)
{
	c->rsp = t->regs.rsp;
	c->next_pc = t->regs.rip;
}
