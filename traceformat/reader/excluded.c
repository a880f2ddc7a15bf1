/* SPDX-License-Identifier: MIT */
/* The code that META's lines "excluded.N" name, see FORMAT.md 3.1. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traceformat/common/array.h"
#include "traceformat/common/error.h"
#include "traceformat/common/sorted.h"
#include "traceformat/reader/reader.h"

struct extent {
	uint64_t start, end;
	const char *module; /* path, or "" */
};

struct extents {
	struct extent *at;
	size_t count, capacity;
};

static bool parse(const char *text, struct extent *extent)
{
	char reason[16];
	int used = 0;

	if (sscanf(text, "%15s %" SCNx64 "-%" SCNx64 "%n", reason, &extent->start, &extent->end,
		   &used) < 3 ||
	    text[used] != ' ')
		return false;
	extent->module = text + used + 1;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;
	int modules = strcmp(x->module, y->module);

	if (modules)
		return modules;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* Sorts the extents. Each then ends where the code of all before it in the module has ended. */
static void sort(struct extents *extents)
{
	if (extents->count)
		qsort(extents->at, extents->count, sizeof(*extents->at), compare);
	for (size_t i = 1; i < extents->count; i++) {
		const struct extent *before = &extents->at[i - 1];
		struct extent *e = &extents->at[i];

		if (!strcmp(before->module, e->module) && before->end > e->end)
			e->end = before->end;
	}
}

/* Returns true if the block is in one of the sorted extents. */
static bool has(const struct extents *extents, const struct tf_reader *r, const struct tf_block *b)
{
	const struct tf_module *module = b->module == TF_NONE ? NULL : tf_module(r, b->module);
	const struct extent wanted = { .start = module ? b->module_offset : b->pc,
				       .module = module ? module->path : "" };
	size_t end = PARTITION_POINT(extents->at, extents->count, e, compare(e, &wanted) <= 0);

	return end && !strcmp(extents->at[end - 1].module, wanted.module) &&
	       wanted.start < extents->at[end - 1].end;
}

static bool read_extents(struct tf_reader *r, struct extents *extents)
{
	const char *key, *value;

	for (size_t i = 0; (key = tf_meta_at(r, i, &value)); i++) {
		struct extent extent;

		if (strncmp(key, "excluded.", strlen("excluded.")) != 0 || !parse(value, &extent))
			continue;
		if (!RESERVE(*extents, extents->count + 1))
			return false;
		extents->at[extents->count++] = extent;
	}
	return true;
}

int tf_excluded_blocks(struct tf_reader *r, bool **excluded, struct tf_error *error)
{
	struct extents extents = { 0 };
	uint32_t n;
	bool good;

	if (tf_load(r, error) < 0)
		return error->status;
	n = tf_n_blocks(r);
	good = read_extents(r, &extents);

	*excluded = good && extents.count ? calloc(n + 1u, sizeof(**excluded)) : NULL;
	good &= !extents.count || *excluded;
	sort(&extents);
	for (uint32_t i = 0; *excluded && i < n; i++) {
		const struct tf_block *block = tf_block(r, i);

		(*excluded)[i] = block && has(&extents, r, block);
	}
	free(extents.at);
	return good ? 0 : fail(error, TF_E_MEMORY, "out of memory");
}
