/* SPDX-License-Identifier: MIT */
/* Traces that trace-anonymise makes have no value, record or fact that nobody needs. */
#include <string.h>

#include "cli/anonymise/anonymise.h"
#include "cli/anonymise/events.h"
#include "cli/anonymise/kinds.h"
#include "cli/anonymise/make_map.h"
#include "cli/anonymise/values.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/synthetic.h"
#include "traceformat/tracesamples.h"

static const uint64_t secret = 0x5ec4e7, code = 0x401000;

/* ---- values of a block ------------------------------------------------------------------- */

enum { MOST_SLOTS = 8 };

/* Writes the slots of a block of up to two operands, whose slots are in the order of its values. */
static void write_values(const struct tf_operand *operands, unsigned n, uint32_t executed,
			 bool identity, const uint64_t *values, uint64_t slots[MOST_SLOTS])
{
	const struct tf_block block = { .operands = operands, .n_operands = (uint16_t)n };
	const struct address_map map = { .modulus = 1 << 20, .identity = identity };
	struct operand_layout places[2];
	const struct block_layout layout = { .block = &block, .operands = places };
	struct map_lookup lookup;

	for (unsigned k = 0; k < n; k++)
		places[k] = (struct operand_layout){ .to = (uint16_t)k,
						     .to_extra = operands[k].extra };
	memset(slots, 0, MOST_SLOTS * sizeof(*slots));
	map_lookup_begin(&lookup, &map);
	ck_assert(values_write(&lookup, &layout, executed, values, slots));
}

/* An operand that accesses nothing has no address. */
START_TEST(values_of_no_access)
{
	static const struct tf_operand operands[] = {
		{ .form = TF_MASKED, .lanes = 4, .size = 8, .extra = 1 },
		{ .form = TF_LANES, .lanes = 4, .size = 8, .index_size = 4, .extra = 1 },
		{ .form = TF_REP, .size = 8, .extra = 1 },
		{ .form = TF_SIZED, .extra = 1 },
	};
	/* Bits of lanes that the operand does not have; a count of which nothing was done. */
	static const uint64_t values[][4] = { { 0x7000005ec4e7, 0xf0, 0x5ec4e7, 0x5ec4e7 },
					      { 0x7000005ec4e7, 0xf0, 0x5ec4e7, 0x5ec4e7 },
					      { 0x7000005ec4e7, 3, 0, 0 },
					      { 0x7000005ec4e7, 0, 0, 0 } };
	uint64_t slots[MOST_SLOTS];

	for (unsigned i = 0; i < 4; i++) {
		write_values(&operands[i], 1, 1, false, values[i], slots);
		ck_assert_uint_eq(slots[0], NO_UNIT);
		ck_assert_uint_eq(slots[1], i == 2 ? 3 : 0);
		ck_assert_uint_eq(slots[2] | slots[3], 0);
	}
}
END_TEST

/* Lanes 0 and 2 of 4 are active. */
START_TEST(values_of_inactive_lanes)
{
	static const struct tf_operand masked = {
		.form = TF_MASKED, .lanes = 4, .size = 8, .extra = 1
	};
	struct tf_operand lanes = {
		.form = TF_LANES, .lanes = 4, .size = 8, .index_size = 4, .scale = 8, .extra = 1
	};
	const uint64_t narrow[] = { code, 0xf5, secret << 32 | 1, secret << 32 | 2 };
	const uint64_t wide[] = { code, 0xf5, 1, secret, 2, secret };
	uint64_t slots[MOST_SLOTS];

	write_values(&masked, 1, 1, true, narrow, slots);
	ck_assert_uint_eq(slots[0], code);
	ck_assert_uint_eq(slots[1], 5);
	write_values(&lanes, 1, 1, true, narrow, slots);
	ck_assert_mem_eq(slots, ((const uint64_t[]){ code, 5, 1, 2 }), 4 * sizeof(*slots));
	lanes.index_size = 8;
	write_values(&lanes, 1, 1, true, wide, slots);
	ck_assert_mem_eq(slots, ((const uint64_t[]){ code, 5, 1, 0, 2, 0 }), 6 * sizeof(*slots));
}
END_TEST

START_TEST(values_behind_the_end)
{
	static const struct tf_operand operands[] = { { .insn = 0, .size = 8 },
						      { .insn = 1, .size = 8 } };
	uint64_t slots[MOST_SLOTS];

	write_values(operands, 2, 1, true, (const uint64_t[]){ code, secret }, slots);
	ck_assert_uint_eq(slots[0], code);
	ck_assert_uint_eq(slots[1], 0);
	write_values(operands, 2, 2, true, (const uint64_t[]){ code, secret }, slots);
	ck_assert_uint_eq(slots[1], secret);
}
END_TEST

/* ---- kinds of instructions --------------------------------------------------------------- */

