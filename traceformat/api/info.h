/* SPDX-License-Identifier: MIT */
/* What a trace says of itself, and where its bytes go. */
#ifndef TRACEFORMAT_API_INFO_H
#define TRACEFORMAT_API_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traceformat/api/declarations.h"
#include "traceformat/api/errors.h"

TF_BEGIN_DECLARATIONS

struct tf_reader;

/* Totals of a trace, a thread or a chunk. */
struct tf_totals {
	uint64_t instructions; /* retired; a rep string instruction is one */
	uint64_t loads;        /* accesses that read; each repetition and active lane is one */
	uint64_t stores;       /* accesses that write, counted likewise */
	uint64_t prefetches;
	uint64_t repetitions; /* of rep string instructions */
	uint64_t opaque;      /* opaque instructions */
	uint64_t blocks;      /* block executions */
	uint64_t paths;       /* path executions */
	uint64_t events;
};

struct tf_info {
	uint16_t major, minor; /* version of the file */
	uint8_t uuid[16];
	uint64_t created_ns; /* since 1970 UTC, 0 if withheld */
	uint64_t file_size;  /* bytes */
	bool closed;         /* finished by its writer */
	bool complete;       /* closed, and nothing is lost */
	bool has_addresses;
	bool order_exact;         /* threads were recorded one at a time */
	uint32_t n_sections;      /* usable */
	uint32_t n_sections_lost; /* damaged or cut */
	uint64_t bytes_lost;
	uint32_t n_threads, n_processes, n_modules, n_chunks;
	struct tf_totals totals;
	int32_t wait_status;          /* of the first process, -1 if not known */
	char stop_reason[64];         /* "exit", "count", ...; "" if that is not known */
	uint64_t n_samples;           /* records of samples, those of losses included */
	uint32_t n_sections_restored; /* damaged, but read from their copies; the file header counts
					   as one */
	bool consistent; /* END and the ordinals agree with the chunks that there are; else
					   totals are those of the chunks, and */
	uint64_t stated_instructions;  /* as END says */
	uint64_t found_instructions;   /* as the chunks say */
	uint64_t missing_instructions; /* that chunks leave room for, but no section had */
};

/* One section of the file, in file order. */
struct tf_section_info {
	uint32_t number;
	uint16_t kind;
	uint32_t thread;      /* TF_NONE: the whole trace's */
	uint64_t offset;      /* of its header in the file, bytes */
	uint64_t stored_size; /* payload, bytes in the file */
	uint64_t raw_size;    /* payload when decoded, bytes; 0 for a chunk */
	uint64_t first_ordinal;
	uint64_t instructions;
};

/*
 * Fills *info. Totals of an unfinished trace are summed over its chunks (one small read each).
 * What is lost: headers and END are checked here; damage inside dictionary sections is found by
 * tf_load, that inside chunks by tf_verify, and counted from then on.
 * Errors: IO, DAMAGED.
 */
int tf_get_info(struct tf_reader *reader, struct tf_info *info, struct tf_error *error);

/* Totals of one thread. Errors: as tf_get_info; ARGUMENT (no such thread). */
int tf_get_thread_totals(struct tf_reader *reader, uint32_t thread, struct tf_totals *totals,
			 struct tf_error *error);

/* Returns the value of a META key, or NULL. Valid until tf_close or tf_refresh. */
const char *tf_meta(struct tf_reader *reader, const char *key);

/* Returns the i-th META key and its value through *value, or NULL when there are no more. */
const char *tf_meta_at(struct tf_reader *reader, size_t i, const char **value);

/* Fills *info with the i-th usable section. Returns false when there are no more. */
bool tf_section(struct tf_reader *reader, uint32_t i, struct tf_section_info *info);

/* Returns the name of a section kind, for example "CHUNK". */
const char *tf_section_kind_name(uint16_t kind);

/*
 * Calls visit(opaque, column id, coding, stored bytes, raw bytes) for each column of the i-th
 * section; a section without columns has one with id 0. Errors: IO, DAMAGED, ARGUMENT.
 */
int tf_section_columns(struct tf_reader *reader, uint32_t i,
		       void (*visit)(void *opaque, unsigned id, unsigned coding, uint64_t stored,
				     uint64_t raw),
		       void *opaque, struct tf_error *error);

/* Returns the name of a chunk column, for example "slot-misses". */
const char *tf_column_name(unsigned id);

TF_END_DECLARATIONS

#endif
