/* SPDX-License-Identifier: MIT */
/*
 * Writes the code that asks the recorder for a translation without a stop, which would cost at
 * least ten times as much. The code leaves a request in the context and waits for the answer, as
 * long as the recorder, on another CPU, polls requests. If the recorder does not poll, or takes too
 * long, the code traps.
 *
 * There are two stubs, and neither changes the flags. Exits jump to one of them, with their number
 * in context.request_exit, until they are linked. Indirect jumps whose target has no translation
 * jump to the other.
 */
#ifndef REQUEST_STUB_H
#define REQUEST_STUB_H

#include "recorder/translate/emit/assembler.h"

/* Any other value of a request is the number of an exit. */
#define REQUEST_NONE UINT64_MAX
#define REQUEST_MISS (UINT64_MAX - 1) /* a translation of the target in context.missed */

struct request_stub {
	uint64_t pc; /* cache pc of the stub */
	/* Offsets, ascending, of the first instruction: */
	uint32_t aside; /* with rcx spilled; only in the stub of exits */
	uint32_t trap;  /* which traps */
	uint32_t back;  /* with rcx restored, on the exit stub */
};

void request_stub_emit_exit(struct assembler *as, struct request_stub *stub);

/* Writes the stub of indirect jumps. TARGET_REGISTER has the target, and rcx is free. */
void request_stub_emit_miss(struct assembler *as, struct request_stub *stub);

/* Returns true if rcx is spilled at pc. */
bool request_stub_has_saved(const struct request_stub *stub, uint64_t pc);

/* Returns true at the stub's trap. */
bool request_stub_traps(const struct request_stub *stub, uint64_t pc);

#endif
