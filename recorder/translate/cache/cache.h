/* SPDX-License-Identifier: MIT */
/*
 * Holds the translations of an address space, or of several that have the same code, in arenas near
 * the program's code, and links them. An exit with a known target asks for a translation until the
 * exit is linked to one. An indirect jump looks up the target's low 16 bits in a table, whose
 * entries lead to prefixes; a prefix compares the whole target, and jumps to the next prefix if it
 * differs.
 *
 * Other threads may run in the cache while the first translation of a pc is added, or one of code
 * that may change, because the code that they can reach changes by single stores only. These
 * functions require that no other thread is in the cache: cache_add() of a further translation,
 * cache_extend(), cache_replace() and cache_flush().
 */
#ifndef CACHE_H
#define CACHE_H

#include "recorder/translate/cache/arenas.h"
#include "recorder/translate/cache/code_map.h"
#include "recorder/translate/cache/exit_table.h"
#include "recorder/translate/emit/context.h"

struct cache;
struct saved_program;

/* Creates a cache for the task's process, with tables and with arenas near its stable code. Returns
 * NULL if there is no memory. */
struct cache *cache_new(struct task *task);

/* Adds an address space, which has the cache's memory mapped already, to the users. */
struct cache *cache_share(struct cache *cache);
unsigned cache_users(const struct cache *cache);

/* Removes an address space from the users. */
void cache_leave(struct cache *cache);

/*
 * Frees a cache without users, and its translations. Processes keep their mappings until they end.
 */
void cache_free(struct cache *cache);

/* Maps the cache's memory in the process of a synchronized task. Returns false, with nothing
 * mapped, on failure. */
bool cache_map(struct cache *cache, struct task *task);

/* Returns the map of the code that the cache has translations of. */
struct code_map *cache_code_map(struct cache *cache);

/* Returns what the persistent code cache on disk knows of the program that the cache was made for;
 * NULL: nothing, and nothing is to be saved. */
struct saved_program *cache_saved(const struct cache *cache);

/* Returns true if it knows superblocks of the program. */
bool cache_has_saved(const struct cache *cache);

/* Records that a superblock was translated because the saved program has it. */
void cache_note_loaded(struct cache *cache);

/* Returns the bytes of translated code. */
size_t cache_bytes(const struct cache *cache);

/* Returns the number of superblocks that the cache holds. */
unsigned cache_superblocks(const struct cache *cache);

/* Returns the address of the tables in the cache's processes. */
uint64_t cache_tables(const struct cache *cache);

/*
 * Returns the block at pc, or NULL if the cache has none. The block is true to the program's
 * present code: a change that may concern it makes the cache stale, and the blocks are then
 * forgotten.
 */
struct code_block *cache_block(const struct cache *cache, uint64_t pc);

/* Fetches what the cache knows of pc, which is looked for soon, into the processor's cache. */
void cache_fetch(const struct cache *cache, uint64_t pc);

/* Keeps a block of stable code, if there is memory. */
void cache_keep_block(struct cache *cache, struct code_block *block);

/*
 * Returns room for the plan of the next translation. A plan is too large to be allocated each time.
 */
struct plan *cache_plan(const struct cache *cache);

/* Returns the newest live translation of a superblock that begins at pc, or NULL. `counted` selects
 * counting variants or recording translations. */
struct translation *cache_find(const struct cache *cache, uint64_t pc, bool counted);

/* Returns the bounded superblock at pc, or NULL. */
struct translation *cache_find_bounded(const struct cache *cache, uint64_t pc);

/* Returns the first of all translations that begin at pc, or NULL; `next` links the others. */
struct translation *cache_first(const struct cache *cache, uint64_t pc);

/* Returns the list of all translations of code that may change. */
struct translation *cache_checked(const struct cache *cache);

/* Returns the recorder's address of the byte at a cache pc. */
uint8_t *cache_local(const struct cache *cache, uint64_t pc);

/* Links the trap or exit jump at a cache pc to a translation, if there is room. */
void cache_link_at(struct cache *cache, uint64_t trap, struct translation *to);

/* Links all exits to the translation's pc to it. */
void cache_link(struct cache *cache, struct translation *to);

/*
 * Makes the counting variants at pc begin with a trap, except those of code that may change. No
 * task is in the cache, or the variants are new. Returns false if memory is out.
 */
bool cache_arm(struct cache *cache, uint64_t pc);

/* Takes all of these traps away. No task is in the cache. */
void cache_disarm(struct cache *cache);

/* Counts one more stale translation. Too many of them cause a flush. */
void cache_note_stale(struct cache *cache);

enum cache_status { CACHE_ADDED, CACHE_FAR, CACHE_FULL, CACHE_CROWDED, CACHE_AWAY };

