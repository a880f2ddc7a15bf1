/* SPDX-License-Identifier: MIT */
/* The state of a task under the translate backend. */
#ifndef THREAD_H
#define THREAD_H

#include "recorder/translate/cache/space_cache.h"
#include "recorder/translate/thread/clock.h"
#include "recorder/translate/thread/hot_paths.h"

struct self_check;

enum thread_mode {
	THREAD_SYNCHRONIZED, /* the registers are the program's */
	THREAD_STEPPING,     /* the step backend runs the task */
	THREAD_IN_CACHE,     /* the task runs translated code, or is stopped in it */
	/* The task is in a system call made in the cache. The call is recorded except for its
	 * result; see calls.h. */
	THREAD_CALLING,
	THREAD_SYSCALL, /* the task is entering the system call at the end of `pending` */
};

/* Burst sampling; counts are instructions executed without a record. See burst_sampling.h. */
struct burst {
	bool on; /* the thread is in a burst */
	uint64_t executed;
	uint64_t next;        /* when the next burst begins or this one ends */
	uint64_t interval;    /* from the last burst to the next */
	uint64_t reserved;    /* part of the budget, while the thread is in the cache */
	uint64_t superblocks; /* session's number of superblocks when a burst was last considered */
	uint64_t extended;    /* superblocks extended by the end of that burst */
};

/* The context's record pointer and counters when thread_note_progress() last looked at them. */
struct progress_seen {
	uint64_t record;
	int64_t remaining;
};

struct thread {
	enum thread_mode mode;
	struct cache *cache; /* the address space's cache, while the thread has an area */
	struct area *area;   /* context and buffers; NULL: none yet */
	struct context *context;
	uint64_t context_at; /* address of the context in the process */
	struct hot_paths *hot_paths;
	struct self_check *check; /* NULL: no self-check was requested */

	unsigned buffer;        /* the buffer in use */
	unsigned n_buffers;     /* number of buffers used in turn */
	unsigned queued;        /* handed over, not written yet; under the encoder's lock */
	bool writing;           /* one of them is being written; under that lock too */
	int64_t quota_excluded; /* the same of excluded instructions, beside the budget */
	/* the same of superblocks that begin with a marker, within the budget; -1: none */
	int64_t quota_marker[MARKER_BUDGETS];
	uint64_t used_marker[MARKER_BUDGETS]; /* what of these was used in the last stays */
	unsigned n_markers;                   /* how many of these are in use */
	uint64_t quota; /* instructions that the thread may count, see quota.h; 0: none */
	uint64_t quotas[CONTEXT_COUNTERS]; /* the parts of the quota, by counter */
	uint64_t used[CONTEXT_COUNTERS];   /* the parts used of the last quotas */
	struct burst burst;
	uint64_t counters_taken; /* burst.executed when the exit counters were last taken */
	struct progress_seen seen;
	struct moment since;    /* time from which the first record may be */
	struct clock_span span; /* time span of the records that are being written */
	size_t unused;          /* bytes without records at the buffer's start */
	size_t new_code; /* bytes of blocks that the buffer's records may add, with --max-size */
	uint64_t beyond; /* instructions in records after the window's end */
	uint64_t left;   /* instructions left in the window when the buffers were last empty */
	uint64_t handed; /* bytes of records handed over since then */
	double insns_a_byte; /* instructions per byte of those records; 0: not known */
	/* stopped by the recorder or an ignored signal, while being synchronized */
	bool merely_stopped;
	bool expelled;    /* the thread must not stay in a call, see calls.h */
	uint64_t entered; /* program pc where the thread entered the cache */
	bool stalled;     /* interrupted, as it waits for another task */
	bool passing;     /* goes on past the armed head of a loop at its pc */
	bool step_next;   /* the instruction at the task's pc must be stepped */
	bool crowded;     /* needs a cache of its own, see CACHE_CROWDED */
	bool denied;      /* protection keys have denied access to the area, and still may */
	bool refused;     /* there is no memory for an area, so the task is stepped */
	double stepped;   /* when the step backend took over, in seconds; 0: it has not */

	/* The task is about to make the system call of this superblock, whose record lacks the
	 * header. */
	struct translation *pending;
};

static inline struct thread *thread_of(const struct task *task)
{
	return task->translate;
}

/* Starts to watch a task that enters the cache or whose buffer has been exchanged. */
void thread_watch_progress(struct task *task);

/* Adds to task->progress if the task has recorded or counted something since. The task may be
 * running. */
void thread_note_progress(struct task *task);

/* ---- the counters of exits, which counting variants increment with --vectors (count.c) ---- */

/* Returns the offset of the counters from the gs base, or 0 if exits are not counted. */
uint32_t exit_counters_at(const struct task *task);

/*
 * Returns the counters of a task that is out of the cache, by exit number, or NULL if the task has
 * none. There are cache_exits() of them.
 */
uint32_t *exit_counters_of(const struct task *task);

#endif
