/* SPDX-License-Identifier: MIT */
/*
 * From a plan to code. The program's instructions are copied, with two registers at most set
 * aside: q points at the record, t is a temporary. They are taken from the program only where
 * they are needed, and given back before an instruction that uses them. Nothing that is added
 * changes the flags or touches the program's memory, other than the stack as a call does.
 */
#include <stdlib.h>
#include <string.h>

#include "recorder/translate/assembler.h"
#include "recorder/translate/context.h"
#include "recorder/translate/translation.h"

enum { MAX_STATES = 16 * PLAN_INSNS, SIDES = PLAN_BLOCKS };

/* A branch whose way out is placed behind the path. */
struct side {
	uint8_t *field;		/* displacement of the branch */
	unsigned exit;
	struct state state;	/* there */
	const struct plan_insn *indirect;	/* the target is context.target; or NULL */
};

struct emitter {
	struct assembler a;
	const struct plan *plan;
	uint32_t first_exit;
	uint8_t q, t;
	struct state now;
	unsigned n_states;
	struct state states[MAX_STATES];
	unsigned n_sides;
	struct side sides[SIDES];
	unsigned next_exit;
	uint64_t jumps[PLAN_EXITS];	/* cache pcs, by exit */
	uint64_t call_trap;
};

/* From here on the state is e->now. */
static void mark(struct emitter *e)
{
	uint32_t offset = (uint32_t)(e->a.at - e->a.start);

	if (e->n_states && e->states[e->n_states - 1].offset == offset)
		e->n_states--;
	if (e->n_states == MAX_STATES) {
		e->a.full = true;
		return;
	}
	e->now.offset = offset;
	e->states[e->n_states++] = e->now;
}

static void set(struct emitter *e, unsigned flags)
{
	e->now.flags |= (uint8_t)flags;
	mark(e);
}

static void clear(struct emitter *e, unsigned flags)
{
	e->now.flags &= (uint8_t)~flags;
	mark(e);
}

static bool has(const struct emitter *e, unsigned flag)
{
	return e->now.flags & flag;
}

/* ---- the two scratch registers ---- */

static void take_q(struct emitter *e)
{
	if (has(e, STATE_Q_SAVED))
		return;
	asm_store_gs(&e->a, CONTEXT_AT(saved_q), e->q);
	asm_load_gs(&e->a, e->q, CONTEXT_AT(record));
	set(e, STATE_Q_SAVED);
}

static void give_q(struct emitter *e)
{
	if (!has(e, STATE_Q_SAVED))
		return;
	asm_load_gs(&e->a, e->q, CONTEXT_AT(saved_q));
	clear(e, STATE_Q_SAVED);
}

static void take_t(struct emitter *e)
{
	if (has(e, STATE_T_SAVED))
		return;
	asm_store_gs(&e->a, CONTEXT_AT(saved_t), e->t);
	set(e, STATE_T_SAVED);
}

static void give_t(struct emitter *e)
{
	if (!has(e, STATE_T_SAVED))
		return;
	asm_load_gs(&e->a, e->t, CONTEXT_AT(saved_t));
	clear(e, STATE_T_SAVED);
}

static void give_used(struct emitter *e, const struct plan_insn *insn)
{
	unsigned used = insn->effects.reads | insn->effects.writes;

	if (used >> e->q & 1)
		give_q(e);
	if (used >> e->t & 1)
		give_t(e);
}

/* The registers that the path uses least. Those with a part in our own sequences are left out. */
static void choose_scratch(struct emitter *e)
{
	static const uint8_t candidates[] = { 11, 10, 9, 8, ISA_RDI, ISA_RSI, 15, 14, 13, 12,
					      ISA_RBX, ISA_RBP };
	unsigned uses[16] = { 0 };

	for (unsigned i = 0; i < e->plan->n_insns; i++) {
		const struct isa_effects *f = &e->plan->insns[i].effects;

		for (unsigned r = 0; r < 16; r++)
			uses[r] += (f->reads | f->writes) >> r & 1;
	}
	e->q = candidates[0];
	for (unsigned i = 1; i < sizeof(candidates); i++)
		if (uses[candidates[i]] < uses[e->q])
			e->q = candidates[i];
	e->t = e->q == candidates[0] ? candidates[1] : candidates[0];
	for (unsigned i = 0; i < sizeof(candidates); i++)
		if (candidates[i] != e->q && uses[candidates[i]] < uses[e->t])
			e->t = candidates[i];
}

