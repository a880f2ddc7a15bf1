/* SPDX-License-Identifier: MIT */
/* What a cache consists of, for the files that make it one: cache.c uses links.c, that indirect.c,
 * and all of them contents.c. */
#ifndef CACHE_PARTS_H
#define CACHE_PARTS_H

#include "recorder/translate/cache/cache.h"
#include "recorder/translate/cache/pc_table.h"
#include "recorder/translate/cache/x87_stores.h"
#include "recorder/translate/plan/pc_set.h"

struct cache {
	struct session *session;
	unsigned users;       /* address spaces */
	struct shared memory; /* of the tables */
	struct tables *tables;
	struct arenas arenas;
	struct pool pool; /* of its translations */
	struct translation *checked;
	struct exit_table exits;
	struct pc_table pcs;
	uint32_t n_superblocks;
	struct plan *plan; /* see cache_plan */
	struct code_map code_map;
	struct pc_set guards;  /* see cache_note_guard */
	struct pc_set returns; /* return addresses of watched functions */
	struct x87_stores x87_stores;
	unsigned n_stale;
	bool full;
	bool counts; /* it has, or has had, superblocks that are only counted */
};

/* Leads a translation's exits to others, now or when there are some. */
void links_add(struct cache *cache, const struct translation *translation);

/* Makes what stands at a cache pc, of ASM_JUMP_BYTES at least, a jump to a translation in the same
 * arena. No other thread may be there. */
void links_write_jump(struct cache *cache, uint64_t pc, const struct translation *to);

/* Lets all indirect jumps end at the stub of misses. */
void indirect_clear(struct cache *cache);

/* The first superblock that is only counted is added. Many programs never have one. */
void indirect_begin_to_count(struct cache *cache);

/*
 * A prefix right before a superblock that is about to be translated: where it leads other targets to, how
 * many bytes it takes, and writing it when the superblock is there. False: memory is out.
 */
uint64_t indirect_others(struct cache *cache, struct arena *arena, const struct plan *plan);
enum { INDIRECT_PREFIX_BYTES = 48 };
bool indirect_add_before(struct arena *arena, struct translation *to, uint64_t others);

/* Lets indirect jumps enter a translation by its prefix. */
void indirect_enter(struct cache *cache, const struct translation *to);

/* Makes a translation's prefix lead on to others for every target. */
void indirect_unlink(struct cache *cache, struct translation *translation);

#endif
