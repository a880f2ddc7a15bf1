/* SPDX-License-Identifier: MIT */
/*
 * The values of an instruction's operands, from the data records behind it: first the loads in the
 * order of the operands, then the stores, and so again for each further repetition.
 */
#ifndef DRMEMTRACE_VALUES_H
#define DRMEMTRACE_VALUES_H

#include "cli/import/import_job.h"

enum { DATA_ROOM = 128 }; /* more than any operand has lanes, and a tile rows and pieces */

struct data_record {
	uint64_t address;
	uint64_t size; /* bytes */
};

/* Records of a kind, in order; those of a repetition beyond the room are counted. */
struct data_list {
	uint64_t count;
	struct data_record at[DATA_ROOM];
};

/* The records of one execution of an instruction. */
struct data_records {
	uint64_t fetches; /* of a rep string instruction: with the repetitions that were not */
	bool interrupted; /* it goes on later */
	bool is_rep;
	struct data_list reads, writes, prefetches;
};

struct insn_values {
	unsigned n_addresses, n_extras;
	uint8_t absent; /* bit i: operand i has no record */
	uint64_t values[ISA_MAX_VALUES];
};

/* Adds a record to a list. */
static inline void data_add(struct data_list *list, uint64_t address, uint16_t size)
{
	if (list->count < DATA_ROOM)
		list->at[list->count] = (struct data_record){ address, size };
	list->count++;
}

static inline void data_clear(struct data_records *data)
{
	data->fetches = 1;
	data->interrupted = data->is_rep = false;
	data->reads.count = data->writes.count = data->prefetches.count = 0;
}

/*
 * Makes the values of an execution: in the order of a block of this instruction only, as
 * thread_insn takes them. Counts what has no place in them.
 */
void drmemtrace_values(const struct import_job *job, const struct code_insn *insn,
		       const struct data_records *data, struct insn_values *values,
		       uint64_t lost[N_IMPORT_LOSSES]);

#endif