/* What a rip-relative operand refers to. */
static uint64_t insn_target(const struct plan_insn *insn)
{
	int32_t field;

	memcpy(&field, insn->code + insn->effects.rip_field, sizeof(field));
	return insn->pc + insn->fact->length + (uint64_t)(int64_t)field;
}

/* ---- captures ---- */

static void capture_register(struct emitter *e, unsigned reg, int32_t at)
{
	unsigned from = reg;

	take_q(e);
	if (reg == e->q) {
		take_t(e);
		asm_load_gs(&e->a, e->t, CONTEXT_AT(saved_q));
		from = e->t;
	} else if (reg == e->t && has(e, STATE_T_SAVED)) {
		asm_load_gs(&e->a, e->t, CONTEXT_AT(saved_t));
	}
	asm_store(&e->a, e->q, at, from, 8);
}

/* t = base + index * scale, with the program's values. */
static void compute(struct emitter *e, const struct capture *c)
{
	bool uses_q = c->base == e->q || c->index == e->q;
	bool uses_t = c->base == e->t || c->index == e->t;

	if (uses_q)
		give_q(e);
	if (uses_t && has(e, STATE_T_SAVED))
		asm_load_gs(&e->a, e->t, CONTEXT_AT(saved_t));
	take_t(e);
}

static void capture_sum(struct emitter *e, const struct capture *c)
{
	int32_t at = record_slot(c->slot);

	if (c->index == ISA_NO_REGISTER) {
		capture_register(e, c->base, at);
		return;
	}
	compute(e, c);
	asm_lea(&e->a, e->t, c->base, c->index, c->scale, 0);
	take_q(e);
	asm_store(&e->a, e->q, at, e->t, 8);
}

static void capture_repetitions(struct emitter *e, const struct capture *c)
{
	take_q(e);
	take_t(e);
	asm_store_gs(&e->a, CONTEXT_AT(saved_rcx), ISA_RCX);
	set(e, STATE_RCX_SAVED);
	asm_not(&e->a, ISA_RCX);
	asm_load(&e->a, e->t, e->q, record_slot(c->count_slot));
	asm_lea(&e->a, e->t, e->t, ISA_RCX, 1, 1);
	asm_store(&e->a, e->q, record_slot(c->slot), e->t, 8);
	asm_load_gs(&e->a, ISA_RCX, CONTEXT_AT(saved_rcx));
	clear(e, STATE_RCX_SAVED);
}

static void capture(struct emitter *e, const struct capture *c)
{
	int32_t at = record_slot(c->slot);

	switch ((enum capture_kind)c->kind) {
	case CAPTURE_SUM:
		capture_sum(e, c);
		break;
	case CAPTURE_MASK:
		take_q(e);
		asm_store_mask(&e->a, e->q, at, c->base);
		break;
	case CAPTURE_COMPONENTS:
		take_q(e);
		asm_store(&e->a, e->q, at, ISA_RAX, 4);
		asm_store(&e->a, e->q, at + 4, ISA_RDX, 4);
		break;
	case CAPTURE_REPETITIONS:
		capture_repetitions(e, c);
		break;
	case CAPTURE_ZERO_FLAG:
		take_q(e);
		asm_store_constant(&e->a, e->q, at, 0);
		asm_store_zero_flag(&e->a, e->q, at);
		break;
	}
}

