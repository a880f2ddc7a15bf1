/* SPDX-License-Identifier: MIT */
/*
 * The state of a superblock's translation: the assembler, the program's state at its place, and the
 * two scratch registers. emit.c writes the superblock, exits.c its exit stubs, capture.c its
 * records.
 */
#ifndef EMITTER_H
#define EMITTER_H

#include <string.h>

#include "recorder/translate/emit/assembler.h"
#include "recorder/translate/emit/context.h"
#include "recorder/translate/emit/translation.h"

enum { MAX_STATES = 16 * PLAN_INSNS, SIDES = PLAN_BLOCKS };

/* A branch whose exit stub is placed after the superblock. */
struct side {
	uint8_t *fields[2]; /* displacements of the branches; the second may be NULL */
	unsigned exit;
	struct state state;               /* state at the branch */
	const struct plan_insn *indirect; /* the jump whose guard has failed, or NULL */
};

/* A trap that is placed after the superblock, and the state of the program there. */
struct trap_behind {
	uint8_t *field; /* displacement of the jump to the trap */
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
	uint8_t packed_states[MAX_STATES * STATE_MOST_BYTES]; /* by emit_finalize() */
	unsigned n_sides;
	struct side sides[SIDES];
	unsigned n_sources;
	struct flag_source sources[PLAN_BLOCKS];
	unsigned n_traps;
	struct trap_behind traps[2 * PLAN_INSNS + PLAN_EXITS];
	unsigned count_at; /* instruction before which the superblock is counted, or TF_NONE */
	unsigned next_counter;
	struct {
		int16_t chosen;
		bool open;
	} pending[PLAN_EXITS];
	/* numbers of the block and of the last instruction with an entry */
	unsigned block, entered;
	unsigned n_entries;
	struct entry entries[PLAN_BLOCKS];
	unsigned n_x87_stores;
	uint32_t x87_stores[PLAN_INSNS]; /* offsets, see struct translation */
	unsigned next_exit;
	uint64_t jumps[PLAN_EXITS]; /* cache pcs, by exit */
	struct side_exit side_exits[PLAN_EXITS];
	uint64_t call_trap;
};

/* ---- state ---- */

/* Marks that emitter->now is the state from this place on. */
void emit_mark(struct emitter *emitter);

/* Set or clear flags of the state from this place on. */
void emit_set(struct emitter *emitter, unsigned flags);
void emit_clear(struct emitter *emitter, unsigned flags);

static inline bool emit_has(const struct emitter *e, unsigned flag)
{
	return e->now.flags & flag;
}

/* Writes the traps that are placed after the superblock. */
void emit_traps_behind(struct emitter *emitter);

/* ---- scratch registers ---- */

/* Chooses the registers that the superblock uses least. Registers with a fixed use in the
 * recorder's sequences are excluded. */
void emit_choose_scratch(struct emitter *emitter);

/* Spills q and makes it point at the record, if there is one; restores q. */
void emit_spill_q(struct emitter *emitter);
void emit_restore_q(struct emitter *emitter);

/* Spills t; restores t. */
void emit_spill_t(struct emitter *emitter);
void emit_restore_t(struct emitter *emitter);

/* Spills rcx, which jrcxz needs, to the context. */
void emit_spill_rcx(struct emitter *emitter);
/* Spills rcx to t instead, where it stays until t or rcx is needed; restores rcx from either place.
 * A restore from t does not wait for memory. */
void emit_spill_rcx_to_t(struct emitter *emitter);
void emit_restore_rcx(struct emitter *emitter);

/* Restores the registers that the instruction uses, except those that it overwrites. */
void emit_restore_used(struct emitter *emitter, const struct plan_insn *insn);

/* Updates the state after the instruction has overwritten registers, which need no restore any
 * more. The caller marks the state. */
void emit_overwrite(struct emitter *emitter, const struct plan_insn *insn);

/* ---- exit stubs: exits.c ---- */

/* Completes the record. The program has then left the superblock. */
void emit_end_record(struct emitter *emitter, unsigned exit);

/* Sets *state to the state at the target of the exit. */
void emit_at_exit(const struct emitter *emitter, struct state *state, unsigned exit);

/* Records that the superblock can be extended at this place, where it is left by the exit.
 * `indirect` is the jump, or NULL; `guard` is that of struct side_exit. */
void emit_record_side_exit(struct emitter *emitter, unsigned exit, const struct plan_insn *indirect,
			   uint64_t guard);

/* Leaves the superblock by an exit with a known target. */
void emit_direct_exit(struct emitter *emitter, unsigned exit);

/*
 * Makes the system call in the stub, which also completes a record, or leaves it to the recorder.
 */
void emit_syscall_exit(struct emitter *emitter, unsigned exit);

/* ---- indirect_jump.c ---- */

