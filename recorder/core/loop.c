/* SPDX-License-Identifier: MIT */
#include "recorder/core/loop.h"

int synchronize_others(struct session *s, struct task *self,
		       bool (*wanted)(const struct task *t, const void *opaque), const void *opaque)
{
	return s->loop->synchronize_others(s, self, wanted, opaque);
}

int session_let_go(struct session *s, struct task *self, const struct process *p)
{
	return s->loop->let_go(s, self, p);
}
