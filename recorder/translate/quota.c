/* SPDX-License-Identifier: MIT */
#include "recorder/translate/quota.h"

#include "recorder/region.h"
#include "recorder/schedule.h"

enum {
	OVERRUN = PLAN_INSNS + 1,	/* a path ends before it looks */
	MOST = INT32_MAX,		/* the upper half of what remains is 0, see count.c */
	TURN = 1 << 20,			/* one at a time */
};

bool quota_is_useless(const struct session *s)
{
	return s->budget < 2 * OVERRUN;
}

void quota_take(struct task *t)
{
	struct session *s = t->session;
	uint64_t most = s->n_tasks > 1 ? TURN : MOST, quota = s->budget - OVERRUN;

	thread_of(t)->quota = quota < most ? quota : most;
	thread_of(t)->context->remaining = (int64_t)thread_of(t)->quota;
	region_use(s, thread_of(t)->quota);
}

static void execute(struct task *t, uint64_t instructions)
{
	t->skipped += instructions;
	region_use(t->session, instructions);
}

void quota_leave(struct task *t, int uncounted)
{
	struct thread *th = thread_of(t);
	int64_t used = (int64_t)th->quota - th->context->remaining + uncounted;

	if (!th->quota)
		return;
	region_use(t->session, -th->quota);
	execute(t, (uint64_t)used);
	th->quota = 0;
}

bool quota_is_used_up(const struct thread *th)
{
	return th->quota && th->context->remaining < 0;
}

void quota_add_syscall(struct task *t)
{
	execute(t, 1);
}

void quota_undo_syscall(struct task *t)
{
	execute(t, -UINT64_C(1));
}
