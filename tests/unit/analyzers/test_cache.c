/* SPDX-License-Identifier: MIT */
/* Hierarchies of caches: sequences of textbooks, and what holds for every sequence. */
#include <stdio.h>
#include <string.h>

#include "analyzers/cache/coherence.h"
#include "analyzers/cache/flow.h"
#include "analyzers/cache/simulate.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"

static struct cache_hierarchy *hierarchy;

static void setup(void)
{
	hierarchy = calloc(1, sizeof(*hierarchy));
}

static void teardown(void)
{
	cache_hierarchy_free(hierarchy);
	free(hierarchy);
}

static void make(const char *levels)
{
	struct cache_config config;
	const char *wrong = cache_config_parse(&config, levels, false);

	ck_assert_msg(!wrong, "%s: %s", levels, wrong);
	cache_hierarchy_free(hierarchy);
	cache_hierarchy_init(hierarchy, &config);
}

static void access_line(uint64_t line, enum cache_kind kind)
{
	struct cache_access access = { line * 64 + line % 60, 4, 1, kind, 0 };

	cache_hierarchy_feed(hierarchy, &access, NULL, 1);
}

static uint64_t misses_at(unsigned depth)
{
	struct cache_counts counts;

	ck_assert(cache_hierarchy_finish(hierarchy));
	counts = cache_hierarchy_counts(hierarchy, depth, false);
	return counts.misses[CACHE_FETCH] + counts.misses[CACHE_LOAD] + counts.misses[CACHE_STORE];
}

/* Returns the misses of level 1 for a sequence of lines, numbers with blanks between them. */
static uint64_t misses_of(const char *levels, const char *lines)
{
	char *text = strdup(lines), *rest, *word;

	make(levels);
	for (word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		access_line(strtoul(word, NULL, 10), CACHE_LOAD);
	free(text);
	return misses_at(0);
}

/* Patterson, Hennessy, Computer Organization and Design, chapter 5: placement. */
START_TEST(patterson_hennessy)
{
	ck_assert_uint_eq(misses_of("512/1", "22 26 22 26 16 3 16 18 16"), 5);
	ck_assert_uint_eq(misses_of("256/1", "0 8 0 6 8"), 5);
	ck_assert_uint_eq(misses_of("256/2", "0 8 0 6 8"), 4);
	ck_assert_uint_eq(misses_of("256/full", "0 8 0 6 8"), 3);
}
END_TEST

/* Silberschatz, Galvin, Gagne, Operating System Concepts, chapter on page replacement. */
START_TEST(silberschatz)
{
	static const char string[] = "7 0 1 2 0 3 0 4 2 3 0 3 2 1 2 0 1 7 0 1";

	ck_assert_uint_eq(misses_of("192/3:fifo", string), 15);
	ck_assert_uint_eq(misses_of("192/3:lru", string), 12);
	ck_assert_uint_eq(misses_of("192/3:opt", string), 9);
}
END_TEST

/* Belady, Nelson, Shedler, CACM 12(6), 1969: FIFO may miss more with more frames. */
START_TEST(belady_anomaly)
{
	static const char string[] = "1 2 3 4 1 2 5 1 2 3 4 5";

	ck_assert_uint_eq(misses_of("192/3:fifo", string), 9);
	ck_assert_uint_eq(misses_of("256/4:fifo", string), 10);
	ck_assert_uint_eq(misses_of("192/3:opt", string), 7);
	ck_assert_uint_eq(misses_of("256/4:opt", string), 6);
}
END_TEST

/* By hand: after 0 1 2 3, the tree's root points to ways 0 and 1, and their node to way 0. */
START_TEST(tree)
{
	ck_assert_uint_eq(misses_of("256/4:plru", "0 1 2 3 0 4 0"), 5);
	ck_assert_uint_eq(misses_of("256/4:plru", "0 1 2 3 0 4 2"), 6);
	ck_assert_uint_eq(misses_of("256/4:plru", "0 1 2 3 0 4 1 3"), 5);
}
END_TEST

/* Jaleel 2010, figure 2's mixed pattern: a scan does not evict lines that were reused. */
START_TEST(scan_resistance)
{
	ck_assert_uint_eq(misses_of("256/4:lru", "1 2 1 2 10 11 12 13 1 2"), 8);
	ck_assert_uint_eq(misses_of("256/4:srrip", "1 2 1 2 10 11 12 13 1 2"), 6);
}
END_TEST

static uint64_t random_line(uint64_t *state, unsigned i)
{
	return i % 3 ? random_below(state, 40) : random_below(state, 400);
}

static void random_accesses(uint64_t seed, unsigned count)
{
	uint64_t state = seed;

	for (unsigned i = 0; i < count; i++)
		access_line(random_line(&state, i), random_below(&state, N_CACHE_KINDS));
}

/* No policy misses less than OPT. */
START_TEST(opt_is_optimal)
{
	static const char *const policies[] = { "lru",   "fifo",  "plru",  "srrip",
						"brrip", "drrip", "random" };

	for (uint64_t seed = 1; seed < 6; seed++) {
		uint64_t least;

		make("4Ki/4:unified:opt");
		random_accesses(seed, 5000);
		least = misses_at(0);
		for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++) {
			char levels[64];

			snprintf(levels, sizeof(levels), "4Ki/4:unified:%s", policies[i]);
			make(levels);
			random_accesses(seed, 5000);
			ck_assert_uint_gt(misses_at(0), least);
		}
	}
}
END_TEST

