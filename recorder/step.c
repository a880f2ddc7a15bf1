/* SPDX-License-Identifier: MIT */
/*
 * The step backend: every instruction is executed by PTRACE_SINGLESTEP, and its addresses are
 * computed before from the real registers. Slow, simple, and what others are tested against.
 *
 * A block's record is written when its last instruction has executed; each block is a path of its
 * own, with a slot a value. System calls are entered and left by PTRACE_SYSCALL instead, which
 * leaves no trap flag in r11 and no SIGTRAP behind.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "recorder/backend.h"
#include "recorder/block_at.h"
#include "recorder/control_words.h"
#include "recorder/cpu_model.h"
#include "recorder/dictionary.h"
#include "recorder/functions.h"
#include "recorder/region.h"
#include "recorder/schedule.h"
#include "recorder/signals.h"
#include "recorder/space.h"
#include "recorder/syscalls.h"
#include "recorder/task.h"
#include "recorder/traps.h"
#include "recorder/vectors.h"

enum { TRAP_FLAG = 0x100, DIRECTION_FLAG = 0x400, ZERO_FLAG = 0x40, USER_CS = 0x33 };

/* What a task was resumed for. */
enum purpose {
	STEP_NOTHING,	/* not by us */
	STEP_INSN,	/* the block's next instruction */
	STEP_REP,	/* the same, all its repetitions at once */
	STEP_UNKNOWN,	/* an instruction that does not decode, or cannot be read */
	STEP_ENTER,	/* a system call instruction */
	STEP_LEAVE,	/* out of a system call, or back into an interrupted one */
	STEP_HANDLER,	/* a signal handler */
};

struct step {
	enum purpose purpose;
	struct code_block *block;	/* being executed, NULL between blocks */
	unsigned index;			/* of its next instruction */
	bool repeating;			/* that has begun: it is a rep instruction */
	bool gathering;			/* it is a gather or scatter that has done some lanes */
	uint64_t pc;			/* of the instruction that is being stepped */
	uint64_t count;			/* what a rep's counter was before it */
	uint64_t last_count;		/* and before this step, */
	uint64_t last_rax;		/* and rax */
	bool trap_flag;			/* the program has set it itself */
	bool tangled;			/* the kernel would think so, see hide_trap_flag */
	bool armed;			/* the hardware breakpoint of STEP_REP is set */
	uint64_t sp;			/* STEP_HANDLER: before its frame is pushed */
	struct undecoded unknown;	/* STEP_UNKNOWN: what stands there */
	uint64_t values[CODE_BLOCK_VALUES];
};

static struct step *of(const struct task *t)
{
	return t->step;
}

static int task_start(struct task *t)
{
	t->step = calloc(1, sizeof(struct step));
	return t->step ? 0 : output_memory(t->session->output);
}

/* Sets the task's first hardware breakpoint, or, for 0, takes it away. */
static bool set_breakpoint(const struct task *t, uint64_t pc)
{
	const size_t address = offsetof(struct user, u_debugreg[0]);
	const size_t control = offsetof(struct user, u_debugreg[7]);
	const long execute = 1;		/* breakpoint 0, on execution, enabled for the task */

	of(t)->armed = pc;
	if (!pc)
		return ptrace(PTRACE_POKEUSER, t->tid, (void *)control, 0L) == 0;
	return ptrace(PTRACE_POKEUSER, t->tid, (void *)address, (long)pc) == 0 &&
	       ptrace(PTRACE_POKEUSER, t->tid, (void *)control, execute) == 0;
}

/* It has stopped, perhaps before the breakpoint. */
static void disarm(const struct task *t)
{
	if (of(t)->armed)
		set_breakpoint(t, 0);
}

bool step_is_between_blocks(const struct task *t)
{
	return !of(t)->block && !of(t)->tangled;
}

static const struct isa_insn *fact_of(const struct step *x)
{
	return &x->block->facts[x->index];
}

/* ---- writing what was executed ---- */

static int publish(struct task *t, struct code_block *b)
{
	return dictionary_publish_path(t->session->dictionary, b, t->session->output);
}

/* Between two blocks another task may have its turn. */
static void leave_block(struct task *t)
{
	of(t)->block = NULL;
	if (t->session->quantum)
		t->session->quantum--;
}

