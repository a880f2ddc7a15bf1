/* SPDX-License-Identifier: MIT */
/*
 * Manages what the translate backend has in an address space: a cache of translations, and for each
 * thread an area with the thread's context and buffers. Areas of threads that have ended are
 * reused. A forked child has the same code at the same places as its parent, so they share the
 * cache, whose memory the child inherits, until one of them changes the mappings of its code.
 *
 *	area:	context | tables, of the cache | buffer, guard page | buffer, guard page | ...
 *		| with --vectors: counters of exits
 */
#ifndef SPACE_CACHE_H
#define SPACE_CACHE_H

#include "recorder/translate/cache/cache.h"

enum {
	AREA_BUFFERS = 4,             /* most buffers of a thread */
	AREA_BUFFER_BYTES = 4 << 20,  /* each costs a stop and two wake-ups */
	AREA_LIMITED_BYTES = 1 << 20, /* of a buffer that are used near a limit, and in bursts */
	AREA_PAGE = 4096,
};

struct area {
	struct area *next; /* next free area of the address space */
	struct shared memory;
	unsigned n_guarded; /* number of leading buffers that have their guard pages */
	/* Number of address spaces that map an area which forked children inherit, and whether a
	 * thread of one of them owns it. 0: children do not inherit it. */
	unsigned spaces;
	bool owned;
};

/* Returns the offset of a buffer in its area. The buffer's guard page follows it. */
size_t area_buffer(unsigned buffer);

/*
 * Returns the offset of the counters of exits in an area: a uint32_t for each exit number of the
 * cache, which counting variants increment with --vectors. Without --vectors there are none.
 */
size_t area_exit_counters(void);

/*
 * Makes the guard page of a buffer before the buffer's first use, and provides the last `used`
 * bytes of the buffer. The task is stopped, and all earlier buffers are guarded. Returns 0, or the
 * kernel's answer, -errno.
 */
int area_begin_buffer(struct task *task, struct area *area, unsigned buffer, size_t used);

/*
 * Gives a synchronized task an area, and its address space a cache if there is none. Returns NULL
 * if there is no memory, or if the task has vanished. The task owns the area until
 * space_cache_leave().
 */
struct area *space_cache_enter(struct task *task);

/* Releases the area of a task that will not run in the cache any more, for use by other tasks. The
 * cache is released with the address space. */
void space_cache_leave(struct task *task, struct area *area);

/*
 * Provides an area for the child of a task that is about to fork, so that the child need not map
 * one. Without memory, the child maps one.
 */
void space_cache_before_fork(struct task *task);

/* Returns true if the task can get an area without system calls in its process. */
bool space_cache_has_area(const struct task *task);

/* Shares the parent's cache with a forked child, which has a copy of the parent's memory and has
 * not run yet. */
void space_cache_inherit(struct task *child, const struct task *parent);

/* Returns the cache of the task's address space. */
struct cache *space_cache_of(const struct task *task);

/* Returns the cache of an address space, or NULL. */
const struct cache *space_cache_get(const struct space *space);

/* Returns true if translations may differ from the code of the task's process, or if none can be
 * added. */
bool space_cache_is_stale(const struct task *task);

/* Reports to the cache where code that may change was mapped, unmapped or protected. */
void space_cache_follow(const struct task *task);

/*
 * Gives the task's address space a cache without stale translations. No task that uses the present
 * cache may be inside, and no record unread. Returns true if all tasks of the space have lost their
 * areas.
 */
bool space_cache_renew(struct task *task);

#endif