/* A level below OPT sees the requests in their order: OPT with one way is as any policy. */
START_TEST(opt_passes_requests_on)
{
	static const char *const kinds[] = { "", ":write-through", ":no-allocate",
					     ":no-allocate:write-through" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct cache_counts expected[3], counts;
		uint64_t written;
		char levels[128];

		snprintf(levels, sizeof(levels), "1Ki/1%s,2Ki/1%s,8Ki/4:inclusive", kinds[i],
			 kinds[i]);
		*strstr(levels, ":inclusive") = '\0';
		make(levels);
		random_accesses(3, 20000);
		for (unsigned d = 0; d < 3; d++)
			expected[d] = cache_hierarchy_counts(hierarchy, d, false);
		written = hierarchy->bytes_written;
		snprintf(levels, sizeof(levels), "1Ki/1:opt%s,2Ki/1:opt%s,8Ki/4", kinds[i],
			 kinds[i]);
		make(levels);
		random_accesses(3, 20000);
		ck_assert(cache_hierarchy_finish(hierarchy));
		for (unsigned d = 0; d < 3; d++) {
			counts = cache_hierarchy_counts(hierarchy, d, false);
			ck_assert_mem_eq(&counts, &expected[d], sizeof(counts));
		}
		ck_assert_uint_eq(hierarchy->bytes_written, written);
	}
}
END_TEST

static bool has(unsigned side, unsigned depth, uint64_t line)
{
	return cache_level_find(hierarchy->at[0][side][depth], line * 64) != NULL;
}

START_TEST(inclusion)
{
	uint64_t state = 1;

	make("1Ki/2,2Ki/4:inclusive,4Ki/4:inclusive");
	for (unsigned i = 0; i < 4000; i++) {
		access_line(random_line(&state, i), random_below(&state, N_CACHE_KINDS));
		for (uint64_t line = 0; i % 32 == 0 && line < 400; line++) {
			ck_assert(!has(0, 0, line) || has(0, 1, line));
			ck_assert(!has(1, 0, line) || has(0, 1, line));
			ck_assert(!has(0, 1, line) || has(0, 2, line));
		}
	}
	ck_assert_uint_gt(cache_hierarchy_counts(hierarchy, 0, false).invalidations, 0);
}
END_TEST

