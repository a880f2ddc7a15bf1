/* SPDX-License-Identifier: MIT */
/* Compares maps of ranges with an array that has the value of each address. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"
#include "traceformat/common/range_map.h"

enum { N_ADDRESSES = 512, N_MAPS = 3 };

/* A map, and the oracle: by address, a pointer into `values`, or NULL. */
struct pair {
	struct range_map map;
	const void *slow[N_ADDRESSES];
};

static const char values[4096];

/* The addresses of the test end where the address space does. */
static uint64_t base;

static void set(struct pair *p, unsigned first, unsigned last, const void *value)
{
	ck_assert(value ? range_map_set(&p->map, (struct range){ base + first, base + last, value })
			: range_map_clear(&p->map, base + first, base + last));
	for (unsigned i = first; i <= last; i++)
		p->slow[i] = value;
}

static void change(struct pair *p, uint64_t *state)
{
	unsigned first = random_below(state, N_ADDRESSES);
	unsigned left = N_ADDRESSES - first;
	unsigned most = random_chance(state, 10) || left < 8 ? left : 8;
	unsigned last = first + random_below(state, most);

	set(p, first, last,
	    random_chance(state, 30) ? NULL : &values[random_below(state, sizeof(values))]);
}

static void replace(struct pair *p, const struct pair *by)
{
	struct range_map copy = range_map_copy(&by->map);

	range_map_free(&p->map);
	memmove(p, by, sizeof(*p));
	p->map = copy;
}

static void compare_address(const struct pair *p, unsigned i)
{
	const struct range *at = range_map_at(&p->map, base + i);
	const struct range *above = range_map_at_or_above(&p->map, base + i);
	const struct range *below = range_map_at_or_below(&p->map, base + i);
	unsigned up = i, down = i;

	ck_assert_ptr_eq(at ? at->value : NULL, p->slow[i]);
	while (up < N_ADDRESSES && !p->slow[up])
		up++;
	while (down > 0 && !p->slow[down])
		down--;
	ck_assert_int_eq(up < N_ADDRESSES, above != NULL);
	ck_assert_int_eq(p->slow[down] != NULL, below != NULL);
	if (above)
		ck_assert(above->first <= base + up && base + up <= above->last &&
			  (above->first == base + up || above == at));
	if (below)
		ck_assert(below->first <= base + down && base + down <= below->last &&
			  (below->last == base + down || below == at));
}

START_TEST(random_changes)
{
	uint64_t state = 1 + (uint64_t)_i;
	struct pair pairs[N_MAPS] = { 0 };

	base = _i % 2 ? UINT64_MAX - N_ADDRESSES + 1 : 0;
	for (unsigned step = 0; step < 3000; step++) {
		struct pair *p = &pairs[random_below(&state, N_MAPS)];

		if (random_chance(&state, 1))
			replace(p, &pairs[random_below(&state, N_MAPS)]);
		change(p, &state);
		if (step % 16 == 0)
			for (unsigned i = 0; i < N_ADDRESSES; i++)
				compare_address(&pairs[step / 16 % N_MAPS], i);
	}
	for (unsigned m = 0; m < N_MAPS; m++) {
		for (unsigned i = 0; i < N_ADDRESSES; i++)
			compare_address(&pairs[m], i);
		range_map_free(&pairs[m].map);
	}
}
END_TEST

/* Keeps the parts of a range that a smaller one divides, each with the value of the whole. */
START_TEST(divides)
{
	struct range_map map = { 0 };
	const struct range *r;

	ck_assert(range_map_set(&map, (struct range){ 0, UINT64_MAX, &values[1] }));
	ck_assert(range_map_set(&map, (struct range){ 10, 19, &values[2] }));
	r = range_map_at(&map, 9);
	ck_assert(r && r->first == 0 && r->last == 9 && r->value == &values[1]);
	r = range_map_at(&map, UINT64_MAX);
	ck_assert(r && r->first == 20 && r->last == UINT64_MAX && r->value == &values[1]);
	ck_assert(range_map_clear(&map, 0, UINT64_MAX));
	ck_assert_ptr_null(range_map_at_or_above(&map, 0));
	range_map_free(&map);
}
END_TEST

/* A tree that ascending ranges make deep would take minutes, or the stack. */
START_TEST(many_ascending)
{
	struct range_map map = { 0 }, copy;
	const struct range *r;
	uint64_t count = 0;

	for (uint64_t i = 0; i < 300000; i++)
		ck_assert(range_map_set(&map, (struct range){ 2 * i, 2 * i, &values[0] }));
	copy = range_map_copy(&map);
	for (uint64_t i = 0; i < 300000; i += 2)
		ck_assert(range_map_clear(&map, 2 * i, 2 * i));
	for (uint64_t at = 0; (r = range_map_at_or_above(&map, at)); at = r->last + 1)
		count++;
	ck_assert_uint_eq(count, 150000);
	range_map_free(&map);
	for (uint64_t at = 0; (r = range_map_at_or_above(&copy, at)); at = r->last + 1)
		count++;
	ck_assert_uint_eq(count, 450000);
	range_map_free(&copy);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("range_map");
	TCase *tests = tcase_create("range_map");

	tcase_add_loop_test(tests, random_changes, 0, is_quick() ? 20 : 200);
	tcase_add_test(tests, divides);
	tcase_add_test(tests, many_ascending);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
