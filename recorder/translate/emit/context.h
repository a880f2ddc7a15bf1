/* SPDX-License-Identifier: MIT */
/*
 * The memory that translated code and the recorder share, at a thread's gs base. The context has
 * the place of the next record and spilled registers. The tables, one copy for all threads of a
 * cache, lead from the target of an indirect jump to its translation.
 */
#ifndef CONTEXT_H
#define CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "recorder/core/marker_budgets.h"
#include "traceformat/tracewriter.h"

enum {
	CONTEXT_TARGETS = 1 << 16,
	COUNT_MOST_PENDING = 48, /* see pending_count.h */
	/* a single one would make each superblock wait for the previous one */
	CONTEXT_COUNTERS = 4,
};

/* Registers that the lookup of an indirect jump uses. Few programs use them right after a jump. */
enum { TARGET_REGISTER = 9, INDEX_REGISTER = 8 };

struct context {
	uint64_t record;                    /* start of the running superblock's record */
	uint64_t saved_q;                   /* the program's value of the record pointer register */
	uint64_t saved_t;                   /* the program's value of the scratch register */
	uint64_t saved_rcx;                 /* the program's rcx, which jrcxz needs */
	uint64_t saved_target, saved_index; /* the program's values of the registers of a lookup */
	/* Counting variants: */
	/* instructions left; a superblock that makes one of these negative traps */
	int64_t remaining[CONTEXT_COUNTERS];
	int64_t remaining_excluded; /* the same for excluded superblocks, see exclusion.h */
	/* the same for superblocks that begin with a marker, see core/marker_budgets.h */
	int64_t remaining_marker[MARKER_BUDGETS];
	uint64_t left_by;     /* exit of the last indirect jump, as in a record */
	uint64_t repetitions; /* rcx before the last rep instruction */
	/* System calls in the cache, see call_stub.h: */
	uint64_t makes_calls; /* not 0: calls that call_table.h allows may be made */
	uint64_t saved_rax, saved_rdx;
	uint64_t call_head;   /* header of the record of the superblock that the call ends */
	uint64_t call_record; /* place of the call's record */
	uint64_t call_next;   /* program's pc after the call */
	uint64_t call_return; /* cache pc after the call */
	uint64_t call_kind;   /* enum call_kind */
	uint64_t call_number; /* of a call that a counting variant makes */
	uint64_t inside;      /* 1: the thread is in the call, or just before or after it */
	uint64_t gate;        /* not 0: the thread has to stop after the call */
	/* Requests for translations, see request_stub.h: */
	uint64_t polled;       /* not 0: the recorder polls requests */
	uint64_t request_exit; /* exit by which the superblock was left */
	uint64_t missed;       /* target of an indirect jump without a translation */
	uint64_t request;      /* a request; the recorder resets it to REQUEST_NONE, then answers */
	uint64_t answer;       /* cache pc at which to continue */
	uint64_t spin_budget;  /* rounds that the thread will still wait */
	/* The program's state that translated code has to know, see special.h: */
	uint64_t gs_base;          /* the program's gs base; the register has the context's */
	uint64_t self;             /* this context's address */
	uint64_t saved_a, saved_b; /* registers while gs has the program's base */
	/* enum tf_rep_flags of the direction flag, without and with TF_REP_ZF */
	uint64_t rep_flags[2];
	uint64_t x87; /* place of the program's x87 pointers, see x87_pointers.h */
	uint64_t padding[479 - CONTEXT_COUNTERS - MARKER_BUDGETS]; /* up to a page */
};

/* Tables, in pages of their own after the context. */
struct tables {
	uint64_t targets[CONTEXT_TARGETS]; /* by the low 16 bits of the target */
	uint64_t counted[CONTEXT_TARGETS]; /* the same for counting variants */
	uint64_t returns[CONTEXT_TARGETS]; /* return addresses of watched functions, likewise */
	uint8_t calls[CONTEXT_TARGETS];    /* enum call_kind by system call number */
	/* By bits 8 to 15 of an image of the flags: trap_flag is not 0 with the trap flag, and
	 * direction is TF_REP_DOWN with the direction flag. */
	uint8_t trap_flag[256], direction[256];
	uint8_t unfixed[256]; /* by the low byte of mmap's flags: not 0 without MAP_FIXED */
	uint8_t reads[256];   /* by the low byte of openat's flags: not 0 if only for reading */
	uint8_t padding[4096 - 4 * 256];
};

/* Offsets from the gs base. */
#define CONTEXT_AT(member) ((uint32_t)offsetof(struct context, member))
#define TABLES_AT(member)  ((uint32_t)(sizeof(struct context) + offsetof(struct tables, member)))

/*
 * A record in the buffer: a header (tf_record_head) with the number of the exit by which a
 * superblock was left, then the exit's places.
 *
 * Numbers from RECORD_CALL on stand for other records. A call of a watched function has rsp, the
 * return address and the arguments. A possible return has rsp, rax and the pc. A system call has
 * its number, arguments and result, and the time stamp counter after and before it.
 */
enum {
	RECORD_HEADER = 8,
	RECORD_SLOT = 8,
	RECORD_RETURN_SLOTS = 3,
	RECORD_CALL_SLOTS = 2,
	RECORD_SYSCALL_SLOTS = 10,
};
enum { SYSCALL_NUMBER, SYSCALL_ARGS, SYSCALL_RESULT = 7, SYSCALL_LEFT, SYSCALL_ENTERED };
#define RECORD_CALL    UINT32_C(0x80000000) /* plus the function's number */
#define RECORD_RETURN  UINT32_C(0xc0000000)
#define RECORD_SYSCALL UINT32_C(0xc0000001)

static inline int32_t record_slot(unsigned slot)
{
	return (int32_t)(RECORD_HEADER + RECORD_SLOT * slot);
}

#endif
