/* SPDX-License-Identifier: MIT */
/* Samples are read as written, kept by repair and repack, and checked. */
#include <sys/mman.h>

#include "tests/scratch.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/trace_file.h"
#include "traceformat/tracesamples.h"

enum { N_SAMPLES = 20000 };

static const uint8_t attr[] = { 0, 0, 0, 0, 136, 0, 0, 0 };

static const uint64_t chain[] = { UINT64_MAX - 511, 0x401000, 0, UINT64_MAX };
static const struct tf_sampler sampler = {
	.origin = TF_SAMPLER_PERF,
	.caps = 0xbff,
	.event = "ibs_op/cnt_ctl=1/",
	.pmu = "ibs_op",
	.attr = attr,
	.attr_size = sizeof(attr),
};

/* Makes the i-th sample, whose kind and fields depend on i. raw: 256 bytes. */
static struct tf_sample sample_at(uint64_t i, uint8_t *raw)
{
	struct tf_sample s = {
		.kind = TF_SAMPLE + i % 6,
		.sampler = i % 3 ? 0 : TF_NONE,
		.thread = i % 7 ? 0 : TF_NONE,
		.time_ns = i % 11 ? 1000 * i : 1000 * (i - 11),
	};

	memset(raw, (int)i, 256);
	if (s.kind == TF_SAMPLES_LOST)
		s.lost = i << 20;
	if (s.kind == TF_SAMPLES_MAPPING) {
		s.mapping = (uint32_t)i;
		s.bias = UINT64_MAX - i;
	}
	if (s.kind == TF_SAMPLES_NAME)
		s.name = i % 4 ? "a thread" : "";
	if (s.kind != TF_SAMPLE)
		return s;
	s.cpu = i % 4 ? (uint32_t)i : TF_NONE;
	s.mode = i % 6;
	s.exact_ip = i & 16;
	s.fields = (uint32_t)(i * 0x9e37u >> 4) & TF_SAMPLE_ALL_FIELDS;
	s.ip = i % 2 ? UINT64_MAX - i : i;
#define SET(field, bit, is)             \
	do {                            \
		if (s.fields & (bit))   \
			s.field = (is); \
	} while (0)
	SET(address, TF_SAMPLE_ADDRESS, UINT64_MAX - 2 * i);
	SET(physical_address, TF_SAMPLE_PHYSICAL_ADDRESS, i << 12);
	SET(period, TF_SAMPLE_PERIOD, i * 3);
	SET(weight, TF_SAMPLE_WEIGHT, i << 40 | 7);
	SET(data_source, TF_SAMPLE_DATA_SOURCE, 0x1e05080021 + i);
	SET(data_page_size, TF_SAMPLE_DATA_PAGE_SIZE, 4096);
	SET(code_page_size, TF_SAMPLE_CODE_PAGE_SIZE, 2 << 20);
	SET(raw_size, TF_SAMPLE_RAW, i % 200);
	SET(program_ip, TF_SAMPLE_PROGRAM_IP, 0x401000 + i);
	SET(n_chain, TF_SAMPLE_CHAIN, i % 5);
#undef SET
	s.is_overhead = i & 32;
	s.chain = chain;
	s.raw = raw;
	return s;
}

static struct tf_writer *begin(int fd)
{
	struct tf_writer *writer;

	ck_assert_int_eq(tf_writer_create_fd(fd, "samples", NULL, &writer, NULL), 0);
	ck_assert_int_eq(tf_writer_add_process(writer,
					       &(struct tf_process){ .pid = 7, .parent = TF_NONE },
					       NULL, NULL),
			 0);
	ck_assert_int_eq(tf_writer_add_thread(writer, &(struct tf_thread){ .tid = 7 }, NULL, NULL),
			 0);
	ck_assert_int_eq(tf_writer_add_sampler(writer, &sampler, NULL, NULL), 0);
	return writer;
}

/* A finished trace of n samples. */
static int file_of_samples(uint64_t n)
{
	int fd = memfd_create("samples", 0);
	struct tf_writer *writer = begin(fd);
	uint8_t raw[256];

	for (uint64_t i = 0; i < n; i++) {
		struct tf_sample s = sample_at(i, raw);

		ck_assert_int_eq(tf_writer_add_sample(writer, &s, NULL), 0);
		if (i == n / 2)
			ck_assert_int_eq(tf_writer_flush(writer, NULL), 0);
	}
	ck_assert_int_eq(tf_writer_finish(writer, 0, "exit", NULL), 0);
	tf_writer_free(writer);
	return fd;
}

static void check_same(const struct tf_sample *a, const struct tf_sample *b)
{
	struct tf_sample x = *a, y = *b;

	ck_assert_uint_eq(x.raw_size, y.raw_size);
	if (x.raw_size)
		ck_assert_mem_eq(x.raw, y.raw, x.raw_size);
	x.raw = y.raw = NULL;
	ck_assert_uint_eq(x.n_chain, y.n_chain);
	if (x.n_chain)
		ck_assert_mem_eq(x.chain, y.chain, x.n_chain * sizeof(*x.chain));
	x.chain = y.chain = NULL;
	if (x.kind == TF_SAMPLES_NAME)
		ck_assert_str_eq(x.name, y.name);
	x.name = y.name = NULL;
	if (x.kind != TF_SAMPLE)
		x.cpu = y.cpu = TF_NONE;
	ck_assert(!memcmp(&x, &y, sizeof(x)));
}

