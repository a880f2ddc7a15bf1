/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/parallel_regions.h"

#include <inttypes.h>
#include <string.h>

#include "analyzers/bbv/bbv.h"
#include "analyzers/bbv/homes.h"
#include "analyzers/common/leaders.h"
#include "analyzers/simpoint/distance_vectors.h"
#include "analyzers/simpoint/intervals.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "traceformat/common/hash_table.h"

enum { NO_ENTRY = UINT8_MAX, MAX_ENTRIES = NO_ENTRY - 1 };

/* A function of a module that begins a parallel region. */
struct entry {
	uint64_t offset, count;
	uint32_t module;
};

/* A block of a thread. */
struct thread_block {
	struct {
		uint32_t thread, block;
	} key;
};

struct slicing {
	struct tf_reader *reader;
	struct parallel_regions *regions;
	ARRAY(struct entry) entries;
	uint8_t *entry_of; /* by basic block: the entry that it begins with */
	ARRAY(struct bound) bounds;
	ARRAY(uint64_t) entered;
	uint64_t step; /* of the next instruction */

	struct leaders *leaders;
	struct bbv_homes *homes;
	struct bbv *bbv;
	struct bbv_thread **threads;        /* by index */
	uint32_t thread;                    /* whose vector is being written */
	struct distance_vectors *distances; /* NULL: not wanted */
	uint64_t sum;                       /* of the vector that is being written */
	HASH_TABLE(struct thread_block) ids;
	struct bb_parser *parser;
	bool good; /* the parser takes the vectors */
};

/* ---- entries ------------------------------------------------------------------------------ */