static void captures(struct emitter *e, const struct plan_insn *insn, bool after)
{
	const struct capture *c = &e->plan->numbering.captures[insn->first_capture];

	for (unsigned i = 0; i < insn->n_before + insn->n_after; i++)
		if (c[i].after == after)
			capture(e, &c[i]);
}

/* ---- calls of watched functions ---- */

/* Traps unless the address in t, the program's return address, is one whose returns are told. */
static void check_return(struct emitter *e)
{
	uint8_t *known;

	asm_store_gs(&e->a, CONTEXT_AT(saved_rcx), ISA_RCX);
	set(e, STATE_RCX_SAVED);
	asm_zero_extend_16(&e->a, ISA_RCX, e->t);
	asm_load_gs_entry(&e->a, ISA_RCX, ISA_RCX, CONTEXT_AT(returns));
	asm_not(&e->a, e->t);
	asm_lea(&e->a, ISA_RCX, ISA_RCX, e->t, 1, 1);
	known = asm_jump_if_rcx_0(&e->a);
	e->call_trap = asm_here(&e->a);
	asm_trap(&e->a, e->first_exit);
	asm_short_target(&e->a, known);
	asm_load_gs(&e->a, ISA_RCX, CONTEXT_AT(saved_rcx));
	clear(e, STATE_RCX_SAVED);
}

static int32_t call_bytes(const struct plan *p)
{
	return record_slot(RECORD_CALL_SLOTS + p->n_args);
}

/* Writes the record of the call that the path begins with. */
static void tell_call(struct emitter *e)
{
	static const uint8_t args[TF_MAX_CALL_ARGS] = { ISA_RDI, ISA_RSI, ISA_RDX, ISA_RCX, 8, 9 };
	const struct plan *p = e->plan;

	for (unsigned i = 0; i < p->n_args; i++)
		capture_register(e, args[i], record_slot(RECORD_CALL_SLOTS + i));
	take_q(e);
	asm_store(&e->a, e->q, record_slot(0), ISA_RSP, 8);
	take_t(e);
	asm_load(&e->a, e->t, ISA_RSP, 0);
	asm_store(&e->a, e->q, record_slot(1), e->t, 8);
	asm_store_constant(&e->a, e->q, 0, (int32_t)(RECORD_CALL + p->function));
	asm_lea(&e->a, e->q, e->q, ISA_NO_REGISTER, 0, call_bytes(p));
	asm_store_gs(&e->a, CONTEXT_AT(record), e->q);
	set(e, STATE_UNDO);
	check_return(e);
}

/* ---- ways out ---- */

static int32_t record_size(const struct tf_exit *exit)
{
	return record_slot(exit->n_slots);
}

/* Completes the record. With it, the program has left the path. */
static void end_record(struct emitter *e, unsigned exit)
{
	take_q(e);
	asm_store_constant(&e->a, e->q, 0, (int32_t)(e->first_exit + exit));
	asm_lea(&e->a, e->q, e->q, ISA_NO_REGISTER, 0, record_size(&e->plan->exits[exit].trace));
	asm_store_gs(&e->a, CONTEXT_AT(record), e->q);
}

static void at_exit(const struct emitter *e, struct state *state, unsigned exit)
{
	state->executed = e->plan->exits[exit].n_insns;
	state->place = AT_EXIT;
	state->exit = (uint8_t)exit;
	state->flags &= (uint8_t)~STATE_UNDO;
}

static void direct_exit(struct emitter *e, unsigned exit)
{
	at_exit(e, &e->now, exit);
	mark(e);
	end_record(e, exit);
	set(e, STATE_LEFT);
	give_q(e);
	give_t(e);
	e->jumps[exit] = asm_here(&e->a);
	asm_trap(&e->a, e->first_exit + exit);
}

/* A system call is executed by the recorder, which also completes the record. */
static void syscall_exit(struct emitter *e, unsigned exit)
{
	e->jumps[exit] = asm_here(&e->a);
	asm_trap(&e->a, e->first_exit + exit);
}

