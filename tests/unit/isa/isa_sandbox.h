/* SPDX-License-Identifier: MIT */
/*
 * A child in which single instructions are executed, one step each. Its memory is two windows
 * between inaccessible pages, one of them read-only. Registers are chosen so that an operand ends,
 * or begins, exactly at a window's edge or one byte beyond; isa_decode and isa_values predict
 * whether the step faults, how long the instruction is and where control goes.
 */
#ifndef ISA_SANDBOX_H
#define ISA_SANDBOX_H

#include <check.h>
#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "traceformat/isa.h"

enum {
	CODE = 0x10000000,
	READ_WRITE = 0x20000000,	/* windows, with GUARD bytes before and after */
	READ_ONLY = 0x30000000,
	AUXILIARY = 0x40000000,		/* where operands are that are not under test */
	PAGE = 4096,
	WINDOW = 4 * PAGE,
	GUARD = 16 * PAGE,
	AUXILIARY_SIZE = 16 * PAGE,
	XSTATE_MAX = 16384,
	MAX_RANGES = ISA_MAX_OPERANDS * TF_MAX_LANES,
};

enum outcome { DONE, PAGE_FAULT, ILLEGAL, OTHER };

struct range {
	uint64_t address, size;
	bool store;
};

struct sandbox {
	pid_t pid;
	struct user_regs_struct initial;
	struct user_regs_struct after;
	uint8_t xstate[XSTATE_MAX];
	size_t xstate_size;
	uint32_t high128, opmask, high256, high16;	/* offsets in it; 0 if it has none */
	struct isa_registers registers;
};

static struct sandbox box;
static enum isa_vendor vendor;	/* of the processor here */
static struct {
	long encodings, unimplemented;
	long steps, unclear;	/* unclear: another fault came first */
	long controls;		/* length or target compared */
	long directions;	/* loads or not compared */
	long failures;
} count;
static uint64_t random_state = 88172645463325252u;

static uint64_t random64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* ---- the child --------------------------------------------------------------------------- */

