/* SPDX-License-Identifier: MIT */
/*
 * A path while it becomes code: where it is written, the program's state there, and the two scratch
 * registers. emit.c writes the path, capture.c what is recorded of it.
 */
#ifndef EMITTER_H
#define EMITTER_H

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

/* Where code is compared: what leads to the trap behind the path if it has changed. */
struct code_check {
	uint8_t *field;		/* displacement of the jump there */
	struct state state;
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
	unsigned n_checks;
	struct code_check checks[PLAN_INSNS];
	unsigned next_exit;
	uint64_t jumps[PLAN_EXITS];	/* cache pcs, by exit */
	struct way ways[PLAN_EXITS];
	uint64_t call_trap;
};

/* ---- state ---- */

/* From here on the state is emitter->now. */
void emit_mark(struct emitter *emitter);

/* From here on it has these flags, or has them no more. */
void emit_set(struct emitter *emitter, unsigned flags);
void emit_clear(struct emitter *emitter, unsigned flags);

static inline bool emit_has(const struct emitter *e, unsigned flag)
{
	return e->now.flags & flag;
}

/* ---- scratch registers ---- */

/* Chooses those that the path uses least; none with a part in our own sequences. */
void emit_choose_scratch(struct emitter *emitter);

/* Sets q aside and makes it point at the record; gives it back to the program. */
void emit_take_q(struct emitter *emitter);
void emit_give_q(struct emitter *emitter);

/* Sets t aside; gives it back. */
void emit_take_t(struct emitter *emitter);
void emit_give_t(struct emitter *emitter);

/* Gives back what the instruction uses. */
void emit_give_used(struct emitter *emitter, const struct plan_insn *insn);

/* ---- code that may change: code_check.c ---- */

/* Goes on only if the code to be compared before the instruction is as it was. False: it is too far
 * away. */
bool emit_code_check(struct emitter *emitter, const struct plan_insn *insn);

/* Writes the traps for code that is not. */
void emit_code_check_traps(struct emitter *emitter);

/* ---- what is recorded: capture.c ---- */

/* Takes the instruction's captures before it executes, or those after. */
void emit_captures(struct emitter *emitter, const struct plan_insn *insn, bool after);

/* Writes the record of the call that the path begins with; its size, bytes. */
void emit_call_record(struct emitter *emitter);
int32_t emit_call_bytes(const struct plan *plan);

#endif
