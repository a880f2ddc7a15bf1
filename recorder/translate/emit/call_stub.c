/* SPDX-License-Identifier: MIT */
/*
 * A stop takes 5 to 20 us, and a system call that the recorder enters takes three stops. A
 * superblock that ends with a system call therefore jumps to this stub at the beginning of its
 * arena. The stub looks up the call in the table, writes its number, arguments and time stamp after
 * the superblock's record, executes the instruction, adds the result and a time stamp, and
 * completes both records. The call's record becomes an event when the encoder reads it; clock.c
 * turns the time stamps into nanoseconds. The stub of counting variants only keeps the number.
 *
 * A call that maps memory ends with a trap after the call, so that the recorder can examine the
 * mappings. mremap, and mmap with MAP_FIXED, are entered by the recorder: they could replace the
 * cache that they are made in.
 *
 * A task that is stopped in such a call stands after the program's instruction, with the kernel's
 * -ERESTART... or EINTR in rax, as it would natively. The recorder enters all calls of a process
 * that is confined by seccomp, and all calls of several threads that run in turns: a thread that
 * waits must pass its turn on.
 */
#include "recorder/translate/emit/call_stub.h"

#include <asm/prctl.h>

#include "recorder/translate/emit/context.h"
#include "recorder/translate/plan/call_table.h"

enum { MMAP_FLAGS = 10, OPENAT_FLAGS = ISA_RDX }; /* registers of these arguments */

static uint32_t here(const struct assembler *as, const struct call_stub *stub)
{
	return (uint32_t)(asm_here(as) - stub->pc);
}

/* Writes the part before the call. The record's last word is the last one stored here, so every
 * store that can meet a full buffer comes before the call. */
static void record_call(struct assembler *as, struct call_stub *stub)
{
	static const uint8_t args[] = { ISA_RDI, ISA_RSI, ISA_RDX, 10, 8, 9 };

	asm_load_gs(as, ISA_RCX, CONTEXT_AT(call_record));
	asm_store(as, ISA_RCX, record_slot(SYSCALL_NUMBER), ISA_RAX, 8);
	for (unsigned i = 0; i < sizeof(args); i++)
		asm_store(as, ISA_RCX, record_slot(SYSCALL_ARGS + i), args[i], 8);
	asm_store_gs(as, CONTEXT_AT(saved_rax), ISA_RAX);
	asm_store_gs(as, CONTEXT_AT(saved_rdx), ISA_RDX);
	stub->call_spilled = here(as, stub);
	asm_store_time(as, ISA_RCX, record_slot(SYSCALL_ENTERED));
	asm_load_gs(as, ISA_RAX, CONTEXT_AT(saved_rax));
	asm_load_gs(as, ISA_RDX, CONTEXT_AT(saved_rdx));
}

static void record_result(struct assembler *as, struct call_stub *stub)
{
	asm_store_gs(as, CONTEXT_AT(saved_rax), ISA_RAX);
	stub->result_spilled = here(as, stub);
	asm_load_gs(as, ISA_RCX, CONTEXT_AT(call_record));
	asm_store(as, ISA_RCX, record_slot(SYSCALL_RESULT), ISA_RAX, 8);
	asm_store_time(as, ISA_RCX, record_slot(SYSCALL_LEFT));
	asm_store_constant(as, ISA_RCX, 0, (int32_t)RECORD_SYSCALL);
	asm_load_gs(as, ISA_RDX, CONTEXT_AT(record));
	asm_load_gs(as, ISA_RAX, CONTEXT_AT(call_head));
	asm_store(as, ISA_RDX, 0, ISA_RAX, 8);
	asm_lea(as, ISA_RDX, ISA_RCX, ISA_NO_REGISTER, 0, record_slot(RECORD_SYSCALL_SLOTS));
}

/* Continues only after a CALL_FREE call with an open gate. The exchange is a barrier, so a recorder
 * that closes the gate and then reads `inside` as 1 can rely on the task being held here. */
static void pass_gate(struct assembler *as, struct call_stub *stub)
{
	uint8_t *open, *free;

	asm_load_constant(as, ISA_RCX, 0);
	asm_exchange_gs(as, CONTEXT_AT(inside), ISA_RCX);
	asm_load_gs(as, ISA_RCX, CONTEXT_AT(gate));
	open = asm_jump_if_rcx_0(as);
	stub->held = here(as, stub);
	asm_trap(as, UINT32_MAX);
	asm_short_target(as, open);
	asm_load_gs(as, ISA_RCX, CONTEXT_AT(call_kind));
	asm_lea(as, ISA_RCX, ISA_RCX, ISA_NO_REGISTER, 0, -CALL_FREE);
	free = asm_jump_if_rcx_0(as);
	asm_jump(as, stub->pc + stub->held);
	asm_short_target(as, free);
}

/* Returns the jump that calls of this kind take. */
static uint8_t *jump_if_kind(struct assembler *as, enum call_kind kind)
{
	asm_load_gs(as, ISA_RCX, CONTEXT_AT(call_kind));
	asm_lea(as, ISA_RCX, ISA_RCX, ISA_NO_REGISTER, 0, -(int32_t)kind);
	return asm_jump_if_rcx_0(as);
}

