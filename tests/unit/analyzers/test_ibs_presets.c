/* SPDX-License-Identifier: MIT */
/*
 * The presets of real machines on programs whose cycles can be counted by hand. The expected
 * numbers are those of the sources that tracelab-machines(7) names, and are not read from the presets.
 */
#include <check.h>

#include "analyzers/ibs/model/pipeline.h"
#include "analyzers/ibs/model/predictor.h"
#include "tests/unit/run_suite.h"

enum { CODE = 0x401000, DATA = 0x10000000, PAGE = 4096, PAGE_LINES = 64, LINE = 64, WARM = 200 };

static const struct expected {
	const char *name;
	uint64_t width;              /* ops a cycle */
	uint64_t l1, l2, l3, memory; /* cycles */
	uint64_t l2_tlb;
	uint64_t l2_pages, l3_pages; /* what these hold, and the cache before does not */
	uint64_t misses;             /* lines at a time */
	uint64_t mispredicted;       /* cycles */
} presets[] = {
	{ "zen4", 6, 4, 14, 50, 320, 7, 32, 512, 24, 13 },
	{ "zen5", 8, 4, 14, 50, 320, 7, 32, 512, 24, 15 },
	{ "goldencove", 6, 5, 15, 70, 340, 7, 32, 1024, 16, 17 },
	{ "k10", 3, 3, 15, 45, 161, 5, 32, 256, 8, 12 },
};
enum { N_PRESETS = sizeof(presets) / sizeof(presets[0]) };

static struct machine machine;
static struct set_cache l3;
static struct pipeline pipeline;
static struct predictor predictor;
static struct ibs_timing timing;

static void start(void)
{
	set_cache_init(&l3, machine.l3_size / LINE, machine.l3_ways);
	pipeline_init(&pipeline, &machine, &l3);
	predictor_init(&predictor, &machine);
}

static void stop(void)
{
	pipeline_free(&pipeline);
	predictor_free(&predictor);
	set_cache_free(&l3);
}

static struct ibs_op_facts decoded(uint64_t pc, const char *code, size_t size)
{
	struct ibs_op_facts ops[IBS_MAX_OPS];

	ck_assert_uint_eq(ibs_insn_decode(ops, &machine, ISA_AMD, (const uint8_t *)code, size, pc),
			  1);
	return ops[0];
}

static void execute(const struct ibs_op_facts *insn)
{
	struct ibs_op op = { .facts = insn };

	pipeline_step(&pipeline, &op, &timing);
}

static void load(const struct ibs_op_facts *insn, uint64_t address)
{
	struct access access = { address, 8, ACCESS_READ };
	struct ibs_op op = { .facts = insn, .accesses = &access, .n_accesses = 1 };

	pipeline_step(&pipeline, &op, &timing);
}

static void begin(const struct expected *preset)
{
	ck_assert(machine_preset(&machine, preset->name));
	start();
}

/* Begins on the preset without its prefetchers, so that each line comes from where it was. */
static void begin_without_prefetching(const struct expected *preset)
{
	ck_assert(machine_preset(&machine, preset->name));
	machine.l1_prefetcher = machine.l2_prefetcher = PREFETCH_NONE;
	start();
}

/* ---- ops --------------------------------------------------------------------------------- */

/* imul %rax,%rax: 3 cycles each. */
START_TEST(dependent_ops)
{
	begin(&presets[_i]);
	struct ibs_op_facts multiply = decoded(CODE, "\x48\x0f\xaf\xc0", 4);
	uint64_t before;

	execute(&multiply);
	before = timing.completed;
	for (uint64_t i = 1; i <= WARM; i++) {
		execute(&multiply);
		ck_assert_uint_eq(timing.completed, before + 3 * i);
	}
	stop();
}
END_TEST

/* mov $0,%eax: the ops wait only for each other's dispatch. */
START_TEST(independent_ops)
{
	begin(&presets[_i]);
	struct ibs_op_facts move = decoded(CODE, "\xb8\x00\x00\x00\x00", 5);
	uint64_t first;

	execute(&move);
	first = timing.dispatched;
	for (uint64_t i = 1; i <= WARM; i++) {
		execute(&move);
		ck_assert_uint_eq(timing.dispatched, first + i / presets[_i].width);
	}
	stop();
}
END_TEST

/* ---- memory ------------------------------------------------------------------------------ */

/* Returns the i-th line of a page: each line once, and no distance twice. */
static uint64_t line_address(uint64_t page, uint64_t i)
{
	return DATA + page * PAGE + i * (i + 1) / 2 % PAGE_LINES * LINE;
}

/* mov (%rax),%rax through pages, again and again: the last time each line must take `latency`, and
 * the first one of a page its refill. */
