/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/raised_signals.h"

#include <string.h>
#include <sys/syscall.h>

#include "recorder/core/task.h"

enum {
	KERNEL_SIZE = 48, /* of siginfo that the kernel keeps */
	MOST = sizeof(((struct sent_signals *)0)->at) / sizeof(struct sent_signal),
};

/*
 * Returns true if the siginfo does not tell whether the signal was sent to a thread. Of such
 * signals only those are kept that the recorder may hold back.
 */
static bool is_queued_to_thread(const struct sent_signal *sent)
{
	return !sent->to_process && sent->info.si_code == SI_QUEUE &&
	       signal_may_be_held(sent->info.si_signo);
}

/* A program that sends more of these signals than are kept loses the oldest one. */
static void keep(struct process *p, const struct sent_signal *new)
{
	struct sent_signals *sent = &p->sent;

	if (sent->count == MOST)
		memmove(sent->at, sent->at + 1, --sent->count * sizeof(*sent->at));
	sent->at[sent->count++] = *new;
}

void raised_signals_send_again(const struct task *t, const struct sent_signal *sent)
{
	if (sent->info.si_code > 0 || is_queued_to_thread(sent))
		keep(t->process, sent);
}

void raised_signals_entering(const struct task *t)
{
	const struct syscall_state *c = &t->syscall;
	struct sent_signal sent = { .to_process = c->number != SYS_rt_tgsigqueueinfo };
	uint64_t address;

	switch (c->number) {
	case SYS_rt_sigqueueinfo:
	case SYS_pidfd_send_signal: address = c->args[2]; break;
	case SYS_rt_tgsigqueueinfo: address = c->args[3]; break;
	default: return;
	}
	if (!address || task_read(t, address, &sent.info, KERNEL_SIZE) != KERNEL_SIZE)
		return;
	sent.info.si_signo = (int)c->args[sent.to_process ? 1 : 2];
	raised_signals_send_again(t, &sent);
}

/* Returns the place of the siginfo among those that were sent, or their number. */
static unsigned find(const struct process *p, const siginfo_t *info)
{
	unsigned i = 0;

	while (i < p->sent.count && memcmp(&p->sent.at[i].info, info, KERNEL_SIZE) != 0)
		i++;
	return i;
}

bool raised_signals_has(const struct task *t, const siginfo_t *info)
{
	return info->si_code > 0 && find(t->process, info) == t->process->sent.count;
}

bool raised_signals_take(const struct task *t, const siginfo_t *info, bool *to_process)
{
	struct sent_signals *sent = &t->process->sent;
	unsigned i = find(t->process, info);

	*to_process = info->si_code == SI_USER || info->si_code == SI_QUEUE;
	if (i == sent->count)
		return info->si_code > 0;
	*to_process = sent->at[i].to_process;
	sent->count--;
	memmove(sent->at + i, sent->at + i + 1, (sent->count - i) * sizeof(*sent->at));
	return false;
}
