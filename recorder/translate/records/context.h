/* SPDX-License-Identifier: MIT */
/*
 * What translated code and recorder share, at a thread's gs base: where its next record goes,
 * registers set aside; and, the same for all threads of a cache, the table that leads from the
 * target of an indirect jump to its translation.
 */
#ifndef CONTEXT_H
#define CONTEXT_H

#include <stddef.h>
#include <stdint.h>

enum {
	CONTEXT_TARGETS = 1 << 16,
	CONTEXT_COUNTERS = 4,	/* a single one would make each path wait for the one before */
};

struct context {
	uint64_t record;	/* where the record of the path that is running begins */
	uint64_t saved_q;	/* the program's values of registers that our code uses: the */
	uint64_t saved_t;	/* record pointer, a temporary, */
	uint64_t saved_rcx, saved_rax;	/* and those of an indirect jump */
	uint64_t target;	/* of an indirect jump, in the program */
	/* Where instructions are only counted: */
	int64_t remaining[CONTEXT_COUNTERS];	/* so many until a path traps that makes one negative */
	uint64_t left_by;	/* the exit of the last indirect jump, as in a record */
	uint64_t repetitions;	/* rcx before the last rep instruction */
	uint64_t padding[504 - CONTEXT_COUNTERS];	/* up to a page */
};

/* Behind the context, in pages of their own. */
struct tables {
	uint64_t targets[CONTEXT_TARGETS];	/* by the low 16 bits of the target */
	uint64_t counted[CONTEXT_TARGETS];	/* the same, where instructions are only counted */
	uint64_t returns[CONTEXT_TARGETS];	/* return addresses of watched functions, likewise */
};

/* Offsets from the gs base. */
#define CONTEXT_AT(member) ((uint32_t)offsetof(struct context, member))
#define TABLES_AT(member) ((uint32_t)(sizeof(struct context) + offsetof(struct tables, member)))

/*
 * A record in the buffer: a head (tf_record_head) with the number of the exit by which a path was
 * left, then the exit's places.
 * Other numbers, from RECORD_CALL on: a watched function is called, with rsp, the return address
 * and the arguments; or may have returned, with rsp, rax and the pc.
 */
enum { RECORD_HEADER = 8, RECORD_SLOT = 8, RECORD_RETURN_SLOTS = 3, RECORD_CALL_SLOTS = 2 };
#define RECORD_CALL UINT32_C(0x80000000)	/* + the function */
#define RECORD_RETURN UINT32_C(0xc0000000)

static inline int32_t record_slot(unsigned slot)
{
	return (int32_t)(RECORD_HEADER + RECORD_SLOT * slot);
}

#endif
