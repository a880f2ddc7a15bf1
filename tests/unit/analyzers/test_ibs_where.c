/* SPDX-License-Identifier: MIT */
/* Conditions on samples. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/ibs/packet/where.h"
#include "tests/unit/run_suite.h"

/* A load of 20 cycles; of what is not known, neither a condition nor its opposite holds. */
START_TEST(conditions)
{
	static const char *const holding[] = { "ld",
					       "!st",
					       "ld && !st",
					       "st || ld",
					       "dc_miss_lat > 19",
					       "dc_miss_lat >= 20",
					       "dc_miss_lat <= 20",
					       "dc_miss_lat < 21",
					       "dc_miss_lat == 20",
					       " dc_miss_lat!=0x13 ",
					       "!(st || dc_miss_lat > 20)",
					       "st && st || ld",
					       "ld || st && st",
					       "ld || microcode",
					       "microcode || ld",
					       "!(st && microcode)",
					       "rip == 0xffffffffffffffff",
					       "cpu == 3",
					       "cpu",
					       "thread < 1",
					       "!thread",
					       "mode == user && ld",
					       "mode != guest-user",
					       "comm == \"a name\"",
					       "comm != a || st",
					       "!(comm == \"\")" };
	static const char *const others[] = { "st",
					      "!ld",
					      "ld && st",
					      "dc_miss_lat > 20",
					      "dc_miss_lat < 20",
					      "microcode",
					      "!microcode",
					      "microcode == 0",
					      "ld && microcode",
					      "st || microcode",
					      "!(ld && microcode)",
					      "(ld || st) && st",
					      "cpu > 3",
					      "process == 1",
					      "process != 1",
					      "mode == kernel",
					      "mode != user",
					      "comm == a",
					      "comm != \"a name\"" };
	static const char *const bad[] = { "",
					   "ld &&",
					   "(ld",
					   "ld)",
					   "ld st",
					   "load",
					   "dc_miss_lat >",
					   "dc_miss_lat > x",
					   "!",
					   "dc_miss_lat > 99999999999999999999",
					   "ld & st",
					   "20 > dc_miss_lat",
					   "()",
					   "comm",
					   "mode && ld",
					   "mode == usr",
					   "mode != User",
					   "comm < a",
					   "comm ==",
					   "comm == a name",
					   "comm == \"a",
					   "mode > user",
					   "comm == \"0123456789abcdef0123456789abcdef\"",
					   "cpu == a" };
	struct ibs_packet packet = { 0 };
	struct ibs_where where = { 0 };
	struct ibs_sample sample = { .packet = &packet,
				     .cpu = 3,
				     .thread = 0,
				     .process = TF_NONE,
				     .mode = "user",
				     .comm = "a name" };

	ibs_packet_set(&packet, IBS_LD, 1);
	ibs_packet_set(&packet, IBS_ST, 0);
	ibs_packet_set(&packet, IBS_DC_MISS_LAT, 20);
	ibs_packet_set(&packet, IBS_RIP, UINT64_MAX);
	ck_assert(ibs_where_holds(&where, &sample));
	for (size_t i = 0; i < sizeof(holding) / sizeof(holding[0]); i++) {
		ck_assert_ptr_null(ibs_where_parse(&where, holding[i]));
		ck_assert_msg(ibs_where_holds(&where, &sample), "%s", holding[i]);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		ck_assert_ptr_null(ibs_where_parse(&where, others[i]));
		ck_assert_msg(!ibs_where_holds(&where, &sample), "%s", others[i]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(ibs_where_parse(&where, bad[i]) != NULL, "%s", bad[i]);
}
END_TEST

/* More than there is room for, in length and in depth. */
START_TEST(long_conditions)
{
	struct ibs_where where;
	char text[3 * 4096 + 8];

	memset(text, '(', 4096);
	strcpy(text + 4096, "ld");
	ck_assert_ptr_nonnull(ibs_where_parse(&where, text));
	memset(text, '!', 4096);
	ck_assert_ptr_nonnull(ibs_where_parse(&where, text));
	strcpy(text, "ld");
	for (unsigned i = 0; i < 1000; i++)
		strcpy(text + 2 + 4 * i, "||ld");
	ck_assert_ptr_nonnull(ibs_where_parse(&where, text));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ibs where");
	TCase *tests = tcase_create("where");

	tcase_add_test(tests, conditions);
	tcase_add_test(tests, long_conditions);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