/* The block has been left after its first `executed` instructions. */
static int write_partial(struct task *t, unsigned executed)
{
	struct session *s = t->session;
	struct step *x = of(t);
	struct code_block *b = x->block;
	unsigned n_slots;

	leave_block(t);
	if (!executed || !region_recording(s))
		return 0;
	if (publish(t, b) < 0)
		return -1;
	n_slots = dictionary_slots(s->dictionary, b, x->values);
	return output_partial(s->output, t, b->path, executed, x->values, n_slots);
}

/* It has been executed whole and left by an exit. */
static int write_whole(struct task *t, unsigned exit)
{
	struct session *s = t->session;
	struct step *x = of(t);
	struct code_block *b = x->block;
	unsigned n_slots;

	leave_block(t);
	if (!region_recording(s))
		return 0;
	if (publish(t, b) < 0)
		return -1;
	n_slots = dictionary_slots(s->dictionary, b, x->values);
	return output_exec(s->output, t, b->first_exit + exit, b->trace.n_insns,
			   x->values, n_slots);
}

/* Fills in what a rep instruction has done by now; true if it has done anything. */
static bool finish_rep(struct task *t, unsigned flags)
{
	struct step *x = of(t);
	uint64_t *extra = &x->values[x->block->extras[x->index]];
	uint64_t now = t->regs.rcx;

	if (fact_of(x)->address32)
		now = (uint32_t)now;
	x->repeating = false;
	extra[1] = x->count - now;
	extra[2] = flags | (t->regs.eflags & DIRECTION_FLAG ? TF_REP_DOWN : 0u) |
		   (t->regs.eflags & ZERO_FLAG ? TF_REP_ZF : 0u);
	return extra[1];
}

static int settle(struct task *t)
{
	struct step *x = of(t);
	unsigned executed = x->index;

	if (!x->block)
		return 0;
	if (x->repeating && finish_rep(t, TF_REP_INTERRUPTED))
		executed++;
	return write_partial(t, executed);
}

static void pause_stepping(struct task *t)
{
	disarm(t);
	/* Or the kernel would leave our trap flag to the program. */
	if (of(t)->tangled && t->state == TASK_READY) {
		t->regs.eflags &= ~(uint64_t)TRAP_FLAG;
		task_write_regs(t);
	}
	of(t)->tangled = false;
}

static int task_end(struct task *t)
{
	int status = settle(t);

	pause_stepping(t);
	free(t->step);
	t->step = NULL;
	return status;
}

/* ---- before an instruction ---- */

/* Begins the block at the task's pc. The recording may end there. */
static int begin_block(struct task *t)
{
	struct session *s = t->session;
	struct step *x = of(t);

	if (t->regs.cs != USER_CS)
		return task_fail(t, TF_E_ARGUMENT, "the program has switched to 32-bit code, "
				 "which cannot be recorded");
	if (block_at(t, t->regs.rip, &x->block, &x->unknown) < 0)
		return -1;
	x->index = 0;
	x->repeating = x->gathering = false;
	if (!x->block)
		return 0;
	s->stats.stepped_blocks++;
	memset(x->values, 0, x->block->trace.n_values * sizeof(*x->values));
	if (!region_recording(s) || !x->block->watch.any)
		return 0;
	if (x->block->watch.to && region_begun(s)) {
		x->block = NULL;
		return region_end(t, "to");
	}
	if (x->block->watch.function != TF_NONE)
		functions_enter(t, x->block->watch.function);
	return 0;
}

/* The block's instruction may have been overwritten since the block began. */
static bool changed(const struct task *t)
{
	const struct step *x = of(t);
	const struct tf_block *b = &x->block->trace;
	const struct tf_insn *insn = &b->insns[x->index];
	uint8_t now[TF_MAX_INSN_BYTES];

	return task_read_code(t, t->regs.rip, now, insn->length) < insn->length ||
	       memcmp(now, b->code + insn->offset, insn->length) != 0;
}