START_TEST(flags_of_kinds)
{
	enum { ALL = TF_KIND_REGISTER_TRANSFER | TF_KIND_REPLACES_FLAGS | TF_KIND_USES_GS };
	struct synthetic_block b;
	struct made_kind made;
	uint32_t facts = 0, folded = 0;

	/* mov rax, rbx; add eax, ebx; mov rax, gs:[0]; je */
	synthetic_decode(&b, code,
			 BYTES("\x48\x89\xd8\x01\xd8\x65\x48\x8b\x04\x25\0\0\0\0\x74\x10"));
	for (unsigned i = 0; i < b.block.n_insns; i++) {
		ck_assert(kind_make(&b.block, i, CODE_FACTS, ISA_INTEL, &made));
		facts |= made.kind.flags;
		ck_assert(kind_make(&b.block, i, CODE_REGDEPS, ISA_INTEL, &made));
		folded |= made.kind.flags;
	}
	ck_assert_uint_eq(facts & ALL, ALL);
	ck_assert_uint_eq(folded, TF_KIND_CONDITIONAL | TF_KIND_READS_FLAGS | TF_KIND_WRITES_FLAGS);
}
END_TEST

/* ---- whole traces ------------------------------------------------------------------------ */

/* An original trace, and a reader of the one that is made of it. */
struct made {
	struct synthetic from;
	struct tf_reader *reader;
};

static void make(struct made *m, struct levels levels)
{
	scratch_path to;
	struct request request = { .from = m->from.path,
				   .to = to,
				   .levels = levels,
				   .granule = 2 << 20,
				   .glue = 1 << 20,
				   .quiet = true,
				   .jobs = 1,
				   .mode = TF_FILE_MODE };

	synthetic_end(&m->from);
	close(scratch_file(to, "anonymised"));
	unlink(to);
	ck_assert_int_eq(anonymise(&request), 0);
	synthetic_ok(&m->from, tf_open(to, &m->reader, &m->from.error));
	synthetic_ok(&m->from, tf_load(m->reader, &m->from.error));
	unlink(to);
	synthetic_remove(&m->from);
}

START_TEST(samples_of_trace)
{
	static const struct levels levels = {
		{ [SWITCH_NAMES] = NAMES_DROP, [SWITCH_TIMES] = TIMES_RELATIVE }
	};
	struct made m;
	struct tf_samples *samples;
	struct tf_sample sample = { .kind = TF_SAMPLE,
				    .time_ns = 7777777,
				    .fields = TF_SAMPLE_ADDRESS | TF_SAMPLE_PHYSICAL_ADDRESS,
				    .address = code,
				    .physical_address = secret };
	struct tf_sampler sampler = { .origin = TF_SAMPLER_PERF, .event = "e", .pmu = "p" };
	struct tf_event start = { .kind = TF_EVENT_TIME, .time.time_ns = 7000000 };
	uint32_t thread;

	synthetic_begin(&m.from, NULL);
	thread = synthetic_thread(&m.from, synthetic_process(&m.from, 1));
	synthetic_event(&m.from, thread, &start);
	synthetic_ok(&m.from, tf_writer_add_sampler(m.from.writer, &sampler, NULL, &m.from.error));
	synthetic_ok(&m.from, tf_writer_add_sample(m.from.writer, &sample, &m.from.error));
	sample = (struct tf_sample){ .kind = TF_SAMPLES_NAME, .time_ns = 7777777, .name = "mine" };
	synthetic_ok(&m.from, tf_writer_add_sample(m.from.writer, &sample, &m.from.error));
	make(&m, levels);
	synthetic_ok(&m.from, tf_samples_open(m.reader, &samples, &m.from.error));
	ck_assert_int_eq(tf_samples_next(samples, &sample, &m.from.error), 1);
	ck_assert_uint_eq(sample.time_ns, 778000);
	ck_assert_uint_eq(sample.fields, TF_SAMPLE_ADDRESS);
	ck_assert_uint_eq(sample.address, code);
	ck_assert_uint_eq(sample.physical_address, 0);
	ck_assert_int_eq(tf_samples_next(samples, &sample, &m.from.error), 1);
	ck_assert_str_eq(sample.name, "t1");
	tf_samples_close(samples);
	tf_close(m.reader);
}
END_TEST

/*
 * Records that no execution and no event refers to are left out (0). The highest level of events
 * also leaves out functions and their calls (1).
 */
