/* SPDX-License-Identifier: MIT */
/*
 * Allocates memory for translated code in arenas near the program's code, and records what each
 * part of it holds. An arena is filled from its beginning, and emptied as a whole.
 */
#ifndef ARENAS_H
#define ARENAS_H

#include "recorder/translate/cache/shared.h"
#include "recorder/translate/emit/assembler.h"
#include "recorder/translate/emit/call_stub.h"
#include "recorder/translate/emit/request_stub.h"
#include "recorder/translate/emit/translation.h"
#include "traceformat/common/array.h"

enum { ARENAS_MOST = 16 };

/* Kinds of places in the cache. */
enum cache_place {
	CACHE_ELSEWHERE,  /* not in the cache */
	CACHE_SUPERBLOCK, /* in a translation's code */
	CACHE_INDIRECT,   /* in the lookup of an indirect jump */
	CACHE_BRIDGE,     /* before a jump to a translation's code */
	CACHE_CALL,       /* in a stub that makes system calls */
	CACHE_REQUEST,    /* in the stub where exits ask for translations */
	CACHE_MISS,       /* in the stub where indirect jumps ask for translations */
};

struct arena {
	struct shared memory;
	size_t used, ready; /* bytes; see pages_provide() */
	struct request_stub miss, request;
	struct call_stub call, counted_call;
	ARRAY(struct piece) pieces; /* contents, in ascending order */
};

/* A zeroed structure has no arenas. */
struct arenas {
	struct arena *list[ARENAS_MOST];
	unsigned count;
};

/*
 * Adds an arena near pc. Returns NULL if there is no room or memory, or if the task has vanished.
 */
struct arena *arenas_add(struct arenas *arenas, struct task *task, uint64_t pc);

/* Maps all arenas in the process of a synchronized task. */
bool arenas_map_there(const struct arenas *arenas, struct task *task);

/* Empties the arenas. */
void arenas_empty(struct arenas *arenas);

/* Frees the recorder's mappings; processes keep theirs. */
void arenas_free(struct arenas *arenas);

/* Returns the bytes of code in all arenas. */
size_t arenas_bytes(const struct arenas *arenas);

/* Returns the nearest arena whose code is certain to reach pc, or NULL. */
struct arena *arenas_near(const struct arenas *arenas, uint64_t pc);

/* Returns the arena nearest to pc, or NULL if there are no arenas. */
struct arena *arenas_nearest(const struct arenas *arenas, uint64_t pc);

/* Returns the arena that a cache pc is in, or NULL. */
struct arena *arenas_of(const struct arenas *arenas, uint64_t pc);

/* Returns the kind of place at a cache pc. Sets *superblock to the superblock that the place
 * belongs or leads to, or to NULL for stubs and for jumps to another arena. */
enum cache_place arenas_where(const struct arenas *arenas, uint64_t pc,
			      struct translation **superblock);

/* Returns where the piece at a cache pc begins. An arena must contain pc. */
uint64_t arenas_piece(const struct arenas *arenas, uint64_t pc);

/* Returns the address in the process where the next code goes. */
uint64_t arena_next_pc(const struct arena *arena);

/* Returns the recorder's address of the byte at a cache pc. */
uint8_t *arena_local(const struct arena *arena, uint64_t pc);

/* Starts an assembler at the arena's free part; arena_keep() then keeps its code, with the place
 * and superblock that arenas_where() returns for it. arena_keep() returns false if the code did not
 * fit. */
void arena_begin(const struct arena *arena, struct assembler *as);
bool arena_keep(struct arena *arena, struct assembler *as, enum cache_place place,
		struct translation *superblock);

/* Keeps a translation that has been written at arena_next_pc(). Returns false if memory is out. */
bool arena_keep_path(struct arena *arena, struct translation *superblock);

#endif
