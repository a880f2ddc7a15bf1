/* SPDX-License-Identifier: MIT */
/* Slices of traces made by hand: the events at their beginning, and their number of chunks. */
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/synthetic.h"
#include "tests/unit/traces/trace_file.h"

/* Two instructions, of which the first loads: mov (%rsi),%rax; jmp . */
static struct synthetic_code add_code(struct synthetic *s)
{
	return synthetic_code(s, 0x401000, BYTES("\x48\x8b\x06\xeb\xfe"));
}

/* Cuts `count` instructions of a thread, or TF_MERGED, out of the trace, and opens the slice. */
static struct tf_reader *cut_thread(struct synthetic *s, uint32_t thread, uint64_t first,
				    uint64_t count, int to)
{
	const struct tf_slice slice = {
		.size = sizeof(slice), .thread = thread, .first = first, .count = count
	};
	struct tf_reader *whole, *part;

	synthetic_ok(s, tf_open(s->path, &whole, &s->error));
	synthetic_ok(s, tf_cut(whole, &slice, file_path(to), &s->error));
	tf_close(whole);
	part = open_file(to);
	ck_assert_int_eq(tf_verify(part, print_fault, NULL, NULL), 0);
	return part;
}

static struct tf_reader *cut(struct synthetic *s, uint64_t first, uint64_t count, int to)
{
	return cut_thread(s, 0, first, count, to);
}

static unsigned count_events(struct tf_reader *reader, enum tf_event_kind kind)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor;
	struct tf_item item;
	unsigned count = 0;

	options.columns = TF_EVENTS;
	ck_assert_int_eq(tf_cursor_open(reader, &options, &cursor, NULL), 0);
	while (tf_next(cursor, &item, NULL) > 0)
		count += item.kind == TF_ITEM_EVENT && item.event->kind == kind;
	tf_cursor_close(cursor);
	return count;
}

/*
 * A system call before the first instruction of a trace belongs to a slice that begins there. One
 * before a later first instruction belongs to the part that is left out.
 */
START_TEST(system_call_at_the_beginning)
{
	const struct tf_event call = { .kind = TF_EVENT_SYSCALL };
	static const uint64_t value = 0x1000;
	struct synthetic s;
	struct tf_reader *slice;
	int to = new_file();

	synthetic_begin(&s, NULL);
	uint32_t thread = synthetic_thread(&s, synthetic_process(&s, 100));
	struct synthetic_code code = add_code(&s);

	if (_i == 1)
		synthetic_exec(&s, thread, code.taken, &value);
	synthetic_event(&s, thread, &call);
	for (int i = 0; i < 3; i++)
		synthetic_exec(&s, thread, code.taken, &value);
	synthetic_end(&s);
	slice = cut(&s, _i == 1 ? code.n_insns : 0, 2 * (uint64_t)code.n_insns, to);
	ck_assert_uint_eq(count_events(slice, TF_EVENT_SYSCALL), _i == 0);
	tf_close(slice);
	close(to);
	synthetic_remove(&s);
}
END_TEST

/* Makes a trace of ten executions, with an unknown rsp. Opens the slice of the third to the eighth. */
static struct tf_reader *cut_six_of_ten(struct synthetic *s, int to)
{
	synthetic_begin(s, NULL);
	uint32_t thread = synthetic_thread(s, synthetic_process(s, 100));
	struct synthetic_code code = add_code(s);

	for (uint64_t i = 0; i < 10; i++)
		synthetic_exec(s, thread, code.taken, &i);
	synthetic_end(s);
	return cut(s, 2 * code.n_insns, 6 * (uint64_t)code.n_insns, to);
}

/* An unknown rsp is not stated in the slice, as stating it would begin a chunk at each
 * execution. */
START_TEST(unknown_rsp_begins_no_chunk)
{
	struct synthetic s;
	struct tf_reader *slice;
	struct tf_info info;
	int to = new_file();

	slice = cut_six_of_ten(&s, to);
	ck_assert_int_eq(tf_get_info(slice, &info, NULL), 0);
	ck_assert_uint_eq(info.totals.instructions, 6 * 2);
	ck_assert_uint_eq(info.n_chunks, 1);
	tf_close(slice);
	close(to);
	synthetic_remove(&s);
}
END_TEST

/* The region that begins at the first instruction is the one that ends behind the last one. */
START_TEST(one_region_covers_the_slice)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	uint32_t begun = TF_NONE, ended = TF_NONE;
	struct tf_cursor *cursor;
	struct tf_reader *slice;
	struct synthetic s;
	struct tf_item item;
	int to = new_file();

	slice = cut_six_of_ten(&s, to);
	options.columns = TF_EVENTS;
	ck_assert_int_eq(tf_cursor_open(slice, &options, &cursor, NULL), 0);
	while (tf_next(cursor, &item, NULL) > 0)
		if (item.kind == TF_ITEM_EVENT && item.event->kind == TF_EVENT_REGION_BEGIN)
			begun = item.event->region.index;
		else if (item.kind == TF_ITEM_EVENT && item.event->kind == TF_EVENT_REGION_END)
			ended = item.event->region.index;
	ck_assert_uint_ne(begun, TF_NONE);
	ck_assert_uint_eq(begun, ended);
	tf_cursor_close(cursor);
	tf_close(slice);
	close(to);
	synthetic_remove(&s);
}
END_TEST

