/* SPDX-License-Identifier: MIT */
/*
 * Translates a plan to code. The program's instructions are copied, and at most two registers are
 * spilled: q points at the record, t is a scratch register. They are spilled only where they are
 * needed, and restored before an instruction that uses them. The added code does not change the
 * flags, nor the program's memory, except that it pushes return addresses as a call does.
 */
#include <stdlib.h>
#include <string.h>

#include "recorder/translate/emit/emitter.h"
#include "recorder/translate/emit/special.h"

/* ---- instructions ---- */

static bool is_short_only(const uint8_t *opcode)
{
	enum { LOOPNE = 0xe0, JRCXZ = 0xe3 };

	return *opcode >= LOOPNE && *opcode <= JRCXZ;
}

/* Writes a loop or jrcxz. They reach only 127 bytes, and loop changes rcx, so the code after it has
 * another state. */
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
		emit_mark(e);
		asm_bytes(&e->a, around, sizeof(around));
	}
	e->now = side;
	emit_mark(e);
	return asm_jump_ahead(&e->a);
}

/*
 * Writes a conditional branch to an exit stub, which it takes if its condition is equal to `when`.
 * Otherwise the code continues, in the state `fall`.
 */
static void branch(struct emitter *e, const struct plan_insn *insn, bool when, unsigned exit,
		   struct state fall)
{
	enum { SHORT_JCC = 0x70 };
	const uint8_t *opcode = insn->code + insn->effects.opcode;
	struct side *side = &e->sides[e->n_sides++];

	*side = (struct side){ .exit = exit, .state = e->now };
	emit_at_exit(e, &side->state, exit);
	if (is_short_only(opcode)) {
		side->fields[0] = short_branch(e, insn, when, side->state, fall);
	} else {
		unsigned condition = (*opcode & 0xf0) == SHORT_JCC ? *opcode : opcode[1];

		side->fields[0] = asm_jump_if(&e->a, (condition & 0xf) ^ !when);
	}
	e->now = fall;
	emit_mark(e);
}

static void retired(struct emitter *e)
{
	e->now.executed++;
	e->now.flags &= (uint16_t) ~(STATE_REPEATING | STATE_EXECUTED | STATE_UNDO);
	emit_mark(e);
}

/* Copies an instruction. Returns false if it refers to memory too far away. */
static bool copy(struct emitter *e, const struct plan_insn *insn)
{
	unsigned length = insn->fact->length, field = insn->effects.rip_field;
	unsigned index = e->now.executed;
	uint64_t pc;
	bool near = true, x87 = emit_stores_x87(e, e->now.executed);

	emit_restore_used(e, insn);
	if (x87) /* room for a jump that replaces a superblock's beginning */
		asm_nop(&e->a);
	emit_special_before(e, insn);
	if (insn->fact->flags & TF_INSN_REP && e->plan->options.counted)
		asm_store_gs(&e->a, CONTEXT_AT(repetitions), ISA_RCX);
	if (insn->fact->flags & TF_INSN_REP)
		emit_set(e, STATE_REPEATING);
	pc = asm_here(&e->a);
	if (field)
		near = asm_moved(&e->a, insn->code, length, field, emit_insn_target(insn));
	else
		asm_bytes(&e->a, insn->code, length);
	emit_overwrite(e, insn);
	if (insn->n_after || emit_is_special(insn)) {
		e->now.flags &= (uint16_t) ~(STATE_REPEATING | STATE_UNDO);
		emit_set(e, STATE_EXECUTED);
	}
	if (emit_is_special(insn))
		emit_special_after(e, insn);
	emit_captures(e, insn, true);
	retired(e);
	if (x87)
		emit_x87_store(e);
	emit_note_x87(e, index, pc);
	return near;
}

/* Writes the last instruction of a block that is not the superblock's last. */
static bool join(struct emitter *e, const struct plan_insn *insn)
{
	struct state fall;

	switch ((enum tf_end)insn->fact->end) {
	case TF_END_CONDITIONAL:
		emit_captures(e, insn, true);
		emit_restore_used(e, insn);
		fall = e->now;
		fall.executed++;
		fall.flags &= (uint16_t)~STATE_UNDO;
		branch(e, insn, !insn->taken, e->next_exit++, fall);
		return true;
	case TF_END_RETURN:
	case TF_END_INDIRECT_JUMP:
	case TF_END_INDIRECT_CALL:
		emit_captures(e, insn, true);
		return emit_guard(e, insn, e->next_exit++);
	case TF_END_CALL:
		emit_captures(e, insn, true);
		asm_push_literal(&e->a, emit_behind(insn));
		break;
	case TF_END_JUMP: emit_captures(e, insn, true); break;
	default: return copy(e, insn);
	}
	retired(e);
	return true;
}

/* Writes the last instruction of the superblock. */
static bool finish(struct emitter *e, const struct plan_insn *insn)
{
	unsigned exit = e->next_exit;
	struct state fall;

	if (insn->fact->end != TF_END_NONE)
		emit_captures(e, insn, true);
	switch ((enum tf_end)insn->fact->end) {
	case TF_END_CONDITIONAL:
		emit_restore_used(e, insn);
		fall = e->now;
		emit_at_exit(e, &fall, exit);
		branch(e, insn, true, exit + 1, fall);
		emit_direct_exit(e, exit);
		return true;
	case TF_END_CALL:
		asm_push_literal(&e->a, emit_behind(insn));
		emit_direct_exit(e, exit);
		return true;
	case TF_END_JUMP: emit_direct_exit(e, exit); return true;
	case TF_END_RETURN:
	case TF_END_INDIRECT_JUMP:
	case TF_END_INDIRECT_CALL:
		if (!emit_load_target(e, insn, TARGET_REGISTER))
			return false;
		emit_record_side_exit(e, exit, insn, 0);
		emit_leave_indirectly(e, insn, exit);
		return true;
	case TF_END_SYSCALL: emit_syscall_exit(e, exit); return true;
	default:
		if (!copy(e, insn))
			return false;
		emit_direct_exit(e, exit);
		return true;
	}
}

