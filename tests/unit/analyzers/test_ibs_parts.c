/* SPDX-License-Identifier: MIT */
/* The parts that the machine "simple" lacks, each added to an otherwise simple machine. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/ibs/model/core.h"
#include "analyzers/ibs/model/predictor.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/synthetic.h"

enum { CODE = 0x401000, DATA = 0x10000000, LINE = 64, PAGE = 4096 };

static struct machine machine;
static struct set_cache l3;
static struct pipeline pipeline;

static uint64_t random_state = 1;

static uint64_t random_below(uint64_t limit)
{
	random_state = random_state * 6364136223846793005 + 1442695040888963407;
	return (random_state >> 33) % limit;
}

static void start(void)
{
	set_cache_init(&l3, machine.l3_size / LINE, machine.l3_ways);
	pipeline_init(&pipeline, &machine, &l3);
}

static void setup(void)
{
	ck_assert(machine_preset(&machine, "simple"));
	start();
}

static void stop(void)
{
	pipeline_free(&pipeline);
	set_cache_free(&l3);
}

/* Restarts the pipeline on the machine's current parameters. */
static void restart(void)
{
	stop();
	start();
}

static struct memory_access load(uint64_t address, uint64_t cycle)
{
	struct memory_access access = { 0 };

	memory_load(&pipeline.memory, CODE, address, 8, cycle, &access);
	return access;
}

/* ---- caches ------------------------------------------------------------------------------ */

/* Compares the cache with a list that is searched from its end. */
START_TEST(tlbs)
{
	enum { ENTRIES = 16, ACCESSES = 20000 };
	static uint64_t accessed[ACCESSES];
	struct tlb tlb;

	tlb_init(&tlb, ENTRIES);
	for (int i = 0; i < ACCESSES; i++) {
		/* 256 pages apart: the same hash. */
		uint64_t page = random_below(20) * (random_below(4) ? 1 : 256), others[ENTRIES];
		int n = 0;
		bool found = false;

		for (int k = i - 1; k >= 0 && n < ENTRIES && !found; k--) {
			bool seen = false;

			for (int j = 0; j < n; j++)
				seen |= others[j] == accessed[k];
			found = accessed[k] == page;
			if (!seen)
				others[n++] = accessed[k];
		}
		accessed[i] = page;
		ck_assert_int_eq(tlb_touch(&tlb, page), found);
	}
	tlb_free(&tlb);
}
END_TEST

START_TEST(set_caches)
{
	struct set_cache cache;

	set_cache_init(&cache, 6, 2); /* 3 sets */
	ck_assert_uint_eq(set_cache_insert(&cache, 0), 0);
	ck_assert_uint_eq(set_cache_insert(&cache, 3), 0);
	ck_assert_uint_eq(set_cache_insert(&cache, 0), 0);
	ck_assert_uint_eq(set_cache_insert(&cache, 6), 3 + 1);
	ck_assert(set_cache_has(&cache, 0) && !set_cache_has(&cache, 3));
	ck_assert(!set_cache_has(&cache, 1));
	set_cache_free(&cache);
}
END_TEST

/* Raising a line is touching a line if it is there. */
START_TEST(raised_lines)
{
	struct set_cache touched, raised;

	set_cache_init(&touched, 24, 4);
	set_cache_init(&raised, 24, 4);
	for (unsigned i = 0; i < 5000; i++) {
		uint64_t line = random_below(40);
		bool hit = set_cache_touch(&touched, line);

		ck_assert(set_cache_raise(&raised, line) == hit);
		if (!hit)
			set_cache_insert(&raised, line);
		ck_assert_mem_eq(touched.lines, raised.lines, 24 * sizeof(*touched.lines));
	}
	set_cache_free(&touched);
	set_cache_free(&raised);
}
END_TEST

/* Compares the miss buffers with a list, of which each miss takes the one that is free first. */
START_TEST(miss_buffers)
{
	uint64_t buffers[5] = { 0 };
	unsigned most = 0;

	machine.miss_buffers = 5;
	restart();
	for (uint64_t i = 0, cycle = 0; i < 20000; i++, cycle += random_below(80)) {
		struct memory_access access = load(DATA + LINE * random_below(3000), cycle);
		uint64_t *first = &buffers[0];
		unsigned used = 0;

		if (!access.l1_miss || access.was_pending)
			continue;
		for (unsigned k = 0; k < 5; k++) {
			used += buffers[k] > cycle + access.tlb_refill;
			first = buffers[k] < *first ? &buffers[k] : first;
		}
		ck_assert_uint_eq(access.open_requests, used);
		ck_assert_uint_ge(access.ready, *first);
		*first = access.ready;
		most = used > most ? used : most;
	}
	ck_assert_uint_eq(most, 5);
}
END_TEST

