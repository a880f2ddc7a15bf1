/* SPDX-License-Identifier: MIT */
/* trace-dump. */
#include <check.h>
#include <string.h>

#include "tests/unit/cli/commands.h"
#include "tests/unit/cli/odd_trace.h"
#include "tests/unit/run_suite.h"

START_TEST(dump_text_is_exact)
{
	expect_saved("dump good.trace", "dump.text");
}
END_TEST

START_TEST(dump_jsonl_is_exact)
{
	expect_saved("dump --format=jsonl good.trace", "dump.jsonl");
}
END_TEST

START_TEST(dump_csv_is_exact)
{
	expect_saved("dump --format=csv good.trace", "dump.csv");
}
END_TEST

START_TEST(dump_blocks)
{
	expect("dump --blocks --no-events good.trace", 0,
	       "   ordinal  th            pc  block            executed  branch     function\n"
	       "         0  t0        401000  block 0          6 of   6  not-taken  main (e\\x1bvil)\n"
	       "         0  t1        401000  block 0          2 of   6  partial    main (e\\x1bvil)\n"
	       "         6  t0        401024  block 1          4 of   4  not-taken  la\\x01nes+0x4 (e\\x1bvil)\n",
	       "");
}
END_TEST

START_TEST(dump_blocks_jsonl)
{
	expect("dump --blocks --no-events --thread=1 --format=jsonl good.trace", 0,
	       "{\"type\":\"block\",\"ordinal\":0,\"thread\":1,\"pc\":\"0x401000\",\"block\":0,\"instructions\":2,\"outcome\":\"partial\"}\n",
	       "");
}
END_TEST

START_TEST(dump_blocks_csv)
{
	expect("dump --blocks --format=csv -t 1 good.trace", 0,
	       "type,ordinal,thread,pc,block,instructions,outcome,text\n"
	       "event,0,1,,,,,thread-start started=1 tid=101 process=0 time_ns=10\n"
	       "block,0,1,0x401000,0,2,partial,main (e\\x1bvil)\n",
	       "");
}
END_TEST

START_TEST(dump_events_only)
{
	expect("dump --events -t 1 good.trace", 0,
	       "         0  -- thread-start started=1 tid=101 process=0 time_ns=10\n", "");
	expect("dump --events --blocks --format=csv -t 1 good.trace", 0,
	       "type,ordinal,thread,pc,block,instructions,outcome,text\n"
	       "event,0,1,,,,,thread-start started=1 tid=101 process=0 time_ns=10\n",
	       "");
	expect("dump --no-events --events --count=1 --blocks -t 1 good.trace", 0,
	       "         0  -- thread-start started=1 tid=101 process=0 time_ns=10\n", "");
}
END_TEST

START_TEST(dump_samples_of_none)
{
	expect("dump --samples good.trace", 3, "",
	       "trace-dump: error: good.trace has no samples\n");
}
END_TEST

START_TEST(dump_part)
{
	expect("dump --no-events -f 5 --count=2 --intel --bytes --symbols=no good.trace", 0,
	       "         5  t0        40100b  0f05                  syscall\n"
	       "         0  t1        401000  55                    push rbp                             [store 8 @0x7ffe1000]\n",
	       "");
}
END_TEST

START_TEST(dump_part_of_thread)
{
	expect("dump --no-events -t 1 -f 1 good.trace", 0,
	       "main+0x1 (e\\x1bvil):\n"
	       "         1        401001  mov (%rax), %rbx                     [load 8 @0x5000]\n",
	       "");
}
END_TEST

START_TEST(dump_without_addresses)
{
	const struct result *result;

	result = run_command("dump --no-events --symbols=no -c 3 control.trace");
	ck_assert_int_eq(result->status, 0);
	ck_assert_str_eq(
		result->out,
		"         0  t0        401000  push %rbp                            [store 8]\n"
		"         1  t0        401001  mov (%rax), %rbx                     [load 8]\n"
		"         2  t0        401004  rep movsb                            "
		"[store 1 x4 down interrupted] [load 1 x4 down interrupted]\n");
	result = run_command("dump --no-events --format=jsonl -f 2 -c 1 control.trace");
	expect_in(result->out,
		  "\"mem\":[{\"kind\":\"store\",\"address\":null,\"size\":1,\"count\":4,"
		  "\"down\":true,\"interrupted\":true},"
		  "{\"kind\":\"load\",\"address\":null,\"size\":1,\"count\":4,"
		  "\"down\":true,\"interrupted\":true}]}\n");
	result = run_command("dump --no-events --format=jsonl -t 0 -f 8 control.trace");
	expect_in(result->out, "\"mem\":[{\"kind\":\"store\",\"address\":null,\"size\":2696,"
			       "\"count\":1}]}\n");
}
END_TEST