/* Returns the jump that is taken if the flags in this register have a 0 in the table. */
static uint8_t *jump_if_flags_bar(struct assembler *as, unsigned flags, uint32_t table)
{
	asm_zero_extend_8(as, ISA_RCX, flags);
	asm_load_gs_byte(as, ISA_RCX, ISA_RCX, table);
	return asm_jump_if_rcx_0(as);
}

/* Continues only with a call that may be made here. */
static void choose(struct assembler *as, struct call_stub *stub)
{
	uint8_t *barred, *not_allowed, *unfixed, *fixed, *allowed, *chosen;
	uint8_t *fs, *sets_fs, *gets_fs, *other, *opens, *writes, *reads, *refused;

	asm_load_gs(as, ISA_RCX, CONTEXT_AT(makes_calls));
	barred = asm_jump_if_rcx_0(as);
	asm_zero_extend_16(as, ISA_RCX, ISA_RAX);
	asm_load_gs_byte(as, ISA_RCX, ISA_RCX, TABLES_AT(calls));
	not_allowed = asm_jump_if_rcx_0(as);
	asm_store_gs(as, CONTEXT_AT(call_kind), ISA_RCX);
	unfixed = jump_if_kind(as, CALL_UNFIXED);
	opens = jump_if_kind(as, CALL_OPENAT);
	fs = jump_if_kind(as, CALL_FS);
	allowed = asm_jump_ahead(as);
	asm_short_target(as, barred);
	asm_short_target(as, not_allowed);
	refused = asm_jump_ahead(as);
	asm_short_target(as, unfixed);
	fixed = jump_if_flags_bar(as, MMAP_FLAGS, TABLES_AT(unfixed));
	chosen = asm_jump_ahead(as);
	asm_short_target(as, opens);
	writes = jump_if_flags_bar(as, OPENAT_FLAGS, TABLES_AT(reads));
	asm_store_gs_constant(as, CONTEXT_AT(call_kind), CALL_FREE);
	reads = asm_jump_ahead(as);
	asm_short_target(as, fs);
	asm_store_gs_constant(as, CONTEXT_AT(call_kind), CALL_FREE);
	asm_lea(as, ISA_RCX, ISA_RDI, ISA_NO_REGISTER, 0, -ARCH_SET_FS);
	sets_fs = asm_jump_if_rcx_0(as);
	asm_lea(as, ISA_RCX, ISA_RDI, ISA_NO_REGISTER, 0, -ARCH_GET_FS);
	gets_fs = asm_jump_if_rcx_0(as);
	other = asm_jump_ahead(as);
	asm_short_target(as, fixed);
	asm_short_target(as, writes);
	asm_target(as, refused);
	asm_target(as, other);
	stub->refused = here(as, stub);
	asm_trap(as, UINT32_MAX);
	asm_target(as, allowed);
	asm_target(as, chosen);
	asm_target(as, reads);
	asm_short_target(as, sets_fs);
	asm_short_target(as, gets_fs);
}

/* Makes the call and records it. */
static void make_recorded(struct assembler *as, struct call_stub *stub)
{
	record_call(as, stub);
	asm_store_gs_constant(as, CONTEXT_AT(inside), 1);
	asm_syscall(as);
	stub->made = here(as, stub);
	record_result(as, stub);
	pass_gate(as, stub);
	asm_store_gs(as, CONTEXT_AT(record), ISA_RDX);
	stub->recorded = here(as, stub);
	asm_load_gs(as, ISA_RAX, CONTEXT_AT(saved_rax));
	asm_load_gs(as, ISA_RDX, CONTEXT_AT(saved_rdx));
	asm_load_gs(as, ISA_RCX, CONTEXT_AT(call_next));
}

static void make_counted(struct assembler *as, struct call_stub *stub)
{
	asm_store_gs(as, CONTEXT_AT(call_number), ISA_RAX);
	asm_store_gs_constant(as, CONTEXT_AT(inside), 1);
	asm_syscall(as);
	stub->made = here(as, stub);
	pass_gate(as, stub);
	stub->recorded = here(as, stub);
}

void call_stub_emit(struct assembler *as, struct call_stub *stub, bool counted)
{
	*stub = (struct call_stub){ .pc = asm_here(as), .counted = counted };
	choose(as, stub);
	if (counted)
		make_counted(as, stub);
	else
		make_recorded(as, stub);
	asm_jump_gs(as, CONTEXT_AT(call_return));
}

static uint32_t offset(const struct call_stub *stub, uint64_t pc)
{
	return (uint32_t)(pc - stub->pc);
}

enum call_place call_stub_place(const struct call_stub *stub, uint64_t pc)
{
	uint32_t at = offset(stub, pc);

	if (at < stub->made)
		return CALL_BEFORE;
	return at < stub->recorded ? CALL_MADE : CALL_RECORDED;
}

bool call_stub_has_saved(const struct call_stub *stub, uint64_t pc)
{
	uint32_t at = offset(stub, pc);

	return !stub->counted && at >= stub->call_spilled &&
	       (at < stub->made || at >= stub->result_spilled);
}

bool call_stub_refuses(const struct call_stub *stub, uint64_t pc)
{
	return offset(stub, pc) == stub->refused;
}

bool call_stub_holds(const struct call_stub *stub, uint64_t pc)
{
	return offset(stub, pc) == stub->held;
}

bool call_stub_reads_time(const struct call_stub *stub, uint64_t pc)
{
	return !stub->counted && offset(stub, pc) == stub->call_spilled;
}
