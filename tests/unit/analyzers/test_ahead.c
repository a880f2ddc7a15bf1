/* SPDX-License-Identifier: MIT */
/* Items that are decoded ahead equal those that a cursor returns. */
#include "analyzers/common/ahead.h"

#include <limits.h>
#include <stdatomic.h>

#include "analyzers/common/analyzer.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/synthetic.h"
#include "tests/unit/traces/trace_file.h"

static bool same_event(const struct tf_event *a, const struct tf_event *b)
{
	return a->kind == b->kind && a->thread == b->thread && a->ordinal == b->ordinal &&
	       a->payload_size == b->payload_size &&
	       (!a->payload_size || !memcmp(a->payload, b->payload, a->payload_size)) &&
	       (a->kind != TF_EVENT_EXEC || !strcmp(a->exec.path, b->exec.path)) &&
	       (a->kind != TF_EVENT_GAP || a->gap.instructions == b->gap.instructions);
}

static bool same_values(const uint64_t *a, const uint64_t *b, size_t n)
{
	return a && b ? !n || !memcmp(a, b, n * sizeof(*a)) : a == b;
}

static bool same_execution(const struct tf_item *a, const struct tf_item *b, size_t i)
{
	switch (a->kind) {
	case TF_ITEM_PATHS:
		return a->paths[i].exit == b->paths[i].exit &&
		       a->paths[i].executed == b->paths[i].executed;
	case TF_ITEM_BLOCKS:
		return a->blocks[i].block == b->blocks[i].block &&
		       a->blocks[i].executed == b->blocks[i].executed &&
		       a->blocks[i].outcome == b->blocks[i].outcome &&
		       same_values(a->blocks[i].values, b->blocks[i].values,
				   a->blocks[i].block->n_values);
	default:
		return a->insns[i].block == b->insns[i].block && a->insns[i].pc == b->insns[i].pc &&
		       a->insns[i].outcome == b->insns[i].outcome &&
		       same_values(a->insns[i].values, b->insns[i].values,
				   a->insns[i].block->n_values);
	}
}

static bool same_item(const struct tf_item *a, const struct tf_item *b)
{
	bool same = a->kind == b->kind && a->thread == b->thread && a->ordinal == b->ordinal &&
		    a->instructions == b->instructions && a->count == b->count;

	if (!same || a->kind == TF_ITEM_EVENT)
		return same && same_event(a->event, b->event);
	for (size_t i = 0; i < a->count && same; i++)
		same = same_execution(a, b, i);
	return same && a->n_values == b->n_values && !a->repetitions == !b->repetitions &&
	       (a->kind != TF_ITEM_PATHS || same_values(a->values, b->values, a->n_values));
}

static bool is_recorded_event(int status, const struct tf_item *item)
{
	return status > 0 && item->kind == TF_ITEM_EVENT && item->event->kind != TF_EVENT_GAP;
}

static struct ahead *open_ahead(struct tf_reader *reader, const struct tf_cursor_options *options,
				unsigned n_decoders, const struct analysis *run)
{
	struct chunk_list chunks;

	chunk_list_init(&chunks, reader);
	struct ahead *ahead = ahead_open(reader, &chunks, options, n_decoders, run);

	chunk_list_free(&chunks);
	return ahead;
}

/* Returns the number of items. Compares events as well if `events` is set. */
static size_t compare(struct tf_reader *reader, const struct tf_cursor_options *options,
		      unsigned n_decoders, bool events)
{
	struct ahead *ahead = open_ahead(reader, options, n_decoders, NULL);
	struct tf_error expected = { .text = "" }, error = { .text = "" };
	struct tf_cursor *cursor;
	struct tf_item a, b;
	size_t count = 0;
	int status;

	ck_assert_int_eq(tf_cursor_open(reader, options, &cursor, NULL), 0);
	do {
		int got;

		do
			status = tf_next(cursor, &a, &expected);
		while (!events && is_recorded_event(status, &a));
		do
			got = ahead_next(ahead, &b, &error);
		while (!events && is_recorded_event(got, &b));
		ck_assert_int_eq(got, status);
		if (status > 0)
			ck_assert_msg(same_item(&a, &b), "item %zu differs", count);
		else if (status < 0)
			ck_assert_str_eq(error.text, expected.text);
		count++;
	} while (status);
	ck_assert_int_eq(ahead_next(ahead, &b, &error), 0);
	tf_cursor_close(cursor);
	ahead_close(ahead);
	return count;
}

