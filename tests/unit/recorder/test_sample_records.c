/* SPDX-License-Identifier: MIT */
/* Tests records of the kernel: reading them from a buffer while it is filled, and finding their
 * owners. */
#include <check.h>
#include <jansson.h>
#include <string.h>

#include "recorder/import/perf_file.h"
#include "recorder/sampling/members.h"
#include "recorder/sampling/rings.h"
#include "tests/unit/run_suite.h"

enum { PAGE = 4096, MAX_PAYLOAD = 128, N_RECORDS = 300 };

struct payload {
	uint8_t bytes[MAX_PAYLOAD];
	uint32_t size;
};

/* The kernel's side of a buffer of one page. */
struct kernel_side {
	struct perf_event_mmap_page page;
	uint8_t rest[PAGE - sizeof(struct perf_event_mmap_page)];
	uint8_t buffer[PAGE];
};

static struct kernel_side kernel __attribute__((aligned(PAGE)));

static void put(const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		kernel.buffer[kernel.page.data_head++ % PAGE] = ((const uint8_t *)bytes)[i];
}

/* Writes a sample with IP, TID and RAW. */
static void put_sample(const struct payload *raw, uint64_t ip, uint32_t tid)
{
	struct perf_event_header head = {
		.type = PERF_RECORD_SAMPLE,
		.misc = PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP,
		.size = (uint16_t)(sizeof(head) + 8 + 8 + 4 + raw->size),
	};
	uint32_t ids[2] = { tid, tid };

	put(&head, sizeof(head));
	put(&ip, sizeof(ip));
	put(ids, sizeof(ids));
	put(&raw->size, sizeof(raw->size));
	put(raw->bytes, raw->size);
}

static size_t read_payloads(struct payload payloads[])
{
	json_error_t error;
	json_t *all = json_load_file("tests/oracle/ibs/ibs_vectors.json", 0, &error), *vector;
	size_t i;

	ck_assert_msg(all, "%s", error.text);
	json_array_foreach (json_object_get(all, "vectors"), i, vector) {
		const char *hex = json_string_value(json_object_get(vector, "raw_payload"));

		payloads[i].size = (uint32_t)strlen(hex) / 2;
		for (size_t j = 0; j < payloads[i].size; j++)
			ck_assert_int_eq(sscanf(hex + 2 * j, "%2hhx", &payloads[i].bytes[j]), 1);
	}
	i = json_array_size(json_object_get(all, "vectors"));
	json_decref(all);
	return i;
}

struct reading {
	struct perf_events events;
	struct payload payloads[64];
	size_t n_payloads, taken;
};

static int take_record(void *opaque, const uint8_t *bytes, size_t size)
{
	struct reading *reading = opaque;
	const struct payload *expected = &reading->payloads[reading->taken % reading->n_payloads];
	struct perf_record record;
	struct perf_sample sample;

	ck_assert(perf_record_parse(&reading->events, bytes, size, &record));
	ck_assert(perf_sample_parse(&reading->events, &record, &sample));
	ck_assert_uint_eq(sample.sample.ip, 0x401000 + reading->taken);
	ck_assert_uint_eq(sample.tid, 7);
	ck_assert(sample.sample.exact_ip);
	ck_assert_uint_eq(sample.sample.raw_size, expected->size);
	ck_assert_mem_eq(sample.sample.raw, expected->bytes, expected->size);
	reading->taken++;
	return 0;
}

/* Payloads of all families, in a buffer that is filled and read many times. */
START_TEST(raw_samples_come_unmodified)
{
	static struct reading reading;
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_RAW,
	};
	struct ring ring = { .page = &kernel.page, .size = PAGE };

	reading.n_payloads = read_payloads(reading.payloads);
	ck_assert(perf_events_add(&reading.events, (const uint8_t *)&attr, sizeof(attr)));
	ck_assert(!perf_events_check(&reading.events));
	for (size_t i = 0; i < N_RECORDS; i++) {
		put_sample(&reading.payloads[i % reading.n_payloads], 0x401000 + i, 7);
		if (i % 7 == 6)
			ck_assert_int_eq(ring_drain(&ring, take_record, &reading), 0);
	}
	ck_assert_int_eq(ring_drain(&ring, take_record, &reading), 0);
	ck_assert_uint_eq(reading.taken, N_RECORDS);
	ck_assert_uint_eq(kernel.page.data_tail, kernel.page.data_head);
	perf_events_free(&reading.events);
}
END_TEST

/* The values of PERF_SAMPLE_READ stand before the raw payload: a value, and the additions of
 * read_format. */
