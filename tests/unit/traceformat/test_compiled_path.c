/* SPDX-License-Identifier: MIT */
/* The recipes of a path that need more than adding a displacement to a slot or to rsp. */
#include <check.h>
#include <stdlib.h>

#include "tests/unit/run_suite.h"
#include "traceformat/dictionary/path.h"

enum { LOADS = 5 };

static struct compiled_block *block;

static const struct compiled_block *find(const void *opaque, uint32_t id)
{
	(void)opaque;
	return id == 0 ? block : NULL;
}

/* Loads of one byte, by mov (%rsi),%al. */
static void make_block(void)
{
	static uint8_t code[2 * LOADS];
	static struct tf_insn insns[LOADS];
	static struct tf_operand operands[LOADS];
	const char *why = NULL;

	for (unsigned i = 0; i < LOADS; i++) {
		code[2 * i] = 0x8a;
		code[2 * i + 1] = 0x06;
		insns[i] = (struct tf_insn){ .offset = (uint16_t)(2 * i),
					     .length = 2,
					     .first_operand = (uint16_t)i,
					     .n_operands = 1 };
		operands[i] = (struct tf_operand){ .insn = (uint16_t)i,
						   .access = TF_LOAD,
						   .size = 1 };
	}
	block = block_compile(&(struct tf_block){ .module = TF_NONE,
						  .pc = 0x1000,
						  .end = TF_END_NONE,
						  .n_insns = LOADS,
						  .n_operands = LOADS,
						  .n_values = LOADS,
						  .code_size = sizeof(code),
						  .code = code,
						  .insns = insns,
						  .operands = operands },
			      &why);
	ck_assert_msg(block, "%s", why);
}

START_TEST(special_recipes)
{
	static const struct tf_recipe recipes[LOADS] = {
		{ .base = TF_BASE_SLOT, .slot = 0, .displacement = 8 },
		{ .base = TF_BASE_SLOT, .slot = 0, .scale = 4, .index_slot = 1 },
		{ .base = TF_BASE_RSP, .displacement = -8 },
		{ .base = TF_BASE_SLOT, .slot = 1, .address32 = 1 },
		{ .base = TF_BASE_UNKNOWN },
	};
	static const struct tf_exit exit = { .n_blocks = 1, .outcome = TF_NOT_TAKEN, .n_slots = 2 };
	const uint32_t id = 0;
	const char *why = NULL;
	struct compiled_path *path;

	make_block();
	path = path_compile(&(struct tf_path){ .n_blocks = 1,
					       .n_exits = 1,
					       .n_slots = 2,
					       .n_values = LOADS,
					       .n_insns = LOADS,
					       .blocks = &id,
					       .recipes = recipes,
					       .exits = &exit },
			    PATH_READ, find, NULL, 0, &why);
	ck_assert_msg(path, "%s", why);
	ck_assert_uint_eq(path->n_special, 2);
	ck_assert_uint_eq(path->special[0], 1);
	ck_assert_uint_eq(path->special[1], 3);
	free(path);
	free(block);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("compiled paths");
	TCase *tcase = tcase_create("recipes");

	tcase_add_test(tcase, special_recipes);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