START_TEST(dump_passes_over_damage)
{
	const struct result *result = run_command("dump --no-events --symbols=no bad.trace");

	ck_assert_int_eq(result->status, 1);
	expect_in(result->err, "trace-dump: error: bad.trace: ");
	expect_in(result->out, "  t1  ");
	ck_assert_ptr_null(strstr(result->out, "vpgather"));
}
END_TEST

START_TEST(dump_says_what_is_lost)
{
	odd_trace_damage("names.trace", "SYMBOLS", false);
	const struct result *result = run_command("dump names.trace");

	expect_in(result->err, "trace-dump: names.trace: trace is damaged: ");
	ck_assert_ptr_null(strstr(result->out, "main"));
}
END_TEST

START_TEST(dump_beyond_the_end)
{
	expect("dump --from=12 --no-events good.trace", 0, "",
	       "trace-dump: warning: nothing was executed from instruction 12 on; there are 12\n");
	expect("dump --from=2k --thread=1 good.trace", 0, "",
	       "trace-dump: warning: nothing was executed from instruction 2,000 on; "
	       "there are 2\n");
	ck_assert_str_eq(run_command("dump --from=11 good.trace")->err, "");
	ck_assert_str_eq(run_command("dump --count=0 good.trace")->err, "");
	ck_assert_str_eq(run_command("dump --from=3 --count=0 good.trace")->err, "");
	expect_in(run_command("mix --from=12 good.trace")->err,
		  "trace-mix: warning: nothing was executed from instruction 12 on");
	ck_assert_ptr_null(
		strstr(run_command("mix --from=11 good.trace")->err, "nothing was executed"));
	ck_assert_ptr_null(strstr(run_command("mix --from=12 --count=0 good.trace")->err,
				  "nothing was executed"));
}
END_TEST

START_TEST(dump_standard_input)
{
	expect_saved("dump - <good.trace", "dump.text");
}
END_TEST

START_TEST(dump_refuses)
{
	static const char *const usage[] = { "dump",
					     "dump a b",
					     "dump --from=5x a",
					     "dump -c -1 a",
					     "dump -t 4294967295 a",
					     "dump --symbols=maybe a",
					     "dump --format=json a",
					     "dump --nonsense a" };

	for (size_t i = 0; i < sizeof(usage) / sizeof(usage[0]); i++) {
		const struct result *result = run_command(usage[i]);

		ck_assert_msg(result->status == 2, "%s: %d", usage[i], result->status);
		ck_assert_str_eq(result->out, "");
		expect_in(result->err, "Try 'trace-dump --help'.\n");
	}
	ck_assert_int_eq(run_command("dump --thread=9 good.trace")->status, 3);
	ck_assert_int_eq(run_command("dump nowhere.trace")->status, 1);
	expect("dump - <&-", 1, "", "trace-dump: error: standard input: Bad file descriptor\n");
	ck_assert_int_eq(run_command("dump /etc/passwd")->status, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace-dump");
	TCase *tests = tcase_create("commands");

	tcase_add_unchecked_fixture(tests, commands_begin, commands_end);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, dump_text_is_exact);
	tcase_add_test(tests, dump_jsonl_is_exact);
	tcase_add_test(tests, dump_csv_is_exact);
	tcase_add_test(tests, dump_blocks);
	tcase_add_test(tests, dump_events_only);
	tcase_add_test(tests, dump_blocks_jsonl);
	tcase_add_test(tests, dump_blocks_csv);
	tcase_add_test(tests, dump_samples_of_none);
	tcase_add_test(tests, dump_part);
	tcase_add_test(tests, dump_part_of_thread);
	tcase_add_test(tests, dump_without_addresses);
	tcase_add_test(tests, dump_passes_over_damage);
	tcase_add_test(tests, dump_says_what_is_lost);
	tcase_add_test(tests, dump_beyond_the_end);
	tcase_add_test(tests, dump_standard_input);
	tcase_add_test(tests, dump_refuses);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
