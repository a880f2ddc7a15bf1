/* SPDX-License-Identifier: MIT */
#include "cli/compare/vectors.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/base_name.h"
#include "cli/common/checked.h"
#include "cli/common/code_hash.h"
#include "cli/common/command.h"
#include "cli/common/trace_input.h"
#include "cli/common/trace_meta.h"

struct symbol_function {
	struct {
		uint32_t symbol, module; /* numbers of texts */
	} key;
	uint32_t function;
};

struct reading {
	struct tf_reader *reader;
	uint64_t interval;
	const struct matching *matching;
	unsigned side;
	struct dimensions *dimensions;
	struct texts texts;
	/* clang-format off */
	HASH_TABLE(struct symbol_function) symbols;
	/* clang-format on */
	uint32_t *dimension_of; /* by block */
	uint64_t *sums;         /* by block: instructions in the interval */
	ARRAY(uint32_t) blocks; /* that have a sum */
	struct intervals *intervals;
};

/* ---- dimensions -------------------------------------------------------------------------- */

static uint32_t text_of(struct reading *r, const char *text)
{
	return text_number(&r->texts, text, strlen(text));
}

static void index_symbols(struct reading *r)
{
	const struct result *result = &r->matching->results[r->side];

	for (uint32_t i = 0; i < result->functions.count; i++) {
		const struct compared_function *f = &result->functions.at[i];
		struct symbol_function *entry;

		if (!f->symbol)
			continue;
		entry = checked(
			TABLE_PUT(r->symbols, { text_of(r, f->symbol), text_of(r, f->module) }));
		entry->function = i;
	}
}

/* Returns the pair of the function that a block belongs to, or COMPARE_NONE. */
static uint32_t pair_of_block(struct reading *r, const struct tf_block *block)
{
	const struct tf_module *module = tf_module(r->reader, block->module);
	const struct tf_symbol *symbol = module ? tf_symbol(r->reader, block->module,
							    block->module_offset)
						: NULL;
	const struct symbol_function *entry;
	uint32_t file;

	if (!symbol)
		return COMPARE_NONE;
	file = text_of(r, base_name(module->path));
	entry = TABLE_FIND(r->symbols, { text_of(r, symbol->name), file });
	if (!entry) { /* gcc's f.cold is a part of f */
		size_t length = strcspn(symbol->name, ".");

		entry = TABLE_FIND(r->symbols,
				   { text_number(&r->texts, symbol->name, length), file });
	}
	return entry ? r->matching->pair_of[r->side][entry->function] : COMPARE_NONE;
}

static void find_dimensions(struct reading *r)
{
	enum isa_vendor vendor = recorded_vendor(r->reader);
	uint32_t n = tf_n_blocks(r->reader);

	r->dimension_of = checked_array(n, sizeof(*r->dimension_of));
	r->sums = checked_array(n, sizeof(*r->sums));
	for (uint32_t id = 0; id < n; id++) {
		const struct tf_block *block = tf_block(r->reader, id);
		const struct dimension *dimension;

		if (!block)
			continue;
		dimension = checked(TABLE_PUT(*r->dimensions, { pair_of_block(r, block),
								block_code_hash(block, vendor) }));
		r->dimension_of[id] = (uint32_t)(dimension - r->dimensions->at);
	}
}

/* ---- intervals --------------------------------------------------------------------------- */

static int compare_weights(const void *a, const void *b)
{
	const struct weight *x = a, *y = b;

	return x->dimension < y->dimension ? -1 : x->dimension > y->dimension;
}

/* Adds up the weights of the same dimension. */
static void merge_weights(struct interval *interval)
{
	size_t kept = 0;

	if (interval->weights.count)
		qsort(interval->weights.at, interval->weights.count, sizeof(*interval->weights.at),
		      compare_weights);
	for (size_t i = 0; i < interval->weights.count; i++) {
		const struct weight *weight = &interval->weights.at[i];

		if (kept && interval->weights.at[kept - 1].dimension == weight->dimension)
			interval->weights.at[kept - 1].share += weight->share;
		else
			interval->weights.at[kept++] = *weight;
	}
	interval->weights.count = kept;
}

