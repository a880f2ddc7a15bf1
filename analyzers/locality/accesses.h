/* SPDX-License-Identifier: MIT */
/* The memory accesses of a trace, one by one in program order. */
#ifndef LOCALITY_ACCESSES_H
#define LOCALITY_ACCESSES_H

#include "traceformat/traceformat.h"

enum access_kind { ACCESS_READ = 1, ACCESS_WRITE = 2, ACCESS_FETCH = 4 };

/*
 * One access. An operand that is read and written makes two, a read and a write; each repetition of
 * a rep instruction and each active lane is an access; the fetch of an instruction is one.
 * Prefetches are none.
 */
struct access {
	uint64_t address;	/* virtual; of process i, with i added at bit 48 */
	uint32_t size;		/* bytes */
	uint8_t kind;		/* enum access_kind */
};

/* What the blocks of a trace access. */
struct access_code {
	const struct tf_reader *reader;
	size_t *first;			/* by block: its steps; and the total */
	struct access_step *steps;
};

/*
 * Reads a loaded trace. kinds: enum access_kind, or-ed: those that are wanted. Memory that is out
 * ends the process.
 */
void access_code_init(struct access_code *code, const struct tf_reader *reader, unsigned kinds);
void access_code_free(struct access_code *code);

/* Collects accesses and hands them on in batches. */
struct access_collector {
	const struct access_code *code;
	unsigned kinds;
	void (*consume)(void *opaque, const struct access *accesses, size_t count);
	void *opaque;
	size_t count;
	struct access accesses[1024];
};

/* Collects the accesses of an item of blocks, which have addresses if data accesses are wanted. */
void access_collect(struct access_collector *collector, const struct tf_item *item);

/* Hands on what is left. */
void access_flush(struct access_collector *collector);

#endif
