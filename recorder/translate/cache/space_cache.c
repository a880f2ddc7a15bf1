/* SPDX-License-Identifier: MIT */
/*
 * All threads of an address space run in one cache at the same time. Each thread has an area of
 * its own: a page of context at its gs base, the cache's table of indirect jumps, and buffers.
 * Areas lie where neither program nor kernel maps anything: near the libraries, another thread's
 * mmap could take the place first. With many threads, each uses fewer and smaller parts of its
 * buffers.
 *
 * A forked child inherits the memory of the cache and shares its translations, as the same code is
 * at the same addresses. The child gets areas of its own, as two processes would write to one.
 * Before a fork, the parent maps an area that the child inherits and owns; when the child ends, the
 * next one takes that area. So only children that live at the same time need further areas. The
 * first process that unmaps or protects code, or maps other code where the other one has some,
 * gets a new cache (space_cache_renew()). A vfork child uses its parent's cache, as threads do.
 *
 * A program may unmap, protect or map over the recorder's memory, as checkpoint restorers do with
 * all memory that they do not know. The recorder sees that in the arguments of the call, or by a
 * fault in the cache where /proc no longer has its mapping. The recorder's own mapping of that
 * memory still has the state, so all threads are synchronized and get other memory.
 */
#include "recorder/translate/cache/space_cache.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "recorder/core/task.h"
#include "recorder/program/space.h"
#include "recorder/ptrace/remote.h"
#include "recorder/translate/cache/persistent_cache.h"
#include "recorder/translate/cache/versions.h"
#include "recorder/translate/emit/context.h"

enum { MOST_INHERITED = 4 };

struct space_cache {
	struct session *session;
	struct cache *cache;
	struct area *free; /* areas of threads that have ended */
	struct area *inherited[MOST_INHERITED];
	unsigned n_inherited;
	uint64_t code_changes, code_added; /* the space's counters when last compared */
};

static struct space_cache *of(const struct task *t)
{
	return t->process->space->translations;
}

struct cache *space_cache_of(const struct task *t)
{
	return of(t)->cache;
}

const struct cache *space_cache_get(const struct space *space)
{
	const struct space_cache *h = space->translations;

	return h ? h->cache : NULL;
}

/* ---- areas ---- */

size_t area_buffer(unsigned buffer)
{
	return sizeof(struct context) + sizeof(struct tables) +
	       buffer * (size_t)(AREA_BUFFER_BYTES + AREA_PAGE);
}

size_t area_exit_counters(void)
{
	return area_buffer(AREA_BUFFERS);
}

/* Returns the bytes of an area. Pages of counters that are never used take no memory. */
static size_t area_size(const struct session *s)
{
	enum { COUNTERS_BYTES = TF_RECORD_KEYS * sizeof(uint32_t) };

	return area_exit_counters() + (s->intervals ? COUNTERS_BYTES : 0);
}

/*
 * Guards a buffer when it is first used: most threads end before they need a second one, and a
 * system call in the task takes long. Touching each page of the buffer takes longer still.
 */
int area_begin_buffer(struct task *t, struct area *a, unsigned buffer, size_t used)
{
	size_t end = area_buffer(buffer) + AREA_BUFFER_BYTES;
	int status;

	if (buffer < a->n_guarded)
		return 0;
	status = shared_guard(t, &a->memory, end, AREA_PAGE);
	if (status < 0)
		return status;
	a->n_guarded++;
	used &= -(size_t)AREA_PAGE;
	if (used)
		shared_provide(t, &a->memory, end - used, used);
	return 0;
}

static bool map_area(struct task *t, struct area *a, uint64_t tables, enum shared_children children)
{
	size_t size = area_size(t->session);
	uint64_t place = shared_place_apart(t, size);

	if (!place ||
	    shared_map(t, &a->memory, place, size, PROT_READ | PROT_WRITE, children) < 0 ||
	    shared_again(t, tables, sizeof(struct tables), place + sizeof(struct context),
			 children) < 0)
		return false;
	return area_begin_buffer(t, a, 0, 0) == 0;
}

static void free_area(struct area *a)
{
	shared_unmap(&a->memory);
	free(a);
}

static struct area *new_area(struct task *t, uint64_t tables, enum shared_children children)
{
	struct area *a = calloc(1, sizeof(*a));

	if (a && map_area(t, a, tables, children))
		return a;
	if (a)
		free_area(a);
	return NULL;
}

/* ---- areas that children inherit ---- */

static void add_inherited(struct space_cache *h, struct area *a)
{
	a->spaces++;
	h->inherited[h->n_inherited++] = a;
}

static void leave_inherited(struct space_cache *h)
{
	while (h->n_inherited) {
		struct area *a = h->inherited[--h->n_inherited];

		if (--a->spaces == 0)
			free_area(a);
	}
}

/* Returns an inherited area without an owner, or NULL. */
static struct area *find_inherited(const struct space_cache *h)
{
	for (unsigned i = 0; i < h->n_inherited; i++)
		if (!h->inherited[i]->owned)
			return h->inherited[i];
	return NULL;
}

