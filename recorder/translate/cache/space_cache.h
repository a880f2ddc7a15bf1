/* SPDX-License-Identifier: MIT */
/*
 * What the translate backend has in an address space: a cache of translations, and for each thread
 * an area, its context and buffers. Areas of threads that have ended are used again. A forked child
 * has the same code at the same places as its parent, so they share the cache, whose memory it
 * inherits, until one of them changes what code is mapped where.
 *
 *	area:	context | tables, of the cache | buffer, guard page | buffer, guard page | ...
 */
#ifndef SPACE_CACHE_H
#define SPACE_CACHE_H

#include "recorder/translate/cache/cache.h"

enum {
	AREA_BUFFERS = 8,            /* most that a thread has */
	AREA_BUFFER_BYTES = 1 << 20, /* each costs a stop: 256 KiB took a quarter more time */
	AREA_PAGE = 4096,
};

struct area {
	struct area *next; /* free ones of a home */
	struct shared memory;
	unsigned n_guarded; /* its first buffers, which have their guard pages */
};

/* Where in an area a buffer begins; its guard page is behind it. */
size_t area_buffer(unsigned buffer);

/*
 * Guards a buffer of a stopped task's area, before it is used; those before it are guarded already.
 * Returns 0, or what the kernel answers, -errno.
 */
int area_guard(struct task *task, struct area *area, unsigned buffer);

/*
 * Gives a synchronized task an area, and its address space a cache if it has none. NULL: there is no
 * memory for it, or the task has vanished. The area is the task's until space_cache_leave.
 */
struct area *space_cache_enter(struct task *task);

/* The task will not run in the cache any more; with the last one of the space, the home goes. */
void space_cache_leave(struct task *task, struct area *area);

/* The child has a copy of its parent's memory, and nothing has been done with it yet. */
void space_cache_inherit(struct task *child, const struct task *parent);

/* The cache of the task's address space. */
struct cache *space_cache_of(const struct task *task);

/* That of an address space, or NULL. */
const struct cache *space_cache_get(const struct space *space);

/* True if what is translated may not be what the task's process has, or cannot be added to. */
bool space_cache_is_stale(const struct task *task);

/* Lets the cache know where code that may change has come, gone or been protected. */
void space_cache_follow(const struct task *task);

/*
 * Gives the task's address space a cache in which nothing is stale. No task that uses the present
 * one may be inside, no record unread. True: no task of the space has its area any more.
 */
bool space_cache_renew(struct task *task);

#endif
