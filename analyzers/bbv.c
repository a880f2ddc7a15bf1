/* SPDX-License-Identifier: MIT */
#include "analyzers/bbv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/command.h"

/* ---- what an instruction is to the rules ------------------------------------------------- */

enum kind {
	ORDINARY = 0,
	ENDS,		/* ends its block though control just goes on */
	REP,
	REP_LODS,	/* Valgrind runs it as a plain lods, once */
	FLDCW,
};

/* One of the few instructions of a basic block that are not ordinary. */
struct special {
	uint16_t index;
	uint8_t kind;
	uint8_t condition;	/* REP: 0 none, 1 repe, 2 repne */
};

/* A basic block of the trace, prepared. */
struct code {
	struct special *specials;	/* ascending */
	uint32_t id;		/* of the superblock that begins with it; 0: not met yet */
	uint16_t n_specials;
	bool known;		/* the rest is valid */
	bool ends;		/* the last instruction ends a superblock, taken or not */
};

struct bbv {
	struct bbv_start *starts;	/* by id - 1 */
	uint32_t count, room;
	uint32_t *slots;	/* open addressing by pc: ids, 0 is free */
	uint32_t slot_mask;
	struct code *code;	/* by trace block */
	uint32_t n_code;
};

struct bbv_thread {
	struct bbv *bbv;
	FILE *out;
	uint64_t interval;
	uint64_t *counts;	/* by id, of the interval */
	uint32_t *touched;	/* ids whose count is not 0 */
	uint32_t n_touched, room;

	uint32_t current;	/* block under way, 0: the next instruction begins one */
	uint32_t left;		/* instructions it may still have */
	uint64_t next_pc;	/* where it goes on */
	const struct tf_block *rest;	/* what begins there, if a basic block was left inside */
	unsigned rest_index;

	uint64_t length;	/* of the interval so far */
	uint64_t rep;		/* iterations of the rep under way, not yet counted */
	uint64_t last_rep;	/* its address */
	struct bbv_totals totals;

	/* Ordinals before which a block ends, of control words in the next basic block. */
	uint64_t breaks[TF_MAX_BLOCK_INSNS];
	uint32_t n_breaks, next_break;
};

static void *checked(void *memory)
{
	if (!memory)
		command_out_of_memory();
	return memory;
}

/* The opcode and what matters of its prefixes. */
struct opcode {
	const uint8_t *bytes;
	size_t length;
	uint8_t rep;		/* 0xf2, 0xf3 or 0 */
	bool operand16;		/* 0x66 */
};

static struct opcode opcode_of(const struct tf_block *block, const struct tf_insn *insn)
{
	struct opcode op = { .bytes = block->code + insn->offset, .length = insn->length };

	for (; op.length > 1; op.bytes++, op.length--)
		switch (*op.bytes) {
		case 0xf2: case 0xf3:
			op.rep = *op.bytes;
			break;
		case 0x66:
			op.operand16 = true;
			break;
		case 0x67: case 0x2e: case 0x36: case 0x3e: case 0x26: case 0x64: case 0x65:
		case 0xf0: case 0x40 ... 0x4f:
			break;
		default:
			return op;
		}
	return op;
}

static struct special classify(const struct tf_block *block, uint16_t index)
{
	const struct tf_insn *insn = &block->insns[index];
	const uint8_t *code = block->code + insn->offset;
	struct opcode op = opcode_of(block, insn);
	uint8_t first = op.bytes[0], modrm = op.length > 2 ? op.bytes[2] : 0xff;
	struct special special = { .index = index };

	if (insn->flags & TF_INSN_REP) {
		special.kind = (first & 0xfe) == 0xac ? REP_LODS : REP;
		if ((first & 0xfe) == 0xa6 || (first & 0xfe) == 0xae)
			special.condition = op.rep == 0xf2 ? 2 : 1;
	} else if (first == 0x90 && op.rep == 0xf3) {
		special.kind = ENDS;	/* pause */
	} else if (first == 0x0f && op.length > 2 && op.bytes[1] == 0xae && !op.operand16 &&
		   (modrm & 0x38) == 0x38 && modrm < 0xc0) {
		special.kind = ENDS;	/* clflush */
	} else if (code[0] == 0xd9 && insn->length > 1 && code[1] < 0xb0 &&
		   (code[1] & 0x38) == 0x28) {
		special.kind = FLDCW;
	}
	return special;
}

