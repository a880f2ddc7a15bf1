/* SPDX-License-Identifier: MIT */
/*
 * A task that makes a system call for the recorder while it stands at a signal-delivery stop
 * leaves that stop. If it were then resumed with the signal, the kernel would make a new signal of
 * it, with SI_KERNEL and no other information. So the task queues the signal for itself, with its
 * siginfo, and the signal arrives once more (signals_send_again()).
 */
#include "recorder/ptrace/signals.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/core/loop.h"
#include "recorder/core/output.h"
#include "recorder/core/region.h"
#include "recorder/core/task.h"
#include "recorder/ptrace/raised_signals.h"
#include "recorder/ptrace/signal_rate.h"
#include "recorder/ptrace/syscalls.h"
#include "recorder/ptrace/traps.h"
#include "recorder/ptrace/watchdog.h"
#include "recorder/ptrace/x87_state.h"

/* Returns true if the signal is a fault of an instruction of the task. */
static bool is_fault(const struct task *t)
{
	switch (t->signals.info.si_signo) {
	case SIGSEGV:
	case SIGBUS:
	case SIGILL:
	case SIGFPE:
	case SIGTRAP: return t->signals.raised;
	default: return false;
	}
}

static uint64_t fault_address(const struct task *t)
{
	return is_fault(t) ? (uint64_t)(uintptr_t)t->signals.info.si_addr : 0;
}

static int write_event(struct task *t, uint64_t pc, uint64_t handler)
{
	struct tf_event event = {
		.kind = TF_EVENT_SIGNAL,
		.signal = { .number = (uint32_t)t->signals.info.si_signo,
			    .code = t->signals.info.si_code,
			    .address = fault_address(t),
			    .pc = pc,
			    .handler = handler },
	};

	return region_recording(t->session) ? output_event(t->session->output, t, &event) : 0;
}

void signals_send_again(struct task *t)
{
	if (!t->signals.left_stop || !traps_send(t, &t->signals.info))
		return;
	if (!t->signals.raised)
		raised_signals_send_again(t, &(struct sent_signal){ .info = t->signals.info });
	t->signals.number = 0;
	t->signals.delivering = t->signals.left_stop = false;
	t->signals.coming = true;
}

/*
 * ---- the first process of a pid namespace ----
 *
 * The kernel drops signals without a handler that are sent to this process, and a tracer's delivery
 * counts as sent: a fault that ends the process natively would happen again for ever. So the
 * process is released, and its fault ends it without a tracer.
 */

enum { INT3_LENGTH = 1 };

/* Returns true if the process is number 1 in a pid namespace that is not the recorder's. */
static bool is_namespace_init(const struct process *p)
{
	char path[64], line[1024], *last;
	bool is_init = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)p->pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "NSpid:", 6))
			continue;
		last = strrchr(line, '\t');
		is_init = last && last > line + 6 && atoi(last + 1) == 1;
		break;
	}
	if (file)
		fclose(file);
	return is_init;
}

static bool is_fault_of_init(const struct task *t)
{
	return is_fault(t) && is_namespace_init(t->process);
}

/* Releases the process before the instruction that has faulted. The task is synchronized. */
static int let_init_go(struct task *t)
{
	struct session *s = t->session;

	t->signals.number = 0;
	if (t->signals.info.si_signo == SIGTRAP && t->signals.info.si_code == SI_KERNEL) {
		t->regs.rip -= INT3_LENGTH;
		if (!task_write_regs(t))
			return 0;
	}
	t->process->life.leaving = true;
	return s->synchronizing ? 0 : session_let_go(s, t, t->process);
}

/* ---- delivery ---- */

int signals_arrived(struct task *t, int signal)
{
	bool caught, dropped = false;

	t->signals.coming = false;
	if (!task_read_info(t, &t->signals.info))
		memset(&t->signals.info, 0, sizeof(t->signals.info));
	t->signals.info.si_signo = signal;
	t->signals.raised = raised_signals_take(t, &t->signals.info, &t->signals.to_process);
	watchdog_signal(t, signal);
	if (signal_may_be_held(signal)) {
		enum trap_fate fate = traps_arrived(t);

		if (fate == TRAP_DROP)
			return 0;
		caught = fate == TRAP_DELIVER;
	} else {
		enum signal_fate fate = signal_fate(t, signal);

		caught = fate == SIGNAL_CAUGHT;
		dropped = fate == SIGNAL_IGNORED;
	}
	/*
	 * The kernel would drop the signal, too. Without one the task goes on at once. Of a signal
	 * that is ignored and comes from a fault, the kernel has reset the action.
	 */
	t->signals.number = dropped ? 0 : signal;
	if (caught) {
		t->signals.delivering = true;
		signal_rate_arrived(t);
		traps_restore(t);
		signals_send_again(t);
		return 0;
	}
	if (write_event(t, t->regs.rip, 0) < 0)
		return -1;
	return !dropped && is_fault_of_init(t) ? let_init_go(t) : 0;
}

static bool read_frame(struct task *t, uint64_t *pc, uint64_t *rax)
{
	uint64_t frame = t->regs.rsp;

	return task_read(t, frame + SIGNALS_FRAME_RAX, rax, sizeof(*rax)) == sizeof(*rax) &&
	       task_read(t, frame + SIGNALS_FRAME_RIP, pc, sizeof(*pc)) == sizeof(*pc);
}

int signals_entered(struct task *t)
{
	uint64_t pc = 0, rax = 0;

	t->signals.delivering = false;
	traps_entered(t);
	x87_state_clear(t);
	signal_rate_goes_on(t);
	if (read_frame(t, &pc, &rax) && syscalls_release(t, pc, (int64_t)rax) < 0)
		return -1;
	return write_event(t, pc, t->regs.rip);
}

int signals_not_entered(struct task *t)
{
	t->signals.delivering = false;
	return write_event(t, t->regs.rip, 0);
}
