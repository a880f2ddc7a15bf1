/* SPDX-License-Identifier: MIT */
#include "recorder/translate/store/saved_program.h"

enum {
	MOST_AGE = 3,          /* recordings for which a tree is kept that is not executed */
	MOST_BYTES = 64 << 20, /* of all trees */
	MOST_TREES = 1 << 20,
	MOST_RETURNS = 1 << 16,
};

void saved_program_free(struct saved_program *p)
{
	free(p->modules.at);
	free(p->trees.at);
	free(p->order.at);
	TABLE_FREE(p->index);
	TABLE_FREE(p->returns);
	buffer_free(&p->bytes);
	*p = (struct saved_program){ 0 };
}

uint32_t saved_program_module(const struct saved_program *p, const struct module_identity *identity)
{
	for (size_t i = 0; i < p->modules.count; i++)
		if (!memcmp(&p->modules.at[i], identity, sizeof(*identity)))
			return (uint32_t)i;
	return SAVED_MODULES;
}

uint32_t saved_program_add_module(struct saved_program *p, const struct module_identity *identity)
{
	uint32_t module = saved_program_module(p, identity);

	if (module < SAVED_MODULES || p->modules.count == SAVED_MODULES ||
	    !RESERVE(p->modules, p->modules.count + 1))
		return module;
	p->modules.at[p->modules.count] = *identity;
	return (uint32_t)p->modules.count++;
}

uint32_t saved_program_find(const struct saved_program *p, uint64_t key)
{
	const struct tree_at *at = TABLE_FIND(p->index, key);

	return at ? at->tree : HASH_NONE;
}

struct span saved_program_tree(const struct saved_program *p, uint32_t tree)
{
	const struct saved_tree *t = &p->trees.at[tree];

	return span_of(p->bytes.data + t->at, t->size);
}

/* Appends a tree with a new key. Its bytes are those that end the program's. */
static bool add(struct saved_program *p, const struct saved_tree *tree)
{
	struct tree_at *at;

	if (!RESERVE(p->trees, p->trees.count + 1))
		return false;
	at = TABLE_PUT(p->index, tree->key);
	if (!at)
		return false;
	at->tree = (uint32_t)p->trees.count;
	p->trees.at[p->trees.count++] = *tree;
	return true;
}

static bool mark_executed(struct saved_program *p, uint32_t tree)
{
	if (p->trees.at[tree].executed)
		return true;
	if (!RESERVE(p->order, p->order.count + 1))
		return false;
	p->order.at[p->order.count++] = tree;
	p->trees.at[tree].executed = true;
	return true;
}

static bool is_same(const struct saved_program *p, uint32_t tree, const struct buffer *b)
{
	struct span span = saved_program_tree(p, tree);

	return span_left(&span) == b->size && !memcmp(span.at, b->data, b->size);
}

bool saved_program_put(struct saved_program *p, uint64_t key, const struct buffer *b)
{
	uint32_t tree = saved_program_find(p, key);
	struct saved_tree put = { .key = key,
				  .at = (uint32_t)p->bytes.size,
				  .size = (uint32_t)b->size };

	if (tree != HASH_NONE && is_same(p, tree, b))
		return mark_executed(p, tree);
	if (p->bytes.size + b->size > MOST_BYTES || p->trees.count == MOST_TREES)
		return true;
	put_bytes(&p->bytes, b->data, b->size);
	if (p->bytes.failed)
		return false;
	p->n_new++;
	if (tree == HASH_NONE) {
		tree = (uint32_t)p->trees.count;
		if (!add(p, &put))
			return false;
	} else {
		p->trees.at[tree].at = put.at;
		p->trees.at[tree].size = put.size;
	}
	return mark_executed(p, tree);
}

bool saved_program_put_return(struct saved_program *p, uint64_t key)
{
	if (p->returns.count == MOST_RETURNS || TABLE_FIND(p->returns, key))
		return true;
	p->n_new++;
	return TABLE_PUT(p->returns, key);
}

/* ---- as bytes ---- */