/* Whether the last instruction ends a superblock even if control goes on behind it. */
static bool block_ends(const struct tf_block *block)
{
	uint8_t opcode;

	switch (block->end) {
	case TF_END_NONE:
	case TF_END_OPAQUE:
		return false;
	case TF_END_CONDITIONAL:
		opcode = opcode_of(block, &block->insns[block->n_insns - 1]).bytes[0];
		return opcode < 0xe0 || opcode > 0xe3;	/* loopne, loope, loop, jrcxz */
	default:
		return true;
	}
}

/* ---- the blocks of a process ------------------------------------------------------------- */

struct bbv *bbv_new(uint32_t n_code)
{
	struct bbv *bbv = checked(calloc(1, sizeof(*bbv)));

	bbv->code = checked(calloc((size_t)n_code + 1, sizeof(*bbv->code)));
	bbv->n_code = n_code;
	bbv->slot_mask = 1023;
	bbv->slots = checked(calloc((size_t)bbv->slot_mask + 1, sizeof(*bbv->slots)));
	return bbv;
}

void bbv_free(struct bbv *bbv)
{
	if (!bbv)
		return;
	for (uint32_t i = 0; i < bbv->n_code; i++)
		free(bbv->code[i].specials);
	free(bbv->code);
	free(bbv->starts);
	free(bbv->slots);
	free(bbv);
}

uint32_t bbv_count(const struct bbv *bbv)
{
	return bbv->count;
}

const struct bbv_start *bbv_start(const struct bbv *bbv, uint32_t id)
{
	return &bbv->starts[id - 1];
}

static int compare_ids(const void *a, const void *b, void *opaque)
{
	const struct bbv *bbv = opaque;
	uint64_t x = bbv->starts[*(const uint32_t *)a - 1].pc;
	uint64_t y = bbv->starts[*(const uint32_t *)b - 1].pc;

	return x < y ? -1 : x > y;
}

uint32_t *bbv_sorted(const struct bbv *bbv)
{
	uint32_t *ids = checked(calloc((size_t)bbv->count + 1, sizeof(*ids)));

	for (uint32_t i = 0; i < bbv->count; i++)
		ids[i] = i + 1;
	qsort_r(ids, bbv->count, sizeof(*ids), compare_ids, (void *)bbv);
	return ids;
}

/* The slot that holds the id of pc, or where it belongs. */
static uint32_t *slot_of(const struct bbv *bbv, uint64_t pc)
{
	uint32_t i = (uint32_t)(pc * 0x9e3779b97f4a7c15 >> 32) & bbv->slot_mask;

	while (bbv->slots[i] && bbv->starts[bbv->slots[i] - 1].pc != pc)
		i = (i + 1) & bbv->slot_mask;
	return &bbv->slots[i];
}

static void grow_slots(struct bbv *bbv)
{
	free(bbv->slots);
	bbv->slot_mask = 2 * bbv->slot_mask + 1;
	bbv->slots = checked(calloc((size_t)bbv->slot_mask + 1, sizeof(*bbv->slots)));
	for (uint32_t id = 1; id <= bbv->count; id++)
		*slot_of(bbv, bbv->starts[id - 1].pc) = id;
}

/* The id of the block that begins there; a new one the first time. */
static uint32_t id_of(struct bbv *bbv, struct bbv_start start)
{
	uint32_t *slot = slot_of(bbv, start.pc);

	if (*slot) {
		if (bbv->starts[*slot - 1].module == TF_NONE)
			bbv->starts[*slot - 1] = start;
		return *slot;
	}
	if (bbv->count == bbv->room) {
		bbv->room = bbv->room ? 2 * bbv->room : 256;
		bbv->starts = checked(reallocarray(bbv->starts, bbv->room, sizeof(*bbv->starts)));
	}
	bbv->starts[bbv->count++] = start;
	*slot = bbv->count;
	if (bbv->count > bbv->slot_mask / 2)
		grow_slots(bbv);
	return bbv->count;
}

static struct bbv_start start_at(const struct tf_block *block, unsigned index)
{
	uint16_t offset = block->insns[index].offset;

	return (struct bbv_start){ block->pc + offset, block->module_offset + offset,
				   block->module };
}

static void prepare(struct code *code, const struct tf_block *block)
{
	for (uint16_t i = 0; i < block->n_insns; i++) {
		struct special special = classify(block, i);

		if (special.kind == ORDINARY)
			continue;
		code->specials = checked(reallocarray(code->specials, code->n_specials + 1u,
						      sizeof(special)));
		code->specials[code->n_specials++] = special;
	}
	code->ends = block_ends(block);
	code->known = true;
}

/* ---- counting ---------------------------------------------------------------------------- */

