/* SPDX-License-Identifier: MIT */
#include "recorder/translate/upkeep.h"

#include "recorder/program/functions.h"
#include "recorder/sample/sampling.h"
#include "recorder/serve.h"
#include "recorder/translate/calls.h"
#include "recorder/translate/paths/paths.h"
#include "recorder/translate/records/encoder.h"
#include "recorder/translate/set_up.h"

static bool uses_cache(const struct task *t, const void *cache)
{
	return t->translate && thread_of(t)->cache == cache;
}

/* Gets all other threads out of the task's cache. */
static int clear_cache(struct task *t)
{
	return session_settle_others(t->session, t, uses_cache, thread_of(t)->cache);
}

int upkeep_flush(struct task *t)
{
	const struct cache *c = thread_of(t)->cache;
	const struct space *space = t->process->space;
	bool alone = cache_users(c) == 1 && !space->own_lost;
	struct task *other = t;

	if (!alone)
		calls_expel(t);
	if (clear_cache(t) < 0 || encoder_wait(t->session->encoder, NULL) < 0)
		return -1;
	do {
		if (!alone && other->translate && other->process->space == space)
			thread_give_up_area(other);
		else if (uses_cache(other, c) && thread_of(other)->profile)
			profile_forget(thread_of(other)->profile);
		other = other->next;
	} while (other != t);
	sampling_place(t->session);
	home_renew(t);
	return 0;
}

bool upkeep_hides_return(const struct cache *c, uint64_t pc)
{
	return cache_has_guard(c, pc) && !cache_watches_return(c, pc);
}

int upkeep_follow(struct task *t)
{
	struct cache *c = thread_of(t)->cache;
	bool stale = home_is_stale(t) || (thread_of(t)->crowded && cache_users(c) > 1);

	for (unsigned i = 0; i < functions_pending(t); i++)
		stale |= upkeep_hides_return(c, functions_return_pc(t, i));
	thread_of(t)->crowded = false;
	if (stale && upkeep_flush(t) < 0)
		return -1;
	if (!thread_of(t)->area && !thread_set_up(t))
		return 0;
	home_follow(t);
	c = thread_of(t)->cache;
	for (unsigned i = 0; i < functions_pending(t); i++)
		cache_watch_return(c, functions_return_pc(t, i));
	return 0;
}

int upkeep_join(struct task *t, uint64_t stopped)
{
	struct chain chains[PROFILE_CHAINS];
	struct profile *p = thread_of(t)->profile;
	unsigned n = p ? profile_take(p, chains) : 0;
	double began = n ? session_now() : 0;
	int status = n ? clear_cache(t) : 0;

	for (unsigned i = 0; i < n && status == 0; i++)
		status = path_join(t, &chains[i], stopped);
	if (n)
		t->session->stats.translating += session_now() - began;
	return status;
}
