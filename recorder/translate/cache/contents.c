/* SPDX-License-Identifier: MIT */
/* Looks up the contents of a cache: by pc, by number, and by cache pc. */
#include "recorder/translate/cache/cache_parts.h"
#include "recorder/translate/store/saved_program.h"

uint64_t cache_tables(const struct cache *c)
{
	return c->memory.remote;
}

struct code_block *cache_block(const struct cache *c, uint64_t pc)
{
	const struct pc_entry *at = pc_table_find(&c->pcs, pc);

	return at ? at->block : NULL;
}

void cache_fetch(const struct cache *c, uint64_t pc)
{
	pc_table_fetch(&c->pcs, pc);
}

void cache_keep_block(struct cache *c, struct code_block *b)
{
	if (pc_table_reserve(&c->pcs, 1))
		pc_table_at(&c->pcs, b->trace.pc)->block = b;
}

struct plan *cache_plan(const struct cache *c)
{
	return c->plan;
}

struct saved_program *cache_saved(const struct cache *c)
{
	return c->saved;
}

bool cache_has_saved(const struct cache *c)
{
	return c->saved && c->saved->trees.count;
}

void cache_note_loaded(struct cache *c)
{
	c->n_loaded++;
}

struct code_map *cache_code_map(struct cache *c)
{
	return &c->code_map;
}

size_t cache_bytes(const struct cache *c)
{
	return arenas_bytes(&c->arenas);
}

unsigned cache_superblocks(const struct cache *c)
{
	return c->n_superblocks;
}

struct translation *cache_first(const struct cache *c, uint64_t pc)
{
	const struct pc_entry *at = pc_table_find(&c->pcs, pc);

	return at ? at->first : NULL;
}

struct translation *cache_find(const struct cache *c, uint64_t pc, bool counted)
{
	struct translation *t = cache_first(c, pc);

	while (t && (t->status != TRANSLATION_LIVE || t->counted != counted || t->bounded))
		t = t->next;
	return t;
}

struct translation *cache_find_bounded(const struct cache *c, uint64_t pc)
{
	struct translation *t = cache_first(c, pc);

	while (t && !t->bounded)
		t = t->next;
	return t;
}

struct translation *cache_checked(const struct cache *c)
{
	return c->checked;
}

const uint32_t *cache_trace_exits(const struct cache *c)
{
	return c->exits.trace_ids;
}

void cache_set_trace_exit(struct cache *c, uint32_t number, uint32_t id)
{
	/* An encoder that loads the id then sees the path in the trace, too. */
	__atomic_store_n(&c->exits.trace_ids[number], id, __ATOMIC_RELEASE);
}

struct cache_exit cache_exit(const struct cache *c, uint32_t number)
{
	return c->exits.exits[number];
}

uint32_t cache_exits(const struct cache *c)
{
	return atomic_load_explicit(&c->exits.count, memory_order_acquire);
}

uint8_t *cache_local(const struct cache *c, uint64_t pc)
{
	return arena_local(arenas_of(&c->arenas, pc), pc);
}

enum cache_place cache_where(const struct cache *c, uint64_t pc, struct translation **superblock)
{
	return arenas_where(&c->arenas, pc, superblock);
}

bool cache_at_miss(const struct cache *c, uint64_t pc)
{
	const struct arena *a = arenas_of(&c->arenas, pc);

	return a && request_stub_traps(&a->miss, pc);
}

const struct request_stub *cache_request_stub(const struct cache *c, uint64_t pc)
{
	struct translation *none;

	return cache_where(c, pc, &none) == CACHE_REQUEST ? &arenas_of(&c->arenas, pc)->request
							  : NULL;
}

const struct call_stub *cache_call_stub(const struct cache *c, uint64_t pc)
{
	struct translation *none;
	const struct arena *a;

	if (cache_where(c, pc, &none) != CACHE_CALL)
		return NULL;
	a = arenas_of(&c->arenas, pc);
	return arenas_piece(&c->arenas, pc) == a->call.pc ? &a->call : &a->counted_call;
}

/* ---- x87 pointers ---- */

bool cache_has_x87(const struct cache *c)
{
	return c->x87_stores.armed;
}

void cache_enter_with_x87(struct cache *c)
{
	x87_stores_arm(&c->x87_stores, &c->arenas);
}

bool cache_at_x87_store(const struct cache *c, uint64_t pc)
{
	return c->x87_stores.armed && x87_stores_has(&c->x87_stores, pc);
}

uint64_t cache_x87_pc(const struct cache *c, uint64_t low, unsigned n_bytes)
{
	const uint64_t known = n_bytes < sizeof(low) ? (UINT64_C(1) << 8 * n_bytes) - 1
						     : UINT64_MAX;

	for (unsigned i = 0; i < c->arenas.count; i++) {
		const struct shared *m = &c->arenas.list[i]->memory;
		uint64_t pc = (m->remote & ~known) | (low & known);

		if (pc < m->remote)
			pc += known + 1;
		if (pc - m->remote < m->size)
			return pc;
	}
	return 0;
}