/* A victim L3 has a line only after L2 has evicted the line. */
START_TEST(victims)
{
	machine.l3_victim = 1;
	restart();
	ck_assert_uint_eq(load(DATA, 0).source, FROM_MEMORY);
	ck_assert(!set_cache_has(&l3, DATA / LINE));
	for (uint64_t i = 1; i <= machine.l2_ways; i++)
		load(DATA + i * machine.l2_size / machine.l2_ways, 1000 * i);
	ck_assert(set_cache_has(&l3, DATA / LINE));
	ck_assert_uint_eq(load(DATA, 100000).source, FROM_L3);
}
END_TEST

/* Memory delivers a line every 10 cycles, in whatever order of time the requests are made. */
START_TEST(bandwidth)
{
	enum memory_source source;
	struct lower_memory *lower;

	machine.memory_interval = 10;
	restart();
	lower = &pipeline.memory.lower;
	ck_assert_uint_eq(lower_memory_read(lower, 1, 1000, &source), 1200);
	ck_assert_uint_eq(lower_memory_read(lower, 2, 1000, &source), 1210);
	ck_assert_uint_eq(lower_memory_read(lower, 3, 1005, &source), 1220);
	ck_assert_uint_eq(lower_memory_read(lower, 4, 500, &source), 700);
	ck_assert_uint_eq(lower_memory_read(lower, 5, 1030, &source), 1230);
	ck_assert_uint_eq(source, FROM_MEMORY);
}
END_TEST

/* A walk loads the page's entry, of which a line has 8, and a directory's entry, for 512 pages. */
START_TEST(walks)
{
	machine.walk_cache = 2;
	machine.walk_latency = 5;
	machine.l2_tlb_entries = machine.l2_tlb_ways = 1;
	machine.dtlb_entries = 1;
	restart();
	ck_assert_uint_eq(load(512 * PAGE * 100ull, 0).tlb_refill, 6 + 5 + 200 + 200);
	ck_assert_uint_eq(load(512 * PAGE * 100ull + PAGE, 1000).tlb_refill, 6 + 5 + 14);
	ck_assert_uint_eq(load(512 * PAGE * 100ull + 9 * PAGE, 2000).tlb_refill, 6 + 5 + 200);
	ck_assert_uint_eq(load(512 * PAGE * 101ull, 3000).tlb_refill, 6 + 5 + 14 + 200);
	ck_assert_uint_eq(load(512 * PAGE * 101ull, 4000).tlb_refill, 0);
}
END_TEST

/* ---- prefetchers ------------------------------------------------------------------------- */

/* Executes loads `stride` bytes and 1000 cycles apart. Returns how many missed L1D. */
static unsigned misses(int64_t stride, unsigned n)
{
	unsigned missed = 0;

	restart();
	for (unsigned i = 0; i < n; i++)
		missed += load(DATA + 32 * PAGE + (uint64_t)(i * stride), 1000 * i).l1_miss;
	return missed;
}

/* The prefetcher misses the first three accesses, those `distance` strides from the fourth on, and
 * the first ones of a further page. A stride below a line counts as a line: four accesses miss. */
START_TEST(strides)
{
	ck_assert_uint_eq(misses(LINE, 64), 64);
	machine.l1_prefetcher = PREFETCH_STRIDE;
	machine.prefetch_distance = 4;
	ck_assert_uint_eq(misses(LINE, 64), 3 + 4);
	ck_assert_uint_eq(misses(-LINE, 64), 3 + 4);
	ck_assert_uint_eq(misses(2 * LINE, 32), 3 + 4);
	ck_assert_uint_eq(misses(8, 512), 4);
	ck_assert_uint_eq(misses(LINE, 128), 3 + 4 + 4);
	ck_assert_uint_eq(misses(0, 10), 1);
	machine.l1_prefetcher = PREFETCH_NEXT_LINE;
	ck_assert_uint_eq(misses(LINE, 64), 1);
	ck_assert_uint_eq(misses(2 * LINE, 32), 32);
}
END_TEST

