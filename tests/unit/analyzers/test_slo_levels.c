/* SPDX-License-Identifier: MIT */
/* Compares the levels that separate two touches with whole copies of each touch's levels. */
#include <string.h>

#include "analyzers/slo/levels.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"

enum { MOST_DEPTH = 12, DATA = 16, TOUCHES = 3000 };

static struct contexts contexts;
static struct levels levels;
static uint64_t random_state;

/* ---- the slow way ------------------------------------------------------------------------ */

/* All levels that control was in at a moment: instances, distinguished by number. */
struct snapshot {
	unsigned count; /* without the root */
	struct {
		uint64_t instance, iteration;
		uint32_t what, site;
		bool is_loop;
	} levels[MOST_DEPTH];
};

static struct snapshot now;
static uint64_t instances;

static void enter(bool is_loop, uint32_t what, uint32_t site)
{
	levels_push(&levels, is_loop, what, site);
	now.levels[now.count].instance = ++instances;
	now.levels[now.count].iteration = 0;
	now.levels[now.count].what = what;
	now.levels[now.count].site = site;
	now.levels[now.count++].is_loop = is_loop;
}

static void leave(unsigned count)
{
	now.count -= count;
	levels_pop(&levels, now.count);
}

static void iterate(void)
{
	levels_iterate(&levels);
	now.levels[now.count - 1].iteration++;
}

/* Returns how many of the outermost levels are the same instances. */
static unsigned common_levels(const struct snapshot *a, const struct snapshot *b)
{
	unsigned n = 0;

	while (n < a->count && n < b->count && a->levels[n].instance == b->levels[n].instance &&
	       (n == 0 || a->levels[n - 1].iteration == b->levels[n - 1].iteration))
		n++;
	return n;
}

static void check_part(uint32_t context, const struct snapshot *from, unsigned level)
{
	if (level >= from->count) {
		ck_assert_uint_eq(context, CONTEXT_NONE);
		return;
	}
	const struct context_key *c = &contexts.at[context].key;

	ck_assert_uint_ne(context, CONTEXT_NONE);
	ck_assert_uint_eq(c->what, from->levels[level].what);
	ck_assert_uint_eq(c->site, from->levels[level].site);
	ck_assert_int_eq(c->is_loop, from->levels[level].is_loop);
}

static enum reuse_kind expected_kind(const struct snapshot *before, unsigned level)
{
	bool first = level < before->count, second = level < now.count;
	bool first_loop = first && before->levels[level].is_loop;
	bool second_loop = second && now.levels[level].is_loop;

	if (!first && !second)
		return REUSE_SEQ;
	if ((first && !first_loop) || (second && !second_loop))
		return REUSE_FUNC;
	return first && second ? REUSE_FUSE : REUSE_MOVE;
}

static void check_reuse(const struct snapshot *before, const struct reuse *reuse)
{
	unsigned common = common_levels(before, &now);
	uint64_t apart = common ? now.levels[common - 1].iteration -
					  before->levels[common - 1].iteration
				: 0;

	if (common)
		check_part(reuse->overview, &now, common - 1);
	else
		ck_assert_uint_eq(reuse->overview, 0);
	check_part(reuse->first, before, common);
	check_part(reuse->second, &now, common);
	ck_assert_uint_eq(reuse->iterations, apart < ITERATIONS_KEPT ? apart : ITERATIONS_KEPT);
	ck_assert_uint_eq(reuse->kind, apart ? REUSE_LOOP : expected_kind(before, common));
}

/* ---- random walks ------------------------------------------------------------------------ */

static void step(void)
{
	unsigned choice = random_below(&random_state, 10);

	if (choice < 2 && now.count < MOST_DEPTH)
		enter(true, random_below(&random_state, 3), 0);
	else if (choice < 4 && now.count < MOST_DEPTH)
		enter(false, random_below(&random_state, 3), 1 + random_below(&random_state, 2));
	else if (choice < 7 && now.count && now.levels[now.count - 1].is_loop)
		iterate();
	else if (now.count)
		leave(1 + random_below(&random_state, now.count > 2 ? 2 : now.count));
}