START_TEST(unused_records)
{
	const struct levels levels = { { [SWITCH_EVENTS] = _i ? EVENTS_KINDS : EVENTS_KEEP } };
	static const char ret[] = "\xc3";
	struct made m;
	struct tf_event event = { .kind = TF_EVENT_REGION_BEGIN };
	struct synthetic_code used;
	struct tf_info info;
	uint32_t thread, function;

	synthetic_begin(&m.from, NULL);
	thread = synthetic_thread(&m.from, synthetic_process(&m.from, 1));
	synthetic_code(&m.from, secret, ret, 1);
	used = synthetic_code(&m.from, code, ret, 1);
	synthetic_region(&m.from, "unused");
	event.region.index = synthetic_region(&m.from, "used");
	synthetic_event(&m.from, thread, &event);
	for (unsigned i = 0; i < 3; i++) {
		static const char *const names[] = { "unused", "malloc", "used" };

		synthetic_ok(&m.from,
			     tf_writer_add_function(m.from.writer,
						    &(struct tf_function){ .name = names[i] },
						    &function, &m.from.error));
	}
	event = (struct tf_event){ .kind = TF_EVENT_RETURN, .ret.function = function };
	synthetic_event(&m.from, thread, &event);
	synthetic_exec(&m.from, thread, used.taken, (const uint64_t[]){ code });
	make(&m, levels);
	ck_assert_uint_eq(tf_n_regions(m.reader), 1);
	ck_assert_str_eq(tf_region(m.reader, 0)->name, "used");
	ck_assert_uint_eq(tf_n_functions(m.reader), _i ? 0 : 2);
	if (_i == 0) {
		ck_assert_str_eq(tf_function(m.reader, 0)->name, "malloc");
		ck_assert_str_eq(tf_function(m.reader, 1)->name, "used");
	}
	ck_assert_int_eq(tf_get_info(m.reader, &info, NULL), 0);
	ck_assert_uint_eq(info.totals.events, _i ? 1 : 2);
	ck_assert_uint_eq(tf_n_blocks(m.reader), 1);
	ck_assert_uint_eq(tf_block(m.reader, 0)->pc, code);
	tf_close(m.reader);
}
END_TEST

/* ---- calls ------------------------------------------------------------------------------- */

static int keep_event(void *opaque, const struct tf_event *event, struct tf_error *error)
{
	(void)error;
	*(struct tf_event *)opaque = *event;
	return 0;
}

/* Writes a trace of these functions, and returns a reader of it. */
static struct tf_reader *reader_of_functions(const char *const names[2])
{
	struct synthetic s;
	struct tf_reader *reader;

	synthetic_begin(&s, NULL);
	for (unsigned i = 0; i < 2; i++) {
		const struct tf_function function = { .name = names[i], .n_args = 2 };

		synthetic_ok(&s, tf_writer_add_function(s.writer, &function, NULL, &s.error));
	}
	synthetic_end(&s);
	synthetic_ok(&s, tf_open(s.path, &reader, &s.error));
	synthetic_ok(&s, tf_load(reader, &s.error));
	synthetic_remove(&s);
	return reader;
}

/*
 * Checks calls of "realloc" and "mine". All arguments and results were the secret, which no unit of
 * the map has. shown: for each function, the arguments and the result.
 */
static void check_calls(unsigned level, bool keeps_arguments, const uint64_t shown[2][3],
			unsigned n_args_of_mine)
{
	const struct levels levels = { { [SWITCH_EVENTS] = level } };
	const struct address_map map = { .modulus = 1 << 20 };
	uint32_t indices[] = { 0, 1 };
	const struct dictionary d = {
		.levels = &levels,
		.map = &map,
		.new_functions = indices,
		.reader = reader_of_functions((const char *const[]){ "realloc", "mine" }),
	};
	struct event_rules rules = { .dictionary = &d,
				     .levels = &levels,
				     .keeps_arguments = keeps_arguments };
	struct tf_error error;

	map_lookup_begin(&rules.lookup, &map);
	for (uint32_t f = 0; f < 2; f++) {
		const struct tf_event call = { .kind = TF_EVENT_CALL,
					       .call = { f, 2, { secret, secret } } };
		const struct tf_event ret = { .kind = TF_EVENT_RETURN, .ret = { f, secret } };
		struct tf_event new;

		ck_assert_int_eq(event_rewrite(&rules, &call, keep_event, &new, &error), 0);
		ck_assert_uint_eq(new.call.n_args, f ? n_args_of_mine : 2);
		for (unsigned i = 0; i < new.call.n_args; i++)
			ck_assert_uint_eq(new.call.args[i], shown[f][i]);
		ck_assert_int_eq(event_rewrite(&rules, &ret, keep_event, &new, &error), 0);
		ck_assert_uint_eq(new.ret.result, shown[f][2]);
	}
	tf_close(d.reader);
}

START_TEST(calls)
{
	const uint64_t moved = NO_UNIT + secret % (1 << 20);
	const uint64_t cleared[2][3] = { { moved, secret, moved }, { 0, 0, 0 } };
	const uint64_t kept[2][3] = { { moved, secret, moved }, { secret, secret, secret } };

	check_calls(EVENTS_KEEP, true, kept, 2);
	check_calls(EVENTS_KEEP, false, cleared, 2);
	check_calls(EVENTS_NO_ARGUMENTS, true, cleared, 0);
	check_calls(EVENTS_NO_ARGUMENTS, false, cleared, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("anonymised_records");
	TCase *tests = tcase_create("anonymised_records");

	tcase_add_test(tests, values_of_no_access);
	tcase_add_test(tests, values_of_inactive_lanes);
	tcase_add_test(tests, values_behind_the_end);
	tcase_add_test(tests, flags_of_kinds);
	tcase_add_test(tests, samples_of_trace);
	tcase_add_loop_test(tests, unused_records, 0, 2);
	tcase_add_test(tests, calls);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
