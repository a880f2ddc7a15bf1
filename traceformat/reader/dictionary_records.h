/* SPDX-License-Identifier: MIT */
/* Readers of one record of a dictionary section (FORMAT.md 3.3, 4). */
#ifndef DICTIONARY_RECORDS_H
#define DICTIONARY_RECORDS_H

#include "traceformat/reader/reader.h"

struct loader {
	struct tf_reader *r;
	struct span in;
	uint64_t index; /* of the record being read */
	uint64_t last_pc, last_bias;
	uint32_t last_block, next_exit;
};

/*
 * Takes one record from l->in and stores it at l->index, for which there is room. Returns false if
 * the record is damaged (l->in.bad) or memory is out.
 */
typedef bool record_reader(struct loader *l);

record_reader read_module, read_symbols, read_process, read_thread;
record_reader read_function, read_mapping, read_region, read_sampler, read_run;
record_reader read_kind, read_block, read_path;

#endif