/* Writes an exit stub, the target of the side's branches. */
static bool side_exit(struct emitter *e, const struct side *s)
{
	asm_target(&e->a, s->fields[0]);
	if (s->fields[1])
		asm_target(&e->a, s->fields[1]);
	e->now = s->state;
	emit_mark(e);
	if (!s->indirect)
		emit_direct_exit(e, s->exit);
	else if (emit_has(e, STATE_FLAGS_LOST))
		return emit_leave_comparison(e, s->indirect, s->exit);
	else
		emit_leave_guard(e, s->indirect, s->exit);
	return true;
}

static bool side_exits(struct emitter *e, unsigned *insn)
{
	for (unsigned i = 0; i < e->n_sides; i++)
		if (!side_exit(e, &e->sides[i])) {
			*insn = (unsigned)(e->sides[i].indirect - e->plan->insns);
			return false;
		}
	return true;
}

/* ---- the superblock ---- */

static bool begin_inside(struct emitter *e, const struct plan_start *start)
{
	bool near = true;

	e->q = start->q;
	e->t = start->t;
	while (e->plan->exits[e->next_exit].n_insns <= start->n_insns)
		e->next_exit++;
	if (start->indirect)
		near = emit_guard_again(e, &e->plan->insns[start->n_insns], e->next_exit++);
	emit_count_begin(e);
	return near;
}

/* Returns false if the beginning refers to memory too far away. */
static bool begin(struct emitter *e)
{
	const struct plan *p = e->plan;

	e->n_states = e->n_sides = e->n_traps = e->n_sources = e->n_entries = e->n_x87_stores =
		e->next_exit = 0;
	e->call_trap = 0;
	e->block = e->entered = 0;
	e->count_at = TF_NONE;
	memset(e->jumps, 0, sizeof(e->jumps));
	memset(e->side_exits, 0, sizeof(e->side_exits));
	e->now = (struct state){ .place = AT_INSN,
				 .executed = (uint16_t)p->start.n_insns,
				 .rsp = p->start.rsp,
				 .flags = p->start.flags };
	e->now.counted = p->start.inside ? p->start.counted : (int16_t)-p->start.pending;
	emit_mark(e);
	if (p->start.inside)
		return begin_inside(e, &p->start);
	emit_choose_scratch(e);
	emit_count_begin(e);
	if (p->checked)
		asm_nop(&e->a);
	if (p->options.function != TF_NONE)
		emit_call_record(e);
	return true;
}

/* Adds an entry before the instruction, which other superblocks may be linked to, if none of the
 * program's registers is spilled. There is room for a jump between two entries. */
static void note_entry(struct emitter *e, const struct plan_insn *insn)
{
	uint32_t offset = (uint32_t)(e->a.at - e->a.start);
	uint32_t before = e->n_entries ? e->entries[e->n_entries - 1].offset : 0;
	int pending = e->now.executed - e->now.counted;

	if (e->now.flags || e->now.rsp || pending < 0 || pending > COUNT_MOST_PENDING ||
	    offset - before < ASM_JUMP_BYTES)
		return;
	e->entered = (unsigned)(insn - e->plan->insns);
	e->entries[e->n_entries++] = (struct entry){
		.pc = insn->pc,
		.offset = offset,
		.pending = (int16_t)pending,
	};
}

static void begin_block(struct emitter *e, const struct plan_insn *insn)
{
	e->block++;
	if (plan_is_enterable(e->plan, e->block))
		note_entry(e, insn);
}

/* Writes an instruction and its captures. Returns false if it refers to memory too far away. */
static bool emit_insn(struct emitter *e, unsigned i)
{
	const struct plan_insn *insn = &e->plan->insns[i];

	if (i && insn[-1].last)
		begin_block(e, insn);
	if (insn->check && !emit_code_check(e, insn))
		return false;
	emit_count_before(e, i);
	emit_captures(e, insn, false);
	if (i + 1 == e->plan->n_insns)
		return finish(e, insn);
	return insn->last ? join(e, insn) : copy(e, insn);
}

static enum translate_status emit(struct emitter *e, struct pool *pool,
				  struct translation **translation, unsigned *insn)
{
	unsigned n = e->plan->n_insns;

	*insn = e->plan->start.n_insns;
	if (!begin(e))
		return TRANSLATE_FAR;
	for (unsigned i = e->now.executed; i < n; i++)
		if (!emit_insn(e, i)) {
			*insn = i;
			return TRANSLATE_FAR;
		}
	if (!side_exits(e, insn))
		return TRANSLATE_FAR;
	emit_traps_behind(e);
	if (!asm_end(&e->a))
		return TRANSLATE_FULL;
	*translation = emit_finalize(e, pool);
	return *translation ? TRANSLATED : TRANSLATE_MEMORY;
}

enum translate_status translate(const struct plan *plan, uint8_t *at, size_t size, uint64_t code_pc,
				uint32_t first_exit, struct pool *pool,
				struct translation **translation, unsigned *insn)
{
	struct emitter *e = malloc(sizeof(*e)); /* too large for a small stack */
	enum translate_status status;

	if (!e)
		return TRANSLATE_MEMORY;
	asm_begin(&e->a, at, size, code_pc);
	e->plan = plan;
	e->first_exit = first_exit;
	status = emit(e, pool, translation, insn);
	free(e);
	return status;
}
