/* SPDX-License-Identifier: MIT */
/* System calls whose results are in later parts of a trace. */
#include <check.h>

#include "analyzers/calls/syscalls.h"
#include "tests/unit/run_suite.h"

enum { THREAD = 1, N_THREADS = 2, NUMBER = 17, NODE = 3, OTHER_NODE = 5 };

static void call_at(struct call_syscalls *s, uint64_t time)
{
	struct tf_event event = { .kind = TF_EVENT_SYSCALL, .thread = THREAD };

	event.syscall.number = NUMBER;
	event.syscall.time_ns = time;
	call_syscalls_event(s, NODE, &event);
}

static void result_at(struct call_syscalls *s, int64_t result, uint64_t time)
{
	struct tf_event event = { .kind = TF_EVENT_SYSCALL_RESULT, .thread = THREAD };

	event.syscall_result.number = NUMBER;
	event.syscall_result.result = result;
	event.syscall_result.time_ns = time;
	call_syscalls_event(s, NODE, &event);
}

/* Merges parts: a call; nothing; its result and a call; the result of this call. */
static void merge_parts(struct call_syscalls *all, bool last_first)
{
	const uint32_t nodes[] = { 0, 1, 2, OTHER_NODE, 4, OTHER_NODE };
	struct call_syscalls parts[4];

	for (unsigned i = 0; i < 4; i++)
		call_syscalls_init(&parts[i], N_THREADS);
	call_at(&parts[0], 100);
	result_at(&parts[2], -1, 107);
	call_at(&parts[2], 200);
	result_at(&parts[3], 0, 230);
	if (last_first) {
		call_syscalls_merge(&parts[2], &parts[3], nodes);
		call_syscalls_merge(&parts[1], &parts[2], nodes);
		call_syscalls_merge(&parts[0], &parts[1], nodes);
		call_syscalls_merge(all, &parts[0], nodes);
	} else {
		for (unsigned i = 0; i < 4; i++)
			call_syscalls_merge(all, &parts[i], nodes);
	}
	for (unsigned i = 0; i < 4; i++)
		call_syscalls_free(&parts[i]);
}

START_TEST(results_in_later_parts)
{
	for (unsigned last_first = 0; last_first < 2; last_first++) {
		struct call_syscalls all;
		uint64_t calls = 0, errors = 0, elapsed = 0;

		call_syscalls_init(&all, N_THREADS);
		merge_parts(&all, last_first);
		for (size_t i = 0; i < all.calls.count; i++) {
			ck_assert_uint_eq(all.calls.at[i].key.number, NUMBER);
			ck_assert_uint_eq(all.calls.at[i].key.node, OTHER_NODE);
			calls += all.calls.at[i].calls;
			errors += all.calls.at[i].errors;
			elapsed += all.calls.at[i].elapsed_ns;
		}
		ck_assert_uint_eq(calls, 2);
		ck_assert_uint_eq(errors, 1);
		ck_assert_uint_eq(elapsed, 37);
		call_syscalls_free(&all);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("call_syscalls");
	TCase *tests = tcase_create("call_syscalls");

	tcase_add_test(tests, results_in_later_parts);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