static void assert_chase(uint64_t pages, uint64_t latency, uint64_t refill)
{
	struct ibs_op_facts chase = decoded(CODE, "\x48\x8b\x00", 3);

	for (int round = 0; round < 3; round++)
		for (uint64_t page = 0; page < pages; page++)
			for (uint64_t i = 0; i < PAGE_LINES; i++) {
				load(&chase, line_address(page, i));
				if (round == 2)
					ck_assert_uint_eq(timing.completed - timing.issued,
							  latency + (i ? 0 : refill));
			}
}

START_TEST(pointer_chase)
{
	const struct expected *preset = &presets[_i];

	begin_without_prefetching(preset);
	assert_chase(1, preset->l1, 0);
	assert_chase(preset->l2_pages, preset->l2, 0);
	assert_chase(preset->l3_pages, preset->l3, preset->l2_tlb);
	stop();
}
END_TEST

/* mov (%rax),%rax through lines that were never accessed. */
START_TEST(pointer_chase_in_memory)
{
	begin_without_prefetching(&presets[_i]);
	struct ibs_op_facts chase = decoded(CODE, "\x48\x8b\x00", 3);

	for (uint64_t page = 0; page < 10; page++)
		for (uint64_t i = 0; i < PAGE_LINES; i++) {
			load(&chase, line_address(page, i));
			if (i)
				ck_assert_uint_eq(timing.completed - timing.issued,
						  presets[_i].memory);
		}
	stop();
}
END_TEST

/* mov (%rbx),%rcx of ever new lines of a page: as many at a time as there are miss buffers. */
START_TEST(streaming)
{
	const struct expected *preset = &presets[_i];
	uint64_t ready[PAGE_LINES];

	begin_without_prefetching(preset);
	stop();
	machine.memory_interval = 0; /* how fast memory is depends on what else it does */
	start();
	struct ibs_op_facts read = decoded(CODE, "\x48\x8b\x0b", 3);

	load(&read, DATA);
	for (uint64_t i = 0; i < WARM * preset->width; i++)
		load(&read, DATA);
	for (uint64_t i = 1; i < PAGE_LINES; i++) {
		load(&read, DATA + LINE * i);
		ready[i] = timing.completed;
		if (i > preset->misses)
			ck_assert_uint_eq(ready[i] - ready[i - preset->misses], preset->memory);
	}
	stop();
}
END_TEST

/* A machine streams faster with its prefetchers. */
START_TEST(prefetched_streaming)
{
	uint64_t cycles[2];

	for (int prefetching = 0; prefetching < 2; prefetching++) {
		if (prefetching)
			begin(&presets[_i]);
		else
			begin_without_prefetching(&presets[_i]);
		struct ibs_op_facts chase = decoded(CODE, "\x48\x8b\x00", 3);

		for (uint64_t i = 0; i < 10 * PAGE_LINES; i++)
			load(&chase, DATA + LINE * i);
		cycles[prefetching] = pipeline_cycles(&pipeline);
		stop();
	}
	ck_assert_uint_lt(2 * cycles[1], cycles[0] + cycles[0] / 2);
}
END_TEST

/* ---- branches ---------------------------------------------------------------------------- */

/* dec %ecx; jnz, never predicted: the cost of a misprediction, and a cycle for each of both ops. */
START_TEST(mispredicted_loop)
{
	begin(&presets[_i]);
	stop();
	machine.predictor = PREDICTOR_STATIC;
	start();
	struct ibs_op_facts dec = decoded(CODE, "\xff\xc9", 2);
	struct ibs_op_facts jump = decoded(CODE + 2, "\x75\xfc", 2);
	struct ibs_op op = { .facts = &jump, .next_pc = CODE, .taken = true };
	uint64_t before = 0;

	for (int i = 0; i < WARM; i++) {
		execute(&dec);
		op.mispredicted = predictor_misses(&predictor, &jump, CODE, true);
		pipeline_step(&pipeline, &op, &timing);
		ck_assert(timing.mispredicted);
		if (i > 10)
			ck_assert_uint_eq(timing.retired - before, presets[_i].mispredicted + 2);
		before = timing.retired;
	}
	stop();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ibs presets");
	TCase *tests = tcase_create("presets");

	tcase_add_loop_test(tests, dependent_ops, 0, N_PRESETS);
	tcase_add_loop_test(tests, independent_ops, 0, N_PRESETS);
	tcase_add_loop_test(tests, pointer_chase, 0, N_PRESETS);
	tcase_add_loop_test(tests, pointer_chase_in_memory, 0, N_PRESETS);
	tcase_add_loop_test(tests, streaming, 0, N_PRESETS);
	tcase_add_loop_test(tests, prefetched_streaming, 0, N_PRESETS);
	tcase_add_loop_test(tests, mispredicted_loop, 0, N_PRESETS);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
