/* SPDX-License-Identifier: MIT */
/*
 * Code of a file that is mapped privately and not writable is stable (space_is_stable()): only a
 * system call changes it, and then all translations of the address space are freed. Any other code
 * may change at any time. JIT compilers write it through the mapping that is executed, through
 * another mapping of the same memory, between two calls of mprotect, from another thread, or by
 * read(). Write-protecting its pages would miss some of these changes, and would fail system calls.
 * So translations of such code compare it (code_check.c), and a difference ends in a trap.
 *
 * The first instruction of a retired translation, a nop of five bytes, becomes a trap and later a
 * jump to the translation of the present code. If old code comes back, its translation does, too
 * (versions_find()). mprotect and munmap do not free these translations: they are suspended while
 * their code may not be executed (versions_follow()). If the code to be compared is gone, the load
 * faults in the cache, and the program is stepped there, so that it faults itself.
 *
 * Blocks are in the dictionary by their bytes, so the trace has each version that was executed.
 * Superblocks of such code are extended, but no superblock leads into the middle of one
 * (is_usable()).
 */
#include "recorder/translate/cache/versions.h"

#include <string.h>
#include <sys/mman.h>

#include "recorder/core/task.h"
#include "recorder/program/space.h"

/* Writes the nop. The first byte changes last, as in links.c. */
static void begin_with_nop(const struct cache *c, const struct translation *t)
{
	uint8_t *at = cache_local(c, t->code), nop[ASM_JUMP_BYTES];
	struct assembler as;

	asm_begin(&as, nop, sizeof(nop), t->code);
	asm_nop(&as);
	memcpy(at + 1, nop + 1, sizeof(nop) - 1);
	__atomic_store_n(at, nop[0], __ATOMIC_RELEASE);
}

static void begin_with_trap(const struct cache *c, const struct translation *t)
{
	asm_make_trap(cache_local(c, t->code));
}

static void make_live(struct cache *c, struct translation *t)
{
	begin_with_trap(c, t);
	begin_with_nop(c, t);
	t->status = TRANSLATION_LIVE;
}

void versions_retire(struct cache *c, struct translation *t)
{
	if (t->status != TRANSLATION_LIVE)
		return;
	begin_with_trap(c, t);
	t->status = TRANSLATION_STALE;
	cache_note_stale(c);
}

/* ---- the present version ---- */

static bool is_executable(const struct space *space, const struct translation *t)
{
	for (unsigned i = 0; i < t->n_blocks; i++) {
		const struct tf_block *b = &t->blocks[i]->trace;

		if (!space_allows(space, b->pc, b->pc + b->code_size, PROT_READ | PROT_EXEC))
			return false;
	}
	return true;
}

static bool is_there(const struct task *task, const struct translation *t)
{
	for (unsigned i = 0; i < t->n_blocks; i++) {
		const struct tf_block *b = &t->blocks[i]->trace;
		uint8_t code[CODE_BLOCK_BYTES];

		if (t->blocks[i]->may_change &&
		    (task_read_code(task, b->pc, code, b->code_size) < b->code_size ||
		     memcmp(code, b->code, b->code_size) != 0))
			return false;
	}
	return is_executable(task->process->space, t);
}

static bool is_retired(const struct translation *t)
{
	return t->status == TRANSLATION_STALE || t->status == TRANSLATION_SUSPENDED;
}

struct translation *versions_find(const struct task *task, struct cache *c, uint64_t pc,
				  bool counted)
{
	for (struct translation *t = cache_first(c, pc); t; t = t->next)
		if (t->counted == counted && is_retired(t) && is_there(task, t)) {
			make_live(c, t);
			cache_link(c, t);
			versions_lead(c, t);
			return t;
		}
	return NULL;
}

void versions_lead(struct cache *c, struct translation *live)
{
	for (struct translation *t = cache_first(c, live->pc); t; t = t->next)
		if (t->counted == live->counted && t->status == TRANSLATION_STALE) {
			begin_with_trap(c, t);
			cache_link_at(c, t->code, live);
		}
}

/* ---- mappings ---- */

static bool overlaps(const struct translation *t, uint64_t start, uint64_t end)
{
	for (unsigned i = 0; i < t->n_blocks; i++) {
		const struct tf_block *b = &t->blocks[i]->trace;

		if (b->pc < end && b->pc + b->code_size > start)
			return true;
	}
	return false;
}

void versions_follow(struct cache *c, struct space *space)
{
	for (struct translation *t = cache_checked(c); t; t = t->next_checked) {
		if (!overlaps(t, space->moved_start, space->moved_end))
			continue;
		if (t->status == TRANSLATION_LIVE && !is_executable(space, t)) {
			begin_with_trap(c, t);
			t->status = TRANSLATION_SUSPENDED;
		} else if (t->status == TRANSLATION_SUSPENDED && is_executable(space, t)) {
			make_live(c, t);
		}
	}
	space->moved_start = space->moved_end = 0;
}