/* rcx holds the target; rcx of the program is set aside. */
static void indirect_exit(struct emitter *e, unsigned exit, int32_t rsp_after)
{
	end_record(e, exit);
	e->now.executed = e->plan->exits[exit].n_insns;
	e->now.place = AT_RCX;
	e->now.flags &= (uint8_t)~STATE_UNDO;
	e->now.rsp = (int32_t)rsp_after;
	set(e, STATE_LEFT);
	give_q(e);
	give_t(e);
	if (rsp_after)
		asm_lea(&e->a, ISA_RSP, ISA_RSP, ISA_NO_REGISTER, 0, rsp_after);
	e->now.rsp = 0;
	mark(e);
	asm_store_gs(&e->a, CONTEXT_AT(target), ISA_RCX);
	e->now.place = AT_TARGET;
	mark(e);
	asm_store_gs(&e->a, CONTEXT_AT(saved_rax), ISA_RAX);
	set(e, STATE_RAX_SAVED);
	asm_zero_extend_16(&e->a, ISA_RAX, ISA_RCX);
	asm_jump_table(&e->a, ISA_RAX, CONTEXT_AT(targets));
}

static void save_rcx(struct emitter *e)
{
	asm_store_gs(&e->a, CONTEXT_AT(saved_rcx), ISA_RCX);
	set(e, STATE_RCX_SAVED);
}

/* What a return releases of the stack, bytes. */
static int32_t released(const struct plan_insn *insn)
{
	enum { RET_IMM = 0xc2 };
	const uint8_t *opcode = insn->code + insn->effects.opcode;

	return *opcode == RET_IMM ? 8 + (opcode[1] | opcode[2] << 8) : 8;
}

/* mov rcx, the operand of an indirect jump or call */
static bool load_target(struct emitter *e, const struct plan_insn *insn)
{
	enum { REX = 0x40, REX_W = 8, REX_R = 4, MOV_LOAD = 0x8b, REG = 7 << 3 };
	const struct isa_effects *f = &insn->effects;
	unsigned length = insn->fact->length, n = 0, rex = REX | REX_W, field = 0;
	uint8_t code[TF_MAX_INSN_BYTES + 1];

	for (unsigned i = 0; i < f->opcode; i++) {
		if ((insn->code[i] & 0xf0) == REX)
			rex |= insn->code[i] & ~(unsigned)REX_R;
		else if (insn->code[i] == 0x64 || insn->code[i] == 0x67)
			code[n++] = insn->code[i];
	}
	code[n++] = (uint8_t)rex;
	code[n++] = MOV_LOAD;
	if (f->rip_field)
		field = n + f->rip_field - f->modrm;
	memcpy(code + n, insn->code + f->modrm, length - f->modrm);
	code[n] = (uint8_t)((code[n] & ~(unsigned)REG) | ISA_RCX << 3);
	n += length - f->modrm;
	if (!field) {
		asm_bytes(&e->a, code, n);
		return true;
	}
	return asm_moved(&e->a, code, n, field, insn_target(insn));
}

static uint64_t behind(const struct plan_insn *insn)
{
	return insn->pc + insn->fact->length;
}

/* rcx = the target, the program's rcx set aside. False: its operand is too far away. */
static bool take_target(struct emitter *e, const struct plan_insn *insn)
{
	if (insn->fact->end != TF_END_RETURN)
		give_used(e, insn);
	save_rcx(e);
	if (insn->fact->end != TF_END_RETURN)
		return load_target(e, insn);
	asm_load(&e->a, ISA_RCX, ISA_RSP, 0);
	return true;
}

/* The rest of an indirect jump, call or return as a way out. */
static void leave_indirectly(struct emitter *e, const struct plan_insn *insn, unsigned exit)
{
	if (insn->fact->end == TF_END_INDIRECT_CALL) {
		asm_push_literal(&e->a, behind(insn));
		e->now.rsp = 8;		/* until it counts as executed */
		mark(e);
	}
	indirect_exit(e, exit, insn->fact->end == TF_END_RETURN ? released(insn) : 0);
}

