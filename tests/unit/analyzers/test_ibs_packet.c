/* SPDX-License-Identifier: MIT */
/* Packets: their fields, the fields that the model fills in, and the source of the data. */
#include <check.h>
#include <stdlib.h>

#include "analyzers/ibs/model/modelled.h"
#include "analyzers/ibs/packet/data_source.h"
#include "tests/unit/run_suite.h"

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

/* No two fields of a processor share a bit, and reading a field returns the value it was set to. */
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
		.dispatched = 1000,
		.completed = 1111,
		.retired = 1113,
		.memory = { .l1_miss = true,
			    .l2_miss = true,
			    .source = FROM_MEMORY,
			    .miss_latency = 104,
			    .open_requests = 5 },
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

/* A load that hits L1D has no miss latency, one that hits L2 no data source; a store that misses
 * has no miss latency. */
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

/* The data source of a load that misses L1D and L2 determines the load's level. */
START_TEST(levels)
{
	static const struct {
		uint64_t low, high, remote;
		enum ibs_level level;
	} sources[] = {
		{ 1, 0, 0, IBS_LEVEL_L3 },         { 2, 0, 0, IBS_LEVEL_OTHER_CORE },
		{ 3, 0, 0, IBS_LEVEL_DRAM },       { 3, 0, 1, IBS_LEVEL_REMOTE_DRAM },
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

int main(void)
{
	Suite *suite = suite_create("ibs packet");
	TCase *tests = tcase_create("packet");

	tcase_add_test(tests, fields);
	tcase_add_test(tests, a_load);
	tcase_add_test(tests, a_branch);
	tcase_add_test(tests, misses);
	tcase_add_test(tests, levels);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
