/* SPDX-License-Identifier: MIT */
#include "recorder/translate/emit/request_stub.h"

#include "recorder/translate/emit/context.h"

/* Rounds of waiting, about 0.3 ms, which is more than most translations take. */
enum { SPIN_BUDGET = 10000 };

static uint32_t here(const struct assembler *as, const struct request_stub *stub)
{
	return (uint32_t)(asm_here(as) - stub->pc);
}

/* Waits for the answer. Changes rcx. */
static void wait_for_answer(struct assembler *as, struct request_stub *stub)
{
	uint64_t again = asm_here(as);
	uint8_t *not_polled, *unanswered, *answered, *spent;

	asm_load_gs(as, ISA_RCX, CONTEXT_AT(polled));
	not_polled = asm_jump_if_rcx_0(as);
	asm_load_gs(as, ISA_RCX, CONTEXT_AT(answer));
	unanswered = asm_jump_if_rcx_0(as);
	answered = asm_jump_ahead(as);
	asm_short_target(as, unanswered);
	asm_pause(as);
	asm_load_gs(as, ISA_RCX, CONTEXT_AT(spin_budget));
	asm_lea(as, ISA_RCX, ISA_RCX, ISA_NO_REGISTER, 0, -1);
	asm_store_gs(as, CONTEXT_AT(spin_budget), ISA_RCX);
	spent = asm_jump_if_rcx_0(as);
	asm_jump(as, again);
	asm_short_target(as, not_polled);
	asm_short_target(as, spent);
	stub->trap = here(as, stub);
	asm_trap(as, UINT32_MAX);
	asm_target(as, answered);
}

/* Begins a request whose exit or target has been stored already. */
static void begin_request(struct assembler *as)
{
	asm_store_gs_constant(as, CONTEXT_AT(answer), 0);
	asm_store_gs_constant(as, CONTEXT_AT(spin_budget), SPIN_BUDGET);
}

void request_stub_emit_exit(struct assembler *as, struct request_stub *stub)
{
	*stub = (struct request_stub){ .pc = asm_here(as) };
	asm_store_gs(as, CONTEXT_AT(saved_rcx), ISA_RCX);
	stub->aside = here(as, stub);
	begin_request(as);
	asm_load_gs(as, ISA_RCX, CONTEXT_AT(request_exit));
	asm_store_gs(as, CONTEXT_AT(request), ISA_RCX);
	wait_for_answer(as, stub);
	asm_load_gs(as, ISA_RCX, CONTEXT_AT(saved_rcx));
	stub->back = here(as, stub);
	asm_jump_gs(as, CONTEXT_AT(answer));
}

void request_stub_emit_miss(struct assembler *as, struct request_stub *stub)
{
	*stub = (struct request_stub){ .pc = asm_here(as) };
	begin_request(as);
	asm_store_gs(as, CONTEXT_AT(missed), TARGET_REGISTER);
	asm_store_gs_constant(as, CONTEXT_AT(request), (int32_t)REQUEST_MISS);
	wait_for_answer(as, stub);
	asm_jump_gs(as, CONTEXT_AT(answer));
	stub->back = here(as, stub);
}

bool request_stub_has_saved(const struct request_stub *stub, uint64_t pc)
{
	return stub->aside && pc - stub->pc >= stub->aside && pc - stub->pc < stub->back;
}

bool request_stub_traps(const struct request_stub *stub, uint64_t pc)
{
	return pc - stub->pc == stub->trap;
}
