/* SPDX-License-Identifier: MIT */
/* Tests reading registers from a hand-made XSAVE area, of a processor with all components. */
#include <check.h>
#include <string.h>

#include "recorder/ptrace/extended_state.h"
#include "tests/unit/run_suite.h"

/* clang-format off */
enum {
	YMM = 2, MASK = 5, TILE_CONFIG = 17,
	PRESENT = 512, YMM_AT = 576, MASK_AT = 1088, TILE_CONFIG_AT = 2752, SIZE = 2816,
};
/* clang-format on */

static struct vector_layout layout;
static uint8_t area[SIZE];
static struct isa_registers registers;

static void set_up(void)
{
	memset(area, 0, sizeof(area));
	memset(&registers, 0x5a, sizeof(registers));
	layout = (struct vector_layout){ .xcr0 = 0x600e7 };
	layout.offset[YMM] = YMM_AT;
	layout.size[YMM] = 256;
	layout.offset[MASK] = MASK_AT;
	layout.size[MASK] = 64;
	layout.offset[TILE_CONFIG] = TILE_CONFIG_AT;
	layout.size[TILE_CONFIG] = 64;
	for (unsigned i = 0; i < 64; i++)
		area[TILE_CONFIG_AT + i] = (uint8_t)(i + 1);
	area[MASK_AT + 8] = 0x77;
	area[YMM_AT + 16] = 0x88;
}

static void say_present(uint64_t components)
{
	memcpy(area + PRESENT, &components, sizeof(components));
}

START_TEST(components_are_where_the_layout_says)
{
	set_up();
	say_present(1u << YMM | 1u << MASK | 1u << TILE_CONFIG);
	vectors_unpack(&layout, area, SIZE, &registers);
	ck_assert_mem_eq(registers.tile_config, area + TILE_CONFIG_AT, 64);
	ck_assert_uint_eq(registers.mask[1], 0x77);
	ck_assert_uint_eq(registers.vector[1][16], 0x88);
	ck_assert_uint_eq(registers.xcr0, 0x600e7);
}
END_TEST

/* A component in its initial state is not in the area, whatever bytes are in its place. */
START_TEST(what_is_not_there_is_zero)
{
	static const uint8_t zeros[64];

	set_up();
	say_present(1u << MASK);
	vectors_unpack(&layout, area, SIZE, &registers);
	ck_assert_mem_eq(registers.tile_config, zeros, 64);
	ck_assert_uint_eq(registers.mask[1], 0x77);
	/* A task without tiles gets a shorter area from the kernel. */
	say_present(1u << MASK | 1u << TILE_CONFIG);
	memset(&registers, 0x5a, sizeof(registers));
	vectors_unpack(&layout, area, TILE_CONFIG_AT + 63, &registers);
	ck_assert_mem_eq(registers.tile_config, zeros, 64);
	ck_assert_uint_eq(registers.mask[1], 0x77);
	vectors_unpack(&layout, area, 0, &registers);
	ck_assert_uint_eq(registers.mask[1], 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("vectors");
	TCase *tests = tcase_create("area");

	tcase_add_test(tests, components_are_where_the_layout_says);
	tcase_add_test(tests, what_is_not_there_is_zero);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