/* An indirect jump with which the path goes on, if the target is the expected one. */
static bool guard(struct emitter *e, const struct plan_insn *insn, unsigned exit)
{
	struct side *side = &e->sides[e->n_sides++];
	uint8_t *expected;

	if (!take_target(e, insn))
		return false;
	asm_store_gs(&e->a, CONTEXT_AT(target), ISA_RCX);
	take_t(e);
	asm_load_literal(&e->a, e->t, -insn->guard);
	asm_lea(&e->a, ISA_RCX, ISA_RCX, e->t, 1, 0);
	expected = asm_jump_if_rcx_0(&e->a);
	*side = (struct side){ .exit = exit, .state = e->now, .indirect = insn };
	side->field = asm_jump_ahead(&e->a);
	asm_short_target(&e->a, expected);
	asm_load_gs(&e->a, ISA_RCX, CONTEXT_AT(saved_rcx));
	clear(e, STATE_RCX_SAVED);
	if (insn->fact->end == TF_END_INDIRECT_CALL)
		asm_push_literal(&e->a, behind(insn));
	else if (insn->fact->end == TF_END_RETURN)
		asm_lea(&e->a, ISA_RSP, ISA_RSP, ISA_NO_REGISTER, 0, released(insn));
	e->now.executed++;
	e->now.flags &= (uint8_t)~STATE_UNDO;
	mark(e);
	return true;
}

/* ---- instructions ---- */

static bool is_short_only(const uint8_t *opcode)
{
	enum { LOOPNE = 0xe0, JRCXZ = 0xe3 };

	return *opcode >= LOOPNE && *opcode <= JRCXZ;
}

/* loop and jrcxz reach 127 bytes only, and loop changes rcx: what follows it is another state. */
static uint8_t *short_branch(struct emitter *e, const struct plan_insn *insn, bool when,
			     struct state side, struct state fall)
{
	enum { JMP_SHORT = 0xeb, JMP_BYTES = 5 };
	const uint8_t around[] = { JMP_SHORT, JMP_BYTES };
	uint8_t over = when ? sizeof(around) : JMP_BYTES;

	asm_bytes(&e->a, insn->code, insn->effects.opcode + 1u);
	asm_bytes(&e->a, &over, 1);
	if (when) {
		e->now = fall;
		mark(e);
		asm_bytes(&e->a, around, sizeof(around));
	}
	e->now = side;
	mark(e);
	return asm_jump_ahead(&e->a);
}

/*
 * A conditional branch to a way out: that is where it leads if it is taken (when), or if it is
 * not. Otherwise the code goes on, in state fall.
 */
static void branch(struct emitter *e, const struct plan_insn *insn, bool when, unsigned exit,
		   struct state fall)
{
	enum { SHORT_JCC = 0x70 };
	const uint8_t *opcode = insn->code + insn->effects.opcode;
	struct side *side = &e->sides[e->n_sides++];

	*side = (struct side){ .exit = exit, .state = e->now };
	at_exit(e, &side->state, exit);
	if (is_short_only(opcode)) {
		side->field = short_branch(e, insn, when, side->state, fall);
	} else {
		unsigned condition = (*opcode & 0xf0) == SHORT_JCC ? *opcode : opcode[1];

		side->field = asm_jump_if(&e->a, (condition & 0xf) ^ !when);
	}
	e->now = fall;
	mark(e);
}

static void retired(struct emitter *e)
{
	e->now.executed++;
	e->now.flags &= (uint8_t)~(STATE_REPEATING | STATE_EXECUTED | STATE_UNDO);
	mark(e);
}