/* Returns the address that a rip-relative operand refers to. */
static inline uint64_t emit_insn_target(const struct plan_insn *insn)
{
	int32_t field;

	memcpy(&field, insn->code + insn->effects.rip_field, sizeof(field));
	return insn->pc + insn->fact->length + (uint64_t)(int64_t)field;
}

/* Returns the address after the instruction. */
static inline uint64_t emit_behind(const struct plan_insn *insn)
{
	return insn->pc + insn->fact->length;
}

/* An instruction to be written that uses the operand of an indirect jump or call. A rip-relative
 * operand is used from its byte `from` on. */
struct operand_use {
	unsigned opcode, reg, from;
	bool wide; /* 8 bytes, else 4 */
	const void *immediate;
	unsigned immediate_bytes;
};

/* Writes the instruction. Returns false if the operand is too far away. */
bool emit_with_operand(struct emitter *emitter, const struct plan_insn *insn,
		       const struct operand_use *use);

/* Loads the target into rcx or TARGET_REGISTER, whose program's value is spilled. Returns false if
 * the operand is too far away. */
bool emit_load_target(struct emitter *emitter, const struct plan_insn *insn, unsigned reg);

/* Continues in the superblock if the target is the expected one. Returns false if the operand is
 * too far away. */
bool emit_guard(struct emitter *emitter, const struct plan_insn *insn, unsigned exit);

/* Writes a guard, as emit_guard() does, at the start of a superblock that extends another one. */
bool emit_guard_again(struct emitter *emitter, const struct plan_insn *insn, unsigned exit);

/* Returns the register that has the target of an indirect jump or call, or ISA_NO_REGISTER. */
unsigned emit_target_register(const struct plan_insn *insn);

/* Writes, after a guard, the rest of the jump's effects. */
void emit_as_expected(struct emitter *emitter, const struct plan_insn *insn);

/* Write the rest of the jump as an exit stub. Before the first, TARGET_REGISTER has the target.
 * Before the second, a guard has failed and rcx has the difference from the expected target. */
void emit_leave_indirectly(struct emitter *emitter, const struct plan_insn *insn, unsigned exit);
void emit_leave_guard(struct emitter *emitter, const struct plan_insn *insn, unsigned exit);

/* ---- comparison.c ---- */

/* Returns true if a comparison can serve as guard. emit_comparison() then takes the place of
 * emit_guard(). */
bool emit_can_compare(struct emitter *emitter, const struct plan_insn *insn);
bool emit_comparison(struct emitter *emitter, const struct plan_insn *insn, unsigned exit);

/* Leaves the superblock after the comparison has failed. Returns false if the operand is too far
 * away. */
bool emit_leave_comparison(struct emitter *emitter, const struct plan_insn *insn, unsigned exit);

/* Takes the place of emit_guard_again() where the guard was a comparison. */
bool emit_comparison_again(struct emitter *emitter, const struct plan_insn *insn, unsigned exit);

/* ---- code that may change: code_check.c ---- */

/* Continues only if the code to be compared before the instruction is unchanged. Returns false if
 * that code is too far away. */
bool emit_code_check(struct emitter *emitter, const struct plan_insn *insn);

/* ---- counting variants: count.c ---- */

/* Chooses where the superblock is counted. */
void emit_count_begin(struct emitter *emitter);

/* Counts the superblock if its count belongs before this instruction. */
void emit_count_before(struct emitter *emitter, unsigned insn);

/* Count the executed instructions at an exit, or at an indirect exit, where rcx is free, unless
 * that has been done. */
void emit_count_exit(struct emitter *emitter, unsigned exit);
void emit_count_indirect(struct emitter *emitter, unsigned exit);
/* Counts as emit_count_exit() does, at a place where the flags need not be kept. */
void emit_count_without_flags(struct emitter *emitter, unsigned exit);

/* ---- x87 pointers: x87_places.c ---- */

/* Returns true if the instruction, by its number, may store the x87 pointers. */
bool emit_stores_x87(const struct emitter *emitter, unsigned insn);

/* Writes a nop at which the recorder may correct the pointers that the instruction has stored
 * (x87_stores.h). */
void emit_x87_store(struct emitter *emitter);

/* Stores in the context where the pointers are after the instruction, whose copy is at pc, because
 * the processor may lose them where the task stops. */
void emit_note_x87(struct emitter *emitter, unsigned insn, uint64_t pc);

/* ---- records: capture.c ---- */

/* Writes the instruction's captures, either those before it executes or those after. */
void emit_captures(struct emitter *emitter, const struct plan_insn *insn, bool after);

/*
 * Write the record of the call that the superblock begins with; return the record's size in bytes.
 */
void emit_call_record(struct emitter *emitter);
int32_t emit_call_bytes(const struct plan *plan);

/* ---- the result: finalize.c ---- */

/*
 * Returns the translation of the superblock whose code has been written, or NULL if memory is out.
 */
struct translation *emit_finalize(struct emitter *emitter, struct pool *pool);

#endif
