/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/vector_run.h"

#include <inttypes.h>

#include "analyzers/bbv/bbv.h"
#include "analyzers/bbv/homes.h"
#include "analyzers/common/symbol_names.h"
#include "analyzers/common/leaders.h"
#include "analyzers/simpoint/splitmix.h"
#include "cli/common/base_name.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "traceformat/tracesamples.h"

/* A block, in a thread. */
struct dimension {
	struct dimension_key {
		uint32_t block; /* id of the bbv */
		uint32_t place; /* of the thread: its index, its rank, or 0 */
	} key;
	uint64_t identity;
};

/* The instructions of a thread in the interval, in a block. */
struct part {
	uint32_t thread, block;
	uint64_t instructions;
};

/* A thread's instructions in the interval. */
struct thread_sum {
	uint32_t thread; /* index */
	uint32_t place;
	uint64_t instructions;
};

struct vector_run {
	struct tf_reader *reader;
	struct vector_run_options options;
	struct leaders *leaders;
	struct bbv_homes *homes;
	struct bbv *bbv;
	HASH_TABLE(struct dimension) dimensions;
	ARRAY(uint64_t) instructions; /* of the interval at hand, by dimension */
	ARRAY(uint32_t) of_blocks; /* of the first place, by block: the number + 1; 0: not known */
	uint64_t *modules;         /* their identities, by index */
	bool *excluded;            /* by basic block */

	struct tf_vectors *vectors;
	struct tf_vector next; /* read ahead, without counts */
	int status;            /* of next: 1, 0 at the end, -1 after a message */
	uint64_t n_taken;      /* intervals since the beginning */
	const bool *wanted;    /* by interval; NULL: all */
	uint64_t end;          /* instructions of the intervals so far */
	ARRAY(struct part) parts;
	ARRAY(struct thread_sum) sums; /* ascending by thread */
	ARRAY(uint32_t) ids;           /* of the row, as values */
	ARRAY(double) values;
};

/* ---- identities --------------------------------------------------------------------------- */

static uint64_t mixed(uint64_t hash, uint64_t value)
{
	return splitmix(hash ^ value, 0);
}

static uint64_t mixed_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < size; i++)
		hash = mixed(hash, at[i]);
	return mixed(hash, size);
}

static uint64_t identity_of_module(const struct tf_module *module)
{
	const char *name;

	if (!module)
		return 0;
	if (module->build_id_size)
		return mixed_bytes(1, module->build_id, module->build_id_size);
	name = base_name(module->path);
	return mixed_bytes(2, name, strlen(name));
}

static uint64_t identity_of(const struct vector_run *run, struct dimension_key key)
{
	const struct bbv_start *start = bbv_start(run->bbv, key.block);
	bool known = start->module < tf_n_modules(run->reader);
	uint64_t hash = known ? run->modules[start->module] : 0;

	return mixed(mixed(hash, known ? start->module_offset : start->pc), key.place);
}

/* ---- reading ------------------------------------------------------------------------------ */

static void read_ahead(struct vector_run *run)
{
	struct tf_error error;

	run->status = tf_vectors_head(run->vectors, &run->next, &error);
	if (run->status < 0)
		command_error("%s", error.text);
}

void vector_run_want(struct vector_run *run, const bool *wanted)
{
	run->wanted = wanted;
}

bool vector_run_rewind(struct vector_run *run)
{
	struct tf_error error;

	tf_vectors_close(run->vectors);
	run->vectors = NULL;
	run->end = run->n_taken = 0;
	if (tf_vectors_open(run->reader, &run->vectors, &error) < 0) {
		command_error("%s", error.text);
		return false;
	}
	tf_vectors_read_ahead(run->vectors, run->options.jobs - 1, !run->wanted);
	read_ahead(run);
	return run->status >= 0;
}

/* Finds the blocks that are excluded by the end of the run. Returns false after a message. */
static bool find_excluded(struct vector_run *run)
{
	struct tf_intervals *intervals = NULL;
	struct tf_interval interval;
	struct tf_error error;
	int status = tf_intervals_open(run->reader, false, &intervals, &error);

	while (status == 0 && (status = tf_intervals_next(intervals, &interval, &error)) > 0) {
		status = 0;
		for (size_t i = 0; i < interval.n_excluded; i++)
			if (interval.excluded[i].block < tf_n_blocks(run->reader))
				run->excluded[interval.excluded[i].block] = true;
	}
	tf_intervals_close(intervals);
	if (status < 0)
		command_error("%s", error.text);
	return status >= 0;
}

