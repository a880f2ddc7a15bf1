/* SPDX-License-Identifier: MIT */
#include <cpuid.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>

#include "tests/unit/isa/isa_sandbox.h"
#include "recorder/step/hypervisor_bugs.h"
#include "tests/unit/random.h"

struct sandbox sandbox;
struct sandbox_count sandbox_count;

enum { VSIB_INDEX = 4 }; /* what sweep() encodes */

static uint64_t random_state = 88172645463325252u;

static uint32_t component_offset(int component)
{
	uint32_t size, offset, c, d;

	if (!(sandbox.registers.xcr0 >> component & 1))
		return 0;
	__cpuid_count(0xd, component, size, offset, c, d);
	return offset;
}

static void protect(void)
{
	mprotect((void *)READ_ONLY, WINDOW, PROT_READ);
}

void sandbox_open(void)
{
	sandbox.vendor = isa_vendor_here();
	stepped_map(CODE, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	stepped_map(READ_WRITE, WINDOW, PROT_READ | PROT_WRITE);
	stepped_map(READ_WRITE - GUARD, GUARD, PROT_NONE);
	stepped_map(READ_WRITE + WINDOW, GUARD, PROT_NONE);
	stepped_map(READ_ONLY, WINDOW, PROT_READ | PROT_WRITE);
	stepped_map(READ_ONLY - GUARD, GUARD, PROT_NONE);
	stepped_map(READ_ONLY + WINDOW, GUARD, PROT_NONE);
	stepped_map(AUXILIARY, AUXILIARY_SIZE, PROT_READ | PROT_WRITE);
	stepped_begin(&sandbox.child, protect);
	memcpy(&sandbox.registers.xcr0, sandbox.child.xstate + 464, 8);
	sandbox.high128 = component_offset(2);
	sandbox.opmask = component_offset(5);
	sandbox.high256 = component_offset(6);
	sandbox.high16 = component_offset(7);
}

void sandbox_close(void)
{
	stepped_end(&sandbox.child);
}

/* Writes sandbox.registers to the image that PTRACE_SETREGSET takes. */
static void fill_xstate(void)
{
	const struct isa_registers *registers = &sandbox.registers;
	uint8_t *xstate = sandbox.child.xstate;
	uint64_t present = 0xe7 & registers->xcr0;

	memcpy(xstate + 512, &present, 8);
	memset(xstate + 2, 0, 2); /* status word: mm0 is on top of the stack */
	for (int i = 0; i < 8; i++)
		memcpy(xstate + 32 + 16 * i, &registers->mmx[i], 8);
	for (int i = 0; i < 16; i++) {
		memcpy(xstate + 160 + 16 * i, registers->vector[i], 16);
		if (sandbox.high128)
			memcpy(xstate + sandbox.high128 + 16 * i, registers->vector[i] + 16, 16);
	}
	if (!sandbox.opmask)
		return;
	memcpy(xstate + sandbox.opmask, registers->mask, 64);
	for (int i = 0; i < 16; i++) {
		memcpy(xstate + sandbox.high256 + 32 * i, registers->vector[i] + 32, 32);
		memcpy(xstate + sandbox.high16 + 64 * i, registers->vector[16 + i], 64);
	}
}

static void fill_user_regs(struct user_regs_struct *user)
{
	const uint64_t *general = sandbox.registers.general;

	*user = sandbox.child.initial;
	user->orig_rax = -1;
	user->rip = sandbox.registers.rip;
	user->fs_base = sandbox.registers.fs_base;
	user->gs_base = sandbox.registers.gs_base;
	user->eflags = sandbox.registers.rflags;
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

/* Executes the instruction with the registers of sandbox.after and of the child's image. */
static enum outcome step_once(void)
{
	int signal = stepped_step(&sandbox.child, &sandbox.after);
	siginfo_t info;

	sandbox_count.steps++;
	if (signal == SIGTRAP)
		return DONE;
	if (signal == SIGILL)
		return ILLEGAL;
	if (signal != SIGSEGV)
		return OTHER;
	ptrace(PTRACE_GETSIGINFO, sandbox.child.pid, NULL, &info);
	return info.si_code == SEGV_MAPERR || info.si_code == SEGV_ACCERR ? PAGE_FAULT : OTHER;
}

enum outcome sandbox_step(void)
{
	fill_user_regs(&sandbox.after);
	fill_xstate();
	return step_once();
}

/*
 * Executes the rest of a gather or scatter that has completed some lanes: the trap comes before the
 * next lane's fault, also if the kernel only has to map the page.
 */
static enum outcome step_other_lanes(void)
{
	enum outcome outcome = DONE;

	for (int i = 0; i < TF_MAX_LANES && outcome == DONE && sandbox.after.rip == CODE; i++) {
		stepped_read_xstate(&sandbox.child, sandbox.child.xstate);
		outcome = step_once();
	}
	return outcome;
}

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
	case TF_PLAIN: ranges[n++] = (struct range){ address, trace->size, store }; break;
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

int sandbox_ranges(const struct isa_insn *insn, int only, struct range *ranges)
{
	uint64_t values[ISA_MAX_VALUES];
	const uint64_t *extra = values + insn->n_operands;
	int n = 0;

	isa_values(insn, &sandbox.registers, values);
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

void sandbox_complain(const uint8_t *code, const struct isa_insn *insn, const char *what)
{
	char text[128];

	isa_disassemble(code, 15, CODE, sandbox.vendor, ISA_SYNTAX_INTEL, text, sizeof(text));
	fprintf(stderr, "%-50s", text);
	for (int i = 0; i < insn->length; i++)
		fprintf(stderr, " %02x", code[i]);
	fprintf(stderr, ": %s\n", what);
	sandbox_count.failures++;
}

void sandbox_put(const uint8_t *code, size_t size)
{
	memset((void *)CODE, 0xcc, 32);
	memcpy((void *)CODE, code, size);
}

void sandbox_reset(const struct isa_insn *insn)
{
	struct isa_registers *registers = &sandbox.registers;

	for (int i = 0; i < 16; i++)
		registers->general[i] = AUXILIARY + AUXILIARY_SIZE / 2;
	registers->general[ISA_RCX] = 1;
	registers->rip = CODE;
	registers->rflags = 0x202;
	registers->fs_base = 0x40;
	registers->gs_base = 0x80;
	for (int i = 0; i < 8; i++)
		registers->mask[i] = registers->mmx[i] = xorshift(&random_state);
	for (int i = 0; i < 32; i++)
		for (int j = 0; j < 64; j++)
			registers->vector[i][j] = xorshift(&random_state);
	for (int j = 0; j < 64; j += 4) {
		int64_t index = (int64_t)(xorshift(&random_state) % 256) - 128;

		if (insn->n_operands && insn->operands[0].trace.index_size == 8)
			memcpy(registers->vector[VSIB_INDEX] + (j & ~7), &index, 8);
		else
			memcpy(registers->vector[VSIB_INDEX] + j, &index, 4);
	}
}

static bool is_cpuid(const uint8_t *code, const struct isa_insn *insn)
{
	return insn->length >= 2 && code[insn->length - 2] == 0x0f &&
	       code[insn->length - 1] == 0xa2;
}

static void check_control(const uint8_t *code, const struct isa_insn *insn)
{
	uint64_t next = CODE + insn->length, rip = sandbox.after.rip;

	sandbox_count.controls++;
	if (rip == next + 1 && is_cpuid(code, insn) && hypervisor_cpuid_is_not_stepped())
		return; /* behind the int3 */
	switch (insn->end) {
	case TF_END_NONE:
		if (rip != next && !(insn->flags & TF_INSN_REP && rip == CODE))
			sandbox_complain(code, insn, "goes elsewhere than length says");
		break;
	case TF_END_CONDITIONAL:
		if (rip != next && rip != insn->target)
			sandbox_complain(code, insn, "goes neither on nor to its target");
		break;
	case TF_END_JUMP:
	case TF_END_CALL:
		if (rip != insn->target)
			sandbox_complain(code, insn, "does not go to its target");
		break;
	default: break;
	}
}

enum outcome sandbox_compare(const uint8_t *code, const struct isa_insn *insn, const char *what)
{
	struct range ranges[MAX_RANGES];
	bool predicted = predict_fault(ranges, sandbox_ranges(insn, -1, ranges));
	enum outcome outcome = sandbox_step();

	if (outcome == ILLEGAL)
		return outcome;
	if (outcome == DONE && insn->n_operands && insn->operands[0].trace.form == TF_LANES)
		outcome = step_other_lanes();
	if (outcome == OTHER)
		sandbox_count.unclear++;
	else if (predicted && outcome == DONE)
		sandbox_complain(code, insn, what);
	if (!predicted && outcome == PAGE_FAULT)
		sandbox_complain(code, insn, what);
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
	int n = sandbox_ranges(insn, i, ranges);

	if (base == ISA_NO_REGISTER)
		return false;
	for (int k = 0; k < n; k++) {
		uint64_t last = ranges[k].address + ranges[k].size;

		low = ranges[k].address < low ? ranges[k].address : low;
		high = last > high ? last : high;
	}
	if (n == 0) {
		sandbox.registers.general[base] = window - GUARD / 2; /* touches nothing */
		return true;
	}
	if (end)
		sandbox.registers.general[base] += window + WINDOW - high + over;
	else
		sandbox.registers.general[base] += window - low - over;
	return true;
}

void sandbox_try_edges(const uint8_t *code, const struct isa_insn *insn)
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
	struct isa_registers saved = sandbox.registers;

	for (int i = 0; i < insn->n_operands; i++)
		for (size_t k = 0; k < sizeof(edges) / sizeof(edges[0]); k++) {
			sandbox.registers = saved;
			if (place(insn, i, edges[k].window, edges[k].end, edges[k].over))
				sandbox_compare(code, insn, edges[k].what);
		}
	sandbox.registers = saved;
}
