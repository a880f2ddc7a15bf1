/* SPDX-License-Identifier: MIT */
/*
 * Memory for translated code, in arenas that lie near the program's, and what stands where in it.
 * An arena is filled from its beginning on, and emptied as a whole.
 */
#ifndef ARENAS_H
#define ARENAS_H

#include "recorder/translate/cache/shared.h"
#include "recorder/translate/emit/assembler.h"
#include "recorder/translate/emit/call_stub.h"
#include "recorder/translate/emit/request_stub.h"
#include "recorder/translate/emit/translation.h"

enum { ARENAS_MOST = 16 };

/* Where a cache pc is. */
enum cache_place {
	CACHE_ELSEWHERE, /* not in the cache */
	CACHE_PATH,      /* in a translation's code */
	CACHE_INDIRECT,  /* on the way of an indirect jump */
	CACHE_BRIDGE,    /* before a jump to a translation's code */
	CACHE_CALL,      /* in the stub that makes system calls */
	CACHE_REQUEST,   /* in the stub where exits ask for translations, */
	CACHE_MISS,      /* and in that of indirect jumps */
};

struct arena {
	struct shared memory;
	size_t used, ready; /* bytes; see pages_provide */
	struct request_stub miss, request;
	struct call_stub call;
	struct piece *pieces; /* what stands in it, ascending */
	size_t n_pieces, room;
};

/* Zeroed there are none. */
struct arenas {
	struct arena *list[ARENAS_MOST];
	unsigned count;
};

/* Adds an arena near pc. NULL: there is no room or memory, or the task has vanished. */
struct arena *arenas_add(struct arenas *arenas, struct task *task, uint64_t pc);

/* Maps all of them in the process of a synchronized task. */
bool arenas_map_there(const struct arenas *arenas, struct task *task);

/* Forgets what stands in them. */
void arenas_empty(struct arenas *arenas);

/* Frees them here; processes keep their own mappings. */
void arenas_free(struct arenas *arenas);

/* Bytes of code. */
size_t arenas_bytes(const struct arenas *arenas);

/* The nearest one to pc, if its code reaches there for sure; NULL: none does. */
struct arena *arenas_near(const struct arenas *arenas, uint64_t pc);

/* The nearest one to pc; NULL: there are none. */
struct arena *arenas_nearest(const struct arenas *arenas, uint64_t pc);

/* The one that a cache pc is in, or NULL. */
struct arena *arenas_of(const struct arenas *arenas, uint64_t pc);

/* What stands at a cache pc; *superblock: which it is, or leads to; NULL for the stubs and what leads on to
 * another arena. */
enum cache_place arenas_where(const struct arenas *arenas, uint64_t pc,
			      struct translation **superblock);

/* Where in its arena, which it must be in, that begins. */
uint64_t arenas_piece(const struct arenas *arenas, uint64_t pc);

/* Where in the process the next code goes. */
uint64_t arena_next_pc(const struct arena *arena);

/* Where the recorder has what is at a cache pc. */
uint8_t *arena_local(const struct arena *arena, uint64_t pc);

/* Begins to write code, which arena_keep keeps, with what arenas_where is to tell of it. False: it
 * did not fit. */
void arena_begin(const struct arena *arena, struct assembler *as);
bool arena_keep(struct arena *arena, struct assembler *as, enum cache_place place,
		struct translation *superblock);

/* Keeps a translation that has been written to where the next code goes. False: memory is out. */
bool arena_keep_path(struct arena *arena, struct translation *superblock);

#endif
