/* SPDX-License-Identifier: MIT */
/*
 * The translations of an address space, or of several that have the same code, in code arenas that
 * lie near the program's code, and how control gets from one to the next: exits with a known target
 * ask for a translation of it until they are led to one; indirect jumps look the
 * target's low 16 bits up in a table, whose entries lead to prefixes that compare the whole target
 * and hand on to each other.
 *
 * Other threads may run in the cache while a first translation of a pc is added, or a checked one:
 * what they can already reach changes by single stores. What changes more needs them out of it:
 * cache_add of another one, cache_extend, cache_replace, cache_flush.
 */
#ifndef CACHE_H
#define CACHE_H

#include "recorder/translate/cache/arenas.h"
#include "recorder/translate/cache/code_map.h"
#include "recorder/translate/cache/exit_table.h"
#include "recorder/translate/emit/context.h"

struct cache;

/* For the task's process, which gets the tables, and arenas near its stable code. NULL: there is no
 * memory. */
struct cache *cache_new(struct task *task);

/* One more address space uses it; its memory is mapped there already. */
struct cache *cache_share(struct cache *cache);
unsigned cache_users(const struct cache *cache);

/* One less uses it. */
void cache_leave(struct cache *cache);

/* Frees it and its translations; nobody uses it. Processes keep the memory; it is gone with them. */
void cache_free(struct cache *cache);

/* Maps its memory in the process of a synchronized task. False: it cannot be, and nothing is. */
bool cache_map(struct cache *cache, struct task *task);

/* What it has translations of. */
struct code_map *cache_code_map(struct cache *cache);

/* Bytes of translated code. */
size_t cache_bytes(const struct cache *cache);

/* Superblocks that it has, and has not thrown away. */
unsigned cache_superblocks(const struct cache *cache);

/* Where its processes have the tables. */
uint64_t cache_tables(const struct cache *cache);

/*
 * The block at pc, if it is one that can be translated, as the program's code is now, or NULL: they
 * are forgotten when it may have changed, which makes the cache stale.
 */
struct code_block *cache_block(const struct cache *cache, uint64_t pc);

/* Keeps a block of stable code, if there is memory. */
void cache_keep_block(struct cache *cache, struct code_block *block);

/* Returns room for the plan of the superblock to be translated next: too much to be allocated for each. */
struct plan *cache_plan(const struct cache *cache);

/* Returns the live translation of a superblock that begins at pc, the newest, of those that are only
 * counted or of the others; or NULL. */
struct translation *cache_find(const struct cache *cache, uint64_t pc, bool counted);

/* Returns the brief one, or NULL. */
struct translation *cache_find_bounded(const struct cache *cache, uint64_t pc);

/* The first of all translations that begin at pc, or NULL; their `next` are the others. */
struct translation *cache_first(const struct cache *cache, uint64_t pc);

/* All translations of code that may change. */
struct translation *cache_checked(const struct cache *cache);

/* Where the recorder has what is at a cache pc. */
uint8_t *cache_local(const struct cache *cache, uint64_t pc);

/* Leads the trap, or an exit's jump, at a cache pc to a translation, if there is room. */
void cache_lead(struct cache *cache, uint64_t trap, struct translation *to);

/* Leads the exits to its pc to it. */
void cache_link(struct cache *cache, struct translation *to);

/* One more translation is stale; it is to be flushed with too many of them. */
void cache_note_stale(struct cache *cache);

enum cache_status { CACHE_ADDED, CACHE_FAR, CACHE_FULL, CACHE_CROWDED, CACHE_AWAY };

/*
 * Translates a plan. Returns CACHE_ADDED with *translation; CACHE_FAR: instruction *insn refers to
 * memory too far away; CACHE_FULL: there is no room; CACHE_CROWDED: there is none near it, and
 * other processes would not have a new arena; CACHE_AWAY: nor can the task get one, as it is
 * running; or -1 with session->error.
 */
int cache_add(struct cache *cache, struct task *task, struct plan *plan,
	      struct translation **translation, unsigned *insn);

/*
 * Translates a plan that begins as the superblock does up to an exit that has a way, and goes on there,
 * with a guard if the exit is indirect: from now on the exit leads to the rest of it. Returns as
 * cache_add does.
 */
int cache_extend(struct cache *cache, struct task *task, struct plan *plan,
		 struct translation *superblock, unsigned exit, struct translation **extension,
		 unsigned *insn);

/*
 * Lets a translation, added for the same pc, take the place of an older one. False: the task that
 * is stopped at cache pc `stopped` stands where the older one would be changed.
 */
bool cache_replace(struct cache *cache, struct translation *old, struct translation *with,
		   uint64_t stopped);

/* True if indirect jumps (returns) to pc are told. */
bool cache_watches_return(const struct cache *cache, uint64_t pc);

/* Notes that a superblock goes on behind an indirect jump to pc, without the cache's prefixes. */
bool cache_note_guard(struct cache *cache, uint64_t pc);
bool cache_has_guard(const struct cache *cache, uint64_t pc);

/* Leads indirect jumps to the translation's pc to it. Without room nothing happens. */
void cache_link_indirect(struct cache *cache, struct translation *to);

/* From now on, where an indirect jump (a return) leads to pc, a return record is written first. */
void cache_watch_return(struct cache *cache, uint64_t pc);

/* Forgets all translations; no thread may be inside, no record unread. */
void cache_flush(struct cache *cache);

/* True if there was no room: it is to be flushed. */
bool cache_is_full(const struct cache *cache);

struct cache_exit cache_exit(const struct cache *cache, uint32_t number);
uint32_t cache_exits(const struct cache *cache);

/* By number: the exit's id in the trace, or TF_NONE if records of it need more than being
 * appended; until cache_set_trace_exit says so they do. */
const uint32_t *cache_trace_exits(const struct cache *cache);
void cache_set_trace_exit(struct cache *cache, uint32_t number, uint32_t id);

/* What stands at a cache pc, see arenas.h. */
enum cache_place cache_where(const struct cache *cache, uint64_t pc,
			     struct translation **superblock);

/* True at the trap where indirect jumps end that lead to no translation. */
bool cache_at_miss(const struct cache *cache, uint64_t pc);

/* The stub that a cache pc is in (CACHE_REQUEST), or NULL. */
const struct request_stub *cache_request_stub(const struct cache *cache, uint64_t pc);

/* What an indirect jump, at a cache pc on its way (CACHE_INDIRECT, CACHE_MISS), has still spilled of the
 * program's registers: enum state_flags. While TARGET_REGISTER is, that has the target. */
uint16_t cache_lookup_flags(const struct cache *cache, uint64_t pc);

/* What it has in pending count there, on the way to a superblock. */
int cache_lookup_pending(const struct cache *cache, const struct translation *to, uint64_t pc);

/* The stub that a cache pc is in (CACHE_CALL), or NULL. */
const struct call_stub *cache_call_stub(const struct cache *cache, uint64_t pc);

/* True if x87 instructions run there, so that addresses in the cache are in the x87 pointers. */
bool cache_has_x87(const struct cache *cache);

/* A task with x87 pointers of its own enters. */
void cache_enter_with_x87(struct cache *cache);

/* True behind an instruction that has stored them. */
bool cache_at_x87_store(const struct cache *cache, uint64_t pc);

/* Where in the cache the x87 instruction is of which only the low bytes of the address are known; 0: nowhere. */
uint64_t cache_x87_pc(const struct cache *cache, uint64_t low, unsigned n_bytes);

#endif
