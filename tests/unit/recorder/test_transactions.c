/* SPDX-License-Identifier: MIT */
/*
 * Tests that transactions are hidden from programs. The recorder asks this test's processor, which
 * has transactions, whatever the machine has.
 */
#include <check.h>
#include <cpuid.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/ptrace/cpu_model.h"
#include "recorder/recorder.h"
#include "tests/unit/run_suite.h"

enum { HLE_RTM = 1 << 4 | 1 << 11, ABORTS = 1 << 11 | 1 << 13 };

struct cpu_leaf cpu_leaf_ask(uint32_t number, uint32_t sub)
{
	struct cpu_leaf l;

	__cpuid_count(number, sub, l.eax, l.ebx, l.ecx, l.edx);
	if (number == 7 && sub == 0) {
		l.ebx |= HLE_RTM;
		l.edx |= ABORTS;
	}
	return l;
}

struct cpu_leaf cpu_leaf_read(uint32_t number, uint32_t sub)
{
	return cpu_leaf_ask(number, sub);
}

START_TEST(answers_without_transactions)
{
	const struct cpu_leaf all = { ~0u, ~0u, ~0u, ~0u };
	const struct cpu_leaf none = { ~0u, ~(uint32_t)HLE_RTM, ~0u, ~(uint32_t)ABORTS };
	struct cpu_leaf l = all;

	transactions_hide(7, 0, &l);
	ck_assert_mem_eq(&l, &none, sizeof(l));
	ck_assert(!transactions_are_reported(&none));
	for (unsigned bit = 0; bit < 32; bit++) {
		struct cpu_leaf one = { 1u << bit, 1u << bit, 1u << bit, 1u << bit };
		bool told = (1u << bit & (HLE_RTM | ABORTS)) != 0;

		ck_assert_int_eq(transactions_are_reported(&one), told);
	}
	for (unsigned i = 0; i < 3; i++) {
		l = all;
		transactions_hide(i ? 7 : 1, i, &l);
		ck_assert_mem_eq(&l, &all, sizeof(l));
	}
}
END_TEST

START_TEST(the_instruction)
{
	static const struct {
		uint8_t code[8];
		unsigned length;
		bool is;
	} cases[] = {
		{ { 0xc7, 0xf8, 1, 0, 0, 0 }, 6, true },
		{ { 0x66, 0xc7, 0xf8, 1, 0 }, 5, true },
		{ { 0x48, 0xc7, 0xf8, 0, 0, 0, 0 }, 7, true },
		{ { 0xc7, 0x38, 0, 0, 0, 0 }, 6, false },
		{ { 0xc6, 0xf8, 7 }, 3, false },
		{ { 0x0f, 0xc7, 0xf8 }, 3, false },
		{ { 0x0f, 0x01, 0xd6 }, 3, false },
		{ { 0xc7 }, 1, false },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ck_assert_int_eq(transactions_begin(cases[i].code, cases[i].length), cases[i].is);
}
END_TEST

/* Records a program and returns what it prints. */
static void record(const char *backend, const char *from, uint64_t skip, char *text, size_t size)
{
	char program[PATH_MAX], *argv[] = { program, NULL };
	struct record_options o = { .size = sizeof(o),
				    .argv = argv,
				    .output = "/dev/null",
				    .backend = backend,
				    .from = from,
				    .skip = skip };
	struct record_result result;
	struct tf_error error;
	int out = dup(STDOUT_FILENO), pipes[2];
	ssize_t n;

	snprintf(program, sizeof(program), "%s/transacts", getenv("PROGRAMS"));
	ck_assert_int_eq(pipe2(pipes, O_CLOEXEC), 0);
	dup2(pipes[1], STDOUT_FILENO);
	record_run(&o, &result, &error);
	dup2(out, STDOUT_FILENO);
	close(out);
	close(pipes[1]);
	n = read(pipes[0], text, size - 1);
	text[n < 0 ? 0 : n] = 0;
	close(pipes[0]);
}

START_TEST(programs_get_on)
{
	static const char expected[] = "told 0 0\nsum 300 committed 0 aborted 300 last 0\n";
	char text[256];

	if (!getenv("PROGRAMS"))
		return;
	record("translate", NULL, 0, text, sizeof(text));
	ck_assert_str_eq(text, expected);
	record("step", "main", 0, text, sizeof(text));
	ck_assert_str_eq(text, expected);
	record("translate", NULL, UINT64_C(1) << 40, text, sizeof(text));
	ck_assert_str_eq(text, expected);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("transactions");
	TCase *tests = tcase_create("hidden");

	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, answers_without_transactions);
	tcase_add_test(tests, the_instruction);
	tcase_add_test(tests, programs_get_on);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