struct bbv_thread *bbv_thread_new(struct bbv *bbv, uint64_t interval)
{
	struct bbv_thread *thread = checked(calloc(1, sizeof(*thread)));

	thread->bbv = bbv;
	thread->interval = interval;
	return thread;
}

void bbv_thread_free(struct bbv_thread *thread)
{
	if (!thread)
		return;
	free(thread->counts);
	free(thread->touched);
	free(thread);
}

void bbv_thread_output(struct bbv_thread *thread, FILE *out)
{
	thread->out = out;
}

struct bbv_totals bbv_totals(const struct bbv_thread *thread)
{
	return thread->totals;
}

static void end_interval(struct bbv_thread *t)
{
	t->totals.intervals++;
	if (t->out) {
		qsort_r(t->touched, t->n_touched, sizeof(*t->touched), compare_ids, t->bbv);
		putc('T', t->out);
		for (uint32_t i = 0; i < t->n_touched; i++)
			fprintf(t->out, ":%" PRIu32 ":%" PRIu64 "   ", t->touched[i],
				t->counts[t->touched[i]]);
		putc('\n', t->out);
	}
	for (uint32_t i = 0; i < t->n_touched; i++)
		t->counts[t->touched[i]] = 0;
	t->n_touched = 0;
	t->length -= t->interval;
}

/* Counts n to the block under way; the interval may end after the last of them. */
static inline void bump(struct bbv_thread *t, uint64_t n)
{
	if (t->counts[t->current] == 0)
		t->touched[t->n_touched++] = t->current;
	t->counts[t->current] += n;
	t->totals.instructions += n;
	t->length += n;
	if (t->length > t->interval)
		end_interval(t);
}

static void close_rep(struct bbv_thread *t)
{
	t->totals.repetitions += t->rep;
	t->totals.reps++;
	t->rep = 0;
}

/* Counts n instructions, not reps, to the block under way. */
static inline void count(struct bbv_thread *t, uint64_t n)
{
	if (t->rep) {
		close_rep(t);
		bump(t, 2);
		n--;
	}
	while (n && t->length + n > t->interval) {
		uint64_t part = t->length < t->interval ? t->interval + 1 - t->length : 1;

		bump(t, part);
		n -= part;
	}
	if (n)
		bump(t, n);
}

static void enter(struct bbv_thread *t, uint32_t id)
{
	if (id >= t->room) {
		uint32_t room = 2 * id + 64;

		t->counts = checked(reallocarray(t->counts, room, sizeof(*t->counts)));
		memset(t->counts + t->room, 0, (room - t->room) * sizeof(*t->counts));
		t->touched = checked(reallocarray(t->touched, room, sizeof(*t->touched)));
		t->room = room;
	}
	t->current = id;
	t->left = BBV_MAX_INSNS;
}

/* Makes sure that instruction `index` of block is in a superblock. */
static inline void enter_at(struct bbv_thread *t, struct code *code,
			    const struct tf_block *block, unsigned index)
{
	if (t->current)
		return;
	if (index == 0 && code->id == 0)
		code->id = id_of(t->bbv, start_at(block, 0));
	enter(t, index ? id_of(t->bbv, start_at(block, index)) : code->id);
}

static void leave_after(struct bbv_thread *t, unsigned n)
{
	t->left -= n;
	if (t->left == 0)
		t->current = 0;
}

/* How often Valgrind goes round for a rep: it also has to find that the count is used up. */
static uint64_t iterations_of(const struct special *special, const struct tf_operand *operand,
			      const uint64_t *values)
{
	if (!values)
		return 1;
	uint64_t before = values[operand->extra], done = values[operand->extra + 1];
	uint64_t flags = values[operand->extra + 2];
	bool stopped = special->condition == 1 ? !(flags & TF_REP_ZF) :
		       special->condition == 2 ? flags & TF_REP_ZF : false;

	if (before == 0)
		return 1;
	return done + !(stopped || flags & TF_REP_INTERRUPTED);
}

static void execute_rep(struct bbv_thread *t, struct bbv_start start, uint64_t iterations)
{
	if (t->last_rep != start.pc && t->rep) {
		close_rep(t);
		t->totals.instructions++;
		t->length++;
	}
	if (t->rep + iterations > 1)
		id_of(t->bbv, start);
	t->last_rep = start.pc;
	t->rep += iterations;
}