static void read_values(struct task *t)
{
	struct isa_registers *r = &t->session->registers;
	const struct user_regs_struct *u = &t->regs;
	struct step *x = of(t);
	const struct isa_insn *fact = fact_of(x);
	const struct tf_block *b = &x->block->trace;
	uint64_t values[ISA_MAX_VALUES];

	memcpy(r->general, (uint64_t[16]){ u->rax, u->rcx, u->rdx, u->rbx, u->rsp, u->rbp, u->rsi,
					   u->rdi, u->r8, u->r9, u->r10, u->r11, u->r12, u->r13,
					   u->r14, u->r15 }, sizeof(r->general));
	r->rip = u->rip;
	r->rflags = u->eflags;
	r->fs_base = u->fs_base;
	r->gs_base = u->gs_base;
	if (isa_needs_vectors(fact))
		vectors_read(t, r);
	isa_values(fact, r, values);
	memcpy(&x->values[b->insns[x->index].first_operand], values,
	       fact->n_operands * sizeof(*values));
	memcpy(&x->values[x->block->extras[x->index]], values + fact->n_operands,
	       (size_t)(fact->n_values - fact->n_operands) * sizeof(*values));
}

/* True if the program has set the trap flag itself. */
static bool own_trap_flag(const struct task *t)
{
	return t->regs.eflags & TRAP_FLAG && !of(t)->tangled;
}

/* True for an instruction of that single opcode byte and prefixes. */
static bool is_opcode(const uint8_t *code, unsigned length, uint8_t opcode)
{
	static const uint8_t prefixes[] = { 0x66, 0x67, 0xf2, 0xf3, 0x26, 0x2e, 0x36, 0x3e, 0x64,
					    0x65 };

	for (unsigned i = 0; i + 1 < length; i++)
		if (!memchr(prefixes, code[i], sizeof(prefixes)) && (code[i] & 0xf0) != 0x40)
			return false;
	return code[length - 1] == opcode;
}

/* A popf or iret, which loads the trap flag. */
static bool loads_trap_flag(const struct step *x)
{
	enum { POPF = 0x9d, IRET = 0xcf };
	const struct tf_block *b = &x->block->trace;
	const struct tf_insn *insn = &b->insns[x->index];
	const uint8_t *code = b->code + insn->offset;

	return is_opcode(code, insn->length, POPF) || is_opcode(code, insn->length, IRET);
}

static void prepare(struct task *t)
{
	struct step *x = of(t);
	const struct isa_insn *fact = fact_of(x);

	x->pc = t->regs.rip;
	x->trap_flag = own_trap_flag(t);
	x->tangled |= !x->trap_flag && loads_trap_flag(x);
	x->last_count = t->regs.rcx;
	x->last_rax = t->regs.rax;
	if (x->repeating || x->gathering)
		return;
	if (fact->n_values && region_recording(t->session))
		read_values(t);
	if (fact->flags & TF_INSN_REP) {
		x->repeating = true;
		x->count = fact->address32 ? (uint32_t)t->regs.rcx : t->regs.rcx;
	}
}

static void step_over(struct task *t, enum purpose purpose)
{
	of(t)->purpose = purpose;
	schedule_confine(t);
	traps_raise(t, OWN_TRAP);
	task_resume(t, PTRACE_SINGLESTEP, TASK_RUNNING);
}

/* Stepping stops after each repetition. Many are run through, to a breakpoint behind them. */
static bool run_rep(struct task *t)
{
	enum { MANY = 8 };
	struct step *x = of(t);
	uint64_t left = fact_of(x)->address32 ? (uint32_t)t->regs.rcx : t->regs.rcx;

	if (left < MANY || x->trap_flag || !set_breakpoint(t, x->pc + fact_of(x)->length))
		return false;
	x->purpose = STEP_REP;
	schedule_confine(t);
	traps_raise(t, OWN_TRAP);
	task_resume(t, PTRACE_CONT, TASK_RUNNING);
	return true;
}

static void run_syscall(struct task *t, enum purpose purpose)
{
	of(t)->purpose = purpose;
	schedule_free(t);
	task_resume(t, PTRACE_SYSCALL, TASK_KERNEL);
}

/* Makes the kernel forget that the task is stepped: it runs for no instruction at all. */
static void untangle(struct task *t)
{
	of(t)->tangled = false;
	of(t)->purpose = STEP_NOTHING;
	t->regs.eflags &= ~(uint64_t)TRAP_FLAG;
	task_write_regs(t);
	ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
	task_resume(t, PTRACE_CONT, TASK_RUNNING);
}

/*
 * Delivers the signal and stops again before any instruction: at the handler, or where it stands if
 * another thread has just made the signal one that is ignored.
 */
static void deliver(struct task *t)
{
	of(t)->purpose = STEP_HANDLER;
	of(t)->sp = t->regs.rsp;
	schedule_confine(t);
	ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
	task_resume(t, PTRACE_CONT, TASK_RUNNING);
}