/* A damaged trace may have any addresses. */
START_TEST(strides_around_memory)
{
	const uint64_t stride = 0x9ddfea08eb382d69;
	struct prefetcher prefetcher;

	prefetcher_init(&prefetcher, PREFETCH_STRIDE, 4);
	for (uint64_t i = 0; i < 10; i++) {
		ck_assert(prefetcher_predicts(&prefetcher, CODE, i * stride) == (i >= 3));
		ck_assert(i < 3 ||
			  prefetcher_next(&prefetcher, CODE, i * stride, LINE) == (i + 4) * stride);
	}
}
END_TEST

/* A prefetch into L2 takes 200 cycles from memory, and an access waits for the rest of them. */
START_TEST(lines_on_their_way)
{
	machine.l2_prefetcher = PREFETCH_NEXT_LINE;
	restart();
	load(DATA, 0);
	uint64_t begun = 30; /* after the walk */
	struct memory_access next = load(DATA + LINE, begun + 50);

	ck_assert(next.l1_miss && !next.l2_miss);
	ck_assert_uint_eq(next.ready, begun + 200);
	ck_assert_uint_eq(load(DATA + 2 * LINE, 1000).ready, 1000 + 14);
}
END_TEST

/* ---- stores ------------------------------------------------------------------------------ */

START_TEST(forwarding)
{
	struct forwarding f = { .machine = &machine };
	struct access store = { 0x1004, 8, ACCESS_WRITE };

	machine.forward_latency = 7;
	machine.forward_penalty = 11;
	forwarding_store(&f, &store, 100, 150);
	ck_assert_uint_eq(forwarding_load(&f, &(struct access){ 0x1004, 8, 1 }, 50), 107);
	ck_assert_uint_eq(forwarding_load(&f, &(struct access){ 0x1006, 4, 1 }, 120), 127);
	ck_assert_uint_eq(forwarding_load(&f, &(struct access){ 0x1000, 4, 1 }, 50), 0);
	ck_assert_uint_eq(forwarding_load(&f, &(struct access){ 0x100c, 4, 1 }, 50), 0);
	ck_assert_uint_eq(forwarding_load(&f, &(struct access){ 0x1004, 8, 1 }, 151), 0);
	/* Some bytes: once the store is in the cache. */
	ck_assert_uint_eq(forwarding_load(&f, &(struct access){ 0x1000, 8, 1 }, 50), 150 + 4 + 11);
	ck_assert_uint_eq(forwarding_load(&f, &(struct access){ 0x100b, 2, 1 }, 50), 150 + 4 + 11);
	/* Around the end of memory, and of many bytes. */
	forwarding_store(&f, &(struct access){ UINT64_MAX - 3, 8, ACCESS_WRITE }, 1, 2);
	forwarding_load(&f, &(struct access){ UINT64_MAX, 1u << 31, ACCESS_READ }, 1);
}
END_TEST

/* ---- branches ---------------------------------------------------------------------------- */

/* Returns how many of the last half of `n` outcomes were mispredicted. */
static unsigned wrong(enum machine_predictor predictor, bool (*outcome)(unsigned), unsigned n)
{
	struct predictor p;
	unsigned count = 0;

	machine.predictor = predictor;
	predictor_init(&p, &machine);
	for (unsigned i = 0; i < n; i++) {
		struct branch branch = {
			.pc = CODE,
			.end = TF_END_CONDITIONAL,
			.taken = outcome(i),
		};

		count += !predictor_step(&p, &branch) && i >= n / 2;
	}
	predictor_free(&p);
	return count;
}

static bool always(unsigned i)
{
	(void)i;
	return true;
}

static bool alternating(unsigned i)
{
	return i % 2;
}

/* Predicting the end of a loop of 40 turns needs a history of as many branches. */
static bool long_loop(unsigned i)
{
	return i % 40 != 39;
}

static bool longer_loop(unsigned i)
{
	return i % 100 != 99;
}

static bool by_chance(unsigned i)
{
	(void)i;
	return random_below(2);
}

