/* SPDX-License-Identifier: MIT */
/* Columns of vectors become the records from which they were made; others are refused. */
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/synthetic.h"
#include "traceformat/codings/vector_columns.h"
#include "traceformat/traceformat.h"

static bool every_third(const void *context, uint32_t exit)
{
	return !context && exit % 3 == 2;
}

static void put_record(struct buffer *to, const struct buffer *record)
{
	put_varint(to, record->size);
	put_bytes(to, record->data, record->size);
}

/* Appends a random record of counts. */
static void put_random(struct buffer *to, uint64_t *random, uint64_t interval)
{
	uint64_t n = random_u64(random) % 20;
	struct buffer counts = { 0 }, record = { 0 };
	uint32_t exit = 0, executed = 0;

	for (uint64_t i = 0; i < n; i++) {
		uint32_t more = random_below(random, 4);

		if (i && !more && !every_third(NULL, exit))
			more = 1;
		executed = i && !more ? executed + 1 : 1;
		exit += more;
		put_varint(&counts, more);
		put_varint(&counts, 1 + random_u64(random) % (1 + (UINT64_C(1) << i)));
		if (every_third(NULL, exit))
			put_varint(&counts, executed);
	}
	put_varint(&record, interval);
	put_varint(&record, random_u64(random) % 3);
	put_varint(&record, random_u64(random));
	put_varint(&record, n);
	put_bytes(&record, counts.data, counts.size);
	put_record(to, &record);
	buffer_free(&counts);
	buffer_free(&record);
}

static int unpack(const struct buffer *columns, uint64_t n, struct buffer *records)
{
	records->size = 0;
	return vector_columns_unpack(span_of(columns->data, columns->size), n, records);
}

static void check_bytes(const struct buffer *b, const uint8_t *expected, size_t size)
{
	ck_assert_uint_eq(b->size, size);
	ck_assert_mem_eq(b->data, expected, size);
}

START_TEST(records_come_back)
{
	enum { MOST = 12 };
	uint64_t random = (uint64_t)_i + 1, n = random_u64(&random) % MOST, interval = 0;
	struct buffer records = { 0 }, columns = { 0 }, back = { 0 };

	for (uint64_t i = 0; i < n; i++) {
		put_random(&records, &random, interval);
		interval += random_u64(&random) % 3;
	}
	ck_assert(vector_columns_pack(span_of(records.data, records.size), n, every_third, NULL,
				      &columns));
	ck_assert_int_eq(unpack(&columns, n, &back), 0);
	if (records.size)
		check_bytes(&back, records.data, records.size);
	ck_assert_uint_eq(back.size, records.size);
	buffer_free(&records);
	buffer_free(&columns);
	buffer_free(&back);
}
END_TEST

START_TEST(layout)
{
	static const uint8_t records[] = { /* exit 1 in two intervals, exit 2 in one */
					   6,  5, 0, 9,   1, 1, 3, /* interval 5 */
					   12, 6, 1, 127, 3, 1, 1, 1, 7, 1, 0, 8, 2
	};
	static const uint8_t expected[] = { 3,         /* columns */
					    1, 1, 0,   /* exits */
					    0, 1, 2,   /* instructions of partial exits */
					    5, 0, 9,   /* heads */
					    1, 1, 127, /**/
					    3, 1,      /* exit 1 */
					    0, 0, 7,   /* exit 2, an instruction */
					    0, 0, 8 }; /* exit 2, two instructions */
	struct buffer columns = { 0 }, back = { 0 };

	ck_assert(vector_columns_pack(span_of(records, sizeof(records)), 2, every_third, NULL,
				      &columns));
	check_bytes(&columns, expected, sizeof(expected));
	ck_assert_int_eq(unpack(&columns, 2, &back), 0);
	check_bytes(&back, records, sizeof(records));
	for (size_t size = 0; size < sizeof(expected); size++) {
		columns.size = size;
		ck_assert_int_eq(unpack(&columns, 2, &back), TF_E_DAMAGED);
	}
	columns.size = sizeof(expected);
	put_u8(&columns, 0);
	ck_assert_int_eq(unpack(&columns, 2, &back), TF_E_DAMAGED); /* a byte is left over */
	buffer_free(&columns);
	buffer_free(&back);
}
END_TEST

START_TEST(unpacking_refuses)
{
	static const struct {
		const char *what;
		const char *bytes;
		size_t size;
		uint64_t n;
		int status;
	} cases[] = {
		{ "nothing", BYTES("\0"), 0, 0 },
		{ "an absence up to the end",
		  BYTES("\1\0\0"
			"\0\0\0\0\0\0"
			"\0\1"),
		  2, 0 },
		{ "an absence beyond the end",
		  BYTES("\1\0\0"
			"\0\0\0\0\0\0"
			"\0\2"),
		  2, TF_E_DAMAGED },
		{ "an absence of two bytes",
		  BYTES("\1\0\0"
			"\0\0\0\0\0\0"
			"\200\0\1"),
		  2, 0 },
		{ "exits beyond 32 bits", BYTES("\2\377\377\377\377\17\1\0\0"), 0, TF_E_DAMAGED },
		{ "exits of 32 bits", BYTES("\2\376\377\377\377\17\1\0\0"), 0, 0 },
		{ "instructions beyond 32 bits", BYTES("\1\0\200\200\200\200\20"), 0,
		  TF_E_DAMAGED },
		{ "columns without names", BYTES("\377\377\377\377\377\377\377\377\177\1\1"), 0,
		  TF_E_DAMAGED },
		{ "records without heads", BYTES("\0\0\0"), MAX_VECTOR_RECORDS, TF_E_DAMAGED },
		{ "too many records", BYTES("\0"), UINT64_MAX / 2, TF_E_DAMAGED },
	};
	struct buffer records = { 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ck_assert_msg(vector_columns_unpack(span_of((const uint8_t *)cases[i].bytes,
							    cases[i].size),
						    cases[i].n, &records) == cases[i].status,
			      "%s", cases[i].what);
	buffer_free(&records);
}
END_TEST

/* A few columns stand for more records than a payload may have. */
START_TEST(unpacking_is_bounded)
{
	enum { COLUMNS = 40 };
	struct buffer columns = { 0 }, records = { 0 };

	put_varint(&columns, COLUMNS);
	for (unsigned i = 0; i < COLUMNS; i++)
		put_varint(&columns, i ? 0 : UINT32_MAX);
	for (unsigned i = 0; i < COLUMNS; i++)
		put_varint(&columns, UINT32_MAX);
	for (uint64_t i = 0; i < 3 * MAX_VECTOR_RECORDS; i++)
		put_u8(&columns, 0);
	for (uint64_t i = 0; i < COLUMNS * MAX_VECTOR_RECORDS; i++)
		put_u8(&columns, 1);
	ck_assert(!columns.failed);
	ck_assert_int_eq(unpack(&columns, MAX_VECTOR_RECORDS, &records), TF_E_DAMAGED);
	ck_assert_uint_eq(records.size, 0);
	buffer_free(&columns);
	buffer_free(&records);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("vector_columns");
	TCase *tests = tcase_create("vector_columns");

	tcase_add_loop_test(tests, records_come_back, 0, 300);
	tcase_add_test(tests, layout);
	tcase_add_test(tests, unpacking_refuses);
	tcase_add_test(tests, unpacking_is_bounded);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