/* A unified level and an exclusive one have no line in common. */
START_TEST(exclusion)
{
	uint64_t state = 1;

	make("1Ki/2:unified,2Ki/4:exclusive,4Ki/4:exclusive");
	for (unsigned i = 0; i < 4000; i++) {
		access_line(random_line(&state, i), random_below(&state, N_CACHE_KINDS));
		for (uint64_t line = 0; i % 32 == 0 && line < 400; line++)
			ck_assert_uint_le(has(0, 0, line) + has(0, 1, line) + has(0, 2, line), 1);
	}
}
END_TEST

/* Fully associative LRU levels that exclude each other are one stack. */
START_TEST(exclusive_levels_are_one_stack)
{
	uint64_t misses;

	make("1Ki/full:unified,2Ki/full:exclusive");
	random_accesses(7, 20000);
	misses = misses_at(1);
	make("3Ki/full:unified");
	random_accesses(7, 20000);
	ck_assert_uint_eq(misses_at(0), misses);
}
END_TEST

/* Write-backs do not change demand misses; each store reaches memory at least once. */
START_TEST(writes)
{
	make("1Ki/2:unified:write-through:no-allocate");
	random_accesses(5, 1000);
	ck_assert_uint_eq(hierarchy->bytes_written,
			  4 * cache_hierarchy_counts(hierarchy, 0, false).lookups[CACHE_STORE]);
	make("64/1:unified,128/1");
	access_line(0, CACHE_STORE);
	access_line(2, CACHE_LOAD);
	ck_assert_uint_eq(hierarchy->bytes_written, 64);
	make("64/1:unified,128/2");
	access_line(0, CACHE_STORE);
	access_line(1, CACHE_LOAD);
	ck_assert_uint_eq(hierarchy->bytes_written, 0);
	access_line(2, CACHE_LOAD);
	ck_assert_uint_eq(hierarchy->bytes_written, 64);
}
END_TEST

START_TEST(crossings)
{
	struct cache_access access = { 60, 200, 1, CACHE_LOAD, 0 };

	make("1Ki/2");
	cache_hierarchy_feed(hierarchy, &access, NULL, 1);
	ck_assert_uint_eq(misses_at(0), 5);
	ck_assert_uint_eq(hierarchy->crossings[CACHE_LOAD], 1);
	ck_assert_uint_eq(hierarchy->crossing_misses[CACHE_LOAD], 4);
}
END_TEST

START_TEST(odd_numbers_of_sets)
{
	make("192/1");
	access_line(0, CACHE_LOAD);
	access_line(3, CACHE_LOAD);
	access_line(1, CACHE_LOAD);
	access_line(5, CACHE_LOAD);
	ck_assert(!has(0, 0, 0) && has(0, 0, 3) && has(0, 0, 1) && has(0, 0, 5));
}
END_TEST

START_TEST(next_lines)
{
	struct cache_counts counts;

	make("1Ki/full:next-line:distance=2");
	access_line(61, CACHE_LOAD);
	ck_assert(has(0, 0, 61) && has(0, 0, 62) && has(0, 0, 63) && !has(0, 0, 64));
	access_line(63, CACHE_LOAD);
	counts = cache_hierarchy_counts(hierarchy, 0, false);
	ck_assert_uint_eq(counts.prefetches, 2);
	ck_assert_uint_eq(counts.useful, 1);
	ck_assert(!has(0, 0, 64));
	make("1Ki/full:tagged");
	access_line(0, CACHE_LOAD);
	access_line(1, CACHE_LOAD);
	access_line(1, CACHE_LOAD);
	ck_assert(has(0, 0, 2) && !has(0, 0, 3));
}
END_TEST

