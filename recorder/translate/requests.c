/* SPDX-License-Identifier: MIT */
#include "recorder/translate/requests.h"

#include "recorder/tracee/attend.h"
#include "recorder/translate/paths/paths.h"
#include "recorder/translate/thread/quota.h"

static void set_attended(struct context *c, bool attended)
{
	__atomic_store_n(&c->attended, attended, __ATOMIC_RELEASE);
}

void requests_begin(struct task *t)
{
	struct context *c = thread_of(t)->context;

	c->request = REQUEST_NONE;
	set_attended(c, attend_is_on(t->session));
}

void requests_trapped(struct task *t)
{
	const struct context *c = thread_of(t)->context;

	if (c->attended && c->request != REQUEST_NONE)
		attend_failed(t->session);
}

static struct translation *behind_exit(struct task *t, uint64_t number)
{
	const struct cache *cache = thread_of(t)->cache;
	struct translation *path = NULL;
	struct cache_exit left;

	if (number >= cache_exits(cache))
		return NULL;
	left = cache_exit(cache, (uint32_t)number);
	t->session->stats.exits++;
	return path_behind(t, left.translation, left.exit, &path) == 0 ? path : NULL;
}

static struct translation *jumped_to(struct task *t, uint64_t pc)
{
	struct translation *path = NULL;

	t->session->stats.indirect++;
	if (path_jumped_to(t, pc, &path) < 0 || !path)
		return NULL;
	cache_link_indirect(thread_of(t)->cache, path);
	return path;
}

/* The cache pc where the task is to go on; 0: it cannot be told. */
static uint64_t answer(struct task *t, uint64_t request)
{
	const struct translation *path;

	if (quota_is_used_up(thread_of(t)))
		return 0;
	if (request == REQUEST_MISS) {
		path = jumped_to(t, thread_of(t)->context->missed);
		return path ? path->prefix : 0;
	}
	path = behind_exit(t, request);
	return path ? path->code : 0;
}

static bool serve(struct task *t)
{
	struct context *c = thread_of(t)->context;
	uint64_t request = __atomic_load_n(&c->request, __ATOMIC_ACQUIRE), to;

	if (request == REQUEST_NONE)
		return false;
	to = answer(t, request);
	c->request = REQUEST_NONE;
	if (to)
		__atomic_store_n(&c->answer, to, __ATOMIC_RELEASE);
	else
		set_attended(c, false);
	return true;
}

static bool runs(const struct task *t)
{
	return t->state == TASK_RUNNING && t->translate && thread_of(t)->mode == THREAD_IN_CACHE;
}

bool requests_serve(struct session *s, bool last)
{
	struct task *t = s->current;
	bool served = false;

	do {
		if (runs(t)) {
			served |= serve(t);
			if (last)
				set_attended(thread_of(t)->context, false);
		}
		t = t->next;
	} while (t != s->current);
	return served;
}