START_TEST(values_that_are_read_are_skipped)
{
	static const struct {
		uint64_t format, words[8];
		size_t count;
	} reads[] = {
		{ 0, { 1 }, 1 },
		{ PERF_FORMAT_TOTAL_TIME_ENABLED, { 1, 2 }, 2 },
		{ PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING, { 1, 2, 3 }, 3 },
		{ PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID, { 1, 2, 3 }, 3 },
		{ PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED, { 2, 5, 6, 7 }, 4 },
		{ PERF_FORMAT_GROUP | PERF_FORMAT_ID, { 2, 5, 6, 7, 8 }, 5 },
	};
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_RAW,
		.read_format = reads[_i].format,
	};
	struct {
		struct perf_event_header head;
		uint64_t words[9];
	} bytes = { .head = { .type = PERF_RECORD_SAMPLE } };
	struct perf_events events = { 0 };
	struct perf_record record;
	struct perf_sample sample;

	bytes.head.size = (uint16_t)(sizeof(bytes.head) + 8 * (reads[_i].count + 1));
	memcpy(bytes.words, reads[_i].words, 8 * reads[_i].count);
	bytes.words[reads[_i].count] = UINT64_C(0x1234567800000004); /* size and payload */
	ck_assert(perf_events_add(&events, (const uint8_t *)&attr, sizeof(attr)));
	ck_assert(!perf_events_check(&events));
	ck_assert(perf_record_parse(&events, (const uint8_t *)&bytes, bytes.head.size, &record));
	ck_assert(perf_sample_parse(&events, &record, &sample));
	ck_assert_uint_eq(sample.sample.raw_size, 4);
	ck_assert_mem_eq(sample.sample.raw, "\x78\x56\x34\x12", 4);
	perf_events_free(&events);
}
END_TEST

/* ---- files ------------------------------------------------------------------------------- */

/* A file that perf record has written to a pipe: a sample, and at the same time the name of its
 * thread. */
struct piped {
	char magic[8];
	uint64_t header_size;
	struct perf_event_header attr_head;
	struct perf_event_attr attr;
	struct perf_event_header sample_head;
	uint64_t sample_time;
	struct perf_event_header name_head;
	uint32_t pid, tid;
	char name[8];
	uint64_t name_time;
};

START_TEST(names_come_before_samples_of_their_time)
{
	enum { HEADER_ATTR = 64, SAMPLE_SIZE = 16, NAME_SIZE = 32, TIME = 1000 };
	struct piped bytes = {
		.magic = { 'P', 'E', 'R', 'F', 'I', 'L', 'E', '2' },
		.header_size = 16,
		.attr_head = { HEADER_ATTR, 0, sizeof(bytes.attr_head) + sizeof(bytes.attr) },
		.attr = { .size = sizeof(bytes.attr),
			  .sample_type = PERF_SAMPLE_TIME,
			  .sample_id_all = 1 },
		.sample_head = { PERF_RECORD_SAMPLE, 0, SAMPLE_SIZE },
		.sample_time = TIME,
		.name_head = { PERF_RECORD_COMM, 0, NAME_SIZE },
		.pid = 7,
		.tid = 7,
		.name = "late",
		.name_time = TIME + (unsigned)_i,
	};
	struct perf_part part = { (const uint8_t *)&bytes, sizeof(bytes), "piped" };
	struct tf_error error = { .text = "" };
	struct perf_file file;

	ck_assert_msg(perf_file_read(&file, &part, 1, &error) == 0, "%s", error.text);
	ck_assert_uint_eq(file.n_entries, 2);
	ck_assert_uint_eq(get_le32(file.entries[_i == 0].bytes), PERF_RECORD_SAMPLE);
	perf_file_free(&file);
}
END_TEST

/* ---- owners of samples ------------------------------------------------------------------- */

static struct perf_events one_event(void)
{
	static const struct perf_event_attr attr = {
		.size = sizeof(attr),
		.sample_type = PERF_SAMPLE_TID,
	};
	struct perf_events events = { 0 };

	ck_assert(perf_events_add(&events, (const uint8_t *)&attr, sizeof(attr)));
	return events;
}

static bool takes(struct members *members, uint32_t type, uint16_t misc, uint32_t pid,
		  uint32_t parent)
{
	struct perf_events events = one_event();
	uint32_t body[4] = { pid, parent, pid, parent };
	struct perf_record record = {
		.type = type,
		.misc = misc,
		.body = span_of((const uint8_t *)body, sizeof(body)),
	};
	bool taken = members_take(members, &events, &record);

	perf_events_free(&events);
	return taken;
}

START_TEST(members_begin_with_the_program)
{
	struct members members = { .first = 10, .follow = _i };

	ck_assert(!takes(&members, PERF_RECORD_SAMPLE, 0, 10, 0));
	ck_assert(!takes(&members, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, 9, 0));
	ck_assert(takes(&members, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, 10, 0));
	ck_assert(takes(&members, PERF_RECORD_SAMPLE, 0, 10, 0));
	ck_assert(takes(&members, PERF_RECORD_FORK, 0, 10, 10)); /* a thread */
	ck_assert(takes(&members, PERF_RECORD_FORK, 0, 11, 10) == (bool)_i);
	ck_assert(takes(&members, PERF_RECORD_MMAP2, 0, 11, 0) == (bool)_i);
	ck_assert(!takes(&members, PERF_RECORD_FORK, 0, 11, 9)); /* another parent */
	ck_assert(!takes(&members, PERF_RECORD_SAMPLE, 0, 11, 0));
	ck_assert(takes(&members, PERF_RECORD_LOST, 0, 0, 0));
	members_free(&members);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sample records");
	TCase *records = tcase_create("records");

	tcase_add_test(records, raw_samples_come_unmodified);
	tcase_add_loop_test(records, values_that_are_read_are_skipped, 0, 6);
	tcase_add_loop_test(records, names_come_before_samples_of_their_time, 0, 2);
	tcase_add_loop_test(records, members_begin_with_the_program, 0, 2);
	suite_add_tcase(suite, records);
	return run_suite(suite);
}
