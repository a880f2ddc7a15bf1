/* SPDX-License-Identifier: MIT */
/*
 * An instruction is complete when its data records have been read: when the next instruction or a
 * marker comes. Before version 5, the outcome of a branch is known only with the next instruction.
 */
#include <string.h>

#include "cli/common/checked.h"
#include "cli/import/drmemtrace_file.h"

enum { BUNDLE_BYTES = 8 };

static struct code_insn *insn_at(const struct drmemtrace_file *f, uint32_t place)
{
	return &f->job->code.insns.at[f->places.at[place].insn];
}

/* Returns where control goes behind a complete instruction. */
static struct successor successor_of(const struct drmemtrace_file *f, const struct code_insn *insn)
{
	uint64_t behind = insn->key.pc + insn->key.length;
	struct successor s = { true, behind, behind };

	switch (insn->end) {
	case TF_END_CONDITIONAL:
		if (f->type == DRMEMTRACE_INSTR_TAKEN_JUMP)
			s.pc = insn->target;
		if (f->type != DRMEMTRACE_INSTR_UNTAKEN_JUMP)
			s.other = insn->target;
		break;
	case TF_END_JUMP:
	case TF_END_CALL: s.pc = s.other = insn->target; break;
	case TF_END_INDIRECT_JUMP:
	case TF_END_INDIRECT_CALL:
	case TF_END_RETURN:
		s.is_known = f->went_to != 0;
		s.pc = s.other = f->went_to;
		break;
	case TF_END_TRAP:
	case TF_END_OPAQUE: s.is_known = false; break;
	default: break;
	}
	return s;
}

bool drmemtrace_is_rep(const struct drmemtrace_file *f)
{
	return insn_at(f, f->at)->flags & TF_INSN_REP;
}

/* Writes an instruction some of whose operands made no access, as a block of its own. */
static void write_irregular(struct drmemtrace_file *f, const struct code_insn *insn)
{
	struct code_key key = insn->key;
	bool falls_through = insn->end == TF_END_NONE;

	key.absent = f->values.absent;
	thread_cut(f->thread);
	thread_insn(f->thread, code_insn(&f->job->code, &key), f->values.values,
		    f->values.n_addresses, f->values.n_extras);
	if (falls_through)
		thread_cut(f->thread);
}

void drmemtrace_complete(struct drmemtrace_file *f)
{
	const struct code_insn *insn;
	bool is_taken;
	uint8_t end;

	if (!f->has_insn)
		return;
	f->has_insn = false;
	insn = insn_at(f, f->at);
	end = insn->end;
	is_taken = f->type == DRMEMTRACE_INSTR_TAKEN_JUMP;
	f->successor = successor_of(f, insn);
	drmemtrace_values(f->job, insn, &f->data, &f->values, f->job->lost);
	if (f->values.absent)
		write_irregular(f, insn);
	else
		thread_insn(f->thread, f->places.at[f->at].insn, f->values.values,
			    f->values.n_addresses, f->values.n_extras);
	f->is_branch_open = end == TF_END_CONDITIONAL && !is_taken &&
			    f->type != DRMEMTRACE_INSTR_UNTAKEN_JUMP;
	if (end != TF_END_NONE && !f->is_branch_open)
		thread_branch(f->thread, is_taken);
}

void drmemtrace_end_branch(struct drmemtrace_file *f, uint64_t pc)
{
	if (f->is_branch_open)
		thread_branch(f->thread, pc != f->thread->next_pc);
	f->is_branch_open = false;
}

void drmemtrace_lose_track(struct drmemtrace_file *f)
{
	thread_cut(f->thread);
	f->is_branch_open = false;
	f->successor.is_known = false;
}

/* Returns the number of the place of a pc. */
static uint32_t find_place(struct drmemtrace_file *f, uint64_t pc)
{
	struct code_place *last = f->has_place ? &f->places.at[f->at] : NULL, *place;
	size_t known = f->places.count;
	uint32_t number;

	if (last && f->places.at[last->next].key == pc)
		return last->next;
	place = checked(TABLE_PUT(f->places, pc));
	number = (uint32_t)(place - f->places.at);
	if (f->places.count > known)
		place->insn = TF_NONE;
	if (f->has_place)
		f->places.at[f->at].next = number;
	return number;
}

