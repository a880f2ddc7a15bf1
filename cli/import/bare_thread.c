/* SPDX-License-Identifier: MIT */
#include "cli/import/bare_thread.h"

#include <string.h>

#include "cli/common/checked.h"

struct bare_thread *bare_thread_open(struct import_job *job, const struct bare_format *format)
{
	struct bare_thread *t = checked_array(1, sizeof(*t));
	struct tf_event event = { .kind = TF_EVENT_THREAD_START };
	uint32_t index = TF_NONE;
	bool is_first;

	t->job = job;
	if (import_begin(job, format->addresses)) {
		import_note(job, "import.format", format->name);
		import_note(job, "code", "none");
		if (!format->branches)
			import_note(job, "branches", "none");
		if (format->addresses && !format->sizes)
			import_note(job, "access-sizes", "none");
		index = import_thread(job, 1, 1, &is_first);
	}
	if (index != TF_NONE)
		t->thread = thread_writer_open(&job->code, &job->order, index);
	if (!t->thread) {
		free(t);
		return NULL;
	}
	event.thread_start.thread = index;
	thread_event(t->thread, &event);
	return t;
}

bool bare_insn_access(struct bare_insn *insn, unsigned access, uint64_t address, uint16_t size)
{
	if (insn->n_accesses == CODE_MAX_OPERANDS)
		return false;
	insn->accesses[insn->n_accesses] = (struct code_access){ (uint16_t)access, size };
	insn->addresses[insn->n_accesses++] = address;
	return true;
}

/* Returns the place of a pc; a guess saves the search where control goes on as before. */
static struct bare_place *find_place(struct bare_thread *t, uint64_t pc)
{
	struct bare_place *place;
	size_t known = t->places.count;
	uint32_t number;

	if (known) {
		place = &t->places.at[t->places.at[t->at].next];
		if (place->key == pc) {
			t->at = t->places.at[t->at].next;
			return place;
		}
	}
	place = checked(TABLE_PUT(t->places, pc));
	number = (uint32_t)(place - t->places.at);
	if (t->places.count > known)
		place->insn = TF_NONE;
	if (known)
		t->places.at[t->at].next = number;
	t->at = number;
	return place;
}

/* Returns the length of the held instruction; next: pc of the next one, if there is any. */
static uint8_t length_of(const struct bare_insn *insn, struct bare_place *place,
			 const uint64_t *next)
{
	uint64_t distance = next ? *next - insn->pc : 0;

	if (insn->length)
		return insn->length;
	if (!insn->taken && distance >= 1 && distance <= TF_MAX_INSN_BYTES)
		place->length = (uint8_t)distance;
	return place->length ? place->length : 1;
}

/* Writes the held instruction. */
static void release(struct bare_thread *t, const uint64_t *next)
{
	const struct bare_insn *insn = &t->held;
	struct code_table *code = &t->job->code;
	struct code_key key = { .pc = insn->pc,
				.end = insn->end,
				.target = insn->target,
				.n_accesses = (uint8_t)insn->n_accesses };
	struct bare_place *place;

	if (!t->holds)
		return;
	t->holds = false;
	place = find_place(t, insn->pc);
	key.length = length_of(insn, place, next);
	memcpy(key.accesses, insn->accesses, insn->n_accesses * sizeof(*insn->accesses));
	if (place->insn == TF_NONE || memcmp(&code->insns.at[place->insn].key, &key, sizeof(key)))
		place->insn = code_insn(code, &key);
	thread_insn(t->thread, place->insn, insn->addresses, insn->n_accesses, 0);
	if (insn->end != TF_END_NONE)
		thread_branch(t->thread, insn->taken);
}

void bare_thread_insn(struct bare_thread *t, const struct bare_insn *insn)
{
	bool goes_on = !t->holds || t->held.taken || t->held.pc == insn->pc ||
		       insn->pc - t->held.pc <= TF_MAX_INSN_BYTES;

	release(t, &insn->pc);
	if (!goes_on) {
		t->job->lost[LOSS_JUMPS]++;
		bare_thread_gap(t, 0);
	}
	t->held = *insn;
	t->holds = true;
	t->job->instructions++;
}

void bare_thread_gap(struct bare_thread *t, uint64_t instructions)
{
	struct tf_event event = { .kind = TF_EVENT_GAP };

	release(t, NULL);
	thread_cut(t->thread);
	event.gap.reason = TF_GAP_SKIPPED;
	event.gap.instructions = instructions;
	thread_event(t->thread, &event);
}

void bare_thread_close(struct bare_thread *t)
{
	if (!t)
		return;
	release(t, NULL);
	thread_writer_close(t->thread);
	TABLE_FREE(t->places);
	free(t);
}
