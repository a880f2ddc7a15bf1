/* SPDX-License-Identifier: MIT */
/*
 * A task that makes a system call for the recorder while it stands at a signal-delivery stop
 * leaves that stop. If it were then resumed with the signal, the kernel would make a new signal of
 * it, with SI_KERNEL and no other information. So the task queues the signal for itself, with its
 * siginfo, and the signal arrives once more (signals_send_again()).
 */
#include "recorder/ptrace/signals.h"

#include <string.h>

#include "recorder/core/output.h"
#include "recorder/core/region.h"
#include "recorder/core/task.h"
#include "recorder/ptrace/namespace_init.h"
#include "recorder/ptrace/signal_rate.h"
#include "recorder/ptrace/signal_sets.h"
#include "recorder/ptrace/syscalls.h"
#include "recorder/ptrace/traps.h"
#include "recorder/ptrace/watchdog.h"
#include "recorder/ptrace/x87_state.h"

static uint64_t fault_address(const siginfo_t *info)
{
	bool synchronous = info->si_code > 0 &&
			   (info->si_signo == SIGSEGV || info->si_signo == SIGBUS ||
			    info->si_signo == SIGILL || info->si_signo == SIGFPE ||
			    info->si_signo == SIGTRAP);

	return synchronous ? (uint64_t)(uintptr_t)info->si_addr : 0;
}

static int write_event(struct task *t, uint64_t pc, uint64_t handler)
{
	struct tf_event event = {
		.kind = TF_EVENT_SIGNAL,
		.signal = { .number = (uint32_t)t->signals.info.si_signo,
			    .code = t->signals.info.si_code,
			    .address = fault_address(&t->signals.info),
			    .pc = pc,
			    .handler = handler },
	};

	return region_recording(t->session) ? output_event(t->session->output, t, &event) : 0;
}

void signals_send_again(struct task *t)
{
	if (!t->signals.left_stop || !traps_send(t, &t->signals.info))
		return;
	t->signals.number = 0;
	t->signals.delivering = t->signals.left_stop = false;
}

int signals_arrived(struct task *t, int signal)
{
	bool caught;

	if (!task_read_info(t, &t->signals.info))
		memset(&t->signals.info, 0, sizeof(t->signals.info));
	t->signals.info.si_signo = signal;
	watchdog_signal(t, signal);
	if (traps_keep(signal)) {
		enum trap_fate fate = traps_arrived(t);

		if (fate == TRAP_DROP)
			return 0;
		caught = fate == TRAP_DELIVER;
	} else {
		caught = signal_set(t, "SigCgt") & signal_bit(signal);
	}
	t->signals.number = signal;
	if (caught) {
		t->signals.delivering = true;
		signal_rate_arrived(t);
		traps_restore(t);
		signals_send_again(t);
		return 0;
	}
	if (write_event(t, t->regs.rip, 0) < 0)
		return -1;
	return namespace_init_faults(t) ? namespace_init_let_go(t) : 0;
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
