/* SPDX-License-Identifier: MIT */
/*
 * Code that makes the system calls of call_table.h in the cache, without a stop, and records them.
 * A superblock that ends with a system call jumps to it, with its own record complete but for the head,
 * the program's rcx spilled, and in the context what the stub needs of the superblock. Other calls end
 * at its trap.
 *
 * The program's rcx and r11 are lost in a system call, so rcx is free here. Nothing before the call
 * changes the flags, which it leaves in r11.
 */
#ifndef CALL_STUB_H
#define CALL_STUB_H

#include "recorder/translate/emit/assembler.h"

struct call_stub {
	uint64_t pc; /* 0: there is none */
	/* Offsets, in this order, of the first instruction */
	uint32_t refused; /* the trap for calls that are not made here, */
	uint32_t aside;   /* with rax and rdx spilled, */
	uint32_t made;    /* behind the call, */
	uint32_t kept;    /* with its result, and rdx, spilled, */
	uint32_t held;    /* the trap of calls that are looked at, or where the gate is closed, */
	uint32_t told;    /* with both records complete */
};

/* Where a task stands in it. */
enum call_place {
	CALL_BEFORE, /* the program is at its system call instruction */
	CALL_MADE, /* behind it; neither the superblock's record nor that of the call is complete */
	CALL_TOLD, /* both are */
};

void call_stub_emit(struct assembler *as, struct call_stub *stub);

enum call_place call_stub_place(const struct call_stub *stub, uint64_t pc);

/* True if the program's rax and rdx are those spilled. */
bool call_stub_has_saved(const struct call_stub *stub, uint64_t pc);

/* True at its traps: a call that is not made here, and one behind which the task may not go on. */
bool call_stub_refuses(const struct call_stub *stub, uint64_t pc);
bool call_stub_holds(const struct call_stub *stub, uint64_t pc);

/* True where it reads the time before the call, which faults if the program has forbidden that. */
bool call_stub_reads_time(const struct call_stub *stub, uint64_t pc);

#endif
