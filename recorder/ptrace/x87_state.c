/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/x87_state.h"

#include <cpuid.h>
#include <string.h>
#include <sys/ptrace.h>

#include "recorder/core/task.h"

enum { FEATURES = 7, ONLY_EXCEPTIONS = 1 << 6, NO_SEGMENTS = 1 << 13 };

static unsigned features(void)
{
	unsigned a, b, c, d;

	return __get_cpuid_count(FEATURES, 0, &a, &b, &c, &d) ? b : 0;
}

/* Some processors store 0 for the segments. */
static bool has_segments(void)
{
	return !(features() & NO_SEGMENTS);
}

/* Returns false on processors that keep an operand's address only for unmasked exceptions. */
static bool has_operands(void)
{
	return !(features() & ONLY_EXCEPTIONS);
}

/* Returns the address of the instruction's operand in memory; 0: there is none. */
static uint64_t operand_address(const struct task *t, const struct isa_insn *insn)
{
	struct isa_registers r; /* x87 instructions use no vector in their addresses */
	uint64_t values[ISA_MAX_VALUES];

	if (!insn->n_operands)
		return 0;
	task_isa_registers(t, &r);
	isa_values(insn, &r, values);
	return values[0];
}

static void point(struct task *t, const struct isa_insn *insn, const uint8_t *code)
{
	struct x87_pointers *next = &t->x87.next;

	next->pc = t->regs.rip;
	next->opcode = x87_opcode_of(code, insn->length);
	next->code_segment = has_segments() ? (uint16_t)t->regs.cs : 0;
	if (!insn->n_operands || !has_operands())
		return;
	next->operand = t->x87.operand;
	next->data_segment = 0;
	if (has_segments())
		next->data_segment = (uint16_t)(x87_is_on_stack(code, insn->length) ? t->regs.ss
										    : t->regs.ds);
}

/* Returns true if an xsave area has the pointers, by its header. */
static bool has_component(const struct task *t)
{
	enum { HEADER_AT = 512, X87_COMPONENT = 1 };
	uint64_t components;

	return task_read(t, t->x87.operand + HEADER_AT, &components, sizeof(components)) ==
		       sizeof(components) &&
	       components & X87_COMPONENT;
}

static void load(struct task *t, const uint8_t *code, unsigned length, bool is_there)
{
	struct x87_layout layout = x87_layout_of(code, length);
	uint8_t bytes[X87_LAYOUT_BYTES];

	memset(&t->x87.next, 0, sizeof(t->x87.next));
	if (is_there && task_read(t, t->x87.operand, bytes, sizeof(bytes)) == sizeof(bytes))
		t->x87.next = x87_unpack(&layout, bytes);
}

void x87_state_before(struct task *t, const struct isa_insn *insn, const uint8_t *code)
{
	enum { X87_COMPONENT = 1 };
	enum x87_use use;

	if (!x87_loses_pointers())
		return;
	t->x87.next = t->x87.now;
	use = x87_use_of(code, insn->length);
	if (use == X87_NONE)
		return;
	t->x87.operand = operand_address(t, insn);
	if (use == X87_POINTS)
		point(t, insn, code);
	else if (x87_clears(code, insn->length))
		memset(&t->x87.next, 0, sizeof(t->x87.next));
	else if (use == X87_LOADS)
		load(t, code, insn->length, true);
	else if (use == X87_LOADS_COMPONENT && t->regs.rax & X87_COMPONENT)
		load(t, code, insn->length, has_component(t));
}

/*
 * While an exception is pending, the processor keeps and stores the addresses, but the kernel loses
 * the segments.
 */
static void add_segments(const struct x87_pointers *pointers, struct x87_pointers *stored)
{
	if (stored->code_segment)
		return;
	stored->code_segment = pointers->code_segment;
	stored->data_segment = pointers->data_segment;
}

void x87_state_store(const struct task *t, const struct x87_layout *layout, uint64_t at,
		     const struct x87_pointers *pointers)
{
	uint8_t bytes[X87_LAYOUT_BYTES];
	unsigned size = layout->data_segment + 2u;
	struct x87_pointers stored;

	if (task_read(t, at, bytes, size) < size)
		return;
	stored = x87_unpack(layout, bytes);
	if (stored.pc)
		add_segments(pointers, &stored);
	else
		stored = *pointers;
	x87_pack(layout, &stored, bytes);
	task_write(t, at, bytes, size);
}

void x87_state_after(struct task *t, const uint8_t *code, unsigned length)
{
	struct x87_layout layout;

	if (!x87_loses_pointers())
		return;
	if (t->x87.now.pc && x87_use_of(code, length) == X87_STORES) {
		layout = x87_layout_of(code, length);
		if (layout.is_environment)
			x87_state_store(t, &layout, t->x87.operand, &t->x87.now);
	}
	t->x87.now = t->x87.next;
}

void x87_state_sigreturn(struct task *t)
{
	enum { AREA_AT = 224 }; /* fpstate in the kernel's struct ucontext */
	static const struct x87_layout layout = {
		.pointer = 8, .operand = 16, .pointer_bytes = 8, .opcode = 6
	};
	uint8_t bytes[X87_LAYOUT_BYTES];
	uint64_t area;

	if (!x87_loses_pointers())
		return;
	x87_state_clear(t);
	if (task_read(t, t->regs.rsp + AREA_AT, &area, sizeof(area)) == sizeof(area) && area &&
	    task_read(t, area, bytes, sizeof(bytes)) == sizeof(bytes))
		t->x87.now = x87_unpack(&layout, bytes);
}

void x87_state_set(struct task *t, uint64_t pc, uint16_t opcode, uint64_t operand)
{
	x87_state_clear(t);
	if (!pc)
		return;
	t->x87.now.pc = pc;
	t->x87.now.opcode = opcode;
	t->x87.now.operand = operand;
	t->x87.now.code_segment = has_segments() ? (uint16_t)t->regs.cs : 0;
}

void x87_state_clear(struct task *t)
{
	memset(&t->x87, 0, sizeof(t->x87));
}

void x87_state_restore(struct task *t)
{
	struct user_fpregs_struct r;

	if (!t->x87.now.pc || ptrace(PTRACE_GETFPREGS, t->tid, NULL, &r) < 0 || r.rip)
		return;
	r.rip = t->x87.now.pc;
	r.rdp = t->x87.now.operand;
	r.fop = t->x87.now.opcode;
	ptrace(PTRACE_SETFPREGS, t->tid, NULL, &r);
}
