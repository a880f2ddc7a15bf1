/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/traps.h"

#include <errno.h>
#include <linux/sched.h>
#include <string.h>
#include <sys/syscall.h>

#include "recorder/core/task.h"
#include "recorder/ptrace/raised_signals.h"
#include "recorder/ptrace/remote.h"
#include "recorder/ptrace/altered_syscalls.h"

enum { RED_ZONE = 128 };

static const uint64_t action_default = (uint64_t)(uintptr_t)SIG_DFL;
static const uint64_t action_ignore = (uint64_t)(uintptr_t)SIG_IGN;

static const int numbers[OWN_SIGNALS] = {
	[OWN_TRAP] = SIGTRAP, [OWN_FAULT] = SIGSEGV, [OWN_ALIGNMENT] = SIGBUS
};

static uint64_t bit(unsigned own)
{
	return UINT64_C(1) << (numbers[own] - 1);
}

/* Returns OWN_SIGNALS for other signals. */
static unsigned find(uint64_t signal)
{
	unsigned own = 0;

	while (own < OWN_SIGNALS && (uint64_t)numbers[own] != signal)
		own++;
	return own;
}

/*
 * Makes a system call in the task whose argument number `place` points at a structure. The
 * structure lies on the task's stack during the call and is read back. Returns false if the call
 * failed.
 */
static bool call_with(struct task *t, uint64_t number, uint64_t args[6], unsigned place,
		      void *structure, size_t size)
{
	uint64_t at = (t->regs.rsp - RED_ZONE - size) & ~(uint64_t)15;
	uint8_t saved[sizeof(siginfo_t)];
	bool done;

	if (task_read(t, at, saved, size) < size || !task_write(t, at, structure, size))
		return false;
	args[place] = at;
	done = remote_syscall(t, number, args) >= 0 && task_read(t, at, structure, size) == size;
	task_write(t, at, saved, size);
	return done;
}

/* ---- what the program sets ---- */

void traps_exec(struct task *t)
{
	uint64_t ignored = signal_sets(t).ignored;

	for (unsigned i = 0; i < OWN_SIGNALS; i++) {
		struct trap_action *a = &t->process->actions[i];

		*a = (struct trap_action){ 0 };
		if (ignored & bit(i))
			a->set.handler = action_ignore;
	}
	traps_read_mask(t);
}

void traps_child(struct process *p, uint64_t clone_flags)
{
	for (unsigned i = 0; i < OWN_SIGNALS; i++)
		if (clone_flags & CLONE_CLEAR_SIGHAND && p->actions[i].set.handler != action_ignore)
			p->actions[i] = (struct trap_action){ 0 };
}

/* Lets the task read the kernel's action. Returns false if the task cannot. */
static bool ask_action(struct task *t, unsigned own, struct signal_action *is)
{
	uint64_t args[6] = { (uint64_t)numbers[own], 0, 0, sizeof(is->mask) };

	memset(is, 0, sizeof(*is));
	return call_with(t, SYS_rt_sigaction, args, 2, is, sizeof(*is));
}

void traps_take_over(struct task *t)
{
	for (unsigned i = 0; i < OWN_SIGNALS; i++) {
		struct signal_action is;

		if (t->process->actions[i]
			    .lost) /* known: by threads that were taken over earlier */
			continue;
		if (ask_action(t, i, &is))
			t->process->actions[i] = (struct trap_action){ .set = is };
	}
	traps_read_mask(t);
}

void traps_read_mask(struct task *t)
{
	uint64_t mask;
	bool known = task_read_mask(t, &mask);

	for (unsigned i = 0; i < OWN_SIGNALS; i++) {
		if (known)
			t->signals.traps[i].blocked = mask & bit(i);
		t->signals.traps[i].unmasked = false;
	}
}

static bool read_action(struct task *t, uint64_t address)
{
	struct signal_action *a = &t->signals.action;

	if (task_read(t, address, a, sizeof(*a)) == sizeof(*a))
		return true;
	*a = (struct signal_action){ 0 };
	return false;
}

void traps_before_syscall(struct task *t)
{
	traps_restore(t);
	if (t->regs.rax == SYS_rt_sigaction)
		t->signals.action_unread = !read_action(t, t->regs.rsi);
}

