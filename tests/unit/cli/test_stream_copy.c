/* SPDX-License-Identifier: MIT */
/* A copy has the bytes of the original, wherever both begin, and touches no others. */
#include <string.h>

#include "cli/common/stream_copy.h"
#include "tests/unit/run_suite.h"

enum { LINE = 64, MOST = 4 * LINE, ROOM = MOST + 2 * LINE, UNTOUCHED = 0xee };

static void check_copy(const unsigned char *from, size_t begin, size_t size)
{
	_Alignas(LINE) unsigned char to[ROOM], expected[ROOM];

	memset(to, UNTOUCHED, ROOM);
	memset(expected, UNTOUCHED, ROOM);
	memcpy(expected + begin, from, size);
	stream_copy(to + begin, from, size);
	ck_assert_mem_eq(to, expected, ROOM);
}

START_TEST(copies_what_memcpy_does)
{
	_Alignas(LINE) unsigned char from[ROOM];

	for (unsigned i = 0; i < ROOM; i++)
		from[i] = (unsigned char)(i * 7 + 1);
	for (size_t size = 0; size <= MOST; size++)
		for (size_t begin = 0; begin < LINE; begin++)
			check_copy(from + (size + begin) % 3, begin, size);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stream_copy");
	TCase *tests = tcase_create("stream_copy");

	tcase_add_test(tests, copies_what_memcpy_does);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
