/* SPDX-License-Identifier: MIT */
/* A task under the translate backend. */
#ifndef THREAD_H
#define THREAD_H

#include "recorder/translate/cache/space_cache.h"
#include "recorder/translate/thread/clock.h"
#include "recorder/translate/thread/hot_paths.h"

struct self_check;

enum thread_mode {
	THREAD_SETTLED,  /* the registers are the program's */
	THREAD_STEPPING, /* the step backend has it */
	THREAD_IN_CACHE, /* it runs translated code, or is stopped in it */
	THREAD_CALLING,  /* in a system call that it has made in the cache, which is told but for
				   its result: see calls.h */
	THREAD_SYSCALL,  /* on its way into the system call at the end of `pending` */
};

/* In instructions that the thread has executed without being recorded, see burst_sampling.h. */
struct burst {
	bool on; /* it is sampled in a burst */
	uint64_t executed;
	uint64_t next;        /* when that changes */
	uint64_t interval;    /* between the last burst and the next */
	uint64_t reserved;    /* of what may be executed, while it is in the cache */
	uint64_t superblocks; /* of the session, when a burst was last thought of, */
	uint64_t joined;      /* and those joined when it ended */
};

/* What the context said of what has been recorded or counted, see advance.h. */
struct advance_seen {
	uint64_t record;
	int64_t remaining;
};

struct thread {
	enum thread_mode mode;
	struct cache *cache; /* of its address space, while it has an area */
	struct area *area;   /* context and buffers; NULL: none yet */
	struct context *context;
	uint64_t context_at; /* in the process */
	struct hot_paths *hot_paths;
	struct self_check *check; /* NULL: not asked for */

	unsigned buffer;    /* the one in use, */
	unsigned n_buffers; /* of so many that it takes in turn */
	unsigned queued;    /* of them are on the way; the encoder's lock is held for it, */
	bool writing;       /* and for this: one of them is being written */
	uint64_t quota;     /* instructions that it may count, see quota.h; 0: none */
	uint64_t quotas[CONTEXT_COUNTERS]; /* the parts of it */
	uint64_t used[CONTEXT_COUNTERS];   /* of the last one */
	struct burst burst;
	struct advance_seen seen;
	struct moment since;    /* its first record is from then on */
	struct clock_span span; /* of the records that are being written */
	size_t unused;          /* bytes at the buffer's start without records */
	uint64_t beyond;        /* instructions, in records behind the end of the window */
	uint64_t left;          /* instructions in the window, when the buffers were empty, */
	uint64_t handed;        /* and bytes of records that have been handed over since */
	double insns_a_byte;    /* of these records, 0: not known */
	bool merely_stopped;    /* by us or an ignored signal, while it is being synchronized */
	bool expelled;          /* it may not stay in a call, see calls.h */
	uint64_t entered;       /* the cache, at this pc of the program */
	bool stalled;           /* it is interrupted, as it waits for another task */
	bool step_next;         /* what the task stands at must be stepped */
	bool crowded;           /* it needs a cache of its own, see CACHE_CROWDED */
	bool denied;            /* protection keys have denied it its area, and may still */
	bool refused;           /* no memory for it: it is stepped */
	double stepped;         /* when it was given to the step backend, 0: it is not */

	/* It stands at a system call that ends this superblock; the record lacks its header alone. */
	struct translation *pending;
};

static inline struct thread *thread_of(const struct task *task)
{
	return task->translate;
}

#endif