static void check_samples(struct tf_reader *reader, uint64_t n)
{
	struct tf_samples *samples;
	struct tf_sample s, expected;
	uint8_t raw[256];

	ck_assert_int_eq(tf_samples_open(reader, &samples, NULL), 0);
	for (uint64_t i = 0; i < n; i++) {
		memset(&s, 0, sizeof(s));
		ck_assert_int_eq(tf_samples_next(samples, &s, NULL), 1);
		expected = sample_at(i, raw);
		check_same(&s, &expected);
	}
	ck_assert_int_eq(tf_samples_next(samples, &s, NULL), 0);
	tf_samples_close(samples);
}

START_TEST(read_as_written)
{
	int fd = file_of_samples(N_SAMPLES);
	struct tf_reader *reader = open_file(fd);
	const struct tf_sampler *s;
	struct tf_info info;

	check_samples(reader, N_SAMPLES);
	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	ck_assert_uint_eq(info.n_samples, N_SAMPLES);
	s = tf_sampler(reader, 0);
	ck_assert(s && !tf_sampler(reader, 1));
	ck_assert_str_eq(s->event, sampler.event);
	ck_assert_str_eq(s->pmu, sampler.pmu);
	ck_assert_uint_eq(s->caps, sampler.caps);
	ck_assert(s->attr_size == sizeof(attr) && !memcmp(s->attr, attr, sizeof(attr)));
	ck_assert_int_eq(tf_verify(reader, NULL, NULL, NULL), 0);
	tf_close(reader);
	close(fd);
}
END_TEST

static void check_copy(int (*copy)(struct tf_reader *, const char *, struct tf_error *))
{
	scratch_path path;
	int fd = file_of_samples(N_SAMPLES), to = scratch_file(path, "samples");
	struct tf_reader *reader = open_file(fd), *copied;

	ck_assert_int_eq(copy(reader, path, NULL), 0);
	ck_assert_int_eq(tf_open(path, &copied, NULL), 0);
	check_samples(copied, N_SAMPLES);
	ck_assert_ptr_nonnull(tf_sampler(copied, 0));
	tf_close(copied);
	tf_close(reader);
	unlink(path);
	close(to);
	close(fd);
}

START_TEST(kept_by_repair)
{
	check_copy(tf_repair);
}
END_TEST
START_TEST(kept_by_repack)
{
	check_copy(tf_repack);
}
END_TEST

START_TEST(names_are_checked)
{
	int fd = memfd_create("samples", 0);
	struct tf_writer *writer = begin(fd);
	struct tf_sample s = { .kind = TF_SAMPLE, .sampler = 1, .thread = 0 };

	ck_assert_int_eq(tf_writer_add_sample(writer, &s, NULL), TF_E_ARGUMENT);
	s = (struct tf_sample){ .kind = TF_SAMPLE, .sampler = 0, .thread = 1 };
	ck_assert_int_eq(tf_writer_add_sample(writer, &s, NULL), TF_E_ARGUMENT);
	tf_writer_free(writer);
	close(fd);
}
END_TEST

static void count_fault(void *opaque, const struct tf_error *error)
{
	(void)error;
	++*(int *)opaque;
}

/* A section of samples has a right checksum, but wrong content. */
START_TEST(damage_is_found)
{
	int fd = file_of_samples(100), faults = 0;
	struct tf_reader *reader = open_file(fd);
	struct tf_section_info info;
	struct tf_samples *samples;
	struct tf_sample s;
	uint32_t i = 0;

	while (tf_section(reader, i, &info) && strcmp(tf_section_kind_name(info.kind), "SAMPLES"))
		i++;
	/* A byte of the payload: the checksum fails, and the other section is still read. */
	ck_assert_int_eq(pwrite(fd, "\xff\xff", 2, (off_t)info.offset + 90), 2);
	ck_assert_int_eq(tf_samples_open(reader, &samples, NULL), 0);
	ck_assert_int_eq(tf_samples_next(samples, &s, NULL), TF_E_DAMAGED);
	ck_assert_int_eq(tf_samples_next(samples, &s, NULL), 1);
	ck_assert_uint_eq(s.time_ns, 51000);
	tf_samples_close(samples);
	ck_assert_int_ge(tf_verify(reader, count_fault, &faults, NULL), 1);
	ck_assert_int_ge(faults, 1);
	tf_close(reader);
	close(fd);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("samples");
	TCase *tests = tcase_create("samples");

	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, read_as_written);
	tcase_add_test(tests, kept_by_repair);
	tcase_add_test(tests, kept_by_repack);
	tcase_add_test(tests, names_are_checked);
	tcase_add_test(tests, damage_is_found);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
