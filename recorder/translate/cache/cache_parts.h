/* SPDX-License-Identifier: MIT */
/* The structure of a cache, for the files that implement it: cache.c uses links.c, links.c uses
 * indirect.c, and all of them use contents.c. cache.c uses collect.c, too. */
#ifndef CACHE_PARTS_H
#define CACHE_PARTS_H

#include "recorder/translate/cache/cache.h"
#include "recorder/translate/cache/pc_table.h"
#include "recorder/translate/cache/x87_stores.h"
#include "traceformat/common/hash_table.h"

/* A set of addresses in the program. */
struct pc_key {
	uint64_t key;
};
typedef HASH_TABLE(struct pc_key) pc_set;

struct cache {
	struct session *session;
	unsigned users;       /* number of address spaces */
	struct shared memory; /* memory of the tables */
	struct tables *tables;
	struct arenas arenas;
	struct pool pool; /* memory of the translations */
	struct translation *checked;
	struct exit_table exits;
	struct pc_table pcs;
	uint32_t n_superblocks;
	struct plan *plan; /* see cache_plan() */
	struct code_map code_map;
	pc_set guards;  /* see cache_note_guard() */
	pc_set returns; /* return addresses of watched functions */
	struct x87_stores x87_stores;
	ARRAY(struct translation *) armed; /* see cache_arm() */
	unsigned n_stale;
	struct saved_program *saved; /* see cache_saved() */
	uint32_t n_translated;       /* superblocks, with extensions */
	uint32_t n_loaded;           /* those that the saved program has provided */
	bool full;
	bool flushed; /* see cache_was_flushed() */
	bool counts;  /* the cache has, or has had, counting variants */
};

/* Links a translation's exits to others, now or when the targets are translated. */
void links_add(struct cache *cache, const struct translation *translation);

/* Replaces the ASM_JUMP_BYTES or more at a cache pc by a jump to a translation in the same arena.
 * No other thread may be there. */
void links_write_jump(struct cache *cache, uint64_t pc, const struct translation *to);

/*
 * Adds the superblocks that have been executed to the cache's saved program, if it has one
 * (saved_programs.h). The translations are about to be freed, and all their records have been read.
 * Code that may change is left out.
 */
void collect_executed(const struct cache *cache);

/* Makes all indirect jumps end at the miss stub. */
void indirect_clear(struct cache *cache);

/* Prepares the tables for the first counting variant. Many programs never have one. */
void indirect_begin_to_count(struct cache *cache);

/*
 * Write the prefix in front of a superblock. The prefix has INDIRECT_PREFIX_BYTES.
 * indirect_others(), called before the superblock is translated, returns where the prefix sends
 * other targets. indirect_add_before() writes the prefix, and returns false if memory is out.
 */
uint64_t indirect_others(struct cache *cache, struct arena *arena, const struct plan *plan);
enum { INDIRECT_PREFIX_BYTES = 48 };
bool indirect_add_before(struct arena *arena, struct translation *to, uint64_t others);

/* Lets indirect jumps enter a translation by its prefix. */
void indirect_enter(struct cache *cache, const struct translation *to);

/* Makes a translation's prefix pass every target to the next prefix. */
void indirect_unlink(struct cache *cache, struct translation *translation);

#endif