START_TEST(directions)
{
	ck_assert_uint_eq(wrong(PREDICTOR_BIMODAL, always, 1000), 0);
	ck_assert_uint_eq(wrong(PREDICTOR_TAGE, always, 1000), 0);
	ck_assert_uint_ge(wrong(PREDICTOR_BIMODAL, alternating, 1000), 250);
	ck_assert_uint_eq(wrong(PREDICTOR_GSHARE, alternating, 1000), 0);
	ck_assert_uint_eq(wrong(PREDICTOR_TAGE, alternating, 1000), 0);
	ck_assert_uint_eq(wrong(PREDICTOR_BIMODAL, long_loop, 4000), 50);
	ck_assert_uint_eq(wrong(PREDICTOR_GSHARE, long_loop, 4000), 50);
	ck_assert_uint_lt(wrong(PREDICTOR_TAGE, long_loop, 40000), 10);
	ck_assert_uint_lt(wrong(PREDICTOR_TAGE, longer_loop, 100000), 20);
	unsigned chance = wrong(PREDICTOR_TAGE, by_chance, 20000);

	ck_assert(chance > 4500 && chance < 5500);
}
END_TEST

/* A jump that goes to three targets in turn is predicted from its previous targets. */
START_TEST(targets)
{
	for (int history = 0; history <= 4; history += 4) {
		struct predictor p;
		unsigned right = 0;

		machine.target_history = history;
		predictor_init(&p, &machine);
		for (unsigned i = 0; i < 400; i++) {
			struct branch branch = {
				.pc = CODE,
				.end = TF_END_INDIRECT_JUMP,
				.next_pc = CODE + 0x120 * (i % 3),
			};

			right += predictor_step(&p, &branch) && i >= 100;
		}
		ck_assert_uint_eq(right, history ? 300 : 0);
		predictor_free(&p);
	}
}
END_TEST

/* ---- fetches ----------------------------------------------------------------------------- */

START_TEST(fetches)
{
	struct frontend *f = &pipeline.frontend;
	struct ibs_op_facts op = { .pc = CODE, .length = 4 };

	machine.op_cache = 64;
	machine.decode_depth = 3;
	restart();
	ck_assert_uint_eq(frontend_fetch(f, &op), 1);
	ck_assert(f->fetches[0].l1_miss && f->fetches[0].translated.l2_miss);
	ck_assert_uint_eq(f->fetches[0].op_cache, OP_CACHE_MISS);
	ck_assert_uint_eq(f->fetches[0].latency, 1 + 30 + 200);
	ck_assert_uint_eq(f->decoded, 230 + 4 + 3);
	ck_assert_uint_eq(frontend_fetch(f, &op), 0);
	/* The line is fetched anew after a jump, from the op cache. A branch that the BTB does not
	 * hold costs a penalty. */
	machine.btb_entries = 16;
	machine.btb_penalty = 5;
	frontend_jump(f, CODE);
	ck_assert_uint_eq(frontend_fetch(f, &op), 1);
	ck_assert_uint_eq(f->fetches[0].op_cache, OP_CACHE_HIT);
	ck_assert_uint_eq(f->decoded, 230 + 1 + 5 + 4);
	frontend_jump(f, CODE);
	ck_assert_uint_eq(frontend_fetch(f, &op), 1);
	ck_assert_uint_eq(f->decoded, 236 + 1 + 4);
	/* The end of one line, and the beginning of the next. */
	op = (struct ibs_op_facts){ .pc = CODE + LINE - 2, .length = 4, .crosses_line = true };
	ck_assert_uint_eq(frontend_fetch(f, &op), 1);
	ck_assert_uint_eq(f->fetches[0].address, CODE + LINE);
	ck_assert(f->fetches[0].l1_miss && !f->fetches[0].translated.l1_miss);
}
END_TEST

/* ---- ops --------------------------------------------------------------------------------- */

static unsigned divided(struct ibs_op_facts ops[IBS_MAX_OPS], const char *code, size_t size)
{
	return ibs_insn_decode(ops, &machine, ISA_AMD, (const uint8_t *)code, size, CODE);
}