static void execute_special(struct bbv_thread *t, const struct tf_block_exec *exec,
			    const struct special *special)
{
	const struct tf_block *block = exec->block;
	const struct tf_operand *operands =
		block->operands + block->insns[special->index].first_operand;

	switch (special->kind) {
	case REP_LODS:
		execute_rep(t, start_at(block, special->index), 1);
		leave_after(t, 1);
		break;
	case REP:
		execute_rep(t, start_at(block, special->index),
			    iterations_of(special, operands, exec->values));
		t->current = 0;
		break;
	case FLDCW:
		t->totals.fldcw++;
		count(t, 1);
		leave_after(t, 1);
		break;
	default:
		count(t, 1);
		t->current = 0;
		break;
	}
}

/* The index before which a control word ends a block, if it is before limit. */
static unsigned break_before(struct bbv_thread *t, uint64_t ordinal, unsigned at, unsigned limit)
{
	while (t->next_break < t->n_breaks && t->breaks[t->next_break] <= ordinal + at) {
		t->current = 0;
		t->next_break++;
	}
	if (t->next_break == t->n_breaks)
		t->next_break = t->n_breaks = 0;
	else if (t->breaks[t->next_break] < ordinal + limit)
		limit = (unsigned)(t->breaks[t->next_break] - ordinal);
	return limit;
}

void bbv_execute(struct bbv_thread *t, const struct tf_block_exec *exec, uint64_t ordinal)
{
	const struct tf_block *block = exec->block;
	struct code *code = &t->bbv->code[block->id];
	unsigned special = 0, at = 0;

	if (!code->known)
		prepare(code, block);
	if (block->pc != t->next_pc)
		t->current = 0;
	while (at < exec->executed) {
		unsigned limit = exec->executed;

		if (t->n_breaks)
			limit = break_before(t, ordinal, at, limit);
		enter_at(t, code, block, at);
		if (special < code->n_specials && code->specials[special].index == at) {
			execute_special(t, exec, &code->specials[special++]);
			at++;
			continue;
		}
		if (special < code->n_specials && code->specials[special].index < limit)
			limit = code->specials[special].index;
		if (limit - at > t->left)
			limit = at + t->left;
		count(t, limit - at);
		leave_after(t, limit - at);
		at = limit;
	}
	t->rest = NULL;
	if (at < block->n_insns) {
		t->next_pc = block->pc + block->insns[at].offset;
		t->rest = block;
		t->rest_index = at;
		return;
	}
	t->next_pc = block->pc + block->code_size;
	if (code->ends || exec->outcome == TF_TAKEN)
		t->current = 0;
}

void bbv_fault(struct bbv_thread *t, uint64_t pc)
{
	struct bbv_start start = { pc, 0, TF_NONE };
	bool is_rep = t->rep && t->last_rep == pc;	/* it had done some repetitions */

	if (pc != t->next_pc)
		t->current = 0;
	else if (t->rest)
		start = start_at(t->rest, t->rest_index);
	if (pc == t->next_pc && t->rest && t->rest->insns[t->rest_index].flags & TF_INSN_REP)
		is_rep = true;
	if (!t->current)
		enter(t, id_of(t->bbv, start));
	if (is_rep)
		execute_rep(t, start, 1);
	else
		count(t, 1);
	t->current = 0;
}

void bbv_control_word(struct bbv_thread *t, uint64_t ordinal, uint32_t which, uint32_t value)
{
	bool warns;

	if (which == TF_X87_CONTROL_WORD)	/* exceptions unmasked, or not extended precision */
		warns = (value & 0x3f) != 0x3f || (value >> 8 & 3) != 3;
	else		/* exceptions unmasked, flush to zero, denormals are zero */
		warns = (value & 0x1f80) != 0x1f80 || value & 0x8040;
	if (warns && t->n_breaks < TF_MAX_BLOCK_INSNS)
		t->breaks[t->n_breaks++] = ordinal;
}

void bbv_summary(const struct bbv_thread *t, unsigned number, const char *prefix, FILE *out)
{
	const struct bbv_totals *totals = &t->totals;

	fprintf(out, "%s\n%s\n%s# Thread %u\n", prefix, prefix, prefix, number);
	fprintf(out, "%s#   Total intervals: %" PRIu64 " (Interval Size %" PRIu64 ")\n", prefix,
		totals->instructions / t->interval, t->interval);
	fprintf(out, "%s#   Total instructions: %" PRIu64 "\n", prefix, totals->instructions);
	fprintf(out, "%s#   Total reps: %" PRIu64 "\n", prefix, totals->repetitions);
	fprintf(out, "%s#   Unique reps: %" PRIu64 "\n", prefix, totals->reps);
	fprintf(out, "%s#   Total fldcw instructions: %" PRIu64 "\n%s\n", prefix, totals->fldcw,
		prefix);
}