START_TEST(refused)
{
	static const char *const texts[] = {
		"",
		"32Ki",
		"32Ki/0",
		"100/2",
		"32Ki/8/48",
		"32Ki/8/8",
		"32Ki/8:foo",
		"32Ki/8:seed=",
		"32Ki/8:distance=65",
		"32Ki/8:psel=0",
		"32Ki/8:exclusive",
		"32Ki/8,16Ki/8/32",
		"32Ki/8,64Ki/8/128:exclusive",
		"32Ki/8,64Ki/8:exclusive:next-line",
		"48Ki/12:plru",
		"8Ki/128:plru",
		"1/1,1/1,1/1,1/1,1/1",
		"32Ki/8:opt,64Ki/8:inclusive",
		"32Ki/8,64Ki/8:exclusive:opt",
		"32Ki/8:opt:next-line",
		"32Ki/8:unified+32Ki/8",
		"32Ki/8:unified,32Ki/8+32Ki/8",
		"999999Ti/8",
	};
	static const char *const tlbs[] = { "64", "64/3", "64/4/5000", "1Ti/1/1Gi", "16Ei/1/4Gi" };
	struct cache_config config;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		ck_assert_msg(cache_config_parse(&config, texts[i], false), "%s", texts[i]);
	for (size_t i = 0; i < sizeof(tlbs) / sizeof(*tlbs); i++)
		ck_assert_msg(cache_config_parse(&config, tlbs[i], true), "%s", tlbs[i]);
	ck_assert(!cache_config_parse(&config, "64/full,1536/12/1Gi", true));
}
END_TEST

/* Returns the upgrades of two cores whose caches have one line. accesses: as "0r5 1w5". */
static uint64_t upgrades_of(const char *accesses)
{
	struct coherence coherence;
	struct cache_config config;
	unsigned core, line;
	int used;
	char how;

	ck_assert_ptr_null(cache_config_parse(&config, "64/1", false));
	config.n_cores = 2;
	cache_hierarchy_free(hierarchy);
	cache_hierarchy_init(hierarchy, &config);
	coherence_init(&coherence, hierarchy);
	for (; sscanf(accesses, "%u%c%u%n", &core, &how, &line, &used) == 3; accesses += used) {
		enum cache_kind kind = how == 'w' ? CACHE_STORE : CACHE_LOAD;
		struct cache_access access = { line * 64ul, 4, 1, kind, (uint8_t)core };

		coherence_access(&coherence, core, access.address, access.size, kind);
		cache_hierarchy_feed(hierarchy, &access, NULL, 1);
	}
	coherence_free(&coherence);
	return coherence.counts.upgrades;
}

/* After both cores have lost a line, the first one that reads the line has the only copy. */
START_TEST(upgrades)
{
	ck_assert_uint_eq(upgrades_of("0r1 1r1 0w1"), 1);
	ck_assert_uint_eq(upgrades_of("0r1 0w1"), 0);
	ck_assert_uint_eq(upgrades_of("0r1 1r1 1r2 0w1"), 1);
	ck_assert_uint_eq(upgrades_of("0r1 1r1 0r2 1r2 0r1 0w1"), 0);
	ck_assert_uint_eq(upgrades_of("0r1 1r1 0r2 0r1 0w1"), 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cache");
	TCase *tests = tcase_create("hierarchies");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, patterson_hennessy);
	tcase_add_test(tests, silberschatz);
	tcase_add_test(tests, belady_anomaly);
	tcase_add_test(tests, tree);
	tcase_add_test(tests, scan_resistance);
	tcase_add_test(tests, opt_is_optimal);
	tcase_add_test(tests, opt_passes_requests_on);
	tcase_add_test(tests, inclusion);
	tcase_add_test(tests, exclusion);
	tcase_add_test(tests, exclusive_levels_are_one_stack);
	tcase_add_test(tests, writes);
	tcase_add_test(tests, crossings);
	tcase_add_test(tests, odd_numbers_of_sets);
	tcase_add_test(tests, next_lines);
	tcase_add_test(tests, upgrades);
	tcase_add_test(tests, refused);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
