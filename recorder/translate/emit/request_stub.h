/* SPDX-License-Identifier: MIT */
/*
 * Code that asks the recorder for a translation without a stop, which costs ten times as much or
 * more: it leaves a request in the context and waits for the answer, as long as the recorder, on
 * another CPU, polls requests. Where it does not, or takes too long, the code traps.
 *
 * Exits lead to the one stub, with their number in context.request_exit, until they are led to a
 * translation; indirect jumps whose target has none, to the other. Neither changes the flags.
 */
#ifndef REQUEST_STUB_H
#define REQUEST_STUB_H

#include "recorder/translate/emit/assembler.h"

/* Besides these, a request is the number of an exit. */
#define REQUEST_NONE UINT64_MAX
#define REQUEST_MISS (UINT64_MAX - 1) /* of the target in context.missed */

struct request_stub {
	uint64_t pc; /* cache pc where it begins */
	/* Offsets, in this order, of the first instruction */
	uint32_t aside; /* with rcx spilled: exits alone, */
	uint32_t trap;  /* which traps, */
	uint32_t back;  /* and where it is the program's again, on the exit stub */
};

void request_stub_emit_exit(struct assembler *as, struct request_stub *stub);

/* The indirect jump has its target in TARGET_REGISTER, and leaves rcx free. */
void request_stub_emit_miss(struct assembler *as, struct request_stub *stub);

/* True if rcx is spilled there. */
bool request_stub_has_saved(const struct request_stub *stub, uint64_t pc);

/* True at its trap. */
bool request_stub_traps(const struct request_stub *stub, uint64_t pc);

#endif
