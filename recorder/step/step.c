/* SPDX-License-Identifier: MIT */
/*
 * The step backend executes every instruction by PTRACE_SINGLESTEP, and computes its addresses
 * before it from the registers. It is slow and simple, and other backends are tested against it.
 *
 * System calls are entered and left by PTRACE_SYSCALL instead, which leaves no trap flag in r11 and
 * no SIGTRAP afterwards.
 */
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "recorder/core/backend.h"
#include "recorder/core/marker_budgets.h"
#include "recorder/core/opcode.h"
#include "recorder/core/output.h"
#include "recorder/core/region.h"
#include "recorder/core/task.h"
#include "recorder/program/functions.h"
#include "recorder/ptrace/cpu_model.h"
#include "recorder/ptrace/dumpable.h"
#include "recorder/ptrace/raised_signals.h"
#include "recorder/ptrace/region_bounds.h"
#include "recorder/ptrace/schedule.h"
#include "recorder/ptrace/signals.h"
#include "recorder/ptrace/syscalls.h"
#include "recorder/ptrace/touch.h"
#include "recorder/ptrace/traps.h"
#include "recorder/ptrace/x87_state.h"
#include "recorder/step/block_run.h"
#include "recorder/step/hypervisor_bugs.h"
#include "recorder/step/task_breakpoint.h"
#include "recorder/step/trap_flag.h"

/* The reason for which a task was resumed. */
enum purpose {
	STEP_NOTHING, /* not resumed by this backend */
	STEP_INSN,    /* the block's next instruction */
	STEP_REP,     /* the block's next instruction, with all its repetitions at once */
	STEP_HIDDEN,  /* the block's next instruction, after which no single step ends */
	STEP_UNKNOWN, /* an instruction that does not decode, or cannot be read */
	STEP_ENTER,   /* a system call instruction */
	STEP_LEAVE,   /* out of a system call, or back into an interrupted one */
	STEP_HANDLER, /* a signal handler */
};

