/* SPDX-License-Identifier: MIT */
#include "recorder/program/excluded_code.h"

#include <stdio.h>
#include <stdlib.h>

#include "recorder/core/output.h"
#include "recorder/program/dictionary.h"
#include "recorder/program/modules.h"
#include "traceformat/common/array.h"

/* Adjoining code of a module. */
struct extent {
	uint32_t module;
	uint64_t start, end; /* module offsets; of code in no module, addresses */
	uint8_t reason;      /* enum tf_exclusion */
};

struct extents {
	struct extent *at;
	size_t count, capacity;
};

static bool add(const struct code_block *block, void *opaque)
{
	struct extents *extents = opaque;
	const struct tf_block *b = &block->trace;
	uint64_t start = b->module == TF_NONE ? b->pc : b->module_offset;
	struct extent extent = { b->module, start, start + b->code_size, block->excluded };

	if (!block->excluded || b->id == TF_NONE)
		return true;
	if (!RESERVE(*extents, extents->count + 1))
		return false;
	if (block->excluded == TF_EXCLUDED_MODULE) {
		extent.start = 0;
		extent.end = UINT64_MAX;
	}
	extents->at[extents->count++] = extent;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->reason != y->reason)
		return x->reason < y->reason ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* Joins extents that adjoin or overlap. */
static void join(struct extents *extents)
{
	size_t n = 0;

	for (size_t i = 0; i < extents->count; i++) {
		const struct extent e = extents->at[i];
		struct extent *last = n ? &extents->at[n - 1] : NULL;

		if (last && last->module == e.module && last->reason == e.reason &&
		    e.start <= last->end) {
			last->end = e.end > last->end ? e.end : last->end;
			continue;
		}
		extents->at[n++] = e;
	}
	extents->count = n;
}

static int write_extent(struct session *s, size_t number, const struct extent *e)
{
	static const char *const reasons[] = { [TF_EXCLUDED_MODULE] = "module",
					       [TF_EXCLUDED_FUNCTION] = "function",
					       [TF_EXCLUDED_SPIN] = "spin" };
	const char *module = e->module == TF_NONE ? "" : modules_path(s->code.modules, e->module);
	char key[40], *value;
	int status;

	snprintf(key, sizeof(key), "excluded.%zu", number);
	if (asprintf(&value, "%s %llx-%llx %s", reasons[e->reason], (unsigned long long)e->start,
		     (unsigned long long)e->end, module) < 0)
		return output_memory(s->output);
	status = output_meta(s->output, key, value);
	free(value);
	return status;
}

int excluded_code_write(struct session *s)
{
	struct extents extents = { 0 };
	int status = 0;

	if (!s->code.exclusions)
		return 0;
	if (!dictionary_each(s->code.dictionary, add, &extents))
		status = output_memory(s->output);
	if (extents.count)
		qsort(extents.at, extents.count, sizeof(*extents.at), compare);
	join(&extents);
	if (status == 0)
		status = output_meta(s->output, "exclude", s->options->exclude);
	for (size_t i = 0; i < extents.count && status == 0; i++)
		status = write_extent(s, i, &extents.at[i]);
	free(extents.at);
	return status;
}