/* Notes the code at a place if it came before the instruction. Returns false after a message. */
static bool note_code(struct drmemtrace_file *f, struct code_place *place, unsigned length)
{
	struct code_key key = { .pc = place->key, .length = (uint8_t)length, .has_code = 1 };
	const struct code_insn *known;

	if (f->n_code && f->n_code != length)
		return drmemtrace_input_fail(f->input,
					     "an instruction of %u bytes has %u bytes of code",
					     length, f->n_code);
	known = place->insn == TF_NONE ? NULL : &f->job->code.insns.at[place->insn];
	if (!f->n_code) {
		if (!known)
			return drmemtrace_input_fail(f->input, "an instruction has no code");
		if (known->key.length != length)
			return drmemtrace_input_fail(
				f->input, "an instruction of %u bytes has %u bytes of code", length,
				known->key.length);
		return true;
	}
	memcpy(key.code, f->code, length);
	f->n_code = 0;
	if (!known || memcmp(&known->key, &key, sizeof(key)))
		place->insn = code_insn(&f->job->code, &key);
	return true;
}

static void check_successor(struct drmemtrace_file *f, uint64_t pc)
{
	const struct successor *s = &f->successor;

	if (!s->is_known || pc == s->pc || pc == s->other)
		return;
	f->job->lost[LOSS_JUMPS]++;
	drmemtrace_lose_track(f);
	drmemtrace_gap(f);
}

/* Begins an instruction. Returns false after a message. */
bool drmemtrace_insn(struct drmemtrace_file *f, uint16_t type, unsigned length, uint64_t pc)
{
	uint32_t number;

	if (length < 1 || length > TF_MAX_INSN_BYTES)
		return drmemtrace_input_fail(f->input, "an instruction has %u bytes", length);
	if (f->in_kernel) {
		f->job->lost[LOSS_KERNEL]++;
		f->n_code = 0;
		return true;
	}
	drmemtrace_complete(f);
	drmemtrace_end_branch(f, pc);
	drmemtrace_arrive(f, pc);
	check_successor(f, pc);
	drmemtrace_end_time(f);
	number = find_place(f, pc);
	if (!note_code(f, &f->places.at[number], length))
		return false;
	f->signal = f->syscall = f->result = f->call = 0;
	f->repeats_time = false;
	f->has_insn = f->has_place = true;
	f->at = number;
	f->type = type;
	f->went_to = f->target;
	f->target = 0;
	data_clear(&f->data);
	return true;
}

/* A further repetition of the present instruction, which is not fetched again. */
bool drmemtrace_repetition(struct drmemtrace_file *f, unsigned length, uint64_t pc)
{
	f->n_code = 0;
	if (!f->has_insn || f->places.at[f->at].key != pc)
		return drmemtrace_insn(f, DRMEMTRACE_INSTR, length, pc);
	f->data.fetches++;
	return true;
}

/* Instructions of one record: the first one is behind the present instruction. */
bool drmemtrace_bundle(struct drmemtrace_file *f, const struct drmemtrace_record *r)
{
	for (unsigned i = 0; i < r->size && i < BUNDLE_BYTES; i++) {
		if (!f->has_insn)
			return drmemtrace_input_fail(f->input, "a bundle is behind no instruction");
		const struct code_insn *insn = insn_at(f, f->at);

		if (!drmemtrace_insn(f, DRMEMTRACE_INSTR, r->bytes[i],
				     insn->key.pc + insn->key.length))
			return false;
	}
	return true;
}

bool drmemtrace_code(struct drmemtrace_file *f, const struct drmemtrace_record *r)
{
	if (r->size < 1 || r->size > DRMEMTRACE_ENCODING_BYTES ||
	    f->n_code + r->size > TF_MAX_INSN_BYTES)
		return drmemtrace_input_fail(f->input, "code has more than 15 bytes");
	memcpy(f->code + f->n_code, r->bytes, r->size);
	f->n_code += r->size;
	return true;
}
