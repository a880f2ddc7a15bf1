/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/ibs/model/modelled.h"
#include "analyzers/ibs/model/sampler.h"
#include "analyzers/ibs/packet/where.h"
#include "analyzers/ibs/views/summary.h"
#include "tests/unit/run_suite.h"

/* ---- packets ----------------------------------------------------------------------------- */

static bool known(const struct ibs_packet *packet, enum ibs_field field)
{
	uint64_t value;

	return ibs_packet_get(packet, field, &value);
}

static uint64_t get(const struct ibs_packet *packet, enum ibs_field field)
{
	uint64_t value;

	ck_assert_msg(ibs_packet_get(packet, field, &value), "%s", ibs_field_name(field));
	return value;
}

/* Bits that other processors use differently. */
static bool shares_bits(enum ibs_field field)
{
	return field == IBS_DC_PAGE_SIZE || field == IBS_NO_MAB_ALLOC;
}

/* No two fields of a processor share a bit, and each gives back what it was set to. */
START_TEST(fields)
{
	struct ibs_packet packet = { 0 };
	uint64_t used[IBS_N_PACKET_REGISTERS] = { 0 };

	for (unsigned i = 0; i < IBS_N_FIELDS; i++) {
		struct ibs_packet one = { 0 };
		enum ibs_register reg = ibs_field_register(i);

		ck_assert(!known(&packet, i));
		ibs_packet_set(&one, i, UINT64_MAX);
		ck_assert_int_eq((used[reg] & one.registers[reg]) != 0, shares_bits(i));
		used[reg] |= one.registers[reg];
		ibs_packet_set(&packet, i, 1);
		ck_assert_uint_eq(get(&packet, i), 1);
	}
	ibs_packet_set(&packet, IBS_TAG_TO_RET, 70000);
	ck_assert_uint_eq(get(&packet, IBS_TAG_TO_RET), 65535);
	ck_assert_uint_eq(get(&packet, IBS_COMP_TO_RET), 1);
	ibs_packet_set(&packet, IBS_TAG_TO_RET, 0);
	ck_assert_uint_eq(get(&packet, IBS_TAG_TO_RET), 0);
}
END_TEST

static struct ibs_packet filled(const struct ibs_op *op, const struct ibs_timing *timing)
{
	struct ibs_sampler sampler = { .period = 0x1234560, .preload = 99 };
	struct ibs_packet packet;

	ibs_packet_fill(&packet, op, timing);
	ibs_packet_set_sampler(&packet, &sampler);
	return packet;
}

/* The published dump of a load on Zen 4 that missed L2, as far as a model can know it. */
START_TEST(a_load)
{
	struct ibs_op_facts insn = { .pc = 0xffffffff81000010, .length = 3 };
	struct access access = { 0xff11000812345678, 8, ACCESS_READ };
	struct ibs_op op = { .facts = &insn, .n_accesses = 1, .accesses = &access };
	struct ibs_timing timing = {
		.dispatched = 1000, .completed = 1111, .retired = 1113,
		.memory = { .l1_miss = true, .l2_miss = true, .source = FROM_MEMORY,
			    .miss_latency = 104, .open_requests = 5 },
	};
	struct ibs_packet p = filled(&op, &timing);

	ck_assert_uint_eq(p.registers[IBS_OP_CTL], 99ull << 32 | 0x12 << 20 | 0xe << 16 | 0x3456);
	ck_assert_uint_eq(p.registers[IBS_OP_RIP], 0xffffffff81000010);
	ck_assert_uint_eq(p.registers[IBS_OP_DATA], 0x710002);
	ck_assert_uint_eq(p.registers[IBS_OP_DATA2], 3);
	ck_assert_uint_eq(p.registers[IBS_OP_DATA3], 104ull << 32 | 0x15120081);
	ck_assert_uint_eq(p.registers[IBS_DC_LIN], 0xff11000812345678);
	ck_assert(!known(&p, IBS_PHYS) && !known(&p, IBS_BRN_FUSE) && !known(&p, IBS_TARGET));
	ck_assert(!known(&p, IBS_DC_L2TLB_MISS) && !known(&p, IBS_TLB_REFILL_LAT));
	ck_assert(!known(&p, IBS_BRN_TAKEN) && !known(&p, IBS_BRN_MISP));
}
END_TEST