/* Copies an instruction; false: it refers to memory too far away. */
static bool copy(struct emitter *e, const struct plan_insn *insn)
{
	unsigned length = insn->fact->length, field = insn->effects.rip_field;
	bool near = true;

	give_used(e, insn);
	if (insn->fact->flags & TF_INSN_REP)
		set(e, STATE_REPEATING);
	if (field)
		near = asm_moved(&e->a, insn->code, length, field, insn_target(insn));
	else
		asm_bytes(&e->a, insn->code, length);
	if (insn->n_after) {
		e->now.flags &= (uint8_t)~(STATE_REPEATING | STATE_UNDO);
		set(e, STATE_EXECUTED);
	}
	captures(e, insn, true);
	retired(e);
	return near;
}

/* The last instruction of a block that is not the path's last. */
static bool join(struct emitter *e, const struct plan_insn *insn)
{
	struct state fall;

	switch ((enum tf_end)insn->fact->end) {
	case TF_END_CONDITIONAL:
		captures(e, insn, true);
		fall = e->now;
		fall.executed++;
		fall.flags &= (uint8_t)~STATE_UNDO;
		branch(e, insn, !insn->taken, e->next_exit++, fall);
		return true;
	case TF_END_RETURN:
	case TF_END_INDIRECT_JUMP:
	case TF_END_INDIRECT_CALL:
		captures(e, insn, true);
		return guard(e, insn, e->next_exit++);
	case TF_END_CALL:
		captures(e, insn, true);
		asm_push_literal(&e->a, behind(insn));
		break;
	case TF_END_JUMP:
		captures(e, insn, true);
		break;
	default:
		return copy(e, insn);
	}
	retired(e);
	return true;
}

/* The last instruction of the path. */
static bool finish(struct emitter *e, const struct plan_insn *insn)
{
	unsigned exit = e->next_exit;
	struct state fall;

	if (insn->fact->end != TF_END_NONE)
		captures(e, insn, true);
	switch ((enum tf_end)insn->fact->end) {
	case TF_END_CONDITIONAL:
		fall = e->now;
		at_exit(e, &fall, exit);
		branch(e, insn, true, exit + 1, fall);
		direct_exit(e, exit);
		return true;
	case TF_END_CALL:
		asm_push_literal(&e->a, behind(insn));
		direct_exit(e, exit);
		return true;
	case TF_END_JUMP:
		direct_exit(e, exit);
		return true;
	case TF_END_RETURN:
	case TF_END_INDIRECT_JUMP:
	case TF_END_INDIRECT_CALL:
		if (!take_target(e, insn))
			return false;
		leave_indirectly(e, insn, exit);
		return true;
	case TF_END_SYSCALL:
		syscall_exit(e, exit);
		return true;
	default:
		if (!copy(e, insn))
			return false;
		direct_exit(e, exit);
		return true;
	}
}

static void side_exits(struct emitter *e)
{
	for (unsigned i = 0; i < e->n_sides; i++) {
		const struct side *s = &e->sides[i];

		asm_target(&e->a, s->field);
		e->now = s->state;
		mark(e);
		if (s->indirect) {
			asm_load_gs(&e->a, ISA_RCX, CONTEXT_AT(target));
			leave_indirectly(e, s->indirect, s->exit);
		} else {
			direct_exit(e, s->exit);
		}
	}
}

/* ---- the result ---- */

static void *append(char **at, const void *from, size_t size)
{
	void *to = *at;

	if (size)
		memcpy(to, from, size);
	*at += (size + 7) & ~(size_t)7;
	return to;
}

static struct translation *keep(const struct emitter *e)
{
	enum { INT = 0xcd };
	const struct plan *p = e->plan;
	size_t blocks = p->n_blocks * sizeof(*p->blocks);
	size_t recipes = p->n_values * sizeof(*p->recipes);
	size_t corrections = p->n_corrections * sizeof(*p->corrections);
	size_t states = e->n_states * sizeof(*e->states);
	size_t exits = p->n_exits * sizeof(struct translation_exit);
	size_t slots = (p->n_insns + 1) * sizeof(uint16_t);
	struct translation *t = malloc(sizeof(*t) + blocks + recipes + corrections + states +
				       exits + slots + 6 * 8);
	const struct plan_insn *last = &p->insns[p->n_insns - 1];
	char *at = (char *)(t + 1);