static const struct tf_cursor_options ways[] = {
	{ sizeof(ways[0]), TF_VIEW_PATHS, TF_EVENTS | TF_REPETITIONS, TF_MERGED, 0, UINT64_MAX },
	{ sizeof(ways[0]), TF_VIEW_PATHS, TF_EVENTS | TF_ADDRESSES, TF_MERGED, 0, UINT64_MAX },
	{ sizeof(ways[0]), TF_VIEW_BLOCKS, TF_EVENTS | TF_ADDRESSES, TF_MERGED, 0, UINT64_MAX },
	{ sizeof(ways[0]), TF_VIEW_INSNS, TF_EVENTS | TF_ADDRESSES, TF_MERGED, 0, UINT64_MAX },
	{ sizeof(ways[0]), TF_VIEW_PATHS, 0, TF_MERGED, 333, 1000 },
	{ sizeof(ways[0]), TF_VIEW_BLOCKS, TF_EVENTS, TF_MERGED, 1, 700 },
	{ sizeof(ways[0]), TF_VIEW_INSNS, TF_EVENTS, TF_MERGED, 700, 701 },
};

static void compare_all(struct tf_reader *reader, unsigned n_threads, bool events)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		for (unsigned t = 0; t <= n_threads; t++) {
			struct tf_cursor_options options = ways[i];

			options.thread = t < n_threads ? t : TF_MERGED;
			compare(reader, &options, 1 + t, events);
		}
}

START_TEST(random_traces)
{
	struct random_options options = small_options(4100 + (uint64_t)_i);
	struct open_trace t = open_random_trace(&options);
	struct tf_reader *reader = t.reader;

	ck_assert_int_eq(tf_load(reader, NULL), 0);
	compare_all(reader, options.n_threads, true);
	compare(reader, &ways[2], 0, true);
	close_random_trace(&t);
}
END_TEST

/* ---- digests ----------------------------------------------------------------------------- */

enum { MOST_BATCHES = 3 };

/* A digest: the batches, without what these point to. */
struct batches {
	unsigned count;
	struct tf_item at[MOST_BATCHES];
	void *begun; /* memory of the first batch's */
};

static atomic_int n_begun, n_freed;

static bool digest_batch(void *opaque, const struct analysis *run, const struct tf_item *item)
{
	struct batches *batches = opaque;

	(void)run;
	if (!batches->begun) {
		batches->begun = malloc(1);
		n_begun++;
	}
	ck_assert_int_ne(item->kind, TF_ITEM_EVENT);
	ck_assert_uint_lt(batches->count, MOST_BATCHES);
	batches->at[batches->count++] = *item;
	return batches->count < MOST_BATCHES;
}

static void free_batches(void *opaque)
{
	struct batches *batches = opaque;

	n_freed += batches->begun != NULL;
	free(batches->begun);
}

static const struct analyzer digesting = {
	.digest_size = sizeof(struct batches),
	.digest = digest_batch,
	.free_digest = free_batches,
};

/* Compares the batches of a digest with the next ones of a cursor. item: stands for them. */
static void compare_batches(struct batches *batches, const struct tf_item *item,
			    struct tf_cursor *cursor)
{
	uint64_t instructions = 0;
	struct tf_error error;
	struct tf_item next;

	ck_assert_uint_gt(batches->count, 0);
	ck_assert_uint_eq(item->ordinal, batches->at[0].ordinal);
	for (unsigned i = 0; i < batches->count; i++) {
		const struct tf_item *batch = &batches->at[i];

		ck_assert_int_eq(tf_next(cursor, &next, &error), 1);
		ck_assert(next.kind == batch->kind && next.thread == batch->thread &&
			  next.ordinal == batch->ordinal &&
			  next.instructions == batch->instructions && next.count == batch->count);
		instructions += batch->instructions;
	}
	ck_assert_uint_eq(item->instructions, instructions);
	batches->count = 0;
}

/* Leaves a stream after `most` results, which are those of a cursor, digested or not. */
static void compare_digested(struct tf_reader *reader, const struct tf_cursor_options *options,
			     unsigned n_decoders, unsigned most)
{
	const struct analysis run = { .analyzer = &digesting };
	struct ahead *ahead = open_ahead(reader, options, n_decoders, &run);
	struct tf_error error;
	struct tf_cursor *cursor;
	struct tf_item a, b;

	ck_assert_int_eq(tf_cursor_open(reader, options, &cursor, NULL), 0);
	for (unsigned i = 0; i < most && ahead_next(ahead, &b, &error) > 0; i++) {
		if (ahead_digest(ahead)) {
			compare_batches(ahead_digest(ahead), &b, cursor);
			continue;
		}
		ck_assert_int_eq(tf_next(cursor, &a, &error), 1);
		ck_assert(same_item(&a, &b));
	}
	if (most == UINT_MAX)
		ck_assert_int_eq(tf_next(cursor, &a, &error), 0);
	tf_cursor_close(cursor);
	ahead_close(ahead);
	ck_assert_int_eq(n_begun, n_freed);
}

/* ---- traces ------------------------------------------------------------------------------ */