START_TEST(a_branch)
{
	struct ibs_op_facts insn = { .pc = 0x1000, .length = 2, .end = TF_END_CONDITIONAL };
	struct ibs_op op = { .facts = &insn, .next_pc = 0x900, .taken = true };
	struct ibs_timing timing = { .retired = 9, .completed = 8, .mispredicted = true };
	struct ibs_packet p = filled(&op, &timing);

	ck_assert_uint_eq(p.registers[IBS_OP_DATA], 0x3800090001);
	ck_assert_uint_eq(get(&p, IBS_TARGET), 0x900);
	ck_assert(!known(&p, IBS_DC_MISS) && !known(&p, IBS_LIN) && !known(&p, IBS_MEM_WIDTH));
	op.taken = false;
	p = filled(&op, &timing);
	ck_assert_uint_eq(get(&p, IBS_BRN_TAKEN), 0);
	ck_assert(!known(&p, IBS_TARGET));
	insn.end = TF_END_RETURN;
	p = filled(&op, &timing);
	ck_assert_uint_eq(get(&p, IBS_OP_RETURN), 1);
	ck_assert_uint_eq(get(&p, IBS_BRN_TAKEN), 1);
}
END_TEST

/* What is known of memory: nothing of a source without a miss, no latency of a store. */
START_TEST(misses)
{
	struct ibs_op_facts insn = { .pc = 0x1000, .length = 2 };
	struct access access = { 64, 16, ACCESS_READ };
	struct ibs_op op = { .facts = &insn, .n_accesses = 1, .accesses = &access };
	struct ibs_timing timing = { .retired = 9 };
	struct ibs_packet p = filled(&op, &timing);

	ck_assert_uint_eq(get(&p, IBS_DC_MISS), 0);
	ck_assert_uint_eq(get(&p, IBS_MEM_WIDTH), 5);
	ck_assert(!known(&p, IBS_DC_MISS_LAT) && !known(&p, IBS_L2_MISS));
	timing.memory.l1_miss = true;
	timing.memory.source = FROM_L2;
	p = filled(&op, &timing);
	ck_assert_uint_eq(get(&p, IBS_L2_MISS), 0);
	ck_assert(known(&p, IBS_DC_MISS_LAT) && !known(&p, IBS_DATA_SRC_LOW));
	access.kind = ACCESS_WRITE;
	p = filled(&op, &timing);
	ck_assert_uint_eq(get(&p, IBS_DC_MISS), 1);
	ck_assert(!known(&p, IBS_DC_MISS_LAT));
}
END_TEST