static int resume(struct task *t)
{
	struct step *x = of(t);

	disarm(t);
	if (x->tangled && !t->signal) {
		untangle(t);
		return 0;
	}
	if (t->syscall.inside || (syscalls_interrupted(t) && !t->delivering)) {
		run_syscall(t, STEP_LEAVE);
		return 0;
	}
	if (t->delivering) {
		deliver(t);
		return 0;
	}
	if (x->block && changed(t) && settle(t) < 0)
		return -1;
	if (!x->block && begin_block(t) < 0)
		return -1;
	if (t->session->phase == PHASE_DONE)
		return 0;
	if (!x->block) {
		x->pc = t->regs.rip;
		x->trap_flag = own_trap_flag(t);
		step_over(t, STEP_UNKNOWN);
		return 0;
	}
	prepare(t);
	if (fact_of(x)->end == TF_END_SYSCALL) {
		traps_before_syscall(t);
		run_syscall(t, STEP_ENTER);
	} else if (!x->repeating || !run_rep(t)) {
		step_over(t, STEP_INSN);
	}
	return 0;
}

/* ---- after an instruction ---- */

/* In flags that lie in memory. */
static void clear_trap_flag(struct task *t, uint64_t address)
{
	uint16_t flags;

	if (task_read(t, address, &flags, sizeof(flags)) < sizeof(flags) || !(flags & TRAP_FLAG))
		return;
	flags &= (uint16_t)~TRAP_FLAG;
	task_write(t, address, &flags, sizeof(flags));
}

/*
 * A pushf pushes the trap flag of our stepping. From a popf on, also if it has yet to execute, the
 * kernel assumes that the program sets the flag itself, and as long as we step on it takes ours for
 * the program's.
 */
static void hide_trap_flag(struct task *t)
{
	enum { PUSHF = 0x9c };
	struct step *x = of(t);
	const struct tf_block *b = &x->block->trace;
	const struct tf_insn *insn = &b->insns[x->index];
	const uint8_t *code = b->code + insn->offset;

	if (loads_trap_flag(x))
		x->tangled = !(t->regs.eflags & TRAP_FLAG);
	if (!x->trap_flag && is_opcode(code, insn->length, PUSHF))
		clear_trap_flag(t, t->regs.rsp);
}

/* What follows a block that has been executed to its end. */
static int after_block(struct task *t, const struct isa_insn *last)
{
	struct session *s = t->session;

	if (control_words_read(t, last->loads_control_word) < 0)
		return -1;
	if (syscalls_segments(t) < 0)
		return -1;
	if (region_recording(s) &&
	    (last->end == TF_END_RETURN || last->end == TF_END_INDIRECT_JUMP) &&
	    functions_returned(t) < 0)
		return -1;
	if (region_recording(s) && output_full(s))
		return region_end(t, "size");
	return s->failed ? -1 : 0;
}

/*
 * Whether a conditional branch to the very next instruction was taken: the pc cannot tell, but flags
 * and count are after it what it saw (loop: what it decremented to).
 */
static bool branch_taken(const uint8_t *code, size_t length, const struct user_regs_struct *regs)
{
	enum { CF = 1, PF = 4, ZF = 0x40, SF = 0x80, OF = 0x800 };
	static const char prefixes[] = "\x66\x67\xf2\xf3\x2e\x36\x3e\x26\x64\x65";
	bool carry = regs->eflags & CF, zero = regs->eflags & ZF, sign = regs->eflags & SF;
	bool overflow = regs->eflags & OF, parity = regs->eflags & PF;
	const bool conditions[] = {	/* as encoded; odd opcodes are the opposites */
		overflow, carry, zero, carry || zero, sign, parity, sign != overflow,
		zero || sign != overflow,
	};
	uint64_t count = regs->rcx;
	unsigned opcode;
	size_t i = 0;

	for (; i + 2 < length && (strchr(prefixes, code[i]) || (code[i] & 0xf0) == 0x40); i++)
		if (code[i] == 0x67)
			count = (uint32_t)count;
	opcode = code[i] == 0x0f ? code[i + 1] - 0x10u : code[i];
	switch (opcode) {
	case 0xe0:
		return count && !zero;
	case 0xe1:
		return count && zero;
	case 0xe2:
		return count;
	case 0xe3:
		return !count;
	}
	return opcode >> 4 == 7 && conditions[opcode >> 1 & 7] != (opcode & 1);
}

