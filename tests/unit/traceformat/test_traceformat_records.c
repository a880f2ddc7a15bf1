/* SPDX-License-Identifier: MIT */
/* A record of the dictionary that breaks one rule costs its section, and nothing else. */
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/loose_file.h"
#include "tests/unit/traces/synthetic.h"

/* A trace with a module, a process, a thread, a block, and a path with exits 0 to 2. */
struct small_trace {
	struct loose_trace loose;
	struct synthetic_code code;
};

static struct small_trace small_trace(void)
{
	struct small_trace t = { 0 };
	struct synthetic s;
	int fd;

	synthetic_begin(&s, NULL);
	synthetic_thread(&s, synthetic_process(&s, 1));
	t.code = synthetic_code(&s, 0x401000, BYTES("\x48\x8b\x00\xc3")); /* mov (%rax),%rax; ret */
	ck_assert_uint_eq(t.code.n_values, 2);
	fd = dup(s.fd);
	synthetic_end(&s);
	synthetic_remove(&s);
	take_apart(&t.loose, fd);
	close(fd);
	return t;
}

/* A section of the dictionary. */
struct records {
	unsigned kind;
	uint64_t first, count;
	const char *bytes;
	size_t size;
	uint32_t extra; /* of paths: their first exit */
};

/* Adds a section before the last one, END. */
static void add_records(struct small_trace *t, const struct records *records)
{
	struct loose_section *section = loose_trace_add(&t->loose, records->kind, 0);

	section->header.first = records->first;
	section->header.count = records->count;
	section->header.extra = records->extra;
	put_bytes(&section->parts[0].bytes, records->bytes, records->size);
	loose_trace_swap(&t->loose, t->loose.n_sections - 1, t->loose.n_sections - 2);
}

/* Returns the trace's file, and frees the trace. */
static int file_of(struct small_trace *t)
{
	struct buffer file = { 0 };
	int fd = new_file();

	loose_trace_put(&t->loose, &file);
	write_at(fd, file.data, file.size, 0);
	buffer_free(&file);
	loose_trace_free(&t->loose);
	return fd;
}

/* Loads the dictionary. Returns the number of sections that are lost. */
static uint32_t lost_sections(struct tf_reader *reader)
{
	struct tf_error error = { .text = "" };
	struct tf_info info;

	ck_assert_msg(tf_load(reader, &error) == 0, "%s", error.text);
	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	return info.n_sections_lost;
}

/* Loads the dictionary of the trace, and frees the trace. */
static struct tf_reader *load(struct small_trace *t, uint32_t *lost)
{
	int fd = file_of(t);
	struct tf_reader *reader = open_file(fd);

	*lost = lost_sections(reader);
	close(fd);
	return reader;
}

#define KIND_NAMES "\1A\1B\1C"