/* A load of 20 cycles; of what is not known, neither a condition nor its opposite holds. */
START_TEST(conditions)
{
	static const char *const holding[] = {
		"ld", "!st", "ld && !st", "st || ld", "dc_miss_lat > 19", "dc_miss_lat >= 20",
		"dc_miss_lat <= 20", "dc_miss_lat < 21", "dc_miss_lat == 20", " dc_miss_lat!=0x13 ",
		"!(st || dc_miss_lat > 20)", "st && st || ld", "ld || st && st", "ld || microcode",
		"microcode || ld", "!(st && microcode)", "rip == 0xffffffffffffffff",
		"cpu == 3", "cpu", "thread < 1", "!thread", "mode == user && ld",
		"mode != guest-user", "comm == \"a name\"", "comm != a || st", "!(comm == \"\")",
	};
	static const char *const others[] = {
		"st", "!ld", "ld && st", "dc_miss_lat > 20", "dc_miss_lat < 20", "microcode",
		"!microcode", "microcode == 0", "ld && microcode", "st || microcode",
		"!(ld && microcode)", "(ld || st) && st",
		"cpu > 3", "process == 1", "process != 1", "mode == kernel", "mode != user",
		"comm == a", "comm != \"a name\"",
	};
	static const char *const bad[] = {
		"", "ld &&", "(ld", "ld)", "ld st", "load", "dc_miss_lat >", "dc_miss_lat > x", "!",
		"dc_miss_lat > 99999999999999999999", "ld & st", "20 > dc_miss_lat", "()",
		"comm", "mode && ld", "comm < a", "comm ==", "comm == a name", "comm == \"a",
		"mode > user", "comm == \"0123456789abcdef0123456789abcdef\"", "cpu == a",
	};
	struct ibs_packet packet = { 0 };
	struct ibs_where where = { 0 };
	struct ibs_sample sample = { .packet = &packet, .cpu = 3, .thread = 0, .process = TF_NONE,
				     .mode = "user", .comm = "a name" };

	ibs_packet_set(&packet, IBS_LD, 1);
	ibs_packet_set(&packet, IBS_ST, 0);
	ibs_packet_set(&packet, IBS_DC_MISS_LAT, 20);
	ibs_packet_set(&packet, IBS_RIP, UINT64_MAX);
	ck_assert(ibs_where_holds(&where, &sample));
	for (size_t i = 0; i < sizeof(holding) / sizeof(holding[0]); i++) {
		ck_assert_ptr_null(ibs_where_parse(&where, holding[i]));
		ck_assert_msg(ibs_where_holds(&where, &sample), "%s", holding[i]);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		ck_assert_ptr_null(ibs_where_parse(&where, others[i]));
		ck_assert_msg(!ibs_where_holds(&where, &sample), "%s", others[i]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(ibs_where_parse(&where, bad[i]) != NULL, "%s", bad[i]);
}
END_TEST

/* More than there is room for, in length and in depth. */
START_TEST(long_conditions)
{
	struct ibs_where where;
	char text[3 * 4096 + 8];

	memset(text, '(', 4096);
	strcpy(text + 4096, "ld");
	ck_assert_ptr_nonnull(ibs_where_parse(&where, text));
	memset(text, '!', 4096);
	ck_assert_ptr_nonnull(ibs_where_parse(&where, text));
	strcpy(text, "ld");
	for (unsigned i = 0; i < 1000; i++)
		strcpy(text + 2 + 4 * i, "||ld");
	ck_assert_ptr_nonnull(ibs_where_parse(&where, text));
}
END_TEST

/* ---- sampler ----------------------------------------------------------------------------- */

/*
 * Groups of `width` ops are dispatched every `step` cycles; each retires `latency` cycles later.
 * Writes the numbers of the first `count` ops that are sampled.
 */
static void sample(struct ibs_sampler *sampler, uint64_t step, uint64_t width, uint64_t latency,
		   uint64_t *sampled, unsigned count)
{
	uint64_t tagged = 0, retired = 0;
	unsigned n = 0;

	ibs_sampler_start(sampler);
	for (uint64_t op = 0; n < count; op++) {
		uint64_t cycle = op / width * step;

		if (ibs_sampler_decided(sampler, cycle)) {
			sampled[n++] = tagged;
			ibs_sampler_retired(sampler, retired);
		}
		if (ibs_sampler_dispatched(sampler, cycle)) {
			tagged = op;
			retired = cycle + latency;
		}
	}
}

START_TEST(exact_periods)
{
	struct ibs_sampler sampler = { .period = 160 };
	uint64_t sampled[20];

	sample(&sampler, 1, 1, 1, sampled, 20);
	for (uint64_t i = 0; i < 20; i++)
		ck_assert_uint_eq(sampled[i], 160 * i + 159);
	sampler = (struct ibs_sampler){ .period = 160 };
	sample(&sampler, 1, 1, 50, sampled, 20);
	for (uint64_t i = 0; i < 20; i++)
		ck_assert_uint_eq(sampled[i], (160 + 49) * i + 159);
	/* With an op a cycle, cycles are ops. */
	sampler = (struct ibs_sampler){ .period = 160, .mode = IBS_CYCLES_WAIT };
	sample(&sampler, 1, 1, 1, sampled, 20);
	for (uint64_t i = 0; i < 20; i++)
		ck_assert_uint_eq(sampled[i], 160 * i + 159);
}
END_TEST

/* Groups every 100 cycles: the one after cycle 159 is that of cycle 200, and so on. */
START_TEST(waiting)
{
	struct ibs_sampler sampler = { .period = 160, .mode = IBS_CYCLES_WAIT };
	uint64_t sampled[400];
	unsigned chosen[4] = { 0 };

	sample(&sampler, 100, 4, 10, sampled, 400);
	for (uint64_t i = 0; i < 400; i++) {
		ck_assert_uint_eq(sampled[i] / 4, 2 + 2 * i);
		chosen[sampled[i] % 4]++;
	}
	ck_assert_uint_eq(sampler.skipped, 0);
	for (unsigned i = 0; i < 4; i++)
		ck_assert(chosen[i] > 60 && chosen[i] < 140);
}
END_TEST

/* Counts end in cycles 159, 319, 479, 639, 799 and 959: only that of 799 finds a group, with 17. */
START_TEST(skipping)
{
	struct ibs_sampler sampler = { .period = 160, .mode = IBS_CYCLES_SKIP };
	uint64_t sampled[3];

	sample(&sampler, 17, 4, 1, sampled, 1);
	ck_assert_uint_eq(sampled[0] / 4, 799 / 17);
	ck_assert_uint_eq(sampler.skipped, 4);
}
END_TEST

/* Groups every 17 cycles: the count that ends in cycle 159 finds that of cycle 170, if it waits for
 * 11 cycles. With 9 the next counts begin in cycles 169, 338 and so on, each behind a window; that
 * of 1014 finds the group of cycle 1173. */
START_TEST(windows)
{
	struct ibs_sampler sampler = { .period = 160, .mode = IBS_CYCLES_SKIP, .window = 11 };
	uint64_t sampled[1];

	sample(&sampler, 17, 4, 1, sampled, 1);
	ck_assert_uint_eq(sampled[0] / 4, 170 / 17);
	ck_assert_uint_eq(sampler.skipped, 0);
	sampler = (struct ibs_sampler){ .period = 160, .mode = IBS_CYCLES_SKIP, .window = 9 };
	sample(&sampler, 17, 4, 1, sampled, 1);
	ck_assert_uint_eq(sampled[0] / 4, 1173 / 17);
	ck_assert_uint_eq(sampler.skipped, 6);
}
END_TEST

/* Of groups of four, of at most six. */
START_TEST(slots)
{
	uint64_t sampled[600];
	unsigned chosen[IBS_N_SLOTS][4] = { 0 };

	for (unsigned slot = 0; slot < IBS_N_SLOTS; slot++) {
		struct ibs_sampler sampler = {
			.period = 160, .mode = IBS_CYCLES_WAIT, .slot = slot, .width = 6,
		};

		sample(&sampler, 100, 4, 10, sampled, 600);
		for (unsigned i = 0; i < 600; i++)
			chosen[slot][sampled[i] % 4]++;
	}
	ck_assert_uint_eq(chosen[IBS_SLOT_FIRST][0], 600);
	ck_assert_uint_eq(chosen[IBS_SLOT_LAST][3], 600);
	for (unsigned op = 0; op < 3; op++) {
		ck_assert_uint_eq(chosen[IBS_SLOT_RR][op], 100);
		ck_assert(chosen[IBS_SLOT_CLAMP][op] > 60 && chosen[IBS_SLOT_CLAMP][op] < 140);
	}
	ck_assert_uint_eq(chosen[IBS_SLOT_RR][3], 300);
}
END_TEST

/* An op a cycle that retires in the next one: the handler's cycles are not counted. */
START_TEST(handlers)
{
	for (unsigned mode = 0; mode < IBS_N_OP_MODES; mode++) {
		struct ibs_sampler sampler = { .period = 160, .mode = mode, .handler = 4000 };
		uint64_t sampled[20];

		sample(&sampler, 1, 1, 1, sampled, 20);
		for (uint64_t i = 0; i < 20; i++)
			ck_assert_uint_eq(sampled[i], (160 + 4000) * i + 159);
	}
}
END_TEST

/* The lengths of counts that a way to randomise gives: the least, the largest, and the mean. */
static void lengths(enum ibs_randomization way, uint64_t period, uint64_t *least, uint64_t *most,
		    double *mean)
{
	enum { COUNT = 2000 };
	static uint64_t sampled[COUNT];
	struct ibs_sampler sampler = { .period = period, .randomization = way, .random = 5 };

	sample(&sampler, 1, 1, 1, sampled, COUNT);
	*least = UINT64_MAX;
	*most = 0;
	for (unsigned i = 1; i < COUNT; i++) {
		uint64_t length = sampled[i] - sampled[i - 1];

		*least = length < *least ? length : *least;
		*most = length > *most ? length : *most;
	}
	*mean = (double)(sampled[COUNT - 1] - sampled[0]) / (COUNT - 1);
}

START_TEST(ways_to_randomise)
{
	static const struct {
		enum ibs_randomization way;
		uint64_t period, least, most;
		double mean;
	} cases[] = {
		{ IBS_RANDOM_NONE, 8192, 8192, 8192, 8192 },
		{ IBS_RANDOM_12, 8192, 8192 - 4095, 8192, 8192 - 2047.5 },
		{ IBS_RANDOM_ZERO_4, 8192, 8192 - 112, 8192, 8192 - 56 },
		{ IBS_RANDOM_MAX, 8192, 8192 - 2048, 8192 + 2032, 8192 - 8 },
		{ IBS_RANDOM_MAX, 160, 80, 224, 152 },
		{ IBS_RANDOM_UNIFORM, 160, 80, 240, 160 },
		{ IBS_RANDOM_PRIME, 8192, 8209, 8209, 8209 },
	};
	uint64_t least, most;
	double mean;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		lengths(cases[i].way, cases[i].period, &least, &most, &mean);
		ck_assert_uint_ge(least, cases[i].least);
		ck_assert_uint_le(least, cases[i].least + 64);
		ck_assert_uint_le(most, cases[i].most);
		ck_assert_uint_ge(most, cases[i].most - 64);
		ck_assert(fabs(mean / cases[i].mean - 1) < .03);
	}
	/* Counts of any length: a fraction of 1/e is longer than the period. */
	lengths(IBS_RANDOM_GEOMETRIC, 160, &least, &most, &mean);
	ck_assert_uint_lt(least, 3);
	ck_assert_uint_gt(most, 160 * 5);
	ck_assert(fabs(mean / 160 - 1) < .1);
}
END_TEST

/* Fetches: the one that reaches the period, and the next count begins with the one after. */
START_TEST(fetches)
{
	struct ibs_sampler sampler = { .mode = IBS_FETCHES, .period = 16 };

	ibs_sampler_start(&sampler);
	for (unsigned i = 1; i <= 100; i++) {
		bool tagged = ibs_sampler_fetched(&sampler, i);

		ck_assert_int_eq(tagged, i % 16 == 0);
		ck_assert_int_eq(ibs_sampler_is_far(&sampler, 1, i + 1), i % 16 < 15 && !tagged);
		if (tagged)
			ibs_sampler_retired(&sampler, i);
	}
}
END_TEST

/* A fetch each cycle, of which 5 behind the one that is sampled are the handler's. */
START_TEST(fetches_of_handlers)
{
	struct ibs_sampler sampler = { .mode = IBS_FETCHES, .period = 16, .handler = 5 };

	ibs_sampler_start(&sampler);
	for (unsigned cycle = 1; cycle <= 100; cycle++) {
		bool tagged = ibs_sampler_fetched(&sampler, cycle);

		ck_assert_int_eq(tagged, cycle % (16 + 5) == 16);
		if (tagged)
			ibs_sampler_retired(&sampler, cycle + 1);
	}
}
END_TEST

/* As many of each residue of a loop of 16 ops, about; and the same again from the same seed. */
START_TEST(random_periods)
{
	enum { COUNT = 16000 };
	static uint64_t sampled[COUNT], again[COUNT];

	for (int bits = IBS_RANDOM_4; bits <= IBS_RANDOM_7; bits++) {
		struct ibs_sampler sampler = { .period = 160, .randomization = bits, .random = 7 };
		struct ibs_sampler same = sampler;
		unsigned residues[16] = { 0 };
		uint64_t most = bits == IBS_RANDOM_4 ? 160 : 159;
		uint64_t least = bits == IBS_RANDOM_4 ? 160 - 15 : 160 - 127;

		sample(&sampler, 1, 1, 1, sampled, COUNT);
		sample(&same, 1, 1, 1, again, COUNT);
		ck_assert_mem_eq(sampled, again, sizeof(sampled));
		for (unsigned i = 1; i < COUNT; i++) {
			uint64_t distance = sampled[i] - sampled[i - 1];

			ck_assert(distance >= least && distance <= most);
			residues[sampled[i] % 16]++;
		}
		for (unsigned i = 0; i < 16; i++)
			ck_assert(residues[i] > 850 && residues[i] < 1150);
	}
}
END_TEST

/* ---- levels of memory ------------------------------------------------------------------- */

/* What a load that misses both caches has as its source, and the level that this is. */
START_TEST(levels)
{
	static const struct {
		uint64_t low, high, remote;
		enum ibs_level level;
	} sources[] = {
		{ 1, 0, 0, IBS_LEVEL_L3 }, { 2, 0, 0, IBS_LEVEL_OTHER_CORE },
		{ 3, 0, 0, IBS_LEVEL_DRAM }, { 3, 0, 1, IBS_LEVEL_REMOTE_DRAM },
		{ 5, 0, 1, IBS_LEVEL_OTHER_NODE }, { 0, 1, 0, IBS_LEVEL_EXTENSION },
		{ 4, 1, 0, IBS_LEVEL_PEER_AGENT },
	};
	struct ibs_packet packet = { 0 };
	enum ibs_level level;

	ck_assert(!ibs_level_get(&packet, &level));
	ibs_packet_set(&packet, IBS_LD, 1);
	ibs_packet_set(&packet, IBS_DC_MISS, 0);
	ck_assert(ibs_level_get(&packet, &level) && level == IBS_LEVEL_L1);
	ibs_packet_set(&packet, IBS_DC_MISS, 1);
	ck_assert(!ibs_level_get(&packet, &level));
	ibs_packet_set(&packet, IBS_L2_MISS, 0);
	ck_assert(ibs_level_get(&packet, &level) && level == IBS_LEVEL_L2);
	ibs_packet_set(&packet, IBS_L2_MISS, 1);
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		ibs_packet_set(&packet, IBS_DATA_SRC_LOW, sources[i].low);
		ibs_packet_set(&packet, IBS_DATA_SRC_HIGH, sources[i].high);
		ibs_packet_set(&packet, IBS_RMT_NODE, sources[i].remote);
		ck_assert(ibs_level_get(&packet, &level));
		ck_assert_uint_eq(level, sources[i].level);
	}
	ibs_packet_set(&packet, IBS_NO_MAB_ALLOC, 1);
	ck_assert(ibs_level_get(&packet, &level) && level == IBS_LEVEL_PENDING);
	ibs_packet_set(&packet, IBS_LD, 0);
	ck_assert(!ibs_level_get(&packet, &level));
}
END_TEST