START_TEST(op_counts)
{
	static const struct {
		const char *code;
		size_t size;
		unsigned ops;
	} cases[] = {
		{ BYTES("\x01\xc8"), 1 },             /* add %ecx,%eax */
		{ BYTES("\x01\x03"), 1 },             /* add %eax,(%rbx) */
		{ BYTES("\x50"), 1 },                 /* push %rax */
		{ BYTES("\xff\x33"), 2 },             /* push (%rbx) */
		{ BYTES("\xe8\x00\x00\x00\x00"), 2 }, /* call */
		{ BYTES("\xff\x13"), 3 },             /* call *(%rbx) */
		{ BYTES("\xc3"), 1 },                 /* ret */
		{ BYTES("\x48\xf7\xe1"), 2 },         /* mul %rcx */
		{ BYTES("\x48\x0f\xaf\xc1"), 1 },     /* imul %rcx,%rax */
		{ BYTES("\x48\x87\x03"), 2 },         /* xchg %rax,(%rbx) */
		{ BYTES("\x9d"), 35 },                /* popf */
		{ BYTES("\x0f\xa2"), 45 },            /* cpuid */
		{ BYTES("\xf3\xa4"), 1 },             /* rep movsb: an op a repetition */
	};
	struct ibs_op_facts ops[IBS_MAX_OPS];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_uint_eq(divided(ops, cases[i].code, cases[i].size), 1);
	machine.several_ops = 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_uint_eq(divided(ops, cases[i].code, cases[i].size), cases[i].ops);
}
END_TEST

/* call *(%rbx): a load, then the store of the return address and the jump, which waits for it. */
START_TEST(several_ops)
{
	struct access read = { DATA, 8, ACCESS_READ }, write = { DATA + 8, 8, ACCESS_WRITE };
	struct ibs_op_facts facts[IBS_MAX_OPS];
	struct ibs_timing first, middle, last;
	struct ibs_op op = { .facts = &facts[0], .accesses = &read, .n_accesses = 1 };

	machine.several_ops = 1;
	ck_assert_uint_eq(divided(facts, BYTES("\xff\x13")), 3);
	ck_assert_uint_eq(facts[0].kinds, ACCESS_READ);
	ck_assert_uint_eq(facts[1].kinds, 0);
	ck_assert_uint_eq(facts[2].kinds, ACCESS_WRITE);
	ck_assert_uint_eq(facts[0].end, TF_END_NONE);
	ck_assert_uint_eq(facts[2].end, TF_END_INDIRECT_CALL);
	load(DATA, 0);
	pipeline_step(&pipeline, &op, &first);
	op = (struct ibs_op){ .facts = &facts[1] };
	pipeline_step(&pipeline, &op, &middle);
	op = (struct ibs_op){ .facts = &facts[2], .accesses = &write, .n_accesses = 1 };
	pipeline_step(&pipeline, &op, &last);
	ck_assert_uint_eq(first.completed, first.issued + 4);
	ck_assert_uint_eq(middle.issued, first.issued);
	ck_assert_uint_eq(last.issued, first.completed);
}
END_TEST

/* The ops of an instruction that crosses the end of a line fetch both lines only once. */
START_TEST(one_fetch_of_several_ops)
{
	struct access access = { DATA, 8, ACCESS_READ };
	struct ibs_op_facts facts[IBS_MAX_OPS];
	unsigned n_fetches[3];
	struct ibs_timing timing;

	machine.several_ops = 1;
	ck_assert_uint_eq(ibs_insn_decode(facts, &machine, ISA_AMD, (const uint8_t *)"\xff\x13", 2,
					  CODE + 63),
			  3);
	for (unsigned i = 0; i < 3; i++) {
		struct ibs_op op = { .facts = &facts[i],
				     .accesses = &access,
				     .n_accesses = facts[i].kinds != 0 };

		access.kind = facts[i].kinds;
		pipeline_step(&pipeline, &op, &timing);
		n_fetches[i] = timing.n_fetches;
	}
	ck_assert_uint_eq(n_fetches[0], 2);
	ck_assert_uint_eq(n_fetches[1], 0);
	ck_assert_uint_eq(n_fetches[2], 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ibs parts");
	TCase *tests = tcase_create("parts");

	tcase_add_checked_fixture(tests, setup, stop);
	tcase_add_test(tests, tlbs);
	tcase_add_test(tests, set_caches);
	tcase_add_test(tests, raised_lines);
	tcase_add_test(tests, miss_buffers);
	tcase_add_test(tests, victims);
	tcase_add_test(tests, bandwidth);
	tcase_add_test(tests, walks);
	tcase_add_test(tests, strides);
	tcase_add_test(tests, strides_around_memory);
	tcase_add_test(tests, lines_on_their_way);
	tcase_add_test(tests, forwarding);
	tcase_add_test(tests, directions);
	tcase_add_test(tests, targets);
	tcase_add_test(tests, fetches);
	tcase_add_test(tests, op_counts);
	tcase_add_test(tests, several_ops);
	tcase_add_test(tests, one_fetch_of_several_ops);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