/* Ends the interval that is being read, unless it is empty, and begins the next one. */
static void end_interval(struct reading *r, struct interval *interval)
{
	struct interval next = { .thread = interval->thread,
				 .first = interval->first + interval->instructions };

	if (!interval->instructions)
		return;
	CHECKED_RESERVE(interval->weights, r->blocks.count);
	for (size_t i = 0; i < r->blocks.count; i++) {
		uint32_t block = r->blocks.at[i];

		interval->weights.at[interval->weights.count++] = (struct weight){
			r->dimension_of[block],
			(double)r->sums[block] / (double)interval->instructions
		};
		r->sums[block] = 0;
	}
	r->blocks.count = 0;
	merge_weights(interval);
	CHECKED_RESERVE(*r->intervals, r->intervals->count + 1);
	r->intervals->at[r->intervals->count++] = *interval;
	*interval = next;
}

static void add_block(struct reading *r, const struct tf_block_exec *exec)
{
	uint32_t id = exec->block->id;

	if (!r->sums[id]) {
		CHECKED_RESERVE(r->blocks, r->blocks.count + 1);
		r->blocks.at[r->blocks.count++] = id;
	}
	r->sums[id] += exec->executed;
}

static void add_blocks(struct reading *r, struct interval *interval, const struct tf_item *item)
{
	for (size_t i = 0; i < item->count; i++) {
		add_block(r, &item->blocks[i]);
		interval->instructions += item->blocks[i].executed;
		if (interval->instructions >= r->interval)
			end_interval(r, interval);
	}
}

static bool read_thread(struct reading *r, uint32_t thread, struct tf_error *error)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct interval interval = { .thread = thread };
	struct tf_cursor *cursor;
	struct tf_item item;
	int status;

	options.thread = thread;
	if (tf_cursor_open(r->reader, &options, &cursor, error))
		return false;
	while ((status = tf_next(cursor, &item, error)) == 1)
		if (item.kind == TF_ITEM_BLOCKS)
			add_blocks(r, &interval, &item);
	end_interval(r, &interval);
	free(interval.weights.at);
	tf_cursor_close(cursor);
	return status == 0;
}

static bool read_threads(struct reading *r, struct tf_error *error)
{
	for (uint32_t i = 0; i < tf_n_threads(r->reader); i++)
		if (tf_thread(r->reader, i) && !read_thread(r, i, error))
			return false;
	return true;
}

bool read_intervals(struct intervals *intervals, const char *file, uint64_t interval,
		    const struct matching *matching, unsigned side, struct dimensions *dimensions)
{
	struct reading r = { .interval = interval,
			     .matching = matching,
			     .side = side,
			     .dimensions = dimensions,
			     .intervals = intervals };
	struct tf_error error;
	bool done = false;

	if (!open_trace_input(file, TRACE_WHOLE, &r.reader, &error)) {
		if (!tf_load(r.reader, &error) && !tf_name_called(r.reader, &error)) {
			index_symbols(&r);
			find_dimensions(&r);
			done = read_threads(&r, &error);
		}
		tf_close(r.reader);
	}
	if (!done)
		command_error("%s", error.text);
	texts_free(&r.texts);
	TABLE_FREE(r.symbols);
	free(r.dimension_of);
	free(r.sums);
	free(r.blocks.at);
	return done;
}

void free_intervals(struct intervals *intervals)
{
	for (size_t i = 0; i < intervals->count; i++)
		free(intervals->at[i].weights.at);
	free(intervals->at);
}

double interval_distance(const struct interval *a, const struct interval *b)
{
	double sum = 0;
	size_t i = 0, j = 0;

	while (i < a->weights.count || j < b->weights.count) {
		const struct weight *x = &a->weights.at[i], *y = &b->weights.at[j];
		bool from_a = j == b->weights.count ||
			      (i < a->weights.count && x->dimension <= y->dimension);
		bool from_b = i == a->weights.count ||
			      (j < b->weights.count && y->dimension <= x->dimension);
		double difference = (from_a ? x->share : 0) - (from_b ? y->share : 0);

		sum += difference < 0 ? -difference : difference;
		i += from_a;
		j += from_b;
	}
	return sum / 2;
}
