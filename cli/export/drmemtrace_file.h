/* SPDX-License-Identifier: MIT */
/* A thread's file of drmemtrace in the making: records, chunks, and the times between them. */
#ifndef DRMEMTRACE_FILE_H
#define DRMEMTRACE_FILE_H

#include <string.h>

#include "cli/common/drmemtrace.h"
#include "cli/export/block_template.h"
#include "cli/export/drmemtrace_shared.h"
#include "cli/export/exporter.h"
#include "cli/export/insn_cache.h"
#include "cli/export/regdeps.h"
#include "traceformat/common/hash_table.h"

/* An address of code, and the bytes that the file has last told for it. */
struct drmemtrace_place {
	uint64_t key; /* pc */
	const uint8_t *code;
	uint64_t chunk; /* where it did */
	uint8_t length;
};

/* The bytes of an instruction somewhere in the trace. */
struct drmemtrace_code {
	uint64_t key; /* pc */
	const uint8_t *bytes;
	uint8_t length;
};

/* The instruction that was written last. */
struct drmemtrace_last {
	uint64_t pc;
	uint64_t expected; /* the pc that must come next, unless a marker says otherwise */
	uint8_t length;
	bool exists;
	bool branch;
	bool repeats; /* a rep string instruction */
	bool syscall; /* of which no event was met yet */
};

/* Facts about a static instruction that its records need, beside the type. */
struct drmemtrace_entry {
	uint32_t place_number;  /* + 1; 0: not known yet */
	uint64_t written_chunk; /* + 1: the last chunk that has the code bytes */
	uint8_t prefetch;       /* enum drmemtrace_type */
	bool evex;
	bool flushes;
	bool sysenter;
	uint8_t whole_size; /* bytes of a compressed or expanded vector */
	struct regdeps_insn regdeps;
};

enum { DRMEMTRACE_BUFFERED = 1024 }; /* records */

struct drmemtrace_state {
	struct insn_cache *insns;
	struct block_templates blocks;
	HASH_TABLE(struct drmemtrace_place) places;
	HASH_TABLE(struct drmemtrace_code) codes; /* of all blocks, once they are needed */
	ARRAY(struct linear_access) group;
	ARRAY(uint64_t) returns;                /* where calls that have not returned will */
	struct drmemtrace_entry_point *entered; /* of a function whose first instruction comes */
	struct drmemtrace_clock clock;
	struct drmemtrace_last last;
	uint64_t chunk, chunk_insns; /* number of the present chunk, instructions in it */
	uint64_t visible;            /* records that readers count */
	uint64_t window;
	uint64_t written_time; /* of the last pair of TIMESTAMP and CPU_ID */
	bool timed;            /* no instruction stands behind that pair */
	bool in_syscall;       /* its result has not come yet */
	bool time_waits;       /* a pair must come as soon as it may */
	bool kernel;           /* the kernel has moved control since the last instruction */
	bool gap;              /* instructions are missing since the last one */
	bool code_changes;     /* some address had different bytes */
	size_t n_buffered;
	uint8_t buffer[DRMEMTRACE_BUFFERED * DRMEMTRACE_RECORD_SIZE];
};

/* Writes the records in the buffer. */
void drmemtrace_flush(struct export_run *e);

/* Makes a record. */
static inline void drmemtrace_make(uint8_t *record, unsigned type, unsigned size, uint64_t value)
{
	uint32_t head = size << 16 | type;

	memcpy(record, &head, sizeof(head));
	memcpy(record + sizeof(head), &value, sizeof(value));
}

/* Writes a record; readers count it if it is visible. */
static inline void drmemtrace_put(struct export_run *e, unsigned type, unsigned size,
				  uint64_t value, bool visible)
{
	struct drmemtrace_state *s = e->state;
	uint8_t *record = s->buffer + s->n_buffered * DRMEMTRACE_RECORD_SIZE;

	drmemtrace_make(record, type, size, value);
	s->visible += visible;
	if (++s->n_buffered == DRMEMTRACE_BUFFERED)
		drmemtrace_flush(e);
}

void drmemtrace_put_marker(struct export_run *e, enum drmemtrace_marker marker, uint64_t value);

/* Writes the pair of a time. */
void drmemtrace_put_time(struct export_run *e);

/* Writes that pair if instructions were executed since the last one: now, or when it may come. */
void drmemtrace_time_passes(struct export_run *e);

/* Writes what begins a file. */
void drmemtrace_put_header(struct export_run *e);

/* Writes what stands between the last instruction and the next one, at pc. */
void drmemtrace_before_insn(struct export_run *e, uint64_t ordinal, uint64_t pc);

/*
 * Returns true if nothing stands between the last instruction and n of them from pc, and if all of
 * these belong to the present chunk.
 */
bool drmemtrace_goes_on(const struct export_run *e, uint64_t ordinal, uint64_t pc, unsigned n);

/* Writes all instructions of a block but the last one, as struct exporter's block does. */
bool drmemtrace_put_block(struct export_run *e, const struct tf_block *block,
			  const uint64_t *values, uint64_t ordinal);

/* Writes what ends a file. */
void drmemtrace_put_end(struct export_run *e);

/* Notes a call, with the place behind it, or a return. type: enum drmemtrace_type. */
void drmemtrace_follow_calls(struct drmemtrace_state *s, unsigned type, uint64_t behind);

/* Write the markers of a call of a traced function, and of its return. */
void drmemtrace_put_call(struct export_run *e, const struct tf_event *event);
void drmemtrace_put_return(struct export_run *e, const struct tf_event *event);

/* Notes the first instruction of a function. */
void drmemtrace_enter(struct drmemtrace_state *s, const struct linear_insn *insn);

/* Returns true if a system call may wait. */
bool drmemtrace_may_block(uint64_t syscall);

/* Writes the markers of an event. */
void drmemtrace_put_event(struct export_run *e, const struct tf_event *event);

/* ---- the folder ---- */

char *drmemtrace_file_name(struct tf_reader *reader, const void *shared, uint32_t thread,
			   const struct export_options *options);
bool drmemtrace_is_file_name(const char *name);

#endif
