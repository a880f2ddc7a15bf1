/* SPDX-License-Identifier: MIT */
/* Names of functions in C++, and names whose demangled form exceeds any computer's memory. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/common/symbol_names.h"
#include "tests/unit/run_suite.h"

static void expect(const char *name, const char *plain)
{
	char *got = demangle_name(name);

	if (plain)
		ck_assert_str_eq(got, plain);
	else
		ck_assert_ptr_null(got);
	free(got);
}

START_TEST(test_names)
{
	expect("main", NULL);
	expect("_Z", NULL);
	expect("_Z!", NULL);
	expect("_ZN4deep4callEi", "deep::call(int)");
	expect("_ZN4deep4callEi@plt", "deep::call(int)@plt");
	expect("_ZNSt6vectorIiSaIiEE9push_backEOi",
	       "std::vector<int, std::allocator<int> >::push_back(int&&)");
	expect("_ZdlPvm@@CXXABI_1.3.9", "operator delete(void*, unsigned long)@@CXXABI_1.3.9");
}
END_TEST

/* _Z1f1XIiES_IS0_S0_ES_IS1_S1_E...: each parameter has twice the length of the one before. */
static char *doubling_name(unsigned levels)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static char name[1024];
	char *end = name + sprintf(name, "_Z1f1XIiE");

	for (unsigned i = 0; i < levels; i++)
		end += sprintf(end, "S_IS%c_S%c_E", digits[i], digits[i]);
	return name;
}

START_TEST(test_doubling)
{
	char *plain = demangle_name(doubling_name(3));

	ck_assert_str_eq(plain,
			 "f(X<int>, X<X<int>, X<int> >, X<X<X<int>, X<int> >, "
			 "X<X<int>, X<int> > >, X<X<X<X<int>, X<int> >, X<X<int>, X<int> > >, "
			 "X<X<X<int>, X<int> >, X<X<int>, X<int> > > >)");
	free(plain);
	for (unsigned levels = 12; levels <= 35; levels++)
		expect(doubling_name(levels), NULL);
}
END_TEST

/* The limit grows with the name: 64 times its length, from 1024 bytes on. */
START_TEST(test_limit)
{
	for (unsigned levels = 0; levels <= 35; levels++) {
		const char *name = doubling_name(levels);
		char *plain = demangle_name(name);
		size_t limit = 64 * strlen(name);

		if (limit < 1024)
			limit = 1024;
		ck_assert(levels < 6 ? plain != NULL : levels > 10 ? plain == NULL : true);
		ck_assert(!plain || strlen(plain) <= limit);
		free(plain);
	}
}
END_TEST

/* A million nested pointers or templates exceed any stack. */
START_TEST(test_depth)
{
	static const char *const nests[] = { "P", "1XI", "DTpl", "N", "F", "A1_", "Dp", "DTcv" };
	enum { COUNT = 1000000 };

	for (unsigned i = 0; i < sizeof(nests) / sizeof(*nests); i++) {
		size_t length = strlen(nests[i]);
		char *name = malloc(4 + COUNT * length + 2), *end;

		end = stpcpy(name, "_Z1f");
		for (unsigned k = 0; k < COUNT; k++)
			end = stpcpy(end, nests[i]);
		strcpy(end, "i");
		free(demangle_name(name));
		/* the demangler's largest depth */
		name[4 + 1000 / length * length] = 'i';
		name[4 + 1000 / length * length + 1] = 0;
		free(demangle_name(name));
		free(name);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("demangle");
	TCase *tcase = tcase_create("demangle");

	tcase_add_test(tcase, test_names);
	tcase_add_test(tcase, test_doubling);
	tcase_add_test(tcase, test_limit);
	tcase_add_test(tcase, test_depth);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
