/* SPDX-License-Identifier: MIT */
/* Lets the recorder correct the x87 pointers that the program stores, see x87_pointers.h. */
#include <string.h>

#include "recorder/core/x87.h"
#include "recorder/translate/emit/emitter.h"

/* Returns true if the instruction, which writes rax, sets it to a constant: mov eax, constant; or
 * xor eax, eax. */
static bool sets_constant(const struct plan_insn *insn, uint32_t *constant)
{
	enum { MOV = 0xb8 };
	static const uint8_t clear[] = { 0x31, 0xc0 };
	const uint8_t *opcode = insn->code + insn->effects.opcode;

	*constant = 0;
	if (*opcode == MOV && opcode + 1 + sizeof(*constant) == insn->code + insn->fact->length) {
		memcpy(constant, opcode + 1, sizeof(*constant));
		return true;
	}
	return insn->fact->length == sizeof(clear) && !memcmp(insn->code, clear, sizeof(clear));
}

/*
 * Finds the components that eax gives to xsave or xrstor. Returns false if they are not known.
 */
static bool find_components(const struct plan_insn *insns, unsigned count, uint32_t *components)
{
	while (count-- > 0)
		if (insns[count].effects.writes >> ISA_RAX & 1)
			return sets_constant(&insns[count], components);
	return false;
}

bool emit_stores_x87(const struct emitter *e, unsigned insn)
{
	enum { X87_COMPONENT = 1 };
	const struct plan *p = e->plan;
	const struct plan_insn *i = &p->insns[insn];
	uint32_t components;

	switch (x87_use_of(i->code, i->fact->length)) {
	case X87_STORES: return true;
	case X87_STORES_COMPONENT:
		return !find_components(p->insns, insn, &components) || components & X87_COMPONENT;
	default: return false;
	}
}

void emit_x87_store(struct emitter *e)
{
	static const uint8_t nop = 0x90;

	if (e->now.executed == e->plan->n_insns) {
		emit_at_exit(e, &e->now, e->next_exit);
		emit_mark(e);
	}
	e->x87_stores[e->n_x87_stores++] = (uint32_t)(e->a.at - e->a.start);
	asm_bytes(&e->a, &nop, sizeof(nop));
}

/* Returns how the instruction uses the x87 pointers, as far as its operands are known. */
static enum x87_use x87_use_by(const struct plan *p, unsigned insn)
{
	enum { X87_COMPONENT = 1 };
	const struct plan_insn *i = &p->insns[insn];
	enum x87_use use = x87_use_of(i->code, i->fact->length);
	uint32_t components;

	if (x87_clears(i->code, i->fact->length))
		return X87_LOADS;
	if (use == X87_LOADS_COMPONENT)
		return find_components(p->insns, insn, &components) && !(components & X87_COMPONENT)
			       ? X87_NONE
			       : X87_LOADS;
	return use;
}

/* Returns true if the instruction is the block's last one that sets the pointers. */
static bool is_last_x87(const struct plan *p, unsigned insn)
{
	enum x87_use use;

	while (!p->insns[insn].last && ++insn < p->n_insns) {
		use = x87_use_by(p, insn);
		if (use == X87_POINTS || use == X87_LOADS)
			return false;
	}
	return true;
}

void emit_note_x87(struct emitter *e, unsigned insn, uint64_t pc)
{
	enum x87_use use = x87_use_by(e->plan, insn);

	if (!x87_loses_pointers() || (use != X87_POINTS && use != X87_LOADS) ||
	    !is_last_x87(e->plan, insn))
		return;
	if (e->now.executed == e->plan->n_insns) {
		emit_at_exit(e, &e->now, e->next_exit);
		emit_mark(e);
	}
	asm_store_gs_constant(&e->a, CONTEXT_AT(x87), use == X87_POINTS ? (int32_t)pc : 0);
}