/* In the middle of the last chunks of the file. */
static void damage(int fd, uint64_t seed)
{
	size_t size = file_size(fd);

	for (int i = 0; i < 8; i++) {
		size_t offset = size / 2 + (size_t)(random_u64(&seed) % (size / 3));
		uint8_t byte;

		read_at(fd, &byte, 1, offset);
		byte ^= 0x10;
		write_at(fd, &byte, 1, offset);
	}
}

START_TEST(damaged_traces)
{
	struct random_options options = small_options(4200 + (uint64_t)_i);
	struct random_trace *t = random_trace_new(&options);
	int fd = file_of_trace(t, true);

	damage(fd, (uint64_t)_i);
	struct tf_reader *reader = open_file(fd);

	if (tf_load(reader, NULL) == 0)
		compare_all(reader, options.n_threads, false);
	tf_close(reader);
	close(fd);
	random_trace_free(t);
}
END_TEST

/* Writes two chunks, the first of which has more items than may wait. */
static void write_long(struct synthetic *s)
{
	struct synthetic_code code;
	uint32_t thread;
	char nops[200];

	memset(nops, 0x90, sizeof(nops));
	synthetic_begin(s, NULL);
	thread = synthetic_thread(s, synthetic_process(s, 1));
	code = synthetic_code(s, 0x1000, nops, sizeof(nops));
	for (int i = 0; i < 4000; i++) {
		synthetic_exec(s, thread, code.not_taken, NULL);
		if (i == 2000)
			synthetic_flush(s, thread);
	}
	synthetic_end(s);
}

START_TEST(digested_traces)
{
	struct random_options options = small_options(4300 + (uint64_t)_i);
	struct open_trace t = open_random_trace(&options);
	struct tf_cursor_options way = ways[2];

	ck_assert_int_eq(tf_load(t.reader, NULL), 0);
	for (unsigned thread = 0; thread <= options.n_threads; thread++)
		for (unsigned n = 0; n < 5; n++) {
			way.thread = thread < options.n_threads ? thread : TF_MERGED;
			compare_digested(t.reader, &way, n, UINT_MAX);
			compare_digested(t.reader, &way, n, 20 * n);
		}
	close_random_trace(&t);
}
END_TEST

START_TEST(digested_batches)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_reader *reader;
	struct synthetic s;

	write_long(&s);
	synthetic_ok(&s, tf_open(s.path, &reader, &s.error));
	ck_assert_int_eq(tf_load(reader, NULL), 0);
	options.view = TF_VIEW_INSNS; /* many packs */
	for (unsigned n = 1; n < 4; n++) {
		compare_digested(reader, &options, n, UINT_MAX);
		compare_digested(reader, &options, n, 10);
	}
	tf_close(reader);
	synthetic_remove(&s);
}
END_TEST

START_TEST(bounded)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_reader *reader;
	struct tf_error error;
	struct tf_item item;
	struct synthetic s;

	write_long(&s);
	synthetic_ok(&s, tf_open(s.path, &reader, &s.error));
	ck_assert_int_eq(tf_load(reader, NULL), 0);
	options.view = TF_VIEW_INSNS; /* 32 MB */
	for (unsigned n = 1; n < 4; n++) {
		ck_assert_uint_gt(compare(reader, &options, n, true), 1500);
		for (int taken = 0; taken < 3; taken++) { /* left while decoders wait */
			struct ahead *ahead = open_ahead(reader, &options, n, NULL);

			for (int i = 0; i < taken; i++)
				ck_assert_int_eq(ahead_next(ahead, &item, &error), 1);
			ahead_close(ahead);
		}
	}
	tf_close(reader);
	synthetic_remove(&s);
}
END_TEST

START_TEST(refused)
{
	struct random_options options = small_options(1);
	struct open_trace t = open_random_trace(&options);
	struct tf_reader *reader = t.reader;
	struct tf_cursor_options wrong = TF_CURSOR_OPTIONS;

	ck_assert_int_eq(tf_load(reader, NULL), 0);
	wrong.thread = 99;
	for (unsigned n = 0; n < 3; n++) {
		struct ahead *ahead = open_ahead(reader, &wrong, n, NULL);
		struct tf_error error;
		struct tf_item item;

		ck_assert_int_eq(ahead_next(ahead, &item, &error), TF_E_ARGUMENT);
		ck_assert_ptr_nonnull(strstr(error.text, "no thread 99"));
		ck_assert_int_eq(ahead_next(ahead, &item, &error), 0);
		ahead_close(ahead);
	}
	close_random_trace(&t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ahead");
	TCase *tests = tcase_create("ahead");

	tcase_set_timeout(tests, 300);
	tcase_add_loop_test(tests, random_traces, 0, 6);
	tcase_add_loop_test(tests, digested_traces, 0, 6);
	tcase_add_test(tests, digested_batches);
	tcase_add_loop_test(tests, damaged_traces, 0, 10);
	tcase_add_test(tests, bounded);
	tcase_add_test(tests, refused);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
