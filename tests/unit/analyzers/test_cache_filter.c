/* SPDX-License-Identifier: MIT */
/* Hierarchies that are fed without dropped accesses, in pieces, end as those that see all. */
#include <string.h>

#include "analyzers/cache/filter.h"
#include "analyzers/cache/simulate.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"

enum { N_ACCESSES = 30000 };

/* Hierarchies that one filter serves; '@': TLBs. */
struct example {
	const char *levels[3];
	bool drops[N_CACHE_KINDS]; /* the filter drops some */
};

static const struct example examples[] = {
	{ { "1Ki/2,4Ki/4,16Ki/8" }, { true, true, true } },
	{ { "1Ki/1,4Ki/1" }, { true, true, true } },
	{ { "1Ki/full,4Ki/8" }, { true, true, true } },
	{ { "1Ki/4:unified,4Ki/4" }, { true, true, true } },
	{ { "1Ki/2:fifo,4Ki/4:fifo" }, { true, true, true } },
	{ { "1Ki/4:plru,4Ki/4:plru" }, { true, true, true } },
	{ { "1Ki/4:srrip,4Ki/4:srrip" }, { true, true, true } },
	{ { "1Ki/4:brrip,4Ki/4:brrip" }, { true, true, true } },
	{ { "2Ki/4:drrip,4Ki/4:drrip" }, { true, true, true } },
	{ { "1Ki/4:random,4Ki/4:random" }, { true, true, true } },
	{ { "1Ki/4:random:unified,4Ki/4:random" }, { true, true, true } },
	{ { "1Ki/2:unified,4Ki/4:exclusive,16Ki/4" }, { true, true, true } },
	{ { "1Ki/2,2Ki/4:exclusive,16Ki/4:exclusive" }, { true, true, true } },
	{ { "1Ki/2:no-allocate,4Ki/4" }, { true, true, true } },
	{ { "1Ki/2:no-allocate:fifo,4Ki/4:no-allocate" }, { true, true, true } },
	{ { "1Ki/2:write-through,4Ki/4" }, { true, true, false } },
	{ { "1Ki/2:write-through:no-allocate:srrip,4Ki/4" }, { true, true, false } },
	{ { "1Ki/2,4Ki/4:write-through:next-line" }, { true, true, true } },
	{ { "1Ki/2,4Ki/4:stride" }, { true, true, true } },
	{ { "1Ki/2+1Ki/4:tagged,4Ki/4" }, { true, false, false } },
	{ { "1Ki/2:next-line+1Ki/4,4Ki/4" }, { false, true, true } },
	{ { "576/3,4Ki/4" }, { true, true, true } },
	{ { "1344/3:plru:fifo,5376/7" }, { true, true, true } },
	{ { "1Ki/2/32,4Ki/4/128" }, { true, true, true } },
	{ { "1Ki/2,4Ki/4:inclusive" }, { false, false, false } },
	{ { "1Ki/2,2Ki/4,16Ki/4:inclusive" }, { false, false, false } },
	{ { "1Ki/2:opt,4Ki/4" }, { false, false, false } },
	{ { "1Ki/2,4Ki/4:opt,8Ki/4" }, { true, true, true } },
	{ { "@4/full,16/4" }, { true, true, true } },
	{ { "@4/2:no-allocate:write-through,16/4" }, { true, true, true } },
	{ { "1Ki/2,4Ki/4", "1Ki/2,8Ki/4:drrip", "2Ki/4:srrip,8Ki/4" }, { true, true, true } },
	{ { "1Ki/2,4Ki/4", "1Ki/2:no-allocate,8Ki/4" }, { true, true, true } },
	{ { "1Ki/2,4Ki/4", "192/1,8Ki/4", "1Ki/2:write-through" }, { true, true, false } },
	{ { "1Ki/2,4Ki/4", "1Ki/2:unified,4Ki/4" }, { true, true, true } },
	{ { "1Ki/2,4Ki/4", "1Ki/2/32,4Ki/4/32" }, { true, true, true } },
	{ { "1Ki/2,4Ki/4", "@4/full" }, { true, true, true } },
	{ { "1Ki/2+1Ki/4:stride,4Ki/4", "@4/full,16/4" }, { true, false, false } },
	{ { "1Ki/2:unified,4Ki/4", "1Ki/2+1Ki/4:stride" }, { false, false, false } },
};

static unsigned parse(const struct example *example, struct cache_config configs[3])
{
	unsigned count = 0;

	for (; count < 3 && example->levels[count]; count++) {
		const char *levels = example->levels[count];
		bool pages = *levels == '@';
		const char *wrong = cache_config_parse(&configs[count], levels + pages, pages);

		ck_assert_msg(!wrong, "%s: %s", levels, wrong);
	}
	return count;
}

/* Returns accesses that often return to a line, to another line of its set, or cross lines. */
static struct cache_access *random_accesses(uint64_t seed)
{
	struct cache_access *accesses = calloc(N_ACCESSES, sizeof(*accesses));
	uint64_t hot[N_CACHE_KINDS] = { 0 };