static bool take_modules(struct saved_program *p, struct span *span)
{
	size_t n = take_varint_max(span, SAVED_MODULES);
	const uint8_t *identities = take_bytes(span, n * sizeof(struct module_identity));

	if (!identities || !RESERVE(p->modules, n + 1))
		return false;
	memcpy(p->modules.at, identities, n * sizeof(struct module_identity));
	p->modules.count = n;
	return true;
}

/* Returns the key of the tree, which must have valid superblocks and nothing else. */
static bool check_tree(const struct saved_program *p, struct span span, uint64_t *key)
{
	unsigned n = (unsigned)take_varint_max(&span, SAVED_TREE - 1) + 1;
	struct saved_superblock s;

	for (unsigned i = 0; i < n && !span.bad; i++) {
		saved_superblock_take(&span, i, (uint32_t)p->modules.count, &s);
		if (!i)
			*key = saved_key(s.blocks[0].module, s.blocks[0].offset);
	}
	return !span.bad && !span_left(&span);
}

static bool take_tree(struct saved_program *p, struct span *span)
{
	struct saved_tree tree = { .at = (uint32_t)p->bytes.size };
	const uint8_t *bytes;

	tree.age = (uint8_t)take_varint_max(span, MOST_AGE);
	tree.size = (uint32_t)take_varint_max(span, MOST_BYTES);
	bytes = take_bytes(span, tree.size);
	if (!bytes || p->bytes.size + tree.size > MOST_BYTES ||
	    !check_tree(p, span_of(bytes, tree.size), &tree.key) ||
	    saved_program_find(p, tree.key) != HASH_NONE)
		return false;
	put_bytes(&p->bytes, bytes, tree.size);
	return !p->bytes.failed && add(p, &tree);
}

static bool take_return(struct saved_program *p, struct span *span)
{
	uint64_t module = take_varint(span), offset = take_varint(span);

	return !span->bad && module < p->modules.count && !(offset >> SAVED_OFFSET_BITS) &&
	       saved_program_put_return(p, saved_key((uint32_t)module, offset));
}

bool saved_program_parse(struct saved_program *p, const uint8_t *bytes, size_t size)
{
	struct span span = span_of(bytes, size);
	bool taken = take_modules(p, &span);
	size_t n = taken ? take_varint_max(&span, MOST_TREES) : 0;

	for (size_t i = 0; i < n && taken; i++)
		taken = take_tree(p, &span);
	n = taken ? take_varint_max(&span, MOST_RETURNS) : 0;
	for (size_t i = 0; i < n && taken; i++)
		taken = take_return(p, &span);
	p->n_new = 0;
	if (taken && !span.bad && !span_left(&span))
		return true;
	saved_program_free(p);
	return false;
}

static bool is_kept(const struct saved_tree *t)
{
	return !t->executed && t->age < MOST_AGE;
}

static void write_tree(const struct saved_program *p, const struct saved_tree *t, unsigned age,
		       struct buffer *b)
{
	put_varint(b, age);
	put_varint(b, t->size);
	put_bytes(b, p->bytes.data + t->at, t->size);
}

void saved_program_write(const struct saved_program *p, struct buffer *b)
{
	size_t kept = 0;

	put_varint(b, p->modules.count);
	put_bytes(b, p->modules.at, p->modules.count * sizeof(*p->modules.at));
	for (size_t i = 0; i < p->trees.count; i++)
		kept += is_kept(&p->trees.at[i]);
	put_varint(b, p->order.count + kept);
	for (size_t i = 0; i < p->order.count; i++)
		write_tree(p, &p->trees.at[p->order.at[i]], 0, b);
	for (size_t i = 0; i < p->trees.count; i++)
		if (is_kept(&p->trees.at[i]))
			write_tree(p, &p->trees.at[i], p->trees.at[i].age + 1u, b);
	put_varint(b, p->returns.count);
	for (size_t i = 0; i < p->returns.count; i++) {
		put_varint(b, saved_key_module(p->returns.at[i].key));
		put_varint(b, saved_key_offset(p->returns.at[i].key));
	}
}
