/* SPDX-License-Identifier: MIT */
/* Events in a column: numbers at the ends of their ranges, and beyond. */
#include <check.h>
#include <limits.h>

#include "tests/unit/run_suite.h"
#include "traceformat/codings/events.h"

static bool decode(const struct buffer *column, struct tf_event *event)
{
	struct span span = span_of(column->data, column->size);
	struct buffer text = { 0 };
	uint64_t distance;
	bool sound = event_decode(&span, &distance, event, &text);

	buffer_free(&text);
	return sound;
}

START_TEST(ends_of_ranges)
{
	static const int32_t statuses[] = { INT_MIN, -1, 0, INT_MAX };
	const struct tf_event exits = { .kind = TF_EVENT_THREAD_EXIT,
					.thread_exit = { .status = statuses[_i],
							 .time_ns = UINT64_MAX } };
	struct buffer column = { 0 };
	struct tf_event event;

	event_encode(&column, 0, &exits);
	ck_assert(decode(&column, &event));
	ck_assert_int_eq(event.thread_exit.status, statuses[_i]);
	ck_assert_uint_eq(event.thread_exit.time_ns, UINT64_MAX);
	buffer_free(&column);
}
END_TEST

/* A status and an index that take more than 32 bits. */
START_TEST(beyond_ranges)
{
	static const struct {
		uint32_t kind;
		uint64_t number;
	} events[] = {
		{ TF_EVENT_THREAD_EXIT, UINT64_C(2) * (1u << 31) },     /* 2^31 */
		{ TF_EVENT_THREAD_EXIT, UINT64_C(2) * (1u << 31) + 1 }, /* -2^31 - 1 */
		{ TF_EVENT_REGION_BEGIN, UINT64_C(1) << 32 },
	};
	struct buffer column = { 0 }, payload = { 0 };
	struct tf_event event;

	put_varint(&payload, events[_i].number);
	if (events[_i].kind == TF_EVENT_THREAD_EXIT)
		put_varint(&payload, 0); /* time */
	put_varint(&column, 0);
	put_varint(&column, events[_i].kind);
	put_varint(&column, payload.size);
	put_bytes(&column, payload.data, payload.size);
	ck_assert(!decode(&column, &event));
	buffer_free(&payload);
	buffer_free(&column);
}
END_TEST

/* A segment has a base if it is fs or gs; a call has at most 6 arguments. */
START_TEST(rules)
{
	struct tf_event bases = { .kind = TF_EVENT_SEGMENT_BASE }, event;

	for (uint32_t segment = 0; segment < 4; segment++) {
		struct buffer column = { 0 };

		bases.segment_base.segment = segment;
		event_encode(&column, 0, &bases);
		ck_assert_int_eq(decode(&column, &event),
				 segment == TF_SEGMENT_FS || segment == TF_SEGMENT_GS);
		buffer_free(&column);
	}
	for (uint32_t n = TF_MAX_CALL_ARGS; n <= TF_MAX_CALL_ARGS + 1; n++) {
		struct buffer column = { 0 }, payload = { 0 };

		put_varint(&payload, 3); /* function */
		put_varint(&payload, n);
		for (uint32_t i = 0; i < n; i++)
			put_varint(&payload, i);
		put_varint(&column, 0);
		put_varint(&column, TF_EVENT_CALL);
		put_varint(&column, payload.size);
		put_bytes(&column, payload.data, payload.size);
		ck_assert_int_eq(decode(&column, &event), n == TF_MAX_CALL_ARGS);
		buffer_free(&payload);
		buffer_free(&column);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("events");
	TCase *tests = tcase_create("events");

	tcase_add_loop_test(tests, ends_of_ranges, 0, 4);
	tcase_add_loop_test(tests, beyond_ranges, 0, 3);
	tcase_add_test(tests, rules);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