static void *map(uint64_t address, size_t size, int protection)
{
	void *memory = mmap((void *)address, size, protection,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	ck_assert_msg(memory == (void *)address, "mmap: %s", strerror(errno));
	return memory;
}

static uint32_t component_offset(int component)
{
	uint32_t size, offset, c, d;

	if (!(box.registers.xcr0 >> component & 1))
		return 0;
	__cpuid_count(0xd, component, size, offset, c, d);
	return offset;
}

static void open_sandbox(void)
{
	struct iovec xstate = { box.xstate, sizeof(box.xstate) };
	int status;

	vendor = isa_vendor_here();
	map(CODE, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	map(READ_WRITE, WINDOW, PROT_READ | PROT_WRITE);
	map(READ_WRITE - GUARD, GUARD, PROT_NONE);
	map(READ_WRITE + WINDOW, GUARD, PROT_NONE);
	map(READ_ONLY, WINDOW, PROT_READ | PROT_WRITE);
	map(READ_ONLY - GUARD, GUARD, PROT_NONE);
	map(READ_ONLY + WINDOW, GUARD, PROT_NONE);
	map(AUXILIARY, AUXILIARY_SIZE, PROT_READ | PROT_WRITE);
	box.pid = fork();
	ck_assert_int_ge(box.pid, 0);
	if (box.pid == 0) {
		mprotect((void *)READ_ONLY, WINDOW, PROT_READ);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(box.pid, &status, 0), box.pid);
	ck_assert_msg(WIFSTOPPED(status), "the child cannot be traced");
	ptrace(PTRACE_SETOPTIONS, box.pid, NULL, PTRACE_O_EXITKILL);
	ptrace(PTRACE_GETREGS, box.pid, NULL, &box.initial);
	ptrace(PTRACE_GETREGSET, box.pid, NT_X86_XSTATE, &xstate);
	box.xstate_size = xstate.iov_len;
	memcpy(&box.registers.xcr0, box.xstate + 464, 8);
	box.high128 = component_offset(2);
	box.opmask = component_offset(5);
	box.high256 = component_offset(6);
	box.high16 = component_offset(7);
}

static void close_sandbox(void)
{
	kill(box.pid, SIGKILL);
	waitpid(box.pid, NULL, 0);
}

/* Writes box.registers to the image that PTRACE_SETREGSET takes. */
static void fill_xstate(void)
{
	uint64_t present = 0xe7 & box.registers.xcr0;

	memcpy(box.xstate + 512, &present, 8);
	memset(box.xstate + 2, 0, 2);	/* status word: mm0 is on top of the stack */
	for (int i = 0; i < 8; i++)
		memcpy(box.xstate + 32 + 16 * i, &box.registers.mmx[i], 8);
	for (int i = 0; i < 16; i++) {
		memcpy(box.xstate + 160 + 16 * i, box.registers.vector[i], 16);
		if (box.high128)
			memcpy(box.xstate + box.high128 + 16 * i, box.registers.vector[i] + 16, 16);
	}
	if (!box.opmask)
		return;
	memcpy(box.xstate + box.opmask, box.registers.mask, 64);
	for (int i = 0; i < 16; i++) {
		memcpy(box.xstate + box.high256 + 32 * i, box.registers.vector[i] + 32, 32);
		memcpy(box.xstate + box.high16 + 64 * i, box.registers.vector[16 + i], 64);
	}
}

static void fill_user_regs(struct user_regs_struct *user)
{
	const uint64_t *general = box.registers.general;

	*user = box.initial;
	user->orig_rax = -1;
	user->rip = box.registers.rip;
	user->fs_base = box.registers.fs_base;
	user->gs_base = box.registers.gs_base;
	user->eflags = box.registers.rflags;
	user->rax = general[0];
	user->rcx = general[1];
	user->rdx = general[2];
	user->rbx = general[3];
	user->rsp = general[4];
	user->rbp = general[5];
	user->rsi = general[6];
	user->rdi = general[7];
	user->r8 = general[8];
	user->r9 = general[9];
	user->r10 = general[10];
	user->r11 = general[11];
	user->r12 = general[12];
	user->r13 = general[13];
	user->r14 = general[14];
	user->r15 = general[15];
}

/* Executes the instruction at CODE once with box.registers. */
static enum outcome step(void)
{
	struct user_regs_struct user;
	struct iovec xstate = { box.xstate, box.xstate_size };
	siginfo_t info;
	int status;

	fill_user_regs(&user);
	fill_xstate();
	ck_assert_int_eq(ptrace(PTRACE_SETREGS, box.pid, NULL, &user), 0);
	ck_assert_int_eq(ptrace(PTRACE_SETREGSET, box.pid, NT_X86_XSTATE, &xstate), 0);
	ck_assert_int_eq(ptrace(PTRACE_SINGLESTEP, box.pid, NULL, NULL), 0);
	ck_assert_int_eq(waitpid(box.pid, &status, 0), box.pid);
	ck_assert_msg(WIFSTOPPED(status), "the child is gone, status %x", status);
	ptrace(PTRACE_GETREGS, box.pid, NULL, &box.after);
	count.steps++;
	if (WSTOPSIG(status) == SIGTRAP)
		return DONE;
	if (WSTOPSIG(status) == SIGILL)
		return ILLEGAL;
	if (WSTOPSIG(status) != SIGSEGV)
		return OTHER;
	ptrace(PTRACE_GETSIGINFO, box.pid, NULL, &info);
	return info.si_code == SEGV_MAPERR || info.si_code == SEGV_ACCERR ? PAGE_FAULT : OTHER;
}

/* ---- predictions ------------------------------------------------------------------------- */

/* Expands an execution's operand into the byte ranges that it touches; returns their number. */
static int expand(const struct isa_operand *operand, uint64_t address, const uint64_t *extra,
		  struct range *ranges)
{
	const struct tf_operand *trace = &operand->trace;
	bool store = trace->access & TF_STORE;
	int n = 0;

	if (trace->access == TF_PREFETCH)
		return 0;
	switch (trace->form) {
	case TF_PLAIN:
		ranges[n++] = (struct range){ address, trace->size, store };
		break;
	case TF_REP:
		if (extra[0])
			ranges[n++] = (struct range){ address, trace->size, store };
		break;
	case TF_SIZED:
		if (extra[0])
			ranges[n++] = (struct range){ address, extra[0], store };
		break;
	case TF_MASKED:
		for (unsigned i = 0; i < trace->lanes; i++)
			if (extra[0] >> i & 1)
				ranges[n++] = (struct range){ address + i * trace->size,
							      trace->size, store };
		break;
	case TF_LANES:
		for (unsigned i = 0; i < trace->lanes; i++) {
			int64_t index;
			int32_t index32;

			memcpy(&index32, (const uint8_t *)(extra + 1) + 4 * i, 4);
			index = index32;
			if (trace->index_size == 8)
				index = extra[1 + i];
			if (extra[0] >> i & 1)
				ranges[n++] = (struct range){ address + index * trace->scale,
							      trace->size, store };
		}
		break;
	}
	return n;
}

/* Ranges of operand `only`, or of all if it is -1. */
static int find_ranges(const struct isa_insn *insn, int only, struct range *ranges)
{
	uint64_t values[ISA_MAX_VALUES];
	const uint64_t *extra = values + insn->n_operands;
	int n = 0;

	isa_values(insn, &box.registers, values);
	for (int i = 0; i < insn->n_operands; i++) {
		if (only == -1 || only == i)
			n += expand(&insn->operands[i], values[i], extra, ranges + n);
		if (insn->operands[i].trace.form != TF_REP)
			extra += insn->operands[i].n_extras;
	}
	return n;
}

static bool is_inside(const struct range *range, uint64_t start, uint64_t size)
{
	return range->address >= start && range->address - start <= size - range->size;
}

static bool predict_fault(const struct range *ranges, int n)
{
	for (int i = 0; i < n; i++)
		if (!is_inside(&ranges[i], READ_WRITE, WINDOW) &&
		    !is_inside(&ranges[i], AUXILIARY, AUXILIARY_SIZE) &&
		    !(is_inside(&ranges[i], READ_ONLY, WINDOW) && !ranges[i].store))
			return true;
	return false;
}

static void complain(const uint8_t *code, const struct isa_insn *insn, const char *what)
{
	char text[128];

	isa_disassemble(code, 15, CODE, vendor, ISA_SYNTAX_INTEL, text, sizeof(text));
	fprintf(stderr, "%-50s", text);
	for (int i = 0; i < insn->length; i++)
		fprintf(stderr, " %02x", code[i]);
	fprintf(stderr, ": %s\n", what);
	count.failures++;
}

/* ---- one encoding ------------------------------------------------------------------------ */

enum { VSIB_INDEX = 4 };	/* what sweep() encodes */

static void put_code(const uint8_t *code, size_t size)
{
	memset((void *)CODE, 0xcc, 32);
	memcpy((void *)CODE, code, size);
}

static void reset_registers(const struct isa_insn *insn)
{
	struct isa_registers *registers = &box.registers;

	for (int i = 0; i < 16; i++)
		registers->general[i] = AUXILIARY + AUXILIARY_SIZE / 2;
	registers->general[ISA_RCX] = 1;
	registers->rip = CODE;
	registers->rflags = 0x202;
	registers->fs_base = 0x40;
	registers->gs_base = 0x80;
	for (int i = 0; i < 8; i++)
		registers->mask[i] = registers->mmx[i] = random64();
	for (int i = 0; i < 32; i++)
		for (int j = 0; j < 64; j++)
			registers->vector[i][j] = random64();
	for (int j = 0; j < 64; j += 4) {
		int64_t index = (int64_t)(random64() % 256) - 128;

		if (insn->n_operands && insn->operands[0].trace.index_size == 8)
			memcpy(registers->vector[VSIB_INDEX] + (j & ~7), &index, 8);
		else
			memcpy(registers->vector[VSIB_INDEX] + j, &index, 4);
	}
}

static void check_control(const uint8_t *code, const struct isa_insn *insn)
{
	uint64_t next = CODE + insn->length, rip = box.after.rip;

	count.controls++;
	switch (insn->end) {
	case TF_END_NONE:
		if (rip != next && !(insn->flags & TF_INSN_REP && rip == CODE))
			complain(code, insn, "goes elsewhere than length says");
		break;
	case TF_END_CONDITIONAL:
		if (rip != next && rip != insn->target)
			complain(code, insn, "goes neither on nor to its target");
		break;
	case TF_END_JUMP:
	case TF_END_CALL:
		if (rip != insn->target)
			complain(code, insn, "does not go to its target");
		break;
	default:
		break;
	}
}

/* Executes with the present registers and compares; returns the outcome. */
static enum outcome compare(const uint8_t *code, const struct isa_insn *insn, const char *what)
{
	struct range ranges[MAX_RANGES];
	bool predicted = predict_fault(ranges, find_ranges(insn, -1, ranges));
	enum outcome outcome = step();

	if (outcome == ILLEGAL)
		return outcome;
	/* A gather that has done some lanes delivers the trap before the fault of the next. */
	if (outcome == DONE && box.after.rip == CODE && insn->n_operands &&
	    insn->operands[0].trace.form == TF_LANES)
		outcome = PAGE_FAULT;
	if (outcome == OTHER)
		count.unclear++;
	else if (predicted && outcome == DONE)
		complain(code, insn, what);
	if (!predicted && outcome == PAGE_FAULT)
		complain(code, insn, what);
	if (outcome == DONE)
		check_control(code, insn);
	return outcome;
}

/* Moves the base of operand i so that its ranges end (begin) `over` bytes beyond the window. */
static bool place(const struct isa_insn *insn, int i, uint64_t window, bool end, int over)
{
	uint8_t base = insn->operands[i].address.base;
	struct range ranges[MAX_RANGES];
	uint64_t low = UINT64_MAX, high = 0;
	int n = find_ranges(insn, i, ranges);

	if (base == ISA_NO_REGISTER)
		return false;
	for (int k = 0; k < n; k++) {
		uint64_t last = ranges[k].address + ranges[k].size;

		low = ranges[k].address < low ? ranges[k].address : low;
		high = last > high ? last : high;
	}
	if (n == 0) {
		box.registers.general[base] = window - GUARD / 2;	/* touches nothing */
		return true;
	}
	if (end)
		box.registers.general[base] += window + WINDOW - high + over;
	else
		box.registers.general[base] += window - low - over;
	return true;
}

static void try_edges(const uint8_t *code, const struct isa_insn *insn)
{
	static const struct {
		uint64_t window;
		bool end;
		int over;
		const char *what;
	} edges[] = {
		{ READ_WRITE, true, 0, "touches more bytes above" },
		{ READ_WRITE, true, 1, "touches fewer bytes above" },
		{ READ_WRITE, false, 0, "touches more bytes below" },
		{ READ_WRITE, false, 1, "touches fewer bytes below" },
		{ READ_ONLY, true, 0, "stores or not, unlike predicted" },
	};
	struct isa_registers saved = box.registers;

	for (int i = 0; i < insn->n_operands; i++)
		for (size_t k = 0; k < sizeof(edges) / sizeof(edges[0]); k++) {
			box.registers = saved;
			if (place(insn, i, edges[k].window, edges[k].end, edges[k].over))
				compare(code, insn, edges[k].what);
		}
	box.registers = saved;
}

#endif
