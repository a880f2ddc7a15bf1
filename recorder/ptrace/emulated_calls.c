/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/emulated_calls.h"

#include <asm/prctl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "recorder/core/task.h"
#include "recorder/program/space.h"
#include "recorder/ptrace/dispatch.h"
#include "recorder/ptrace/signal_rate.h"

/* Returns true if the program may access the 8 bytes. */
static bool is_accessible(const struct task *t, uint64_t address, uint32_t protection)
{
	return address < UINT64_MAX - sizeof(uint64_t) &&
	       space_allows(t->process->space, address, address + sizeof(uint64_t), protection);
}

/* Computes the mask that the call sets. Returns false if the kernel would refuse it. */
static bool changed_mask(uint64_t how, uint64_t set, uint64_t old, uint64_t *mask)
{
	static const uint64_t never_blocked = UINT64_C(1) << (SIGKILL - 1) |
					      UINT64_C(1) << (SIGSTOP - 1);

	switch ((int)how) {
	case SIG_BLOCK: *mask = old | (set & ~never_blocked); return true;
	case SIG_UNBLOCK: *mask = old & ~set; return true;
	case SIG_SETMASK: *mask = set & ~never_blocked; return true;
	default: return false;
	}
}

static bool change_mask(struct task *t)
{
	uint64_t how = t->regs.rdi, from = t->regs.rsi, to = t->regs.rdx, set, old, mask;

	if (t->regs.r10 != sizeof(mask) || !task_read_mask(t, &old))
		return false;
	mask = old;
	if (from && (!is_accessible(t, from, PROT_READ) ||
		     task_read(t, from, &set, sizeof(set)) < sizeof(set) ||
		     !changed_mask(how, set, old, &mask)))
		return false;
	if (to && (!is_accessible(t, to, PROT_READ | PROT_WRITE) ||
		   !task_write(t, to, &old, sizeof(old))))
		return false;
	return mask == old || task_write_mask(t, mask);
}

static bool set_gs_base(struct task *t)
{
	static const uint64_t user_end = UINT64_C(0x7ffffffff000);

	if (t->regs.rsi >= user_end)
		return false;
	t->regs.gs_base = t->regs.rsi;
	t->regs.gs = 0;
	return true;
}

bool emulated_call(struct task *t, int64_t *result)
{
	bool made = false;

	/* a program that provides memory to itself would have to run while memory is accessed */
	if (t->process->confined || t->process->life.native || t->life.native ||
	    dispatch_is_on(t) || t->syscall.counted || t->session->stalls.found ||
	    signal_rate_is_limited(t))
		return false;
	if (t->regs.rax == SYS_rt_sigprocmask)
		made = change_mask(t);
	else if (t->regs.rax == SYS_arch_prctl && t->regs.rdi == ARCH_SET_GS)
		made = set_gs_base(t);
	*result = 0;
	return made;
}
