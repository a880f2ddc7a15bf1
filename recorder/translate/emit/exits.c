/* SPDX-License-Identifier: MIT */
/* Writes exits with known targets and those by system calls. */
#include "recorder/translate/emit/emitter.h"

void emit_end_record(struct emitter *e, unsigned exit)
{
	unsigned n_places = e->plan->exits[exit].n_places;

	if (e->plan->options.counted)
		return;
	emit_spill_q(e);
	asm_store_constant(&e->a, e->q, 0, (int32_t)tf_record_head(e->first_exit + exit, n_places));
	asm_lea(&e->a, e->q, e->q, ISA_NO_REGISTER, 0, record_slot(n_places));
	asm_store_gs(&e->a, CONTEXT_AT(record), e->q);
}

void emit_at_exit(const struct emitter *e, struct state *state, unsigned exit)
{
	state->executed = e->plan->exits[exit].n_insns;
	state->place = AT_EXIT;
	state->exit = (uint8_t)exit;
	state->flags &= (uint16_t)~STATE_UNDO;
}

void emit_record_side_exit(struct emitter *e, unsigned exit, const struct plan_insn *indirect,
			   uint64_t guard)
{
	e->side_exits[exit] = (struct side_exit){
		.pc = asm_here(&e->a),
		.rsp = (int8_t)e->now.rsp,
		.flags = e->now.flags,
		.counted = e->now.counted,
		.guard = guard,
		.n_insns = (uint16_t)(e->plan->exits[exit].n_insns - !!indirect),
	};
}

/* Writes the exit's request for a translation, which is replaced when the exit is linked. */
static void emit_request(struct emitter *e, unsigned exit)
{
	uint32_t number = e->first_exit + exit;

	if (!e->plan->options.request_stub) {
		asm_trap(&e->a, number);
		return;
	}
	asm_open_jump(&e->a);
	asm_store_gs_constant(&e->a, CONTEXT_AT(request_exit), (int32_t)number);
	asm_jump(&e->a, e->plan->options.request_stub);
}

void emit_direct_exit(struct emitter *e, unsigned exit)
{
	bool nothing_to_do;

	emit_at_exit(e, &e->now, exit);
	emit_mark(e);
	emit_record_side_exit(e, exit, NULL, 0);
	if (e->plan->options.counted)
		emit_count_exit(e, exit);
	emit_end_record(e, exit);
	emit_set(e, STATE_LEFT);
	emit_restore_q(e);
	emit_restore_t(e);
	nothing_to_do = asm_here(&e->a) == e->side_exits[exit].pc;
	asm_patchable(&e->a);
	e->jumps[exit] = asm_here(&e->a);
	if (nothing_to_do)
		e->side_exits[exit].pc = e->jumps[exit];
	emit_request(e, exit);
}

/* Stores the superblock's values that the stub needs. The superblock continues at cache pc `on`. */
static void begin_call(struct emitter *e, unsigned exit, uint64_t on)
{
	const struct plan_exit *x = &e->plan->exits[exit];

	asm_store_gs(&e->a, CONTEXT_AT(saved_rcx), ISA_RCX);
	emit_set(e, STATE_RCX_SAVED);
	asm_store_gs_constant(&e->a, CONTEXT_AT(call_head),
			      (int32_t)tf_record_head(e->first_exit + exit, x->n_places));
	asm_load_gs(&e->a, ISA_RCX, CONTEXT_AT(record));
	asm_lea(&e->a, ISA_RCX, ISA_RCX, ISA_NO_REGISTER, 0, record_slot(x->n_places));
	asm_store_gs(&e->a, CONTEXT_AT(call_record), ISA_RCX);
	asm_load_literal(&e->a, ISA_RCX, x->target);
	asm_store_gs(&e->a, CONTEXT_AT(call_next), ISA_RCX);
	asm_load_literal(&e->a, ISA_RCX, on);
	asm_store_gs(&e->a, CONTEXT_AT(call_return), ISA_RCX);
	asm_jump(&e->a, e->plan->options.call_stub);
}

/* Writes a call by the stub of counting variants. Its return address lies behind a jump, so the
 * state before that address is the one before the call. */
static void call_and_count(struct emitter *e, unsigned exit)
{
	struct state before;
	uint8_t *call;
	uint64_t on;

	emit_restore_q(e);
	emit_restore_t(e);
	emit_spill_rcx(e);
	before = e->now;
	call = asm_jump_ahead(&e->a);
	on = asm_here(&e->a);
	emit_at_exit(e, &e->now, exit);
	e->now.flags &= (uint16_t)~STATE_RCX_SAVED;
	emit_set(e, STATE_CALLED);
	asm_load_constant(&e->a, ISA_RCX, e->plan->exits[exit].target);
	emit_clear(e, STATE_CALLED);
	emit_direct_exit(e, exit);
	asm_target(&e->a, call);
	e->now = before;
	emit_mark(e);
	asm_load_constant(&e->a, ISA_RCX, on);
	asm_store_gs(&e->a, CONTEXT_AT(call_return), ISA_RCX);
	asm_jump(&e->a, e->plan->options.call_stub);
}

void emit_syscall_exit(struct emitter *e, unsigned exit)
{
	struct state before;
	uint8_t *call;

	if (!e->plan->options.call_stub) {
		e->jumps[exit] = asm_here(&e->a);
		asm_trap(&e->a, e->first_exit + exit);
		return;
	}
	if (e->plan->options.counted) {
		call_and_count(e, exit);
		return;
	}
	emit_restore_q(e);
	emit_restore_t(e);
	before = e->now;
	call = asm_jump_ahead(&e->a);
	asm_patchable(&e->a);
	emit_at_exit(e, &e->now, exit);
	emit_set(e, STATE_LEFT);
	e->jumps[exit] = asm_here(&e->a);
	emit_request(e, exit);
	asm_target(&e->a, call);
	e->now = before;
	emit_mark(e);
	begin_call(e, exit, e->jumps[exit]);
}
