/* SPDX-License-Identifier: MIT */
/*
 * The contents of the persistent code cache for one program: the superblocks that it has executed,
 * as trees (saved_superblock.h), in the order of their first execution. As bytes, in varints except
 * for the identities:
 *
 *	count of modules, an identity for each
 *	count of trees, then for each: age, size in bytes, the tree
 *	count of returns, then for each: module, offset
 *
 * The blocks of a tree are known by module and offset, so the trees serve at any address.
 */
#ifndef SAVED_PROGRAM_H
#define SAVED_PROGRAM_H

#include "recorder/translate/store/saved_superblock.h"
#include "traceformat/common/array.h"
#include "traceformat/common/hash_table.h"

/* The build-id of a module, else what identifies its file; zeroes fill it up. */
struct module_identity {
	uint8_t bytes[40];
};

/* A program is written again if more than this part, 1/32, of its trees is new. */
enum { SAVED_LEAST_SHARE = 32 };

struct saved_tree {
	uint64_t key;      /* the first block: saved_key() */
	uint32_t at, size; /* in the program's bytes */
	uint8_t age;       /* recordings since it was executed last */
	bool executed;     /* in this recording */
};

struct saved_program {
	ARRAY(struct module_identity) modules;
	ARRAY(struct saved_tree) trees;
	HASH_TABLE(struct tree_at {
		uint64_t key;
		uint32_t tree;
	})
	index;
	struct buffer bytes;
	ARRAY(uint32_t) order; /* trees executed in this recording, in the order of execution */
	uint32_t window;       /* for saved_superblocks.c: how many trees to load at a time */
	/* places where watched functions (functions.h) returned to */
	HASH_TABLE(struct saved_return { uint64_t key; }) returns;
	/* for saved_superblocks.c: the cache that watches them, and how many modules it had */
	const void *watched_by;
	unsigned watched_modules;
	uint32_t n_new; /* those of them that were not known, or differed */
};

/* Returns the place of a block as one number. The next functions take it apart. */
static inline uint64_t saved_key(uint32_t module, uint64_t offset)
{
	return (uint64_t)module << SAVED_OFFSET_BITS | offset;
}

static inline uint32_t saved_key_module(uint64_t key)
{
	return (uint32_t)(key >> SAVED_OFFSET_BITS);
}
static inline uint64_t saved_key_offset(uint64_t key)
{
	return key & ((UINT64_C(1) << SAVED_OFFSET_BITS) - 1);
}

void saved_program_free(struct saved_program *program);

/* Returns the number of a module, or SAVED_MODULES if it is not known. */
uint32_t saved_program_module(const struct saved_program *program,
			      const struct module_identity *identity);

/* Does the same, and adds the module. Returns SAVED_MODULES if there is no room. */
uint32_t saved_program_add_module(struct saved_program *program,
				  const struct module_identity *identity);

/* Returns the number of the tree with that key, or HASH_NONE. */
uint32_t saved_program_find(const struct saved_program *program, uint64_t key);

/* Returns the bytes of a tree. */
struct span saved_program_tree(const struct saved_program *program, uint32_t tree);

/*
 * Adds a tree that has been executed, as bytes, or puts it in the place of another one with its
 * key. Returns false if memory is out.
 */
bool saved_program_put(struct saved_program *program, uint64_t key, const struct buffer *tree);

/* Adds a place where a watched function has returned to. Returns false if memory is out. */
bool saved_program_put_return(struct saved_program *program, uint64_t key);

/*
 * Fills a zeroed program from bytes. Returns false if they are damaged, or memory is out; the
 * program is then empty.
 */
bool saved_program_parse(struct saved_program *program, const uint8_t *bytes, size_t size);

/*
 * Appends the program for the next recording: what has been executed, then what a few earlier
 * recordings have executed.
 */
void saved_program_write(const struct saved_program *program, struct buffer *buffer);

#endif