	for (unsigned i = 0; i < N_ACCESSES; i++) {
		enum cache_kind kind = random_below(&seed, N_CACHE_KINDS);
		uint64_t choice = random_below(&seed, 16);

		if (choice < 2)
			hot[kind] = random_below(&seed, 1 << 16);
		else if (choice < 4)
			hot[kind] ^= 1u << random_below(&seed, 14);
		else if (choice < 6)
			hot[kind] = hot[random_below(&seed, N_CACHE_KINDS)];
		accesses[i] = (struct cache_access){
			.address = hot[kind] + random_below(&seed, 8),
			.size = choice == 15 ? (uint32_t)random_below(&seed, 300) : 4,
			.count = kind == CACHE_FETCH ? 1 + (uint16_t)random_below(&seed, 3) : 1,
			.kind = kind,
		};
	}
	return accesses;
}

static const struct tf_block no_block;

static void feed(struct cache_hierarchy *h, const struct cache_access *access, unsigned i)
{
	struct cache_origin origin = { .block = &no_block, .pc = i % 7 };

	cache_hierarchy_feed(h, access, &origin, 1);
}

/* Feeds what the filter does not drop. The filter begins again before each of some accesses. */
static void feed_filtered(struct cache_hierarchy *hierarchies, unsigned count,
			  struct cache_filter *filter, const struct cache_access *accesses,
			  uint64_t seed, uint64_t dropped[N_CACHE_KINDS])
{
	for (unsigned i = 0; i <= N_ACCESSES; i++) {
		bool over = i == N_ACCESSES;

		if (over || !random_below(&seed, 1000)) {
			for (unsigned c = 0; c < count; c++)
				cache_hierarchy_add_hits(&hierarchies[c], filter->dropped);
			for (unsigned kind = 0; kind < N_CACHE_KINDS; kind++)
				dropped[kind] += filter->dropped[kind];
			cache_filter_clear(filter);
		}
		for (unsigned c = 0; !over && c == 0 && !cache_filter_drops(filter, &accesses[i]);)
			for (; c < count; c++)
				feed(&hierarchies[c], &accesses[i], i);
	}
}

static void compare_levels(const struct cache_level *a, const struct cache_level *b,
			   const char *name)
{
	size_t n = a->sets * a->ways;

	ck_assert_msg(!memcmp(&a->counts, &b->counts, sizeof(a->counts)), "%s: counts", name);
	ck_assert_msg(!memcmp(a->entries, b->entries, n * sizeof(*a->entries)), "%s: lines", name);
	ck_assert_msg(!a->ages || !memcmp(a->ages, b->ages, n), "%s: ages", name);
	ck_assert_msg(!a->states || !memcmp(a->states, b->states, a->sets * sizeof(*a->states)),
		      "%s: states", name);
}

static void compare(struct cache_hierarchy *a, struct cache_hierarchy *b, const char *name)
{
	ck_assert(cache_hierarchy_finish(a) && cache_hierarchy_finish(b));
	for (unsigned i = 0; i < a->n_levels; i++)
		compare_levels(&a->levels[i], &b->levels[i], name);
	ck_assert_uint_eq(a->bytes_read, b->bytes_read);
	ck_assert_uint_eq(a->bytes_written, b->bytes_written);
	ck_assert_mem_eq(a->crossings, b->crossings, sizeof(a->crossings));
	ck_assert_mem_eq(a->crossing_misses, b->crossing_misses, sizeof(a->crossing_misses));
}

START_TEST(filtered)
{
	const struct example *example = &examples[_i];
	struct cache_access *accesses = random_accesses((uint64_t)_i + 1);
	struct cache_hierarchy *all = calloc(3, sizeof(*all)), *some = calloc(3, sizeof(*some));
	struct cache_filter *filter = calloc(1, sizeof(*filter));
	uint64_t dropped[N_CACHE_KINDS] = { 0 };
	struct cache_config configs[3];
	unsigned count = parse(example, configs);

	for (unsigned c = 0; c < count; c++) {
		cache_hierarchy_init(&all[c], &configs[c]);
		cache_hierarchy_init(&some[c], &configs[c]);
		for (unsigned i = 0; i < N_ACCESSES; i++)
			feed(&all[c], &accesses[i], i);
	}
	cache_filter_init(filter, configs, count);
	feed_filtered(some, count, filter, accesses, (uint64_t)_i, dropped);
	for (unsigned kind = 0; kind < N_CACHE_KINDS; kind++)
		ck_assert_msg((dropped[kind] > N_ACCESSES / 100) == example->drops[kind],
			      "%s: %llu accesses of kind %u dropped", example->levels[0],
			      (unsigned long long)dropped[kind], kind);
	for (unsigned c = 0; c < count; c++) {
		compare(&all[c], &some[c], example->levels[c]);
		cache_hierarchy_free(&all[c]);
		cache_hierarchy_free(&some[c]);
	}
	free(all);
	free(some);
	free(filter);
	free(accesses);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cache_filter");
	TCase *tests = tcase_create("filter");

	tcase_add_loop_test(tests, filtered, 0, sizeof(examples) / sizeof(*examples));
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