/* Pairs: the records are good, and one number later they are not. */
static const struct {
	const char *what;
	struct records good, bad;
} rules[] = {
	{ "an argument too many",
	  { SECTION_FUNCTIONS, 0, 1, BYTES("\6\1f"), 0 },
	  { SECTION_FUNCTIONS, 0, 1, BYTES("\7\1f"), 0 } },
	{ "a record more than there is",
	  { SECTION_REGIONS, 0, 1, BYTES("\1r"), 0 },
	  { SECTION_REGIONS, 0, 2, BYTES("\1r"), 0 } },
	{ "a byte too many",
	  { SECTION_REGIONS, 0, 1, BYTES("\1r"), 0 },
	  { SECTION_REGIONS, 0, 1, BYTES("\1r\0"), 0 } },
	{ "more symbols than bytes",
	  { SECTION_SYMBOLS, 0, 1, BYTES("\0\1\0\0\2\1s"), 0 },
	  { SECTION_SYMBOLS, 0, 1, BYTES("\0\x80\x80\x80\x80\x80\x80\x80\1\0\0\2\1s"), 0 } },
	{ "symbols of no module",
	  { SECTION_SYMBOLS, 0, 1, BYTES("\0\1\0\0\2\1s"), 0 },
	  { SECTION_SYMBOLS, 0, 1, BYTES("\1\1\0\0\2\1s"), 0 } },
	{ "a class",
	  { SECTION_KINDS, 0, 1, BYTES("\x13\0\0" KIND_NAMES "\0\0\0\0\0"), 0 },
	  { SECTION_KINDS, 0, 1, BYTES("\x14\0\0" KIND_NAMES "\0\0\0\0\0"), 0 } },
	{ "a flag",
	  { SECTION_KINDS, 0, 1, BYTES("\0\x3f\0" KIND_NAMES "\0\0\0\0\0"), 0 },
	  { SECTION_KINDS, 0, 1, BYTES("\0\x40\0" KIND_NAMES "\0\0\0\0\0"), 0 } },
	{ "a trait",
	  { SECTION_KINDS, 0, 1, BYTES("\0\0\xff\3" KIND_NAMES "\0\0\0\0\0"), 0 },
	  { SECTION_KINDS, 0, 1, BYTES("\0\0\x80\4" KIND_NAMES "\0\0\0\0\0"), 0 } },
	{ "a register",
	  { SECTION_KINDS, 0, 1, BYTES("\0\0\0" KIND_NAMES "\2\1\xbc\1\xbc\0\0"), 0 },
	  { SECTION_KINDS, 0, 1, BYTES("\0\0\0" KIND_NAMES "\2\1\xbc\1\xbd\0\0"), 0 } },
	{ "a bit of an end",
	  { SECTION_BLOCKS, 1, 1, BYTES("\0\0\0\0\1\1\x90"), 0 },
	  { SECTION_BLOCKS, 1, 1, BYTES("\0\0\0\x20\1\1\x90"), 0 } },
	{ "a bit of an instruction",
	  { SECTION_BLOCKS, 1, 1, BYTES("\0\0\0\0\1\1\x90"), 0 },
	  { SECTION_BLOCKS, 1, 1, BYTES("\0\0\0\0\1\x81\x90"), 0 } },
	{ "a scale of 0",
	  { SECTION_PATHS, 1, 1, BYTES("\1\0\1\3\1\0\0\5\0\0\1\0\0"), 3 },
	  { SECTION_PATHS, 1, 1, BYTES("\1\0\1\3\1\0\0\5\0\0\0\0\0"), 3 } },
};
enum { N_RULES = sizeof(rules) / sizeof(*rules) };

START_TEST(rules_of_records)
{
	for (unsigned bad = 0; bad < 2; bad++) {
		struct small_trace t = small_trace();
		uint32_t lost;

		add_records(&t, bad ? &rules[_i].bad : &rules[_i].good);
		tf_close(load(&t, &lost));
		ck_assert_msg(lost == bad, "%s: %u", rules[_i].what, lost);
	}
}
END_TEST

/*
 * Records that name a record that does not exist, or leave out indices. If another section is lost,
 * it may have had these records: the names then become TF_NONE.
 */
static const struct {
	const char *what;
	struct records records;
} missing[] = {
	{ "process of a thread", { SECTION_THREADS, 1, 1, BYTES("\1\5"), 0 } },
	{ "process of a mapping", { SECTION_MAPPINGS, 0, 1, BYTES("\0\1\1\1\1\0\1\0"), 0 } },
	{ "module of a mapping", { SECTION_MAPPINGS, 0, 1, BYTES("\0\0\2\1\1\0\1\0"), 0 } },
	{ "module of a block", { SECTION_BLOCKS, 1, 1, BYTES("\0\2\0\0\1\1\x90"), 0 } },
	{ "indices", { SECTION_REGIONS, 1, 1, BYTES("\1r"), 0 } },
	{ "exits", { SECTION_PATHS, 1, 1, BYTES("\1\0\2\0\0"), 4 } },
};
enum { N_MISSING = sizeof(missing) / sizeof(*missing) };

static const struct records damaged = { SECTION_FUNCTIONS, 0, 1, BYTES("\7\1f"), 0 };

