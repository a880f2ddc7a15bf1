/* SPDX-License-Identifier: MIT */
/*
 * Traces of ChampSim: records of 64 bytes (inc/trace_instruction.h: input_instr), or of 96 bytes
 * (cloudsuite_instr). A branch is of the kind that ChampSim gives it by its registers.
 */
#include <inttypes.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/unpack.h"
#include "cli/import/bare_thread.h"
#include "cli/import/import_formats.h"

enum {
	STACK_POINTER = 6,
	FLAGS = 25,
	INSTRUCTION_POINTER = 26,
	N_SOURCES = 4,
	N_LOADS = 4,
	MOST_RECORD = 96,
	RECORDS = 1 << 12, /* read at a time */
	UNKNOWN_SIZE = 1,  /* of accesses */
};

/* The places of a record's members, bytes. */
struct layout {
	const char *name;
	size_t size;
	unsigned n_destinations; /* also of stores */
	size_t sources, stores, loads;
};

enum { IS_TAKEN = 9, DESTINATIONS = 10 };

static const struct layout champsim = { "champsim", 64, 2, 12, 16, 32 };
static const struct layout cloudsuite = { "cloudsuite", 96, 4, 14, 24, 56 };

struct registers {
	bool stack, flags, ip, other;
};

static struct registers registers_of(const uint8_t *numbers, unsigned n)
{
	struct registers r = { 0 };

	for (unsigned i = 0; i < n; i++) {
		r.stack |= numbers[i] == STACK_POINTER;
		r.flags |= numbers[i] == FLAGS;
		r.ip |= numbers[i] == INSTRUCTION_POINTER;
		r.other |= numbers[i] && numbers[i] != STACK_POINTER && numbers[i] != FLAGS &&
			   numbers[i] != INSTRUCTION_POINTER;
	}
	return r;
}

/* As inc/instruction.h of ChampSim does, since September 2023. */
static enum tf_end end_of(const struct layout *layout, const uint8_t *record)
{
	struct registers to = registers_of(record + DESTINATIONS, layout->n_destinations);
	struct registers from = registers_of(record + layout->sources, N_SOURCES);

	if (!to.ip)
		return TF_END_NONE;
	if (!from.stack && !from.flags && !from.other)
		return TF_END_JUMP;
	if (!from.stack && !from.ip && !from.flags && from.other)
		return TF_END_INDIRECT_JUMP;
	if (from.stack && from.ip && to.stack && !from.flags)
		return from.other ? TF_END_INDIRECT_CALL : TF_END_CALL;
	if (from.stack && !from.ip && to.stack)
		return TF_END_RETURN;
	return TF_END_CONDITIONAL; /* or of no kind that ChampSim knows */
}

static void take(struct bare_thread *t, const struct layout *layout, const uint8_t *record)
{
	struct bare_insn insn = { .pc = get_le64(record), .end = (uint8_t)end_of(layout, record) };

	insn.taken = insn.end == TF_END_CONDITIONAL ? record[IS_TAKEN] : insn.end != TF_END_NONE;
	for (unsigned i = 0; i < N_LOADS; i++) {
		uint64_t address = get_le64(record + layout->loads + (size_t)8 * i);

		if (address)
			bare_insn_access(&insn, TF_LOAD, address, UNKNOWN_SIZE);
	}
	for (unsigned i = 0; i < layout->n_destinations; i++) {
		uint64_t address = get_le64(record + layout->stores + (size_t)8 * i);

		if (address)
			bare_insn_access(&insn, TF_STORE, address, UNKNOWN_SIZE);
	}
	bare_thread_insn(t, &insn);
}

/* Returns the bytes that are left over behind the last record, or -1 after a message. */
static ssize_t take_all(struct import_job *job, struct unpack *unpack, struct bare_thread *t,
			const struct layout *layout)
{
	uint8_t *records = checked_array(RECORDS, MOST_RECORD);
	size_t size = RECORDS * layout->size;
	ssize_t n;

	do {
		n = unpack_read(unpack, records, size);
		for (ssize_t at = 0; at + (ssize_t)layout->size <= n; at += (ssize_t)layout->size) {
			if (records[at + IS_TAKEN - 1] > 1 || records[at + IS_TAKEN] > 1) {
				command_error("%s: record %" PRIu64
					      ": is not one of %s: a branch is neither taken "
					      "nor not taken",
					      shown_name(job->from), job->records, layout->name);
				n = -1;
				break;
			}
			take(t, layout, records + at);
			job->records++;
		}
		if (n > 0 && !import_step(job, unpack_size(unpack)))
			n = -1;
	} while (n == (ssize_t)size);
	free(records);
	return n < 0 ? n : n % (ssize_t)layout->size;
}

static bool import(struct import_job *job, const struct layout *layout)
{
	struct bare_format format = { layout->name, .addresses = true, .branches = true };
	struct unpack *unpack = unpack_open(job->from);
	struct bare_thread *t = unpack ? bare_thread_open(job, &format) : NULL;
	ssize_t left = -1;

	if (t) {
		unpack_allow_expansion(unpack);
		left = take_all(job, unpack, t, layout);
	}
	bare_thread_close(t);
	unpack_close(unpack);
	if (left == 0 && !job->records) {
		command_error("%s: is empty", shown_name(job->from));
		return false;
	}
	if (left > 0) {
		command_error("%s: is cut: %zd bytes of its last record of %zu are there; they "
			      "are left out",
			      shown_name(job->from), left, layout->size);
		job->cut = true;
	}
	return left >= 0;
}

bool champsim_import(struct import_job *job)
{
	return import(job, &champsim);
}

bool cloudsuite_import(struct import_job *job)
{
	return import(job, &cloudsuite);
}