void traps_after_syscall(struct task *t)
{
	const struct syscall_state *c = &t->syscall;
	/* the kernel sets the action before it fails to write the former one */
	bool failed_late = (int64_t)t->regs.rax == -EFAULT;
	unsigned own;

	if (t->life.native) /* traps_take_over() reads mask and actions */
		return;
	if (c->number == SYS_rt_sigprocmask || c->number == SYS_rt_sigreturn)
		traps_read_mask(t);
	if (c->number != SYS_rt_sigaction || (t->regs.rax != 0 && !failed_late) || !c->args[1])
		return;
	own = find(c->args[0]);
	/* By now the kernel has waited for the page of the structure, but the page may be one that
	 * only the program can read (memfd_secret(2)). */
	if (own < OWN_SIGNALS &&
	    (failed_late || (t->signals.action_unread && !read_action(t, c->args[1]))))
		ask_action(t, own, &t->signals.action);
	/* Behind the call, and before this stop was served, traps_restore() of another thread may
	 * have set the action that the program had before. That thread may have left since. */
	if (own < OWN_SIGNALS)
		t->process->actions[own] = (struct trap_action){ .set = t->signals.action,
								 .lost = true };
}

void traps_entered(struct task *t)
{
	unsigned own = find((uint64_t)t->signals.info.si_signo);

	if (own < OWN_SIGNALS && t->process->actions[own].set.flags & SA_RESETHAND)
		t->process->actions[own].set.handler = action_default;
	traps_read_mask(t);
}

bool traps_are_blocked(const struct task *t, enum own_signal own)
{
	return t->signals.traps[own].blocked;
}

bool traps_are_restored(const struct task *t)
{
	for (unsigned i = 0; i < OWN_SIGNALS; i++)
		if (t->signals.traps[i].unmasked || t->signals.traps[i].held[false] ||
		    t->signals.traps[i].held[true])
			return false;
	return true;
}

/* ---- what the recorder and the kernel change ---- */

void traps_raise(struct task *t, enum own_signal own)
{
	struct trap_action *a = &t->process->actions[own];

	t->signals.traps[own].unmasked = t->signals.traps[own].blocked;
	if (a->set.handler != action_default &&
	    (t->signals.traps[own].blocked || a->set.handler == action_ignore))
		a->lost = true;
}

void traps_unmask(struct task *t)
{
	struct trap_state *own = &t->signals.traps[OWN_TRAP];
	uint64_t mask;

	/*
	 * A signal frame gets the program's mask. An interrupted sigsuspend has two masks. A
	 * blocked trap that the task has just sent itself again would come before another signal.
	 */
	if (own->blocked && !own->unmasked && !t->signals.delivering && !t->signals.coming &&
	    !syscalls_interrupted(t) && task_read_mask(t, &mask))
		own->unmasked = task_write_mask(t, mask & ~bit(OWN_TRAP));
}

/*
 * Returns true if the kernel's action is not of the kind that the program has set: default, ignore,
 * handler.
 */
static bool is_reset(const struct task *t, unsigned own)
{
	uint64_t handler = t->process->actions[own].set.handler;
	struct signal_sets sets = signal_sets(t);
	bool ignored = sets.ignored & bit(own), caught = sets.caught & bit(own);

	if (handler == action_default)
		return ignored || caught;
	return handler == action_ignore ? !ignored : !caught;
}

static void restore_action(struct task *t, unsigned own)
{
	struct trap_action *a = &t->process->actions[own];
	uint64_t args[6] = { (uint64_t)numbers[own], 0, 0, sizeof(a->set.mask) };

	a->lost = is_reset(t, own) &&
		  !call_with(t, SYS_rt_sigaction, args, 1, &a->set, sizeof(a->set));
}

bool traps_send(struct task *t, siginfo_t *info)
{
	static const uint64_t none[6];
	uint64_t args[6] = { (uint64_t)remote_syscall(t, SYS_getpid, none),
			     (uint64_t)remote_syscall(t, SYS_gettid, none),
			     (uint64_t)info->si_signo };

	return call_with(t, SYS_rt_tgsigqueueinfo, args, 3, info, sizeof(*info));
}

/* Does what traps_send() does, for a signal to all threads of the process. */
static bool send_to_process(struct task *t, siginfo_t *info)
{
	static const uint64_t none[6];
	uint64_t args[6] = { (uint64_t)remote_syscall(t, SYS_getpid, none),
			     (uint64_t)info->si_signo };

	return call_with(t, SYS_rt_sigqueueinfo, args, 2, info, sizeof(*info));
}