static bool is_inherited(const struct space_cache *h, uint64_t address)
{
	for (unsigned i = 0; i < h->n_inherited; i++)
		if (h->inherited[i]->memory.remote == address)
			return true;
	return false;
}

void space_cache_before_fork(struct task *t)
{
	struct space_cache *h = of(t);
	struct area *a;

	if (!h || h->n_inherited == MOST_INHERITED || find_inherited(h))
		return;
	a = new_area(t, cache_tables(h->cache), SHARED_INHERITED);
	if (a)
		add_inherited(h, a);
}

/* ---- caches of address spaces ---- */

static void free_space_cache(void *translations)
{
	struct space_cache *h = translations;

	while (h->free) {
		struct area *a = h->free;

		h->free = a->next;
		free_area(a);
	}
	leave_inherited(h);
	persistent_cache_leave(h->session, h->cache);
	free(h);
}

static struct space_cache *add_space_cache(const struct task *t, struct cache *cache)
{
	struct space *space = t->process->space;
	struct space_cache *h = cache ? calloc(1, sizeof(*h)) : NULL;

	if (!h) {
		if (cache)
			persistent_cache_leave(t->session, cache);
		return NULL;
	}
	h->session = t->session;
	h->cache = cache;
	h->code_changes = space->code_changes;
	h->code_added = space->code_added;
	space->moved_end = 0;
	space->translations = h;
	space->free_translations = free_space_cache;
	return h;
}

struct area *space_cache_enter(struct task *t)
{
	struct space_cache *h = of(t);
	struct area *a;

	if (!h)
		h = add_space_cache(t, t->process->space->apart ? persistent_cache_new(t)
								: persistent_cache_find(t));
	if (!h)
		return NULL;
	a = h->free;
	if (a) {
		h->free = a->next;
		return a;
	}
	a = find_inherited(h);
	if (!a)
		return new_area(t, cache_tables(h->cache), SHARED_ALONE);
	a->owned = true;
	a->n_guarded = 1; /* an earlier owner may have guarded others in another process */
	return a;
}

bool space_cache_has_area(const struct task *t)
{
	const struct space_cache *h = of(t);

	return h && (h->free || find_inherited(h));
}

void space_cache_leave(struct task *t, struct area *a)
{
	struct space_cache *h = of(t);

	if (a->spaces) {
		a->owned = false;
		return;
	}
	a->next = h->free;
	h->free = a;
}

/* Forgets the areas that a child does not inherit; areas are the writable mappings. */
static void forget_areas(struct space *space, const struct space_cache *parent)
{
	for (size_t i = 0; i < space->count;) {
		const struct mapping m = space->mappings[i];

		if (!space_is_own(&m) || !(m.protection & PROT_WRITE) ||
		    is_inherited(parent, m.start) || !space_remove(space, m.start, m.end))
			i++;
	}
}

void space_cache_inherit(struct task *child, const struct task *parent)
{
	const struct space_cache *h = of(parent);
	struct space *space = child->process->space;
	struct space_cache *copy;

	if (!h)
		return;
	forget_areas(space, h);
	copy = add_space_cache(child, cache_share(h->cache));
	if (!copy)
		return;
	copy->code_changes = h->code_changes;
	copy->code_added = h->code_added;
	for (unsigned i = 0; i < h->n_inherited; i++)
		add_inherited(copy, h->inherited[i]);
}

/* ---- when code changes ---- */

/* Returns false if other code has been translated at an added address. */
static bool follow_added(struct space_cache *h, const struct space *space)
{
	if (h->code_added == space->code_added)
		return true;
	h->code_added = space->code_added;
	return code_map_add(cache_code_map(h->cache), space);
}

bool space_cache_is_stale(const struct task *t)
{
	const struct space *space = t->process->space;
	struct space_cache *h = of(t);

	/* Code that may change and has been mapped by one user is not mapped by the others. */
	return space->own_lost || cache_is_full(h->cache) ||
	       h->code_changes != space->code_changes ||
	       (cache_users(h->cache) > 1 && space->moved_end) || !follow_added(h, space);
}

void space_cache_follow(const struct task *t)
{
	struct space *space = t->process->space;

	if (space->moved_end)
		versions_follow(of(t)->cache, space);
}

bool space_cache_renew(struct task *t)
{
	struct space *space = t->process->space;
	struct space_cache *h = of(t);
	bool lost = space->own_lost;

	space->own_lost = false;

	h->code_changes = space->code_changes;
	h->code_added = space->code_added;
	space->moved_end = 0;
	if (cache_users(h->cache) == 1 && !lost) {
		cache_flush(h->cache);
		code_map_add(cache_code_map(h->cache), space);
		return false;
	}
	shared_unmap_all(t);
	free_space_cache(h);
	space->translations = NULL;
	space->apart = true;
	return true;
}
