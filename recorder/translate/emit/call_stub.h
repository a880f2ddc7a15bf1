/* SPDX-License-Identifier: MIT */
/*
 * Writes the code that makes the system calls of call_table.h in the cache, without a stop. A
 * superblock that ends with a system call jumps to this stub. By then the program's rcx is spilled,
 * and the context has the values of the superblock that the stub needs. Other calls end at the
 * stub's trap. There are two stubs: one for superblocks whose record is complete except for the
 * header, which also records the call; and one for counting variants.
 *
 * A system call changes rcx and r11, so rcx is free here. Nothing before the call changes the
 * flags, which the call leaves in r11.
 */
#ifndef CALL_STUB_H
#define CALL_STUB_H

#include "recorder/translate/emit/assembler.h"

struct call_stub {
	uint64_t pc; /* 0: there is no stub */
	bool counted;
	/* Offsets, ascending, of the first instruction: */
	uint32_t refused;        /* the trap for calls that are not made here */
	uint32_t call_spilled;   /* with rax and rdx spilled; unless counted */
	uint32_t made;           /* after the call */
	uint32_t result_spilled; /* with the result, and rdx, spilled; unless counted */
	uint32_t held; /* the trap after the call, if it must be examined or the gate is closed */
	uint32_t recorded; /* with both records, if any, complete */
};

/* The progress of a task in the stub. */
enum call_place {
	CALL_BEFORE,   /* the program is at its system call instruction */
	CALL_MADE,     /* after the call; both records are incomplete */
	CALL_RECORDED, /* after the call; both records are complete */
};

void call_stub_emit(struct assembler *as, struct call_stub *stub, bool counted);

enum call_place call_stub_place(const struct call_stub *stub, uint64_t pc);

/* Returns true if the context has the program's rax and rdx. */
bool call_stub_has_saved(const struct call_stub *stub, uint64_t pc);

/* Return true at the stub's traps: before a call that is not made here, and after a call where the
 * task has to stop. */
bool call_stub_refuses(const struct call_stub *stub, uint64_t pc);
bool call_stub_holds(const struct call_stub *stub, uint64_t pc);

/* Returns true where the stub reads the time before the call. The read faults if the program has
 * forbidden it. */
bool call_stub_reads_time(const struct call_stub *stub, uint64_t pc);

#endif