/* The last instruction of the block has executed: which exit was it? */
static int end_block(struct task *t)
{
	struct step *x = of(t);
	const struct tf_block *b = &x->block->trace;
	const struct isa_insn *last = fact_of(x);
	uint64_t next = b->pc + b->code_size, rip = t->regs.rip;
	int status;

	x->index++;
	switch ((enum tf_end)b->end) {
	case TF_END_CONDITIONAL:
		if (rip != next && rip != b->target)
			goto elsewhere;
		status = write_whole(t, rip != next || (b->target == next &&
				     branch_taken(b->code + b->insns[b->n_insns - 1].offset,
						  last->length, &t->regs)));
		break;
	case TF_END_JUMP:
	case TF_END_CALL:
		if (rip != b->target)
			goto elsewhere;
		status = write_whole(t, 0);
		break;
	case TF_END_INDIRECT_JUMP:
	case TF_END_INDIRECT_CALL:
	case TF_END_RETURN:
	case TF_END_SYSCALL:
		status = write_whole(t, 0);
		break;
	case TF_END_OPAQUE:
		status = write_whole(t, rip != next);
		break;
	case TF_END_NONE:
	case TF_END_TRAP:
	default:
		if (rip != next)
			goto elsewhere;
		status = write_whole(t, 0);
		break;
	}
	return status < 0 ? -1 : after_block(t, last);
elsewhere:
	return write_partial(t, x->index);
}

/* One more instruction counts for the limits of the region. */
static int count(struct task *t)
{
	struct session *s = t->session;

	s->stats.stepped_insns++;
	if (s->phase == PHASE_DONE)
		return 0;
	if (s->phase == PHASE_SKIP)
		t->skipped++;
	return region_use(s, 1) ? 0 : region_budget(t);
}

static bool has_lanes(const struct isa_insn *fact)
{
	return fact->n_operands && fact->operands[0].trace.form == TF_LANES;
}

/* The instruction at x->pc has executed. */
static int retired(struct task *t)
{
	struct step *x = of(t);
	const struct tf_block *b = &x->block->trace;
	uint64_t next = x->pc + b->insns[x->index].length;
	int status;

	if (x->repeating && t->regs.rip == x->pc)
		return 0;
	/* Where a later lane faults on a page, the trap of the lanes before it comes first. */
	x->gathering = t->regs.rip == x->pc && has_lanes(fact_of(x));
	if (x->gathering)
		return 0;
	if (x->repeating)
		finish_rep(t, 0);
	hide_trap_flag(t);
	if (t->session->options->cpu)
		cpu_model_answer(t, b->code + b->insns[x->index].offset, b->insns[x->index].length,
				 x->last_rax, x->last_count);
	if (x->index == 0 && region_recording(t->session) && functions_called(t) < 0)
		return -1;
	if (x->index + 1u == b->n_insns) {
		status = end_block(t);
	} else {
		x->index++;
		status = t->regs.rip == next ? 0 : write_partial(t, x->index);
	}
	return status < 0 ? -1 : count(t);
}

/* An instruction that no decoder knows has executed; where it left off tells its length, if it
 * did not jump. */
static int retired_unknown(struct task *t)
{
	struct session *s = t->session;
	struct step *x = of(t);
	struct code_source source = block_source(t, x->pc);
	struct tf_event gap = { .kind = TF_EVENT_GAP, .gap = { TF_GAP_FAULT, 1 } };
	uint64_t length = t->regs.rip - x->pc;

	if (x->unknown.count == 0)	/* cannot even be read: the vsyscall page */
		return region_recording(s) ? output_event(s->output, t, &gap) : 0;
	if (length == 0 || length > x->unknown.count)
		length = x->unknown.count;
	source.code = x->unknown.bytes;
	source.available = x->unknown.count;
	x->block = dictionary_find_opaque(s->dictionary, &source, (unsigned)length);
	if (!x->block) {
		x->block = code_block_opaque(&source, (unsigned)length);
		if (!x->block || !dictionary_insert(s->dictionary, x->block)) {
			free(x->block);
			x->block = NULL;
			return output_memory(s->output);
		}
	}
	x->index = 0;
	return end_block(t) < 0 ? -1 : count(t);
}

