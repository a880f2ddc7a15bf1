/* SPDX-License-Identifier: MIT */
/* The hashes, the map of addresses, the names, and the events and META of trace-anonymise. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/anonymise/events.h"
#include "cli/anonymise/keys.h"
#include "cli/anonymise/make_map.h"
#include "cli/anonymise/meta.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"

static void make_keys(struct keys *keys)
{
	uint8_t key[KEY_SIZE];

	for (unsigned i = 0; i < KEY_SIZE; i++)
		key[i] = (uint8_t)i;
	keys_derive(key, keys);
}

static void check_digest(const uint8_t digest[SHA256_BYTES], const char *expected)
{
	char text[2 * SHA256_BYTES + 1];

	for (unsigned i = 0; i < SHA256_BYTES; i++)
		snprintf(text + 2 * (size_t)i, 3, "%02x", digest[i]);
	ck_assert_str_eq(text, expected);
}

/* The examples of FIPS 180-4, and a message that ends where the length has no room. */
START_TEST(sha256_examples)
{
	static const struct {
		const char *text, *digest;
	} examples[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};
	uint8_t digest[SHA256_BYTES];
	struct sha256 hash;

	for (unsigned i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		sha256_begin(&hash);
		sha256_add(&hash, examples[i].text, strlen(examples[i].text));
		sha256_digest(&hash, digest);
		check_digest(digest, examples[i].digest);
	}
	sha256_begin(&hash);
	for (unsigned i = 0; i < 1000000; i++)
		sha256_add(&hash, "a", 1);
	sha256_digest(&hash, digest);
	check_digest(digest, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
END_TEST

/* Cases 1, 2 and 6 of RFC 4231; the key of the last one is longer than a block. */
START_TEST(hmac_examples)
{
	static const char long_text[] = "Test Using Larger Than Block-Size Key - Hash Key First";
	uint8_t key[131], digest[SHA256_BYTES];
	struct hmac hmac;

	memset(key, 0x0b, 20);
	hmac_begin(&hmac, key, 20);
	hmac_add(&hmac, "Hi There", 8);
	hmac_end(&hmac, digest);
	check_digest(digest, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
	hmac_begin(&hmac, "Jefe", 4);
	hmac_add(&hmac, "what do ya want for nothing?", 28);
	hmac_end(&hmac, digest);
	check_digest(digest, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	memset(key, 0xaa, sizeof(key));
	hmac_begin(&hmac, key, sizeof(key));
	hmac_add(&hmac, long_text, strlen(long_text));
	hmac_end(&hmac, digest);
	check_digest(digest, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}
END_TEST

START_TEST(names)
{
	static const struct {
		const char *kind, *name, *hashed;
	} examples[] = {
		{ "function", "main", "1rs5606f3rrge1vx" },
		{ "function", "_ZN3foo3barEi", "ph556g64wn0wdqnx" },
		{ "module", "/usr/bin/app", "nzsvdxmcc1kmm9pf" },
		{ "region", "loop", "h1a4jtnttde6wza0" },
	};
	char hashed[HASHED_NAME + 1];
	struct keys keys;

	make_keys(&keys);
	check_digest(keys.names,
		     "31e555569b6bbaecf6560dbc62186ada78ea069eaef1090f8d6779077b6483f0");
	for (unsigned i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		keys_hash_name(&keys, examples[i].kind, examples[i].name, hashed);
		ck_assert_str_eq(hashed, examples[i].hashed);
		ck_assert(keys_is_hashed_name(hashed));
	}
	ck_assert(!keys_is_hashed_name("main"));
	ck_assert(!keys_is_hashed_name("1rs5606f3rrge1vxx"));
	ck_assert(!keys_is_hashed_name("1rs5606f3rrge1vo"));
}
END_TEST

/* ---- the map ----------------------------------------------------------------------------- */

static void add(page_runs *runs, uint64_t start, uint64_t end)
{
	ck_assert(RESERVE(*runs, runs->count + 1));
	runs->at[runs->count++] = (struct page_run){ start >> PAGE_BITS, (end - 1) >> PAGE_BITS };
}

static void free_ranges(struct ranges *ranges)
{
	free(ranges->fixed.at);
	free(ranges->mapped.at);
	free(ranges->modules.at);
}

static const uint64_t starts[] = { 0x555555554000, 0x555555b00000, 0x7ffff7c00000, 0x7ffffffde000 };
static const uint64_t ends[] = { 0x5555555a0000, 0x555555b21000, 0x7ffff7fff000, 0x7ffffffff000 };

/* Checks the places of these units, and that the other options do not matter. */
static void check_example(bool shuffle, const uint64_t places[4])
{
	const struct map_options options = { .granule = 2 << 20,
					     .glue = 1 << 20,
					     .shuffle = shuffle };
	struct page_set touched;
	struct ranges ranges = { .touched = &touched };
	struct address_map map;
	struct map_lookup lookup;
	struct keys keys;

	make_keys(&keys);
	page_set_begin(&touched);
	for (unsigned i = 0; i < 4; i++)
		add(&ranges.fixed, starts[i], ends[i]);
	ck_assert_int_eq(address_map_make(&map, &ranges, &options, &keys), 0);
	map_lookup_begin(&lookup, &map);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_uint_eq(map_address(&lookup, starts[i]), places[i]);
		ck_assert_uint_eq(map_address(&lookup, ends[i] - 1),
				  places[i] + (ends[i] - starts[i]) - 1);
	}
	address_map_free(&map);
	free_ranges(&ranges);
}

START_TEST(worked_example)
{
	check_example(false, (const uint64_t[]){ 0x10354000, 0x10700000, 0x10a00000, 0x111de000 });
	check_example(true, (const uint64_t[]){ 0x10954000, 0x10700000, 0x10c00000, 0x103de000 });
}
END_TEST

enum { ACCESSES = 400 };

struct access {
	uint64_t address, size, to;
};

static int compare_new(const void *a, const void *b)
{
	const struct access *x = a, *y = b;

	return x->to < y->to ? -1 : x->to > y->to;
}

/* Makes accesses in a few areas, some of which cross the borders of pages. */
static void make_accesses(uint64_t *random, struct page_set *touched, struct access *accesses)
{
	for (unsigned i = 0; i < ACCESSES; i++) {
		struct access *a = &accesses[i];

		a->address = ((uint64_t)random_below(random, 8) << 34) +
			     (random_below(random, 3) << 22) + random_below(random, 64) * 1000 +
			     0x10000;
		a->size = random_below(random, 20) ? 1 + random_below(random, 64)
						   : 1 + random_below(random, 9000);
		page_set_touch(touched, a->address, a->size);
	}
}

/* Bytes that are apart stay apart, and a byte keeps its distance to the others of an access. */
static void check_accesses(struct map_lookup *lookup, struct access *accesses, uint64_t modulus)
{
	for (unsigned i = 0; i < ACCESSES; i++) {
		struct access *a = &accesses[i];

		a->to = map_address(lookup, a->address);
		ck_assert_uint_eq(a->to % modulus, a->address % modulus);
		for (uint64_t k = 0; k < a->size; k += 97)
			ck_assert_uint_eq(map_address(lookup, a->address + k), a->to + k);
	}
	qsort(accesses, ACCESSES, sizeof(*accesses), compare_new);
	for (unsigned i = 1; i < ACCESSES; i++) {
		const struct access *a = &accesses[i - 1], *b = &accesses[i];

		if (b->to - a->to < a->size) /* they overlap, as they did before */
			ck_assert_uint_eq(b->to - a->to, b->address - a->address);
	}
}

static void check_random(unsigned seed, bool by_pages, bool shuffle)
{
	struct map_options options = {
		.granule = 1 << 16, .glue = 1 << 13, .shuffle = shuffle, .by_pages = by_pages
	};
	uint64_t random = seed;
	struct access accesses[ACCESSES];
	struct page_set touched;
	struct ranges ranges = { .touched = &touched };
	struct address_map map;
	struct map_lookup lookup;
	struct keys keys;

	make_keys(&keys);
	page_set_begin(&touched);
	make_accesses(&random, &touched, accesses);
	ck_assert_int_eq(address_map_make(&map, &ranges, &options, &keys), 0);
	map_lookup_begin(&lookup, &map);
	check_accesses(&lookup, accesses, by_pages ? PAGE : options.granule);
	ck_assert_uint_eq(map_address(&lookup, 0), 0);
	ck_assert_uint_eq(map_address(&lookup, 0xffff), 0xffff);
	ck_assert_uint_eq(map_address(&lookup, 0xffffffffff600400), 0xffffffffff600400);
	ck_assert_uint_eq(map_address(&lookup, 0x7654321abcde),
			  NO_UNIT + 0x7654321abcde % map.modulus);
	ck_assert_uint_eq(map_unread(&map, 0x7654321abcde), NO_UNIT);
	address_map_free(&map);
	page_set_free(&touched);
}

/* Accesses that end at borders: of a page, of a group of pages, of the address space. */
START_TEST(pages_of_accesses)
{
	const uint64_t last = UINT64_MAX >> PAGE_BITS;
	const struct {
		uint64_t address, size;
		size_t n_runs;
		struct page_run runs[2];
	} cases[] = {
		{ PAGE, PAGE, 1, { { 1, 1 } } },
		{ PAGE + 1, PAGE, 1, { { 1, 2 } } },
		{ 2 * PAGE - 1, 1, 1, { { 1, 1 } } },
		{ 2 * PAGE - 1, 2, 1, { { 1, 2 } } },
		{ (GROUP_PAGES - 1) * PAGE, 2 * PAGE, 1, { { GROUP_PAGES - 1, GROUP_PAGES } } },
		{ PAGE, GROUP_PAGES * PAGE, 1, { { 1, GROUP_PAGES } } },
		{ PAGE, (GROUP_PAGES + 1) * PAGE, 1, { { 1, GROUP_PAGES + 1 } } },
		{ UINT64_MAX, 1, 1, { { last, last } } },
		{ UINT64_MAX - PAGE + 1, PAGE, 1, { { last, last } } },
		{ UINT64_MAX, 2, 2, { { 0, 0 }, { last, last } } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct page_set set;
		page_runs runs = { 0 };

		page_set_begin(&set);
		page_set_touch(&set, cases[i].address, cases[i].size);
		page_set_runs(&set, &runs);
		ck_assert_uint_eq(runs.count, cases[i].n_runs);
		for (size_t k = 0; k < runs.count; k++) {
			ck_assert_uint_eq(runs.at[k].first, cases[i].runs[k].first);
			ck_assert_uint_eq(runs.at[k].last, cases[i].runs[k].last);
		}
		free(runs.at);
		page_set_free(&set);
	}
}
END_TEST

START_TEST(random_maps)
{
	for (unsigned seed = 1; seed <= 40; seed++)
		check_random(seed, seed % 2, seed / 2 % 2);
}
END_TEST

/* ---- pages of several traces ------------------------------------------------------------- */

enum { HEAP_PAGES = 64 };
static const uint64_t program = 0x400000, heap = 0x500000;

/*
 * Makes the map by pages of a program with a heap right behind it, and extends the file. pages: of
 * the heap, that accesses touch; joined: also an access from the first one into the page behind it.
 */
static int map_heap(const char *file, const unsigned *pages, unsigned n, bool joined,
		    struct address_map *map)
{
	const struct map_options options = {
		.granule = 1 << 16, .glue = 1 << 20, .by_pages = true, .file = file
	};
	struct page_set touched;
	struct ranges ranges = { .touched = &touched };
	struct keys keys;
	int status;

	make_keys(&keys);
	page_set_begin(&touched);
	add(&ranges.fixed, program, heap);
	add(&ranges.mapped, heap, heap + HEAP_PAGES * PAGE);
	for (unsigned i = 0; i < n; i++)
		page_set_touch(&touched, heap + pages[i] * PAGE, 8);
	if (joined)
		page_set_touch(&touched, heap + (pages[0] + 1) * PAGE - 4, 8);
	status = address_map_make(map, &ranges, &options, &keys);
	page_set_free(&touched);
	free_ranges(&ranges);
	return status;
}

static uint64_t new_place(const struct address_map *map, uint64_t address)
{
	struct map_lookup lookup;

	map_lookup_begin(&lookup, map);
	return map_address(&lookup, address);
}

START_TEST(pages_of_several_traces)
{
	static const unsigned few[] = { 3, 9, 40, 41 }, others[] = { 9, 1, 41, 63, 5 };
	char file[] = "/tmp/test_anonymise.XXXXXX";
	struct address_map first, second, third;
	uint64_t places[5];

	close(mkstemp(file));
	unlink(file);
	ck_assert_int_eq(map_heap(file, few, 4, false, &first), 0);
	ck_assert_int_eq(map_heap(file, others, 5, false, &second), 0);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(new_place(&first, heap + few[i] * PAGE),
				  new_place(&second, heap + few[i] * PAGE));
	for (unsigned i = 0; i < 5; i++) {
		places[i] = new_place(&second, heap + others[i] * PAGE);
		ck_assert_uint_lt(places[i], NO_UNIT);
		for (unsigned k = 0; k < i; k++)
			ck_assert_uint_ne(places[k], places[i]);
		for (unsigned k = 0; k < 4; k++)
			ck_assert(others[i] == few[k] ||
				  new_place(&first, heap + few[k] * PAGE) != places[i]);
	}
	/* Pages 3 and 4 cannot be side by side any more, as others are near page 3. */
	ck_assert_int_eq(map_heap(file, few, 1, true, &third), EXIT_FAILURE);
	address_map_free(&first);
	address_map_free(&second);
	address_map_free(&third);
	unlink(file);
}
END_TEST

/* However near data are to a program, their pages move one by one. */
START_TEST(data_beside_a_program)
{
	static const unsigned pages[] = { 3, 9, 40, 41 };
	struct address_map map;
	uint64_t distance;
	unsigned moved = 0;

	ck_assert_int_eq(map_heap(NULL, pages, 4, false, &map), 0);
	distance = new_place(&map, program) - program;
	ck_assert_uint_eq(new_place(&map, heap - 1), heap - 1 + distance);
	for (unsigned i = 0; i < 4; i++) {
		uint64_t address = heap + pages[i] * PAGE;

		moved += new_place(&map, address) != address + distance;
	}
	ck_assert_uint_eq(moved, 4);
	address_map_free(&map);
}
END_TEST

/* ---- names and META ---------------------------------------------------------------------- */

START_TEST(hashed_names)
{
	static const struct public_modules none;
	struct keys keys;
	struct names n = { .keys = &keys, .level = NAMES_HASH, .publics = &none };

	make_keys(&keys);
	/* A name that looks like a hash is one only if the trace says so. */
	ck_assert_str_ne(name_function(&n, "1rs5606f3rrge1vx"), "1rs5606f3rrge1vx");
	n.was_hashed = true;
	ck_assert_str_eq(name_function(&n, "1rs5606f3rrge1vx"), "1rs5606f3rrge1vx");
	ck_assert_str_eq(name_function(&n, "_ZdlPvm"), "_ZdlPvm");
	ck_assert_str_ne(name_function(&n, "_ZdlPv_of_mine"), "_ZdlPv_of_mine");
	ck_assert_str_eq(name_region(&n, "warmup", 1), "warmup");
	ck_assert_str_ne(name_region(&n, "warmup of mine", 1), "warmup of mine");
	names_free(&n);
}
END_TEST

static bool keeps(unsigned samples, const char *key, const char *value)
{
	const struct levels levels = { { [SWITCH_SAMPLES] = samples } };

	return keeps_meta(&(const struct kept_meta){ 0 }, &levels, key, value);
}

START_TEST(lines_of_meta)
{
	ck_assert(keeps(0, "slice.first", "12345678901234567890123456789012"));
	ck_assert(!keeps(0, "slice.first", "123456789012345678901234567890123"));
	ck_assert(!keeps(0, "slice.first", "12 of mine"));
	ck_assert(!keeps(0, "slice.first", ""));
	ck_assert(keeps(0, "slice.first", "all"));
	ck_assert(keeps(0, "order", "exact, one thread"));
	ck_assert(!keeps(0, "order", "exact, one thread of mine"));
	ck_assert(!keeps(0, "mine", "1"));
	ck_assert(keeps(SAMPLES_KEEP, "sample.clock", "tsc"));
	ck_assert(!keeps(SAMPLES_KEEP, "sample.clock", "mine"));
	ck_assert(!keeps(SAMPLES_DROP, "sample.clock", "tsc"));
	ck_assert_str_eq(known_stop_reason("count"), "count");
	ck_assert_str_eq(known_stop_reason("mine"), "unknown");
}
END_TEST

/* ---- events ------------------------------------------------------------------------------ */

enum { MODULUS = 1 << 20, UNMAPPED = 0x12345 };
static const uint64_t somewhere = 0x7000000000 + UNMAPPED, hidden = NO_UNIT + UNMAPPED;

static int keep_event(void *opaque, const struct tf_event *event, struct tf_error *error)
{
	(void)error;
	*(struct tf_event *)opaque = *event;
	return 0;
}

/* Rewrites an event with a map that has no unit. Returns false if it is dropped. */
static bool rewrite(struct tf_event *event, struct levels levels, bool other_table)
{
	const struct address_map map = { .modulus = MODULUS };
	const struct dictionary d = { .levels = &levels, .map = &map };
	struct event_rules rules = { .dictionary = &d,
				     .levels = &levels,
				     .first_time = 5000,
				     .has_other_table = other_table };
	struct tf_event old = *event;
	struct tf_error error;

	map_lookup_begin(&rules.lookup, &map);
	event->kind = 0;
	ck_assert_int_eq(event_rewrite(&rules, &old, keep_event, event, &error), 0);
	ck_assert_uint_eq(rules.dropped, !event->kind);
	return event->kind;
}

static const struct levels keep_all = { { 0 } };
static const struct levels no_arguments = {
	{ [SWITCH_EVENTS] = EVENTS_NO_ARGUMENTS, [SWITCH_TIMES] = TIMES_RELATIVE }
};
static const struct levels kinds = { { [SWITCH_EVENTS] = EVENTS_KINDS,
				       [SWITCH_ADDRESSES] = ADDRESSES_DROP,
				       [SWITCH_TIMES] = TIMES_DROP } };

START_TEST(addresses_of_events)
{
	struct tf_event signal = { .kind = TF_EVENT_SIGNAL,
				   .signal = { 11, 2, somewhere + 8, somewhere, somewhere } };
	struct tf_event other = { .kind = TF_EVENT_SIGRETURN, .sigreturn.pc = somewhere };

	ck_assert(rewrite(&signal, no_arguments, false));
	ck_assert_int_eq(signal.signal.code, 2);
	ck_assert_uint_eq(signal.signal.address, hidden + 8);
	ck_assert_uint_eq(signal.signal.pc, hidden);
	ck_assert_uint_eq(signal.signal.handler, hidden);
	ck_assert(rewrite(&signal, kinds, false));
	ck_assert_int_eq(signal.signal.code, 1); /* of a fault */
	ck_assert_uint_eq(signal.signal.address, 0);
	signal.signal.code = -6;
	ck_assert(rewrite(&signal, kinds, false));
	ck_assert_int_eq(signal.signal.code, 0);
	ck_assert(rewrite(&other, no_arguments, false));
	ck_assert_uint_eq(other.sigreturn.pc, hidden);
	other = (struct tf_event){ .kind = TF_EVENT_SEGMENT_BASE,
				   .segment_base = { TF_SEGMENT_FS, somewhere } };
	ck_assert(rewrite(&other, no_arguments, false));
	ck_assert_uint_eq(other.segment_base.base, hidden);
}
END_TEST

/* Checks the arguments 0 to 2 and the result of a call whose values were all `value`. */
static void check_syscall(uint64_t number, uint64_t value, struct levels levels, bool other_table,
			  const uint64_t shown[4])
{
	struct tf_event call = { .kind = TF_EVENT_SYSCALL,
				 .syscall = { .number = number, .args = { value, value, value } } };
	struct tf_event result = { .kind = TF_EVENT_SYSCALL_RESULT,
				   .syscall_result = { number, (int64_t)value, 0 } };

	ck_assert(rewrite(&call, levels, other_table));
	ck_assert(rewrite(&result, levels, other_table));
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(call.syscall.args[i], shown[i]);
	ck_assert_uint_eq((uint64_t)result.syscall_result.result, shown[3]);
}

START_TEST(values_of_syscalls)
{
	static const uint64_t nothing[4];

	check_syscall(SYS_mmap, somewhere, no_arguments, false,
		      (const uint64_t[]){ hidden, (somewhere + 4095) & ~4095ul, somewhere,
					  hidden });
	check_syscall(SYS_mmap, somewhere, no_arguments, true, nothing);
	check_syscall(SYS_mmap, somewhere, kinds, false, nothing);
	check_syscall(SYS_read, 77, keep_all, false, nothing);
	check_syscall(SYS_tgkill, 77, keep_all, false, nothing);
	check_syscall(SYS_mmap, 77, keep_all, true, nothing);
	/* Calls for all processes, or a call that failed. */
	check_syscall(SYS_tgkill, -1ul, no_arguments, false, (const uint64_t[]){ 0, 0, 0, -1ul });
	/* The highest level shows only that there was an error. */
	check_syscall(SYS_read, -13ul, no_arguments, false, (const uint64_t[]){ 0, 0, 0, -13ul });
	check_syscall(SYS_read, -13ul, kinds, false, (const uint64_t[]){ 0, 0, 0, -1ul });
}
END_TEST

static uint64_t shown(struct levels levels, uint64_t time)
{
	struct tf_event event = { .kind = TF_EVENT_TIME, .time.time_ns = time };

	return rewrite(&event, levels, false) ? event.time.time_ns : UINT64_MAX;
}

START_TEST(times_and_ends)
{
	struct tf_event end = { .kind = TF_EVENT_THREAD_EXIT, .thread_exit = { 42, 7777 } };

	ck_assert_uint_eq(shown(keep_all, 7777), 7777);
	ck_assert_uint_eq(shown(no_arguments, 5000), 1000);
	ck_assert_uint_eq(shown(no_arguments, 7777), 3000);
	ck_assert_uint_eq(shown(no_arguments, 4999), 0);
	ck_assert_uint_eq(shown(kinds, 7777), UINT64_MAX);
	ck_assert(rewrite(&end, no_arguments, false));
	ck_assert_int_eq(end.thread_exit.status, 42);
	ck_assert(rewrite(&end, kinds, false));
	ck_assert_int_eq(end.thread_exit.status, 1);
	ck_assert_uint_eq(end.thread_exit.time_ns, 0);
	end = (struct tf_event){ .kind = TF_EVENT_PROCESS_EXIT, .process_exit = { 9, 7777 } };
	ck_assert(rewrite(&end, kinds, false));
	ck_assert_int_eq(end.process_exit.wait_status, 0x100);
	ck_assert_int_eq(shown_wait_status(&kinds, 0), 0);
	ck_assert_int_eq(shown_wait_status(&kinds, -1), -1);
}
END_TEST

/* Values that no recorder writes may hold anything. */
START_TEST(odd_events)
{
	struct tf_event event = { .kind = TF_EVENT_CONTROL_WORD, .control_word = { 2, 77 } };

	ck_assert(!rewrite(&event, keep_all, false));
	event = (struct tf_event){ .kind = TF_EVENT_GAP, .gap = { 77, 5 } };
	ck_assert(rewrite(&event, keep_all, false));
	ck_assert_uint_eq(event.gap.reason, TF_GAP_FAULT);
	event = (struct tf_event){ .kind = TF_EVENT_SEGMENT_BASE + 1 };
	ck_assert(!rewrite(&event, keep_all, false));
	event = (struct tf_event){ .kind = TF_EVENT_EXEC, .exec = { "/mine", 7777 } };
	ck_assert(rewrite(&event, no_arguments, false));
	ck_assert_str_eq(event.exec.path, "");
	ck_assert_uint_eq(event.exec.time_ns, 3000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("anonymise");
	TCase *tests = tcase_create("anonymise");

	tcase_add_test(tests, sha256_examples);
	tcase_add_test(tests, hmac_examples);
	tcase_add_test(tests, names);
	tcase_add_test(tests, worked_example);
	tcase_add_test(tests, pages_of_accesses);
	tcase_add_test(tests, random_maps);
	tcase_add_test(tests, pages_of_several_traces);
	tcase_add_test(tests, data_beside_a_program);
	tcase_add_test(tests, hashed_names);
	tcase_add_test(tests, lines_of_meta);
	tcase_add_test(tests, addresses_of_events);
	tcase_add_test(tests, values_of_syscalls);
	tcase_add_test(tests, times_and_ends);
	tcase_add_test(tests, odd_events);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