START_TEST(as_snapshots)
{
	struct {
		uint64_t time;
		uint32_t context;
		struct snapshot snapshot;
	} last[DATA] = { 0 };
	unsigned kinds[REUSE_KINDS] = { 0 }, far = 0;

	random_state = 100 + (uint64_t)_i;
	contexts_init(&contexts);
	levels_init(&levels, &contexts);
	now.count = 0;
	for (unsigned touch = 0; touch < TOUCHES; touch++) {
		unsigned datum = random_below(&random_state, DATA);

		for (unsigned i = random_below(&random_state, 4); i > 0; i--)
			step();
		levels.now++;
		if (last[datum].time) {
			struct reuse reuse;

			levels_find(&levels, last[datum].time, last[datum].context, &reuse);
			check_reuse(&last[datum].snapshot, &reuse);
			kinds[reuse.kind]++;
			far += reuse.iterations == ITERATIONS_KEPT;
		}
		last[datum].time = levels.now;
		last[datum].context = levels_context(&levels);
		last[datum].snapshot = now;
	}
	for (unsigned kind = 0; kind < REUSE_KINDS; kind++)
		ck_assert_uint_gt(kinds[kind], 20);
	levels_free(&levels);
	contexts_free(&contexts);
}
END_TEST

/* ---- known cases ------------------------------------------------------------------------- */

static uint64_t touch_at(uint32_t *context)
{
	*context = levels_context(&levels);
	return ++levels.now;
}

/* for i { x; } with other touches between: the iterations that are apart, up to what is kept. */
START_TEST(iterations)
{
	uint32_t context;
	struct reuse reuse;

	contexts_init(&contexts);
	levels_init(&levels, &contexts);
	levels_push(&levels, true, 7, 0);

	uint64_t time = touch_at(&context);

	for (uint64_t i = 1; i < 3 * ITERATIONS_KEPT; i++) {
		levels_iterate(&levels);
		levels.now++;
		levels_find(&levels, time, context, &reuse);
		ck_assert_uint_eq(reuse.kind, REUSE_LOOP);
		ck_assert_uint_eq(reuse.iterations, i < ITERATIONS_KEPT ? i : ITERATIONS_KEPT);
	}
	levels_free(&levels);
	contexts_free(&contexts);
}
END_TEST

static uint32_t context_of(bool is_loop, uint32_t what, uint32_t site)
{
	uint32_t context;

	levels_push(&levels, is_loop, what, site);
	context = levels_context(&levels);
	levels_pop(&levels, levels.top - 1);
	return context;
}

/* A context is found again however many there are, and differs from all others. */
START_TEST(contexts_are_found_again)
{
	enum { MANY = 5000 };
	uint32_t all[MANY][2];

	contexts_init(&contexts);
	levels_init(&levels, &contexts);
	for (uint32_t i = 0; i < MANY; i++) {
		all[i][0] = context_of(false, i, i % 3);
		all[i][1] = context_of(true, i, i % 3);
		ck_assert_uint_eq(contexts.count, 2 * i + 3);
	}
	for (uint32_t i = 0; i < MANY; i++) {
		ck_assert_uint_eq(context_of(true, i, i % 3), all[i][1]);
		ck_assert_uint_eq(context_of(false, i, i % 3), all[i][0]);
		ck_assert_uint_eq(all[i][0], 2 * i + 1);
		ck_assert_uint_eq(all[i][1], 2 * i + 2);
	}
	ck_assert_uint_eq(contexts.count, 2 * MANY + 1);
	levels_free(&levels);
	contexts_free(&contexts);
}
END_TEST

/* f { x; f { x } x }: both touches are in the outer f. */
START_TEST(recursion)
{
	uint32_t context;
	struct reuse reuse;

	contexts_init(&contexts);
	levels_init(&levels, &contexts);
	levels_push(&levels, false, 1, 5);

	uint32_t outer = levels_context(&levels);
	uint64_t time = touch_at(&context);

	levels_push(&levels, false, 1, 5);
	levels.now++;
	levels_find(&levels, time, context, &reuse);
	ck_assert_uint_eq(reuse.kind, REUSE_FUNC);
	ck_assert_uint_eq(reuse.overview, outer);
	ck_assert_uint_eq(reuse.first, CONTEXT_NONE);
	ck_assert_uint_eq(contexts.at[reuse.second].depth, 2);
	levels_free(&levels);
	contexts_free(&contexts);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("levels");
	TCase *tests = tcase_create("levels");

	tcase_add_loop_test(tests, as_snapshots, 0, 30);
	tcase_add_test(tests, iterations);
	tcase_add_test(tests, contexts_are_found_again);
	tcase_add_test(tests, recursion);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