/* ---- latencies --------------------------------------------------------------------------- */

START_TEST(percentiles)
{
	struct latencies l = { 0 };

	ck_assert_uint_eq(latencies_percentile(&l, 50), 0);
	for (unsigned i = 100; i > 0; i--)
		latencies_add(&l, i * 37 % 101);
	ck_assert_uint_eq(l.n_bins, 100);
	for (unsigned i = 0; i < 100; i++)
		ck_assert(l.bins[i].from == i + 1 && l.bins[i].samples == 1);
	ck_assert_uint_eq(latencies_percentile(&l, 50), 50);
	ck_assert_uint_eq(latencies_percentile(&l, 99), 99);
	ck_assert_uint_eq(latencies_percentile(&l, 100), 100);
	ck_assert_uint_eq(latencies_percentile(&l, 0), 1);
	ck_assert(latencies_mean(&l) == 50.5);
	ck_assert_uint_eq(l.max, 100);
	latencies_free(&l);
}
END_TEST

/* Whatever was counted lies in its bin, which is narrow, and bins do not overlap. */
START_TEST(bins)
{
	struct latencies all = { 0 };

	for (uint64_t cycles = 0; cycles < 200000; cycles += 1 + cycles / 1000) {
		struct latencies one = { 0 };

		latencies_add(&all, cycles);
		latencies_add(&one, cycles);
		uint64_t from = one.bins[0].from, to = latency_bin_to(&one.bins[0]);

		if (from > cycles || to < cycles || (to - from) * 64 > from)
			ck_abort_msg("%lu is in %lu to %lu", (long)cycles, (long)from, (long)to);
		latencies_free(&one);
	}
	for (unsigned i = 1; i < all.n_bins; i++)
		ck_assert_uint_gt(all.bins[i].from, latency_bin_to(&all.bins[i - 1]));
	latencies_free(&all);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ibs samples");
	TCase *tests = tcase_create("samples");

	tcase_add_test(tests, fields);
	tcase_add_test(tests, a_load);
	tcase_add_test(tests, a_branch);
	tcase_add_test(tests, misses);
	tcase_add_test(tests, conditions);
	tcase_add_test(tests, long_conditions);
	tcase_add_test(tests, exact_periods);
	tcase_add_test(tests, waiting);
	tcase_add_test(tests, skipping);
	tcase_add_test(tests, windows);
	tcase_add_test(tests, slots);
	tcase_add_test(tests, handlers);
	tcase_add_test(tests, random_periods);
	tcase_add_test(tests, ways_to_randomise);
	tcase_add_test(tests, fetches);
	tcase_add_test(tests, fetches_of_handlers);
	tcase_add_test(tests, levels);
	tcase_add_test(tests, percentiles);
	tcase_add_test(tests, bins);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
