/* SPDX-License-Identifier: MIT */
#include "recorder/translate/cache/arenas.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "traceformat/common/pages.h"

enum { ARENA_BYTES = 64 << 20, ALIGNMENT = 16 };

struct piece {
	uint64_t pc;
	enum cache_place place;
	struct translation *superblock;
};

uint64_t arena_next_pc(const struct arena *a)
{
	return a->memory.remote + a->used;
}

uint8_t *arena_local(const struct arena *a, uint64_t pc)
{
	return a->memory.local + (pc - a->memory.remote);
}

/* ---- filling an arena ---- */

static bool add_piece(struct arena *a, uint64_t pc, enum cache_place place,
		      struct translation *superblock)
{
	if (!RESERVE(a->pieces, a->pieces.count + 1))
		return false;
	a->pieces.at[a->pieces.count++] = (struct piece){ pc, place, superblock };
	return true;
}

static void use(struct arena *a, size_t bytes)
{
	a->used += (bytes + ALIGNMENT - 1) & -(size_t)ALIGNMENT;
	pages_provide(a->memory.local, a->memory.size, a->used, &a->ready);
}

void arena_begin(const struct arena *a, struct assembler *as)
{
	asm_begin(as, a->memory.local + a->used, a->memory.size - a->used, arena_next_pc(a));
}

bool arena_keep(struct arena *a, struct assembler *as, enum cache_place place,
		struct translation *superblock)
{
	if (!asm_end(as) || !add_piece(a, as->pc, place, superblock))
		return false;
	use(a, (size_t)(as->at - as->start));
	return true;
}

bool arena_keep_path(struct arena *a, struct translation *superblock)
{
	if (!add_piece(a, superblock->code, CACHE_SUPERBLOCK, superblock))
		return false;
	use(a, superblock->size);
	return true;
}

static bool empty(struct arena *a)
{
	struct assembler as;

	a->used = a->pieces.count = 0;
	arena_begin(a, &as);
	request_stub_emit_miss(&as, &a->miss);
	if (!arena_keep(a, &as, CACHE_MISS, NULL))
		return false;
	arena_begin(a, &as);
	request_stub_emit_exit(&as, &a->request);
	if (!arena_keep(a, &as, CACHE_REQUEST, NULL))
		return false;
	arena_begin(a, &as);
	call_stub_emit(&as, &a->call, false);
	if (!arena_keep(a, &as, CACHE_CALL, NULL))
		return false;
	arena_begin(a, &as);
	call_stub_emit(&as, &a->counted_call, true);
	return arena_keep(a, &as, CACHE_CALL, NULL);
}

/* ---- all arenas ---- */

static void free_arena(struct arena *a)
{
	shared_unmap(&a->memory);
	free(a->pieces.at);
	free(a);
}

struct arena *arenas_add(struct arenas *all, struct task *t, uint64_t pc)
{
	uint64_t place = all->count < ARENAS_MOST ? shared_place(t, pc, ARENA_BYTES) : 0;
	struct arena *a = place ? calloc(1, sizeof(*a)) : NULL;

	if (!a)
		return NULL;
	if (shared_map(t, &a->memory, place, ARENA_BYTES, PROT_READ | PROT_EXEC, SHARED_INHERITED) <
		    0 ||
	    !empty(a)) {
		free_arena(a);
		return NULL;
	}
	all->list[all->count++] = a;
	return a;
}

bool arenas_map_there(const struct arenas *all, struct task *t)
{
	for (unsigned i = 0; i < all->count; i++)
		if (shared_map_there(t, &all->list[i]->memory, PROT_READ | PROT_EXEC) < 0)
			return false;
	return true;
}

void arenas_empty(struct arenas *all)
{
	for (unsigned i = 0; i < all->count; i++)
		empty(all->list[i]);
}

void arenas_free(struct arenas *all)
{
	for (unsigned i = 0; i < all->count; i++)
		free_arena(all->list[i]);
	all->count = 0;
}

size_t arenas_bytes(const struct arenas *all)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < all->count; i++)
		bytes += all->list[i]->used;
	return bytes;
}

/* ---- look-up ---- */

static uint64_t distance(const struct arena *a, uint64_t pc)
{
	const struct shared *m = &a->memory;

	return pc > m->remote ? pc - m->remote : m->remote + m->size - pc;
}

struct arena *arenas_nearest(const struct arenas *all, uint64_t pc)
{
	struct arena *nearest = NULL;

	for (unsigned i = 0; i < all->count; i++)
		if (!nearest || distance(all->list[i], pc) < distance(nearest, pc))
			nearest = all->list[i];
	return nearest;
}

struct arena *arenas_near(const struct arenas *all, uint64_t pc)
{
	static const uint64_t reach = UINT64_C(5) << 28;
	struct arena *a = arenas_nearest(all, pc);

	return a && distance(a, pc) < reach ? a : NULL;
}

struct arena *arenas_of(const struct arenas *all, uint64_t pc)
{
	for (unsigned i = 0; i < all->count; i++)
		if (pc - all->list[i]->memory.remote < all->list[i]->memory.size)
			return all->list[i];
	return NULL;
}

static const struct piece *find_piece(const struct arena *a, uint64_t pc)
{
	size_t low = 0, high = a->pieces.count;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (a->pieces.at[middle].pc <= pc)
			low = middle;
		else
			high = middle;
	}
	return &a->pieces.at[low];
}

enum cache_place arenas_where(const struct arenas *all, uint64_t pc,
			      struct translation **superblock)
{
	const struct arena *a = arenas_of(all, pc);
	const struct piece *piece = a ? find_piece(a, pc) : NULL;

	*superblock = piece ? piece->superblock : NULL;
	return piece ? piece->place : CACHE_ELSEWHERE;
}

uint64_t arenas_piece(const struct arenas *all, uint64_t pc)
{
	return find_piece(arenas_of(all, pc), pc)->pc;
}