/* An interrupted system call is entered again, without our having stepped there. */
static int begin_restarted(struct task *t)
{
	struct step *x = of(t);

	if (syscalls_release(t, 0, 0) < 0)
		return -1;
	if (block_at(t, t->regs.rip - SYSCALL_BYTES, &x->block, NULL) < 0)
		return -1;
	if (x->block && x->block->trace.code_size != SYSCALL_BYTES)
		x->block = NULL;	/* somebody has overwritten it */
	x->index = 0;
	return 0;
}

static int syscall_stop(struct task *t)
{
	struct step *x = of(t);
	bool int80 = false, known;
	int status = 0;

	if (t->syscall.inside)
		return syscalls_leave(t);
	if (!x->block)
		status = begin_restarted(t);
	known = x->block;
	if (x->block) {
		int80 = x->block->trace.code[x->block->trace.code_size - SYSCALL_BYTES] == 0xcd;
		if (x->index == 0 && region_recording(t->session))
			status = functions_called(t);
		if (end_block(t) < 0)
			status = -1;
	}
	/* Also after a failure: the task is in the kernel. */
	if (syscalls_enter(t, int80) < 0 || status < 0)
		return -1;
	return known ? count(t) : 0;
}

/* True if a SIGTRAP comes from our stepping and not from the program or another one. */
static bool own_trap(struct task *t)
{
	const struct step *x = of(t);
	bool moved = t->regs.rip != x->pc || (x->repeating && t->regs.rcx != x->last_count);
	siginfo_t info;

	if (x->purpose == STEP_REP)
		return task_read_info(t, &info) && info.si_code == TRAP_HWBKPT;
	if (x->purpose != STEP_INSN && x->purpose != STEP_UNKNOWN)
		return false;
	/* Where SIGTRAP is blocked, ours and one that waits may have become one. */
	if (x->purpose == STEP_INSN && moved && fact_of(x)->end != TF_END_TRAP &&
	    !t->own[OWN_TRAP].blocked)
		return true;
	return task_read_info(t, &info) && info.si_code == TRAP_TRACE;
}

/*
 * True for a step's trap that comes when the task is at something else already, as another stop has
 * been told in its place. The kernel gives this code to nothing else.
 */
static bool is_late_step(struct task *t, int signal)
{
	siginfo_t info;

	if (signal != SIGTRAP || of(t)->trap_flag || !task_read_info(t, &info) ||
	    info.si_code != TRAP_TRACE)
		return false;
	traps_raise(t, OWN_TRAP);
	return true;
}

static int trapped(struct task *t, bool *own)
{
	struct step *x = of(t);

	*own = own_trap(t);
	if ((x->purpose == STEP_INSN || x->purpose == STEP_REP) && (*own || t->regs.rip != x->pc))
		return retired(t);
	if (x->purpose == STEP_UNKNOWN && (*own || t->regs.rip != x->pc))
		return retired_unknown(t);
	return 0;
}

static int delivered(struct task *t)
{
	struct step *x = of(t);

	if (!task_read_regs(t))
		return 0;
	if (t->regs.rsp == x->sp)
		return signals_not_entered(t);
	if (x->tangled)
		clear_trap_flag(t, t->regs.rsp + SIGNALS_FRAME_FLAGS);
	x->tangled = false;
	return signals_entered(t);
}

static int stopped(struct task *t, int status)
{
	struct step *x = of(t);
	int signal = WSTOPSIG(status);
	int result = 0;
	bool own;

	if (!task_read_regs(t))
		return 0;
	disarm(t);
	if (signal == (SIGTRAP | 0x80))
		return syscall_stop(t);
	if (t->delivering) {
		result = delivered(t);
	} else if (signal == SIGTRAP) {
		result = trapped(t, &own);
		if (own && !x->trap_flag)
			return result;
	}
	if (is_late_step(t, signal))
		return result;
	/* Also after a failure: the signal is the program's. */
	if (settle(t) < 0)
		result = -1;
	return signals_arrived(t, signal) < 0 ? -1 : result;
}

const struct backend step_backend = {
	.name = "step",
	.task_start = task_start,
	.exiting = settle,
	.task_end = task_end,
	.pause = pause_stepping,
	.exec = settle,
	.resume = resume,
	.stopped = stopped,
	.delivered = delivered,
	.settle = settle,
	.look = task_read_regs,
};
