/* SPDX-License-Identifier: MIT */
/*
 * Some changes of a cache are safe while threads run in it: new code, which no thread reaches yet;
 * the jumps of exits; traps that become jumps, whose first byte is written last and which lie in
 * one cache line; and aligned words, such as table entries and the addresses that prefixes
 * compare. Joining superblocks and freeing translations change more, so this file first
 * synchronizes all other threads that are in the cache (synchronize_others()).
 */
#include "recorder/translate/cache_consistency.h"

#include "recorder/core/loop.h"
#include "recorder/core/phase_times.h"
#include "recorder/program/functions.h"
#include "recorder/sampling/sampling.h"
#include "recorder/translate/calls.h"
#include "recorder/translate/records/encoder.h"
#include "recorder/translate/records/records.h"
#include "recorder/translate/set_up.h"
#include "recorder/translate/superblocks/chains.h"

static bool uses_cache(const struct task *t, const void *cache)
{
	return t->translate && thread_of(t)->cache == cache;
}

/* Gets all other threads out of the task's cache. */
static int clear_cache(struct task *t)
{
	return synchronize_others(t->session, t, uses_cache, thread_of(t)->cache);
}

/* Prepares a task for a cache without its translations. */
static int forget_translations(struct task *t)
{
	if (thread_of(t)->hot_paths)
		hot_paths_forget(thread_of(t)->hot_paths);
	return records_take_exit_counters(t);
}

int consistency_flush(struct task *t)
{
	const struct cache *c = thread_of(t)->cache;
	const struct space *space = t->process->space;
	bool alone = cache_users(c) == 1 && !space->own_lost;
	struct task *other = t;
	int status;

	if (!alone)
		calls_expel(t);
	status = clear_cache(t);
	if (status)
		return status;
	if (encoder_wait(t->session->translate.encoder, NULL) < 0)
		return -1;
	do {
		if (!alone && other->translate && other->process->space == space)
			status |= thread_tear_down(other);
		else if (uses_cache(other, c))
			status |= forget_translations(other);
		other = other->next;
	} while (other != t);
	if (status < 0)
		return -1;
	sampling_place(t->session);
	space_cache_renew(t);
	return 0;
}

bool consistency_hides_return(const struct cache *c, uint64_t pc)
{
	return cache_has_guard(c, pc) && !cache_watches_return(c, pc);
}

int consistency_follow(struct task *t)
{
	struct cache *c = thread_of(t)->cache;
	bool stale = space_cache_is_stale(t) || (thread_of(t)->crowded && cache_users(c) > 1);
	int status;

	for (unsigned i = 0; i < functions_pending(t); i++)
		stale |= consistency_hides_return(c, functions_return_pc(t, i));
	status = stale ? consistency_flush(t) : 0;
	if (status > 0)
		t->process->space->code_changes++; /* the cache is still stale */
	if (status)
		return status;
	thread_of(t)->crowded = false;
	if (!thread_of(t)->area && !thread_set_up(t))
		return 0;
	space_cache_follow(t);
	c = thread_of(t)->cache;
	for (unsigned i = 0; i < functions_pending(t); i++)
		cache_watch_return(c, functions_return_pc(t, i));
	return 0;
}

int consistency_extend(struct task *t, uint64_t stopped)
{
	struct chain chains[HOT_PATHS_CHAINS];
	struct hot_paths *p = thread_of(t)->hot_paths;
	unsigned n = p ? hot_paths_take(p, chains) : 0;
	enum record_phase before = phase_times_begin(t->session, RECORD_TRANSLATE);
	double began = n ? session_now() : 0;
	int status = n ? clear_cache(t) : 0;

	for (unsigned i = 0; i < n && status == 0; i++)
		status = superblock_from_chain(t, &chains[i], stopped);
	if (n)
		t->session->stats.translating += session_now() - began;
	phase_times_end(t->session, before);
	return status < 0 ? -1 : 0;
}