/*
 * Sends the task a signal that the recorder held, so that the kernel holds it. One that was sent to
 * the process is any thread's.
 */
static void send_held(struct task *t, struct trap_state *own)
{
	for (unsigned i = 0; i < 2; i++) {
		struct sent_signal *kept = &own->kept[i];

		if (!own->held[i])
			continue;
		own->held[i] = kept->to_process ? !send_to_process(t, &kept->info)
						: !traps_send(t, &kept->info);
		if (!own->held[i])
			raised_signals_send_again(t, kept);
	}
}

/*
 * Sets the default action, as the kernel does for a trap that is blocked, if traps_unmask() has
 * hidden this from the kernel. The task leaves the signal's stop for the call, so the signal has to
 * arrive again. Returns true if it will.
 */
static bool reset_action(struct task *t, unsigned own)
{
	struct signal_action is = { 0 };
	uint64_t args[6] = { (uint64_t)numbers[own], 0, 0, sizeof(is.mask) };

	return t->signals.traps[own].unmasked && signal_sets(t).caught & bit(own) &&
	       call_with(t, SYS_rt_sigaction, args, 1, &is, sizeof(is)) &&
	       traps_send(t, &t->signals.info);
}

static void restore_mask(struct task *t)
{
	uint64_t mask, taken = 0;

	for (unsigned i = 0; i < OWN_SIGNALS; i++) {
		taken |= t->signals.traps[i].unmasked ? bit(i) : 0;
		t->signals.traps[i].unmasked = false;
	}
	/* only if needed: an interrupted sigsuspend has two masks, which would become one */
	if (taken && task_read_mask(t, &mask))
		task_write_mask(t, mask | taken);
}

void traps_restore(struct task *t)
{
	restore_mask(t);
	if (syscalls_interrupted(t))
		return;
	for (unsigned i = 0; i < OWN_SIGNALS; i++) {
		if (t->process->actions[i].lost)
			restore_action(t, i);
		send_held(t, &t->signals.traps[i]);
	}
}

/* ---- the program's signals ---- */

/* Returns true if the signal is sent to itself by the program, in spite of its si_code. */
static bool is_sent_as_raised(const struct task *t, int signal, siginfo_t *info)
{
	return task_read_info(t, info) && info->si_signo == signal && info->si_code > 0 &&
	       !raised_signals_has(t, info);
}

/* Holds a signal, unless one of its kind is held already: the kernel would drop this one. */
static void hold(struct trap_state *own, const struct sent_signal *sent)
{
	if (!own->held[sent->to_process])
		own->kept[sent->to_process] = *sent;
	own->held[sent->to_process] = true;
}

bool traps_hold(struct task *t, int signal)
{
	struct trap_state *own = &t->signals.traps[find((uint64_t)signal) % OWN_SIGNALS];
	struct sent_signal sent;
	uint64_t mask;

	if (!signal_may_be_held(signal) || !own->blocked || syscalls_interrupted(t) ||
	    !is_sent_as_raised(t, signal, &sent.info) || !task_read_mask(t, &mask) ||
	    !(mask & UINT64_C(1) << (signal - 1)))
		return false;
	raised_signals_take(t, &sent.info, &sent.to_process);
	hold(own, &sent);
	return true;
}

enum trap_fate traps_arrived(struct task *t)
{
	unsigned which = find((uint64_t)t->signals.info.si_signo);
	struct trap_state *own = &t->signals.traps[which];
	uint64_t handler = t->process->actions[which].set.handler;

	if (t->signals.raised) {
		if (!own->blocked && handler != action_ignore && handler != action_default)
			return TRAP_DELIVER;
		return reset_action(t, which) ? TRAP_DROP : TRAP_FATAL;
	}
	/* while the kernel has the program's mask, a blocked signal arrives only in sigsuspend */
	if (own->unmasked) {
		hold(own, &(struct sent_signal){ t->signals.info, t->signals.to_process });
		return TRAP_DROP;
	}
	if (handler == action_ignore)
		return TRAP_DROP;
	return handler == action_default ? TRAP_FATAL : TRAP_DELIVER;
}
