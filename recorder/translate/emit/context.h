/* SPDX-License-Identifier: MIT */
/*
 * What translated code and recorder share, at a thread's gs base: where its next record goes,
 * registers spilled; and, the same for all threads of a cache, the table that leads from the
 * target of an indirect jump to its translation.
 */
#ifndef CONTEXT_H
#define CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "traceformat/tracewriter.h"

enum {
	CONTEXT_TARGETS = 1 << 16,
	COUNT_MOST_ARREARS = 48, /* see pending_count.h */
	CONTEXT_COUNTERS = 4, /* a single one would make each superblock wait for the one before */
};

/* What an indirect jump uses while it is looked up: registers that few programs wait for there. */
enum { TARGET_REGISTER = 9, INDEX_REGISTER = 8 };

struct context {
	uint64_t record;    /* where the record of the superblock that is running begins */
	uint64_t saved_q;   /* the program's values of registers that our code uses: the */
	uint64_t saved_t;   /* record pointer, a temporary, */
	uint64_t saved_rcx; /* rcx, by which we branch, */
	uint64_t saved_target, saved_index; /* and those of an indirect jump */
	/* Where instructions are only counted: */
	int64_t remaining
		[CONTEXT_COUNTERS]; /* so many until a superblock traps that makes one negative */
	uint64_t left_by;           /* the exit of the last indirect jump, as in a record */
	uint64_t repetitions;       /* rcx before the last rep instruction */
	/* Where system calls are made, see call_stub.h: */
	uint64_t makes_calls; /* not 0: those that call_table allows */
	uint64_t saved_rax, saved_rdx;
	uint64_t call_head;   /* of the record of the superblock that the call ends, */
	uint64_t call_record; /* and where the record of the call goes */
	uint64_t call_next;   /* program's pc behind it, */
	uint64_t call_return; /* and the cache's */
	uint64_t call_kind;   /* enum call_kind */
	uint64_t inside;      /* 1: it is in the call, or on the way there or back */
	uint64_t gate;        /* not 0: it may not go on behind the call */
	/* Where translations are asked for, see request_stub.h: */
	uint64_t polled;       /* not 0: the recorder polls requests */
	uint64_t request_exit; /* the exit by which a superblock has been left, or */
	uint64_t missed;       /* the target of the indirect jump that was not found */
	uint64_t request;      /* for the recorder, which makes it REQUEST_NONE before its */
	uint64_t answer;       /* cache pc where to go on */
	uint64_t spin_budget;  /* rounds of waiting that are left */
	/* What the program has and translated code must know of, see special.h: */
	uint64_t gs_base;          /* its gs base: the register has the context's */
	uint64_t self;             /* this context's address */
	uint64_t saved_a, saved_b; /* registers while gs is the program's */
	uint64_t rep_flags
		[2];  /* enum tf_rep_flags of the direction flag, and those with TF_REP_ZF */
	uint64_t x87; /* where the program's x87 pointers are, see x87_pointers.h */
	uint64_t padding[481 - CONTEXT_COUNTERS]; /* up to a page */
};

/* Behind the context, in pages of their own. */
struct tables {
	uint64_t targets[CONTEXT_TARGETS]; /* by the low 16 bits of the target */
	uint64_t counted[CONTEXT_TARGETS]; /* the same, where instructions are only counted */
	uint64_t returns[CONTEXT_TARGETS]; /* return addresses of watched functions, likewise */
	uint8_t calls[CONTEXT_TARGETS];    /* by the number of a system call: enum call_kind */
	/* By bits 8 to 15 of an image of the flags: not 0 with the trap flag; TF_REP_DOWN with the
	 * direction flag. By bits 16 to 23: not 0 with the alignment check flag. */
	uint8_t trap_flag[256], direction[256], alignment_flag[256];
	uint8_t unfixed[256]; /* by the low byte of mmap's flags: not 0 without MAP_FIXED */
	uint8_t reads[256]; /* by the low byte of openat's: not 0 if it does not open for writing */
	uint8_t padding[4096 - 5 * 256];
};

/* Offsets from the gs base. */
#define CONTEXT_AT(member) ((uint32_t)offsetof(struct context, member))
#define TABLES_AT(member)  ((uint32_t)(sizeof(struct context) + offsetof(struct tables, member)))

/*
 * A record in the buffer: a head (tf_record_head) with the number of the exit by which a superblock was
 * left, then the exit's places.
 * Other numbers, from RECORD_CALL on: a watched function is called, with rsp, the return address
 * and the arguments; or may have returned, with rsp, rax and the pc. Or a system call has been
 * made, with its number, arguments and result, and the time stamp counter behind it and before.
 */
enum {
	RECORD_HEADER = 8,
	RECORD_SLOT = 8,
	RECORD_RETURN_SLOTS = 3,
	RECORD_CALL_SLOTS = 2,
	RECORD_SYSCALL_SLOTS = 10,
};
enum { SYSCALL_NUMBER, SYSCALL_ARGS, SYSCALL_RESULT = 7, SYSCALL_LEFT, SYSCALL_ENTERED };
#define RECORD_CALL    UINT32_C(0x80000000) /* + the function */
#define RECORD_RETURN  UINT32_C(0xc0000000)
#define RECORD_SYSCALL UINT32_C(0xc0000001)

static inline int32_t record_slot(unsigned slot)
{
	return (int32_t)(RECORD_HEADER + RECORD_SLOT * slot);
}

#endif