START_TEST(missing_records)
{
	for (unsigned lossy = 0; lossy < 2; lossy++) {
		struct small_trace t = small_trace();
		struct tf_reader *reader;
		uint32_t lost;

		if (lossy)
			add_records(&t, &damaged);
		add_records(&t, &missing[_i].records);
		reader = load(&t, &lost);
		ck_assert_msg(lost == 1, "%s: %u", missing[_i].what, lost);
		ck_assert_uint_eq(tf_n_threads(reader), _i == 0 ? 1 + lossy : 1);
		if (_i == 0 && lossy)
			ck_assert_uint_eq(tf_thread(reader, 1)->process, TF_NONE);
		if (_i == 2 && lossy)
			ck_assert_uint_eq(tf_mapping(reader, 0)->module, TF_NONE);
		tf_close(reader);
	}
}
END_TEST

/* Lost sections may have had at most 2^20 records. */
START_TEST(gaps_are_limited)
{
	struct records records = { SECTION_REGIONS, 1 << 20, 1, BYTES("\1r"), 0 };

	for (unsigned more = 0; more < 2; more++) {
		struct small_trace t = small_trace();
		uint32_t lost;

		records.first += more;
		add_records(&t, &damaged);
		add_records(&t, &records);
		tf_close(load(&t, &lost));
		ck_assert_uint_eq(lost, 1 + more);
	}
}
END_TEST

/* The records before the damage do not stay: the next section has their indices. */
START_TEST(sections_are_lost_whole)
{
	static const struct records sections[] = {
		{ SECTION_REGIONS, 0, 2, BYTES("\1x\1y\1z"), 0 },
		{ SECTION_REGIONS, 0, 1, BYTES("\1r"), 0 },
		{ SECTION_PATHS, 1, 2, BYTES("\1\0\2\0\0\1\0\2\0\0\0"), 3 },
		{ SECTION_PATHS, 1, 1, BYTES("\1\0\2\0\0"), 3 },
	};
	struct small_trace t = small_trace();
	struct tf_reader *reader;
	uint32_t lost;

	for (unsigned i = 0; i < 4; i++)
		add_records(&t, &sections[i]);
	reader = load(&t, &lost);
	ck_assert_uint_eq(lost, 2);
	ck_assert_uint_eq(tf_n_regions(reader), 1);
	ck_assert_str_eq(tf_region(reader, 0)->name, "r");
	ck_assert_uint_eq(tf_n_paths(reader), 2);
	ck_assert_uint_eq(tf_path(reader, 1)->first_exit, 3);
	ck_assert_uint_eq(tf_n_exits(reader), 3 + 1);
	tf_close(reader);
}
END_TEST

/* Changes a field of the header of the first section of a kind. The hash stays right. */
static void change_header(int fd, struct tf_reader *reader, unsigned kind)
{
	struct tf_section_info info = { .kind = 0 };
	uint8_t bytes[SECTION_HEADER_SIZE];
	struct section header;
	uint64_t hash;

	for (uint32_t i = 0; info.kind != kind; i++)
		ck_assert(tf_section(reader, i, &info));
	read_at(fd, bytes, sizeof(bytes), info.offset);
	ck_assert(section_header_read(bytes, &header, &hash));
	header.first++;
	section_header_write(&header, hash, bytes);
	write_at(fd, bytes, sizeof(bytes), info.offset);
}

/* Headers must be those that INDEX has. */
START_TEST(changed_headers)
{
	struct small_trace t = small_trace();
	struct random_options options = small_options(9);
	struct open_trace chunks = open_random_trace(&options);
	int fd = file_of(&t);
	struct tf_reader *reader = open_file(fd);

	change_header(fd, reader, SECTION_MODULES);
	ck_assert_uint_ge(lost_sections(reader), 1);
	tf_close(reader);
	close(fd);
	ck_assert_int_eq(tf_verify(chunks.reader, print_fault, NULL, NULL), 0);
	change_header(chunks.fd, chunks.reader, SECTION_CHUNK);
	ck_assert_int_ge(tf_verify(chunks.reader, ignore_fault, NULL, NULL), 1);
	close_random_trace(&chunks);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("traceformat records");
	TCase *tests = tcase_create("records");

	tcase_add_loop_test(tests, rules_of_records, 0, N_RULES);
	tcase_add_loop_test(tests, missing_records, 0, N_MISSING);
	tcase_add_test(tests, gaps_are_limited);
	tcase_add_test(tests, sections_are_lost_whole);
	tcase_add_test(tests, changed_headers);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
