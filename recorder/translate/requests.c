/* SPDX-License-Identifier: MIT */
#include "recorder/translate/requests.h"

#include "recorder/core/region.h"
#include "recorder/ptrace/polling.h"
#include "recorder/translate/records/buffers.h"
#include "recorder/translate/superblocks/superblocks.h"
#include "recorder/translate/thread/quota.h"

static void set_polled(struct context *c, bool polled)
{
	__atomic_store_n(&c->polled, polled, __ATOMIC_RELEASE);
}

void requests_begin(struct task *t)
{
	struct context *c = thread_of(t)->context;

	c->request = REQUEST_NONE;
	set_polled(c, poll_announce(t->session));
}

void requests_trapped(struct task *t)
{
	const struct context *c = thread_of(t)->context;

	if (c->polled && c->request != REQUEST_NONE)
		poll_failed(t->session);
}

/* Finds the target superblock of an exit. Sets *to to the cache pc of its entry, or to 0 if there
 * is none. */
static int behind_exit(struct task *t, uint64_t number, uint64_t *to)
{
	const struct cache *cache = thread_of(t)->cache;
	struct translation *superblock;
	struct cache_exit left;

	if (number >= cache_exits(cache))
		return 0;
	left = cache_exit(cache, (uint32_t)number);
	if (superblock_behind(t, left.translation, left.exit, &superblock) < 0)
		return -1;
	if (superblock && buffers_lack_room(t, superblock))
		return 0;
	*to = superblock ? superblock->code : 0;
	t->session->stats.exits += *to != 0;
	return 0;
}

/* Finds the target superblock of an indirect jump. Sets *to as behind_exit() does. */
static int jumped_to(struct task *t, uint64_t pc, uint64_t *to)
{
	struct translation *superblock;

	if (superblock_jumped_to(t, pc, &superblock) < 0)
		return -1;
	if (superblock && buffers_lack_room(t, superblock))
		return 0;
	if (superblock)
		cache_link_indirect(thread_of(t)->cache, superblock);
	*to = superblock ? superblock->prefix : 0;
	t->session->stats.indirect += *to != 0;
	return 0;
}

static int find_answer(struct task *t, uint64_t request, uint64_t *to)
{
	const struct session *s = t->session;

	*to = 0;
	if (quota_is_used_up(thread_of(t)) || region_requested_end(s) ||
	    !(region_recording(s) || region_counting(s)))
		return 0;
	return request == REQUEST_MISS ? jumped_to(t, thread_of(t)->context->missed, to)
				       : behind_exit(t, request, to);
}

static bool serve(struct task *t)
{
	struct context *c = thread_of(t)->context;
	uint64_t request = __atomic_load_n(&c->request, __ATOMIC_ACQUIRE), to;

	if (request == REQUEST_NONE)
		return false;
	if (find_answer(t, request, &to) < 0)
		poll_fail(t->session);
	c->request = REQUEST_NONE;
	if (to)
		__atomic_store_n(&c->answer, to, __ATOMIC_RELEASE);
	else
		set_polled(c, false);
	return true;
}

static bool runs(const struct task *t)
{
	return t->state == TASK_RUNNING && t->translate && thread_of(t)->mode == THREAD_IN_CACHE;
}

bool requests_serve(struct session *s, bool last)
{
	bool served = false;

	FOR_EACH_TASK (s, t)
		if (runs(t)) {
			served |= serve(t);
			if (last)
				set_polled(thread_of(t)->context, false);
		}
	return served;
}