	if (!t)
		return NULL;
	*t = (struct translation){
		.pc = p->pc, .code = e->a.pc, .size = (uint32_t)(e->a.at - e->a.start),
		.q = e->q, .t = e->t, .int80 = last->code[0] == INT,
		.first_exit = e->first_exit, .trace_path = TF_NONE,
		.n_blocks = p->n_blocks, .n_insns = p->n_insns, .n_exits = p->n_exits,
		.n_values = p->n_values, .n_slots = p->numbering.n_slots,
		.n_corrections = p->n_corrections, .n_states = e->n_states,
		.event_bytes = (uint16_t)call_bytes(p), .call_trap = e->call_trap,
	};
	t->blocks = append(&at, p->blocks, blocks);
	t->recipes = append(&at, p->recipes, recipes);
	t->corrections = append(&at, p->corrections, corrections);
	t->states = append(&at, e->states, states);
	t->exits = (struct translation_exit *)at;
	for (unsigned i = 0; i < p->n_exits; i++)
		t->exits[i] = (struct translation_exit){
			.trace = p->exits[i].trace, .n_insns = p->exits[i].n_insns,
			.target = p->exits[i].target, .jump = e->jumps[i],
			.syscall = last->fact->end == TF_END_SYSCALL && i + 1 == p->n_exits,
		};
	t->slots = (uint16_t *)(at + exits);
	for (unsigned i = 0; i < p->n_insns; i++)
		t->slots[i] = p->insns[i].first_capture;
	t->slots[p->n_insns] = (uint16_t)p->n_insn_captures;
	return t;
}

enum translate_status translate(const struct plan *plan, uint8_t *at, size_t size,
				uint64_t code_pc, uint32_t first_exit,
				struct translation **translation, unsigned *insn)
{
	struct emitter e;

	asm_begin(&e.a, at, size, code_pc);
	e.plan = plan;
	e.first_exit = first_exit;
	e.n_states = e.n_sides = e.next_exit = 0;
	e.now = (struct state){ .place = AT_INSN };
	memset(e.jumps, 0, sizeof(e.jumps));
	choose_scratch(&e);
	mark(&e);
	e.call_trap = 0;
	if (plan->function != TF_NONE)
		tell_call(&e);
	for (unsigned i = 0; i < plan->n_insns; i++) {
		const struct plan_insn *at_insn = &plan->insns[i];
		bool near;

		captures(&e, at_insn, false);
		if (i + 1 == plan->n_insns)
			near = finish(&e, at_insn);
		else if (at_insn->last)
			near = join(&e, at_insn);
		else
			near = copy(&e, at_insn);
		if (!near) {
			*insn = i;
			return TRANSLATE_FAR;
		}
	}
	side_exits(&e);
	if (!asm_end(&e.a))
		return TRANSLATE_FULL;
	*translation = keep(&e);
	return *translation ? TRANSLATED : TRANSLATE_MEMORY;
}

/* ---- asking ---- */

const struct state *translation_state(const struct translation *t, uint32_t offset)
{
	unsigned low = 0, high = t->n_states;

	while (high - low > 1) {
		unsigned middle = (low + high) / 2;

		if (t->states[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	return &t->states[low];
}

static const struct code_block *block_of(const struct translation *t, unsigned *insn)
{
	unsigned i = 0;

	while (*insn >= t->blocks[i]->trace.n_insns)
		*insn -= t->blocks[i++]->trace.n_insns;
	return t->blocks[i];
}

uint64_t translation_pc(const struct translation *t, unsigned insn)
{
	const struct code_block *b = block_of(t, &insn);

	return b->trace.pc + b->trace.insns[insn].offset;
}

const struct isa_insn *translation_fact(const struct translation *t, unsigned insn)
{
	return &block_of(t, &insn)->facts[insn];
}