struct vector_run *vector_run_open(struct tf_reader *reader,
				   const struct vector_run_options *options)
{
	struct vector_run *run = checked_array(1, sizeof(*run));
	struct executed executed;

	run->reader = reader;
	run->options = *options;
	if (!executed_find(reader, true, options->jobs, &executed)) {
		free(run);
		return NULL;
	}
	run->excluded = checked_array(tf_n_blocks(reader), sizeof(*run->excluded));
	if (!find_excluded(run)) {
		executed_free(&executed);
		vector_run_close(run);
		return NULL;
	}
	run->leaders = leaders_of(reader, &executed);
	executed_free(&executed);
	run->homes = bbv_homes_new(reader, run->leaders);
	run->bbv = bbv_new(&(struct bbv_setup){
		.n_code = tf_n_blocks(reader),
		.n_exits = tf_n_exits(reader),
		.rules = BBV_CFG,
		.by_offset = true,
		.leaders = run->leaders,
		.homes = run->homes,
		.excluded = run->excluded,
	});
	run->modules = checked_array(tf_n_modules(reader), sizeof(*run->modules));
	for (uint32_t i = 0; i < tf_n_modules(reader); i++)
		run->modules[i] = identity_of_module(tf_module(reader, i));
	if (vector_run_rewind(run))
		return run;
	vector_run_close(run);
	return NULL;
}

void vector_run_close(struct vector_run *run)
{
	if (!run)
		return;
	tf_vectors_close(run->vectors);
	bbv_free(run->bbv);
	bbv_homes_free(run->homes);
	leaders_free(run->leaders);
	TABLE_FREE(run->dimensions);
	free(run->instructions.at);
	free(run->of_blocks.at);
	free(run->modules);
	free(run->excluded);
	free(run->parts.at);
	free(run->sums.at);
	free(run->ids.at);
	free(run->values.at);
	free(run);
}

/* ---- intervals ---------------------------------------------------------------------------- */

static void add_part(void *opaque, uint32_t id, uint64_t instructions)
{
	struct vector_run *run = opaque;

	CHECKED_RESERVE(run->parts, run->parts.count + 1);
	run->parts.at[run->parts.count++] = (struct part){ run->next.thread, id, instructions };
}

static void add_to_thread(struct vector_run *run, uint32_t thread, uint64_t instructions)
{
	size_t i = run->sums.count;

	CHECKED_RESERVE(run->sums, run->sums.count + 1);
	while (i && run->sums.at[i - 1].thread > thread)
		i--;
	if (i && run->sums.at[i - 1].thread == thread) {
		run->sums.at[i - 1].instructions += instructions;
		return;
	}
	memmove(&run->sums.at[i + 1], &run->sums.at[i],
		(run->sums.count - i) * sizeof(*run->sums.at));
	run->sums.at[i] = (struct thread_sum){ .thread = thread, .instructions = instructions };
	run->sums.count++;
}