enum { N_IDLE = 3, N_BUSY = 3 };

/* Adds threads of a process that map memory and end, and then threads that execute in turn. */
static void add_threads(struct synthetic *s)
{
	static const uint64_t value = 0x1000;
	struct synthetic_code code = add_code(s);

	for (uint32_t t = 0; t < N_IDLE + N_BUSY; t++) {
		struct tf_mapping mapping = { .start = 4096 * (t + 1), .size = 4096, .name = "" };
		struct tf_event event = { .kind = TF_EVENT_MAPPING };

		ck_assert_uint_eq(synthetic_thread(s, 0), t);
		synthetic_ok(s, tf_writer_add_mapping(s->writer, &mapping, &event.mapping.index,
						      &s->error));
		synthetic_event(s, t, &event);
		synthetic_exec(s, t, code.taken, &value);
		synthetic_schedule(s, t, code.n_insns);
	}
	for (uint32_t t = N_IDLE + N_BUSY; t-- > N_IDLE;) {
		synthetic_exec(s, t, code.taken, &value);
		synthetic_schedule(s, t, code.n_insns);
	}
}

/* The thread that executes first repeats the mappings of threads that the slice does not have, in the
 * order of these threads; no other does. */
START_TEST(mappings_of_threads_left_out)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	unsigned counts[N_IDLE + N_BUSY] = { 0 };
	uint64_t last = 0;
	struct tf_cursor *cursor;
	struct tf_reader *slice;
	struct tf_item item;
	struct synthetic s;
	int to = new_file();

	synthetic_begin(&s, NULL);
	synthetic_process(&s, 100);
	add_threads(&s);
	synthetic_end(&s);
	slice = cut_thread(&s, TF_MERGED, (uint64_t)(N_IDLE + N_BUSY) * 2, UINT64_MAX, to);
	options.columns = TF_EVENTS;
	options.thread = TF_MERGED;
	ck_assert_int_eq(tf_cursor_open(slice, &options, &cursor, NULL), 0);
	while (tf_next(cursor, &item, NULL) > 0) {
		if (item.kind != TF_ITEM_EVENT || item.event->kind != TF_EVENT_MAPPING)
			continue;
		uint64_t start = tf_mapping(slice, item.event->mapping.index)->start;

		counts[item.event->thread]++;
		if (start <= 4096 * N_IDLE) {
			ck_assert_uint_eq(item.event->thread, N_IDLE + N_BUSY - 1);
			ck_assert_uint_eq(start, last + 4096);
			last = start;
		}
	}
	for (unsigned t = N_IDLE; t < N_IDLE + N_BUSY; t++)
		ck_assert_uint_eq(counts[t], t == N_IDLE + N_BUSY - 1 ? N_IDLE + 1 : 1);
	ck_assert_uint_eq(last, 4096 * N_IDLE);
	tf_cursor_close(cursor);
	tf_close(slice);
	close(to);
	synthetic_remove(&s);
}
END_TEST

/* A warm-up that is longer than its slice is all of the slice. */
START_TEST(longest_warmup)
{
	struct tf_slice slice = { .size = sizeof(slice), .count = 4, .warmup = 9 };
	static const uint64_t value = 0x1000;
	struct synthetic_code code;
	struct synthetic s;
	struct tf_reader *whole, *part;
	struct tf_info info;
	int to = new_file();

	synthetic_begin(&s, NULL);
	synthetic_thread(&s, synthetic_process(&s, 100));
	code = add_code(&s);
	for (unsigned i = 0; i < 10; i++)
		synthetic_exec(&s, 0, code.taken, &value);
	synthetic_end(&s);
	synthetic_ok(&s, tf_open(s.path, &whole, &s.error));
	for (unsigned merged = 0; merged < 2; merged++) {
		slice.thread = merged ? TF_MERGED : 0;
		synthetic_ok(&s, tf_cut(whole, &slice, file_path(to), &s.error));
		part = open_file(to);
		ck_assert_str_eq(tf_meta(part, "slice.warmup"), "4");
		ck_assert_int_eq(tf_get_info(part, &info, NULL), 0);
		ck_assert_uint_eq(info.totals.instructions, 4);
		tf_close(part);
	}
	tf_close(whole);
	close(to);
	synthetic_remove(&s);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("traceformat cut");
	TCase *tests = tcase_create("cut");

	tcase_add_loop_test(tests, system_call_at_the_beginning, 0, 2);
	tcase_add_test(tests, unknown_rsp_begins_no_chunk);
	tcase_add_test(tests, one_region_covers_the_slice);
	tcase_add_test(tests, mappings_of_threads_left_out);
	tcase_add_test(tests, longest_warmup);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
