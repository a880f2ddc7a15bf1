/* SPDX-License-Identifier: MIT */
/*
 * A superblock while it becomes code: where it is written, the program's state there, and the two scratch
 * registers. emit.c writes the superblock, exits.c its exit stubs, capture.c what is recorded of it.
 */
#ifndef EMITTER_H
#define EMITTER_H

#include <string.h>

#include "recorder/translate/emit/assembler.h"
#include "recorder/translate/emit/context.h"
#include "recorder/translate/emit/translation.h"

enum { MAX_STATES = 16 * PLAN_INSNS, SIDES = PLAN_BLOCKS };

/* A branch whose exit stub is placed behind the superblock. */
struct side {
	uint8_t *fields[2]; /* displacements of the branches, the second may be NULL */
	unsigned exit;
	struct state state;               /* there */
	const struct plan_insn *indirect; /* whose guard has failed; or NULL */
};

/* A trap that is placed behind the superblock, and the state of the program there. */
struct trap_behind {
	uint8_t *field; /* displacement of the jump there */
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
	unsigned n_sources;
	struct flag_source sources[PLAN_BLOCKS];
	unsigned n_traps;
	struct trap_behind traps[3 * PLAN_INSNS + PLAN_EXITS];
	unsigned count_at; /* the instruction before which the superblock is counted, or TF_NONE */
	unsigned next_counter;
	struct {
		int16_t chosen;
		bool open;
	} pending[PLAN_EXITS];
	unsigned block,
		entered; /* number of the block; of the last instruction where others enter */
	unsigned n_entries;
	struct entry entries[PLAN_BLOCKS];
	unsigned n_x87_stores;
	uint32_t x87_stores[PLAN_INSNS]; /* offsets, see translation */
	unsigned next_exit;
	uint64_t jumps[PLAN_EXITS]; /* cache pcs, by exit */
	struct side_exit side_exits[PLAN_EXITS];
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

/* Writes the traps that belong behind the superblock. */
void emit_traps_behind(struct emitter *emitter);

/* ---- scratch registers ---- */

/* Chooses those that the superblock uses least; none with a part in our own sequences. */
void emit_choose_scratch(struct emitter *emitter);

/* Sets q aside and makes it point at the record, if there is one; gives it back to the program. */
void emit_take_q(struct emitter *emitter);
void emit_give_q(struct emitter *emitter);

/* Sets t aside; gives it back. */
void emit_take_t(struct emitter *emitter);
void emit_give_t(struct emitter *emitter);

/* Sets rcx aside, by which we branch; gives it back. */
void emit_save_rcx(struct emitter *emitter);
/* The same in t, where it stays until something else needs it there or in rcx: no instruction that
 * waits for it waits for memory. */
void emit_keep_rcx(struct emitter *emitter);
void emit_give_rcx(struct emitter *emitter);

/* Gives back what the instruction uses, but for what it overwrites. */
void emit_give_used(struct emitter *emitter, const struct plan_insn *insn);

/* It has done so: that is not to be restored any more. Whoever calls it marks the state. */
void emit_overwrite(struct emitter *emitter, const struct plan_insn *insn);

/* ---- exit stubs: exits.c ---- */

/* Completes the record. With it, the program has left the superblock. */
void emit_end_record(struct emitter *emitter, unsigned exit);

/* Makes it the state at the target of the exit. */
void emit_at_exit(const struct emitter *emitter, struct state *state, unsigned exit);

/* Here the superblock can be extended, as it is left by the exit. indirect: the jump, or NULL; guard: as
 * in struct way. */
void emit_record_side_exit(struct emitter *emitter, unsigned exit, const struct plan_insn *indirect,
			   uint64_t guard);

/* Leaves the superblock by an exit with a known target. */
void emit_direct_exit(struct emitter *emitter, unsigned exit);

/* The superblock makes the system call, unless the thread may not. */
void emit_call_directly(struct emitter *emitter, const struct plan_insn *insn, unsigned exit);

/* A system call is executed in the stub, which also completes the record, or by the recorder. */
void emit_syscall_exit(struct emitter *emitter, unsigned exit);

/* ---- indirect_jump.c ---- */

/* What a rip-relative operand refers to. */
static inline uint64_t emit_insn_target(const struct plan_insn *insn)
{
	int32_t field;

	memcpy(&field, insn->code + insn->effects.rip_field, sizeof(field));
	return insn->pc + insn->fact->length + (uint64_t)(int64_t)field;
}

/* The address behind it. */
static inline uint64_t emit_behind(const struct plan_insn *insn)
{
	return insn->pc + insn->fact->length;
}

/* An instruction that uses the operand of an indirect jump or call, from its byte `from` on if it is
 * relative to rip. */
struct operand_use {
	unsigned opcode, reg, from;
	bool wide; /* 8 bytes, else 4 */
	const void *immediate;
	unsigned immediate_bytes;
};

/* Writes it. False: the operand is too far away. */
bool emit_with_operand(struct emitter *emitter, const struct plan_insn *insn,
		       const struct operand_use *use);

/* Register rcx or TARGET_REGISTER = the target, the program's spilled. False: its operand is too
 * far away. */
bool emit_take_target(struct emitter *emitter, const struct plan_insn *insn, unsigned reg);

/* The superblock goes on if the target is the expected one. False: its operand is too far away. */
bool emit_guard(struct emitter *emitter, const struct plan_insn *insn, unsigned exit);

/* The same where a superblock begins that leads another one on. */
bool emit_guard_again(struct emitter *emitter, const struct plan_insn *insn, unsigned exit);

/* The register that has the target of an indirect jump or call; ISA_NO_REGISTER: none has. */
unsigned emit_target_register(const struct plan_insn *insn);

/* Behind a guard: the rest of what the jump does. */
void emit_as_expected(struct emitter *emitter, const struct plan_insn *insn);

/* The rest of the jump as a exit stub, the target being in TARGET_REGISTER; or where its guard has
 * failed, rcx being how far the target is from the expected one. */
void emit_leave_indirectly(struct emitter *emitter, const struct plan_insn *insn, unsigned exit);
void emit_leave_guard(struct emitter *emitter, const struct plan_insn *insn, unsigned exit);

/* ---- comparison.c ---- */

/* True if a guard may be a comparison. Then: the same as emit_guard. */
bool emit_can_compare(struct emitter *emitter, const struct plan_insn *insn);
bool emit_comparison(struct emitter *emitter, const struct plan_insn *insn, unsigned exit);

/* Leaves the superblock where its target was another one. False: its operand is too far away. */
bool emit_leave_comparison(struct emitter *emitter, const struct plan_insn *insn, unsigned exit);

/* The same as emit_guard_again where that was a comparison. */
bool emit_comparison_again(struct emitter *emitter, const struct plan_insn *insn, unsigned exit);

/* ---- code that may change: code_check.c ---- */

/* Goes on only if the code to be compared before the instruction is as it was. False: it is too far
 * away. */
bool emit_code_check(struct emitter *emitter, const struct plan_insn *insn);

/* ---- superblocks that are only counted: count.c ---- */

/* Chooses where the superblock is counted. */
void emit_count_begin(struct emitter *emitter);

/* Counts the superblock before the instruction, if that is where it is to be. */
void emit_count_before(struct emitter *emitter, unsigned insn);

/* Counts what has executed if that has not been done yet: at an exit, or at an indirect one, where
 * rcx is free. */
void emit_count_exit(struct emitter *emitter, unsigned exit);
void emit_count_indirect(struct emitter *emitter, unsigned exit);
/* Likewise where the flags are lost anyway. */
void emit_count_without_flags(struct emitter *emitter, unsigned exit);

/* ---- what is recorded: capture.c ---- */

/* Takes the instruction's captures before it executes, or those after. */
void emit_captures(struct emitter *emitter, const struct plan_insn *insn, bool after);

/* Writes the record of the call that the superblock begins with; its size, bytes. */
void emit_call_record(struct emitter *emitter);
int32_t emit_call_bytes(const struct plan *plan);

/* ---- the result: finalize.c ---- */

/* The translation of the superblock whose code has been written; NULL: memory is out. */
struct translation *emit_finalize(const struct emitter *emitter, struct pool *pool);

#endif