/*
 * Translates a plan. Returns one of these, or -1 with session->error:
 *
 *	CACHE_ADDED	with *translation
 *	CACHE_FAR	if instruction *insn refers to memory too far away
 *	CACHE_FULL	if there is no room
 *	CACHE_CROWDED	if there is no room near the code, and other processes
 *			would lack a new arena
 *	CACHE_AWAY	if a new arena is needed and the task cannot get one,
 *			as it is running
 */
int cache_add(struct cache *cache, struct task *task, struct plan *plan,
	      struct translation **translation, unsigned *insn);

/*
 * Translates a plan that equals the superblock up to an exit that has a side exit, and continues
 * from there, with a guard if the exit is indirect. The exit then jumps to the rest of the new
 * translation. Returns the same values as cache_add().
 */
int cache_extend(struct cache *cache, struct task *task, struct plan *plan,
		 struct translation *superblock, unsigned exit, struct translation **extension,
		 unsigned *insn);

/*
 * Replaces an older translation by one that was added for the same pc. Returns false if the task,
 * stopped at cache pc `stopped`, stands in code that would change.
 */
bool cache_replace(struct cache *cache, struct translation *old, struct translation *with,
		   uint64_t stopped);

/* Returns true if indirect jumps (returns) to pc are recorded. */
bool cache_watches_return(const struct cache *cache, uint64_t pc);

/* Records that a superblock continues past an indirect jump to pc without the cache's prefixes. */
bool cache_note_guard(struct cache *cache, uint64_t pc);
bool cache_has_guard(const struct cache *cache, uint64_t pc);

/* Links indirect jumps to the translation's pc to it, if there is room. */
void cache_link_indirect(struct cache *cache, struct translation *to);

/* Makes each indirect jump (return) to pc write a return record first. */
void cache_watch_return(struct cache *cache, uint64_t pc);

/* Discards all translations. No thread may be inside, and no record may be unread. */
void cache_flush(struct cache *cache);

/* Returns true if the cache has lost translations that its processes had executed. */
bool cache_was_flushed(const struct cache *cache);

/* Returns true if there was no room, so that the cache has to be flushed. */
bool cache_is_full(const struct cache *cache);

struct cache_exit cache_exit(const struct cache *cache, uint32_t number);
uint32_t cache_exits(const struct cache *cache);

/* Returns trace exit ids by exit number. An id is TF_NONE until cache_set_trace_exit(), and as long
 * as records of the exit need more than being appended. */
const uint32_t *cache_trace_exits(const struct cache *cache);
void cache_set_trace_exit(struct cache *cache, uint32_t number, uint32_t id);

/* Returns the kind of place at a cache pc; see arenas.h. */
enum cache_place cache_where(const struct cache *cache, uint64_t pc,
			     struct translation **superblock);

/* Returns true at the trap of indirect jumps that have no translation as target. */
bool cache_at_miss(const struct cache *cache, uint64_t pc);

/* Returns the request stub (CACHE_REQUEST) at a cache pc, or NULL. */
const struct request_stub *cache_request_stub(const struct cache *cache, uint64_t pc);

/* Returns which registers of the program are still spilled at a cache pc in an indirect jump's
 * lookup (CACHE_INDIRECT, CACHE_MISS), as enum state_flags. While TARGET_REGISTER is spilled, it
 * holds the target. */
uint16_t cache_lookup_flags(const struct cache *cache, uint64_t pc);

/* Returns the pending count at a cache pc in the lookup of a jump to a superblock. */
int cache_lookup_pending(const struct cache *cache, const struct translation *to, uint64_t pc);

/* Returns the call stub (CACHE_CALL) at a cache pc, or NULL. */
const struct call_stub *cache_call_stub(const struct cache *cache, uint64_t pc);

/*
 * Returns true if x87 instructions run in the cache, so that the x87 pointers hold addresses in it.
 */
bool cache_has_x87(const struct cache *cache);

/* Prepares the cache for a task that enters it with x87 pointers of its own. */
void cache_enter_with_x87(struct cache *cache);

/* Returns true after an instruction that has stored the x87 pointers. */
bool cache_at_x87_store(const struct cache *cache, uint64_t pc);

/* Returns the cache pc of an x87 instruction from the low bytes of its address, or 0 if there is
 * none. */
uint64_t cache_x87_pc(const struct cache *cache, uint64_t low, unsigned n_bytes);

/*
 * Returns the size in bytes of the record at `from` in a task's buffer, or 0 if there is none. Sets
 * *exit to the exit that the record stands for; its translation is NULL if the record is not a
 * superblock's.
 */
unsigned cache_record_size(const struct session *session, const struct cache *cache,
			   const uint8_t *from, struct cache_exit *exit);

#endif
