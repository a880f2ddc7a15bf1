/* SPDX-License-Identifier: MIT */
/* The sketch of an interval is what its definition gives, block by block. */
#include <math.h>
#include <string.h>
#include <xxhash.h>

#include "recorder/core/vector_summary.h"
#include "tests/unit/run_suite.h"
#include "traceformat/common/bytes.h"

enum { BLOCKS = 5 };

static const uint8_t code[] = "\x90\x90\x90\x90\x90\x90\x90";

/* The block with this number is as many instructions long, and 1 more. */
static struct tf_block block_of(struct tf_insn *insns, uint32_t id)
{
	struct tf_block b = { .pc = 0x401000 + 0x10u * id,
			      .module = id == 1 ? TF_NONE : 0,
			      .module_offset = id == 1 ? 0 : 0x1000 + 0x10u * id,
			      .n_insns = (uint16_t)(id + 1),
			      .insns = insns,
			      .code = code,
			      .code_size = (uint16_t)(id + 1) };

	for (unsigned i = 0; i < b.n_insns; i++)
		insns[i] = (struct tf_insn){ .offset = (uint16_t)i, .length = 1 };
	return b;
}

static uint64_t identity_of(const struct tf_block *b, uint64_t module)
{
	uint8_t bytes[32];

	put_le64(bytes, b->module == TF_NONE ? 0 : module);
	put_le64(bytes + 8, b->module == TF_NONE ? b->pc : b->module_offset);
	put_le64(bytes + 16, b->code_size);
	put_le64(bytes + 24, XXH3_64bits(b->code, b->code_size));
	return XXH3_64bits(bytes, sizeof(bytes));
}

static struct vector_summary *summary_of_blocks(uint64_t identities[BLOCKS])
{
	const struct tf_module module = { .path = (char *)"/folder/program" };
	struct vector_summary *v = vector_summary_new();

	ck_assert(v && vector_summary_add_module(v, &module));
	for (uint32_t id = 0; id < BLOCKS; id++) {
		struct tf_insn insns[BLOCKS];
		struct tf_block b = block_of(insns, id);
		struct tf_path path = { .n_blocks = 1, .blocks = &id, .n_exits = 1 };

		identities[id] = identity_of(&b, XXH3_64bits("program", strlen("program")));
		ck_assert(vector_summary_add_block(v, &b, id));
		ck_assert(vector_summary_add_path(v, &path, 2 * id));
	}
	return v;
}

/* Block 4 is excluded. Of the others, each execution of a block counts its instructions. */
START_TEST(sketch)
{
	const struct tf_excluded excluded = { .block = 4 };
	uint64_t identities[BLOCKS];
	struct vector_summary *v = summary_of_blocks(identities);
	struct tf_interval interval = { 0 };
	float found[VECTOR_SKETCH];

	ck_assert(vector_summary_exclude(v, &excluded, 1));
	for (unsigned round = 0; round < 2; round++) {
		double expected[VECTOR_SKETCH] = { 0 };

		for (uint32_t id = 0; id < BLOCKS; id++)
			for (uint32_t thread = 0; thread < 2; thread++) {
				struct tf_vector_count count = { 2 * id, id + 1, 100 * round + id };

				vector_summary_add(v, thread, &count);
				for (unsigned j = 0; id != 4 && j < VECTOR_SKETCH; j++)
					expected[j] += (identities[id] >> j & 1 ? 1. : -1.) / 8 *
						       (double)(count.executed * count.times);
			}
		interval.number = round;
		vector_summary_end(v, &interval, found);
		for (unsigned j = 0; j < VECTOR_SKETCH; j++)
			ck_assert_msg(fabs(expected[j] - (double)found[j]) <=
					      1e-6 * fabs(expected[j]),
				      "round %u, number %u", round, j);
	}
	vector_summary_free(v);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("vector_summary");
	TCase *tests = tcase_create("vector_summary");

	tcase_add_test(tests, sketch);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
