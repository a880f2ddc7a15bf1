/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/dispatch.h"

#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "recorder/core/task.h"

/* from prctl(2), Linux 5.11, and ptrace(2), Linux 6.4 */
enum {
	SET_DISPATCH = 59,
	SET_CONFIG = 0x4210,
	GET_CONFIG = 0x4211,
	ALLOW = 0,
};

bool dispatch_is_on(const struct task *t)
{
	return t->limits.dispatch.mode;
}

void dispatch_exec(struct task *t)
{
	t->limits.dispatch.mode = 0;
}

void dispatch_leaving(struct task *t)
{
	const struct syscall_state *c = &t->syscall;
	struct dispatch *d = &t->limits.dispatch;

	if (c->number != SYS_prctl || (uint32_t)c->args[0] != SET_DISPATCH || t->regs.rax)
		return;
	*d = (struct dispatch){ .mode = c->args[1],
				.offset = c->args[2],
				.length = c->args[3],
				.selector = c->args[4] };
}

static bool configure(const struct task *t, int request, struct dispatch_config *config)
{
	return ptrace(request, t->tid, (void *)sizeof(*config), config) >= 0;
}

void dispatch_look(struct task *t)
{
	struct dispatch_config config;

	if (configure(t, GET_CONFIG, &config))
		t->limits.dispatch = (struct dispatch){ .mode = config.mode,
							.offset = config.offset,
							.length = config.length,
							.selector = config.selector };
}

/* Allows calls by the program's selector, for kernels that do not let a tracer set the dispatch. */
static bool select_allowed(struct task *t)
{
	static const uint8_t allow = ALLOW;
	struct dispatch *d = &t->limits.dispatch;

	d->selected = d->selector && task_read(t, d->selector, &d->was, 1) == 1 &&
		      task_write(t, d->selector, &allow, 1);
	return d->selected;
}

bool dispatch_suspend(struct task *t)
{
	struct dispatch_config off = { 0 };

	t->limits.dispatch.selected = false;
	return !t->limits.dispatch.mode || configure(t, SET_CONFIG, &off) || select_allowed(t);
}

void dispatch_resume(struct task *t)
{
	const struct dispatch *d = &t->limits.dispatch;
	struct dispatch_config on = { d->mode, d->selector, d->offset, d->length };

	if (d->selected)
		task_write(t, d->selector, &d->was, 1);
	else if (d->mode)
		configure(t, SET_CONFIG, &on);
}