static bool begins_parallel(const char *name)
{
	static const char *const names[] = { "GOMP_parallel", "GOMP_parallel_start",
					     "__kmpc_fork_call" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void find_entries(struct slicing *s)
{
	for (uint32_t m = 0; m < tf_n_modules(s->reader); m++) {
		size_t n;
		const struct tf_symbol *symbols = tf_symbols(s->reader, m, &n);

		for (size_t i = 0; symbols && i < n && s->entries.count < MAX_ENTRIES; i++) {
			if (!begins_parallel(symbols[i].name))
				continue;
			CHECKED_RESERVE(s->entries, s->entries.count + 1);
			s->entries.at[s->entries.count++] = (struct entry){
				.module = m, .offset = symbols[i].value
			};
		}
	}
}

/* Finds which basic blocks begin with an entry. */
static void mark_blocks(struct slicing *s)
{
	uint32_t n = tf_n_blocks(s->reader);

	s->entry_of = checked_array(n, sizeof(*s->entry_of));
	memset(s->entry_of, NO_ENTRY, n);
	for (uint32_t id = 0; id < n; id++) {
		const struct tf_block *block = tf_block(s->reader, id);

		for (size_t i = 0; block && i < s->entries.count; i++)
			if (block->module == s->entries.at[i].module &&
			    block->module_offset == s->entries.at[i].offset)
				s->entry_of[id] = (uint8_t)i;
	}
}

/* ---- vectors ------------------------------------------------------------------------------ */

static void feed_text(struct slicing *s, const char *text, size_t size)
{
	s->good = s->good && bb_parser_feed(s->parser, text, size);
}

static void write_part(void *opaque, uint32_t block, uint64_t instructions)
{
	struct slicing *s = opaque;
	struct thread_block *id = checked(TABLE_PUT(s->ids, { s->thread, block }));
	char text[64];
	int size = snprintf(text, sizeof(text), ":%td:%" PRIu64 " ", id - s->ids.at + 1,
			    instructions);

	s->sum += instructions;
	feed_text(s, text, (size_t)size);
}

/* Classes of distances have numbers that no block has. */
static void write_distance(void *opaque, uint32_t thread, unsigned class, double value)
{
	struct slicing *s = opaque;
	struct thread_block *id = checked(TABLE_PUT(s->ids, { thread, UINT32_MAX - class }));
	char text[64];
	int size = snprintf(text, sizeof(text), ":%td:%.17g ", id - s->ids.at + 1, value);

	feed_text(s, text, (size_t)size);
}

/* Writes the vector of the slice that ends. */
static void write_vector(struct slicing *s)
{
	feed_text(s, "T", 1);
	s->sum = 0;
	for (uint32_t t = 0; t < tf_n_threads(s->reader); t++) {
		s->thread = t;
		bbv_vector_take(s->threads[t], write_part, s);
	}
	if (s->distances)
		distance_vectors_take(s->distances, (double)s->sum, write_distance, s);
	feed_text(s, "\n", 1);
}

/* ---- slices ------------------------------------------------------------------------------- */

static struct bound *add_bound(struct slicing *s)
{
	struct bound *bound;

	CHECKED_RESERVE(s->bounds, s->bounds.count + 1);
	bound = &s->bounds.at[s->bounds.count];
	*bound = (struct bound){ .interval = s->bounds.count,
				 .instructions = s->step,
				 .filtered = s->step };
	for (size_t i = 0; i < s->entries.count; i++) {
		CHECKED_RESERVE(s->entered, s->entered.count + 1);
		s->entered.at[s->entered.count++] = s->entries.at[i].count;
	}
	s->bounds.count++;
	return bound;
}

/* Begins a slice before an execution of a block's first instruction, the count-th one. */
static struct bound *begin_slice(struct slicing *s, const struct tf_block *block, uint64_t count)
{
	struct bound *bound = add_bound(s);

	bound->marker = (struct place){
		.found = true,
		.ordinal = s->step,
		.pc = block->pc,
		.module = block->module,
		.module_offset = block->module_offset,
		.count = count,
	};
	return bound;
}

static void enter_parallel(struct slicing *s, const struct tf_block *block, uint8_t entry)
{
	if (s->step) {
		write_vector(s);
		begin_slice(s, block, s->entries.at[entry].count + 1)->insn = entry;
	}
	s->entries.at[entry].count++;
}

static void take_item(void *opaque, const struct tf_item *item)
{
	struct slicing *s = opaque;
	uint64_t ordinal = item->ordinal;

	if (item->kind != TF_ITEM_BLOCKS)
		return;
	for (size_t i = 0; i < item->count; i++) {
		const struct tf_block_exec *exec = &item->blocks[i];
		uint8_t entry = s->entry_of[exec->block->id];

		if (!s->step)
			begin_slice(s, exec->block, 1);
		if (entry != NO_ENTRY)
			enter_parallel(s, exec->block, entry);
		bbv_execute(s->threads[item->thread], exec, ordinal);
		if (s->distances)
			distance_vectors_execute(s->distances, item->thread, exec);
		ordinal += exec->executed;
		s->step += exec->executed;
	}
}

static bool replay(struct slicing *s)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;

	if (s->distances)
		options.columns |= TF_ADDRESSES;
	if (!replay_items(s->reader, &options, take_item, s))
		return false;
	if (s->step) {
		write_vector(s);
		add_bound(s)->is_last = true;
	}
	return true;
}

static bool begin_counting(struct slicing *s)
{
	struct executed executed;

	if (!executed_find(s->reader, false, 1, &executed))
		return false;
	s->leaders = leaders_of(s->reader, &executed);
	executed_free(&executed);
	s->homes = bbv_homes_new(s->reader, s->leaders);
	s->bbv = bbv_new(&(struct bbv_setup){
		.n_code = tf_n_blocks(s->reader),
		.rules = BBV_CFG,
		.by_offset = true,
		.leaders = s->leaders,
		.homes = s->homes,
	});
	s->threads = checked_array(tf_n_threads(s->reader), sizeof(struct bbv_thread *));
	for (uint32_t t = 0; t < tf_n_threads(s->reader); t++)
		s->threads[t] = bbv_thread_new(s->bbv, BBV_NO_INTERVAL);
	return true;
}

static void end_counting(struct slicing *s)
{
	for (uint32_t t = 0; s->threads && t < tf_n_threads(s->reader); t++)
		bbv_thread_free(s->threads[t]);
	free(s->threads);
	distance_vectors_free(s->distances);
	bbv_free(s->bbv);
	bbv_homes_free(s->homes);
	leaders_free(s->leaders);
	TABLE_FREE(s->ids);
	free(s->entries.at);
	free(s->entry_of);
}

bool parallel_regions_read(struct tf_reader *reader, const char *path, bool distances,
			   unsigned jobs, struct parallel_regions *regions, struct bb_rows *rows)
{
	struct slicing s = { .reader = reader, .good = true };
	bool done;

	find_entries(&s);
	mark_blocks(&s);
	s.parser = bb_parser_new(path, false, jobs, rows);
	if (distances)
		s.distances = distance_vectors_new(tf_n_threads(reader));
	done = begin_counting(&s) && replay(&s);
	done = bb_parser_end(s.parser) && s.good && done;
	*regions = (struct parallel_regions){
		.n = s.bounds.count ? s.bounds.count - 1 : 0,
		.bounds = s.bounds.at,
		.n_entries = s.entries.count,
		.entered = s.entered.at,
	};
	end_counting(&s);
	if (done && regions->n < 2) {
		command_error("%s: enters no parallel region of OpenMP: neither GOMP_parallel nor "
			      "__kmpc_fork_call is executed",
			      path);
		done = false;
	}
	return done;
}

void parallel_regions_free(struct parallel_regions *regions)
{
	free(regions->bounds);
	free(regions->entered);
	*regions = (struct parallel_regions){ 0 };
}

void parallel_regions_mark(const struct parallel_regions *regions, struct bound *bound,
			   size_t since)
{
	const struct bound *known = &regions->bounds[bound->interval];

	bound->marker = known->marker;
	bound->is_last = known->is_last;
	if (known->marker.found)
		bound->marker.before = regions->entered[since * regions->n_entries + known->insn];
}