struct step {
	struct block_run run;
	struct trap_flag flag;
	enum purpose purpose;
	uint64_t pc;                       /* of the instruction that is being stepped */
	uint64_t rcx, rax;                 /* registers before this step */
	bool armed;                        /* the hardware breakpoint of STEP_REP is set */
	struct software_breakpoint behind; /* STEP_HIDDEN: at the next instruction */
	uint64_t sp;                       /* STEP_HANDLER: rsp before the frame is pushed */
	struct undecoded unknown;          /* STEP_UNKNOWN: the bytes at the pc */
	bool enters_local;                 /* goes on with a selector of the program's own */
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

/* Clears the breakpoint after a stop, which may have come before the breakpoint. */
static void disarm(const struct task *t)
{
	if (of(t)->armed)
		hardware_breakpoint_clear(t->tid);
	of(t)->armed = false;
}

bool step_is_between_blocks(const struct task *t)
{
	return !of(t)->run.block && !of(t)->flag.tangled;
}

static int synchronize(struct task *t)
{
	software_breakpoint_remove(t, &of(t)->behind);
	return block_run_leave(t, &of(t)->run);
}

static void pause_stepping(struct task *t)
{
	struct step *x = of(t);

	disarm(t);
	software_breakpoint_remove(t, &x->behind);
	/* otherwise the kernel would leave the recorder's trap flag to the program */
	if (x->flag.tangled && t->state == TASK_READY)
		trap_flag_untangle(&x->flag, t);
	x->flag.tangled = false;
}

static int task_end(struct task *t)
{
	int status = synchronize(t);

	pause_stepping(t);
	free(t->step);
	t->step = NULL;
	return status;
}

/* ---- before an instruction ---- */

/*
 * Returns true if the task executes code of the kernel's selector for 32-bit code, or of a selector
 * of the program's own. Any other selector faults, and so does one of the program's own that does
 * not exist: it is tried.
 */
static bool is_other_code(struct task *t)
{
	enum { USER32_CS = 0x23, LOCAL = 4 };
	bool local = t->regs.cs & LOCAL;
	bool tried = of(t)->enters_local && !t->signals.number;

	of(t)->enters_local = local;
	return t->regs.cs == USER32_CS || (local && tried);
}

static int begin_block(struct task *t)
{
	if (is_other_code(t))
		return task_fail(t, TF_E_ARGUMENT,
				 "the program has switched to 32-bit code, "
				 "which cannot be recorded");
	if (of(t)->enters_local) {
		of(t)->unknown.count = 0;
		return 0;
	}
	/* After a window's beginning the program's bases may differ from those recorded before. */
	if (syscalls_segments(t) < 0)
		return -1;
	if (block_run_begin(t, &of(t)->run, &of(t)->unknown) < 0)
		return -1;
	if (!of(t)->run.block && !of(t)->unknown.count && dumpable_mend(t))
		return block_run_begin(t, &of(t)->run, &of(t)->unknown);
	return 0;
}

static void prepare(struct task *t)
{
	struct step *x = of(t);

	x->pc = t->regs.rip;
	x->rcx = t->regs.rcx;
	x->rax = t->regs.rax;
	if (!x->run.block) {
		trap_flag_before(&x->flag, t, NULL, 0);
		return;
	}
	trap_flag_before(&x->flag, t, block_run_code(&x->run), block_run_fact(&x->run)->length);
	x87_state_before(t, block_run_fact(&x->run), block_run_code(&x->run));
	block_run_prepare(t, &x->run);
}

/* Resumes the task, which stops at a step's end or a breakpoint. */
static void run_to_trap(struct task *t, enum purpose purpose, int request)
{
	of(t)->purpose = purpose;
	schedule_confine(t);
	traps_unmask(t);
	traps_raise(t, OWN_TRAP);
	task_resume(t, request, TASK_RUNNING);
}

/* Runs many repetitions up to a breakpoint after them. Stepping would stop after each one. */
static bool run_rep(struct task *t)
{
	enum { MANY = 8 };
	struct step *x = of(t);
	const struct isa_insn *fact = block_run_fact(&x->run);
	uint64_t left = fact->address32 ? (uint32_t)t->regs.rcx : t->regs.rcx;

	if (left < MANY || x->flag.own || hypervisor_no_breakpoints() ||
	    !hardware_breakpoint_set(t->tid, x->pc + fact->length))
		return false;
	x->armed = true;
	run_to_trap(t, STEP_REP, PTRACE_CONT);
	return true;
}

/*
 * Runs an instruction that hides its step to a breakpoint after it. The kernel returns from an
 * emulation with the resume flag set, with which the processor ignores a hardware breakpoint there.
 * Threads that run at the same time would find the breakpoint in the program's code. Returns 1 if
 * the task runs or has vanished, 0 if it is to be stepped, or -1.
 */
static int run_hidden(struct task *t)
{
	struct step *x = of(t);
	unsigned length = block_run_fact(&x->run)->length;
	int alone;

	if (!opcode_hides_step(block_run_code(&x->run), length) || x->flag.own)
		return 0;
	alone = schedule_run_alone(t);
	if (alone <= 0)
		return t->state == TASK_READY ? alone : 1;
	if (!software_breakpoint_set(t, &x->behind, x->pc + length))
		return 0;
	run_to_trap(t, STEP_HIDDEN, PTRACE_CONT);
	return 1;
}

static void run_syscall(struct task *t, enum purpose purpose)
{
	of(t)->purpose = purpose;
	schedule_free(t);
	task_resume(t, PTRACE_SYSCALL, TASK_KERNEL);
}

/* Makes the kernel forget that the task is stepped, by running it for no instruction at all. */
static void untangle(struct task *t)
{
	of(t)->purpose = STEP_NOTHING;
	trap_flag_untangle(&of(t)->flag, t);
	ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
	task_resume(t, PTRACE_CONT, TASK_RUNNING);
}

/*
 * Delivers the signal and stops the task before any instruction: at the handler, or at its present
 * pc if another thread has just made the program ignore the signal.
 */
static void deliver(struct task *t)
{
	of(t)->purpose = STEP_HANDLER;
	of(t)->sp = t->regs.rsp;
	schedule_confine(t);
	ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
	task_resume(t, PTRACE_CONT, TASK_RUNNING);
}

/* Lets other threads run if they may have to provide missing bytes of an instruction. */
static bool touch_code(struct task *t)
{
	struct step *x = of(t);
	uint64_t end = t->regs.rip + x->unknown.count;

	if (x->unknown.count == sizeof(x->unknown.bytes) || !touch_may_help(t, end))
		return false;
	x->purpose = STEP_NOTHING;
	schedule_confine(t);
	return touch_begin(t, end);
}

/* ---- after an instruction ---- */

/* Counts one more instruction for the limits of the region. */
static int count(struct task *t, bool excluded)
{
	struct session *s = t->session;

	s->stats.stepped_insns++;
	if (region_is_over(s))
		return 0;
	if (region_counting(s))
		region_skip(t, 1);
	if (region_use_of(s, 1, excluded) && !(region_counting(s) && marker_budgets_are_due(s)))
		return 0;
	return region_budget(t);
}

/* Handles an executed instruction, at x->pc. */
static int retired(struct task *t)
{
	struct step *x = of(t);
	const uint8_t *code = block_run_code(&x->run);
	unsigned length = block_run_fact(&x->run)->length;
	bool excluded = x->run.block && x->run.block->excluded;

	t->progress++;
	if (block_run_goes_on(t, &x->run))
		return 0;
	trap_flag_after(&x->flag, t, code, length);
	x87_state_after(t, code, length);
	if (t->session->options->cpu || t->session->processor.transactions)
		cpu_model_answer(t, code, length, x->rax, x->rcx);
	if (x->run.index == 0 && region_recording(t->session) && functions_called(t) < 0)
		return -1;
	return block_run_advance(t, &x->run) < 0 ? -1 : count(t, excluded);
}

/* Executes cpuid or xbegin in the task's place. The task is confined to the recorder's CPU. */
static bool run_in_place(struct task *t)
{
	struct step *x = of(t);
	const uint8_t *code = block_run_code(&x->run);
	unsigned length = block_run_fact(&x->run)->length;

	if (x->flag.own || t->signals.number ||
	    !((hypervisor_cpuid_is_not_stepped() && cpu_model_executes(t, code, length)) ||
	      cpu_model_aborts(t, code, length, x->run.block->trace.target)))
		return false;
	x->purpose = STEP_NOTHING;
	return true;
}

/* Handles an executed instruction that no decoder knows. The new pc gives its length, unless it
 * jumped. */
static int retired_unknown(struct task *t)
{
	struct session *s = t->session;
	struct step *x = of(t);
	struct tf_event gap = { .kind = TF_EVENT_GAP, .gap = { TF_GAP_FAULT, 1 } };
	uint64_t length = t->regs.rip - x->pc;

	t->progress++;
	if (x->unknown.count == 0) /* cannot even be read: the vsyscall page */
		return region_recording(s) ? output_event(s->output, t, &gap) : 0;
	if (length == 0 || length > x->unknown.count)
		length = x->unknown.count;
	if (block_run_begin_opaque(t, &x->run, x->pc, &x->unknown, (unsigned)length) < 0)
		return -1;
	return block_run_advance(t, &x->run) < 0 ? -1 : count(t, false);
}

/* ---- resuming ---- */

static int resume(struct task *t)
{
	struct step *x = of(t);

	disarm(t);
	software_breakpoint_remove(t, &x->behind);
	if (x->flag.tangled && !t->signals.number) {
		untangle(t);
		return 0;
	}
	if (t->syscall.inside || (syscalls_interrupted(t) && !t->signals.delivering)) {
		run_syscall(t, STEP_LEAVE);
		return 0;
	}
	if (t->signals.delivering) {
		deliver(t);
		return 0;
	}
	if (x->run.block && block_run_changed(t, &x->run) && synchronize(t) < 0)
		return -1;
	if (!x->run.block && begin_block(t) < 0)
		return -1;
	if (region_is_over(t->session))
		return 0;
	if (!x->run.block && !x->enters_local && touch_code(t))
		return 0;
	touch_forget(t);
	prepare(t);
	if (!x->run.block) {
		run_to_trap(t, STEP_UNKNOWN, PTRACE_SINGLESTEP);
	} else if (block_run_fact(&x->run)->end == TF_END_SYSCALL) {
		int status = syscalls_prepare(t);

		run_syscall(t, STEP_ENTER);
		return status;
	} else if (run_in_place(t)) {
		return retired(t);
	} else if (!(x->run.repeating && run_rep(t))) {
		int status = run_hidden(t);

		if (!status)
			run_to_trap(t, STEP_INSN, PTRACE_SINGLESTEP);
		return status < 0 ? -1 : 0;
	}
	return 0;
}

/* ---- stops ---- */

/* Begins the block of an interrupted system call that is entered again without a step. */
static int begin_restarted(struct task *t)
{
	if (syscalls_release(t, 0, 0) < 0)
		return -1;
	return block_run_begin_syscall(t, &of(t)->run);
}

static int syscall_stop(struct task *t)
{
	enum { INT = 0xcd };
	struct block_run *run = &of(t)->run;
	bool int80 = false, known, excluded;
	int status = 0;

	if (t->syscall.inside) {
		syscalls_begin_again(t);
		return syscalls_leave(t);
	}
	if (!run->block && !t->syscall.counted)
		status = begin_restarted(t);
	known = run->block;
	excluded = known && run->block->excluded;
	if (run->block) {
		int80 = block_run_code(run)[block_run_fact(run)->length - SYSCALL_BYTES] == INT;
		if (run->index == 0 && region_recording(t->session))
			status = functions_called(t);
		if (block_run_advance(t, run) < 0)
			status = -1;
	}
	/* Done also after a failure, because the task is in the kernel. */
	if (syscalls_enter(t, int80) < 0 || status < 0)
		return -1;
	return known ? count(t, excluded) : 0;
}

/* Handles an instruction that hides its step, if a signal has come before the breakpoint. */
static int behind_hidden(struct task *t)
{
	return t->regs.rip != of(t)->pc ? retired(t) : 0;
}

/* Returns true if a SIGTRAP comes from the recorder's stepping, not from the program or another
 * process. */
static bool own_trap(struct task *t)
{
	const struct step *x = of(t);
	bool moved = t->regs.rip != x->pc || (x->run.repeating && t->regs.rcx != x->rcx);
	siginfo_t info;

	if (x->purpose == STEP_REP)
		return task_read_info(t, &info) && info.si_code == TRAP_HWBKPT &&
		       raised_signals_has(t, &info);
	if (x->purpose != STEP_INSN && x->purpose != STEP_UNKNOWN)
		return false;
	/* If SIGTRAP is blocked, the step's SIGTRAP and a pending one may have been merged. */
	if (x->purpose == STEP_INSN && moved && block_run_fact(&x->run)->end != TF_END_TRAP &&
	    !traps_are_blocked(t, OWN_TRAP))
		return true;
	return task_read_info(t, &info) && info.si_code == TRAP_TRACE &&
	       raised_signals_has(t, &info);
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
	trap_flag_after_frame(&x->flag, t);
	return signals_entered(t);
}

/* Handles a system call instruction that has raised a signal without making a call (dispatch.h). */
static int behind_syscall(struct task *t)
{
	struct block_run *run = &of(t)->run;
	bool excluded;

	if (of(t)->purpose != STEP_ENTER || !run->block || t->regs.rip == of(t)->pc)
		return 0;
	excluded = run->block->excluded;
	return block_run_advance(t, run) < 0 ? -1 : count(t, excluded);
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
	if (software_breakpoint_remove(t, &x->behind))
		return retired(t);
	if (signal == (SIGTRAP | 0x80))
		return syscall_stop(t);
	if (t->signals.delivering) {
		result = delivered(t);
	} else if (signal == SIGTRAP) {
		result = trapped(t, &own);
		if (own && !x->flag.own)
			return result;
	} else {
		result = x->purpose == STEP_HIDDEN ? behind_hidden(t) : behind_syscall(t);
	}
	/* Done also after a failure, because the signal is the program's. */
	if (synchronize(t) < 0)
		result = -1;
	return signals_arrived(t, signal) < 0 ? -1 : result;
}

const struct backend step_backend = {
	.name = "step",
	.task_start = task_start,
	.exiting = synchronize,
	.task_end = task_end,
	.pause = pause_stepping,
	.exec = synchronize,
	.resume = resume,
	.stopped = stopped,
	.delivered = delivered,
	.synchronize = synchronize,
	.look = task_read_regs,
};