static int compare_sums(const void *a, const void *b)
{
	const struct thread_sum *x = a, *y = b;

	if (x->instructions != y->instructions)
		return x->instructions < y->instructions ? 1 : -1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static int compare_threads(const void *a, const void *b)
{
	uint32_t x = ((const struct thread_sum *)a)->thread;
	uint32_t y = ((const struct thread_sum *)b)->thread;

	return x < y ? -1 : x > y;
}

static void place_threads(struct vector_run *run)
{
	bool sorted = run->options.threads == THREADS_SORTED;
	bool apart = run->options.threads != THREADS_SUM && run->options.thread == TF_NONE;

	if (sorted)
		qsort(run->sums.at, run->sums.count, sizeof(*run->sums.at), compare_sums);
	for (size_t i = 0; i < run->sums.count; i++)
		run->sums.at[i].place = sorted && apart ? (uint32_t)i
					: apart         ? run->sums.at[i].thread
							: 0;
	if (sorted)
		qsort(run->sums.at, run->sums.count, sizeof(*run->sums.at), compare_threads);
}

static uint32_t place_of(const struct vector_run *run, uint32_t thread)
{
	const struct thread_sum key = { .thread = thread }, *found;

	found = bsearch(&key, run->sums.at, run->sums.count, sizeof(key), compare_threads);
	return found ? found->place : 0;
}

static size_t look_up(struct vector_run *run, struct dimension_key key)
{
	struct dimension *d = TABLE_PUT(run->dimensions, key);

	if (!d)
		out_of_memory();
	if (!d->identity)
		d->identity = identity_of(run, key);
	while (run->instructions.count < run->dimensions.count) {
		CHECKED_RESERVE(run->instructions, run->instructions.count + 1);
		run->instructions.at[run->instructions.count++] = 0;
	}
	return (size_t)(d - run->dimensions.at);
}

/* Returns the number of a dimension, from 0. */
static size_t dimension_of(struct vector_run *run, struct dimension_key key)
{
	size_t known = run->of_blocks.count;

	if (key.place)
		return look_up(run, key);
	if (key.block >= known) {
		CHECKED_RESERVE(run->of_blocks, key.block + 1ul);
		run->of_blocks.count = run->of_blocks.capacity;
		memset(&run->of_blocks.at[known], 0,
		       (run->of_blocks.count - known) * sizeof(*run->of_blocks.at));
	}
	if (!run->of_blocks.at[key.block])
		run->of_blocks.at[key.block] = (uint32_t)look_up(run, key) + 1;
	return run->of_blocks.at[key.block] - 1;
}

/* Adds up the parts by dimension. */
static void make_row(struct vector_run *run, struct bb_row *row)
{
	uint32_t thread = TF_NONE, place = 0;

	CHECKED_RESERVE(run->ids, run->parts.count);
	CHECKED_RESERVE(run->values, run->parts.count);
	run->ids.count = 0;
	for (size_t i = 0; i < run->parts.count; i++) {
		const struct part *part = &run->parts.at[i];

		if (part->thread != thread)
			place = place_of(run, part->thread);
		thread = part->thread;

		size_t at = dimension_of(run, (struct dimension_key){ part->block, place });

		if (!run->instructions.at[at])
			run->ids.at[run->ids.count++] = (uint32_t)at + 1;
		run->instructions.at[at] += part->instructions;
	}
	*row = (struct bb_row){ run->ids.at, run->values.at, (uint32_t)run->ids.count, 0 };
	for (size_t i = 0; i < run->ids.count; i++) {
		uint64_t *instructions = &run->instructions.at[run->ids.at[i] - 1];

		run->values.at[i] = (double)*instructions;
		row->sum += run->values.at[i];
		*instructions = 0;
	}
}

/* Adds the counts of the vector at hand. */
static void add_counts(struct vector_run *run)
{
	struct tf_error error;

	run->status = tf_vectors_counts(run->vectors, &run->next, &error);
	if (run->status < 0) {
		command_error("%s", error.text);
		return;
	}
	bbv_vector_parts(run->bbv, run->reader, &run->next, add_part, run);
}

/* Adds the vector at hand, if it is of a thread that counts. */
static void add_vector(struct vector_run *run, bool wanted)
{
	if (run->options.thread != TF_NONE && run->next.thread != run->options.thread)
		return;
	if (wanted)
		add_counts(run);
	add_to_thread(run, run->next.thread, run->next.instructions);
	run->end += run->next.instructions;
}

int vector_run_next(struct vector_run *run, struct run_interval *interval)
{
	uint64_t number = run->next.interval / run->options.each;
	bool wanted = !run->wanted || run->wanted[run->n_taken];

	run->parts.count = run->sums.count = 0;
	while (run->status > 0 && run->next.interval / run->options.each == number) {
		add_vector(run, wanted);
		if (run->status > 0)
			read_ahead(run);
	}
	if (run->status <= 0)
		return run->status;
	run->n_taken++;
	place_threads(run);
	make_row(run, &interval->row);
	interval->end = run->end;
	return 1;
}

/* ---- dimensions --------------------------------------------------------------------------- */

uint32_t vector_run_dimensions(const struct vector_run *run)
{
	return (uint32_t)run->dimensions.count;
}

uint64_t vector_run_identity(const struct vector_run *run, uint32_t dimension)
{
	return run->dimensions.at[dimension - 1].identity;
}

char *vector_run_name(const struct vector_run *run, uint32_t dimension, bool *is_function)
{
	uint32_t block = run->dimensions.at[dimension - 1].key.block;
	const struct bbv_start *start = bbv_start(run->bbv, block);
	const struct tf_module *module = tf_module(run->reader, start->module);
	const struct tf_symbol *symbol = tf_symbol(run->reader, start->module,
						   start->module_offset);

	*is_function = symbol && !strstr(symbol->name, "+0x");
	if (*is_function) {
		char *plain = demangle_name(symbol->name);

		return plain ? plain : checked_copy(symbol->name);
	}
	if (!module)
		return text_format("0x%" PRIx64, start->pc);
	return text_format("%s+0x%" PRIx64, base_name(module->path), start->module_offset);
}
