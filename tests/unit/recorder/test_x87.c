/* SPDX-License-Identifier: MIT */
/* Tests which instructions set or store the x87 pointers, and where. */
#include <check.h>

#include "recorder/core/x87.h"
#include "tests/unit/run_suite.h"

static const struct {
	uint8_t code[8];
	unsigned length;
	enum x87_use use;
} cases[] = {
	{ { 0xd9, 0xee }, 2, X87_POINTS },                 /* fldz */
	{ { 0xdd, 0x00 }, 2, X87_POINTS },                 /* fldl (%rax) */
	{ { 0xd9, 0x28 }, 2, X87_NONE },                   /* fldcw (%rax) */
	{ { 0xd9, 0x38 }, 2, X87_NONE },                   /* fnstcw (%rax) */
	{ { 0xdd, 0x38 }, 2, X87_NONE },                   /* fnstsw (%rax) */
	{ { 0xdf, 0xe0 }, 2, X87_NONE },                   /* fnstsw %ax */
	{ { 0xdb, 0xe2 }, 2, X87_NONE },                   /* fnclex */
	{ { 0xdb, 0xe3 }, 2, X87_LOADS },                  /* fninit */
	{ { 0xd9, 0x20 }, 2, X87_LOADS },                  /* fldenv (%rax) */
	{ { 0xdd, 0x20 }, 2, X87_LOADS },                  /* frstor (%rax) */
	{ { 0xd9, 0x30 }, 2, X87_STORES },                 /* fnstenv (%rax) */
	{ { 0xdd, 0x30 }, 2, X87_STORES },                 /* fnsave (%rax) */
	{ { 0x0f, 0xae, 0x00 }, 3, X87_STORES },           /* fxsave (%rax) */
	{ { 0x48, 0x0f, 0xae, 0x00 }, 4, X87_STORES },     /* fxsave64 (%rax) */
	{ { 0x0f, 0xae, 0x08 }, 3, X87_LOADS },            /* fxrstor (%rax) */
	{ { 0x0f, 0xae, 0x28 }, 3, X87_LOADS_COMPONENT },  /* xrstor (%rax) */
	{ { 0x0f, 0xae, 0x20 }, 3, X87_STORES_COMPONENT }, /* xsave (%rax) */
	{ { 0x0f, 0xae, 0x30 }, 3, X87_STORES_COMPONENT }, /* xsaveopt (%rax) */
	{ { 0x0f, 0xc7, 0x20 }, 3, X87_STORES_COMPONENT }, /* xsavec (%rax) */
	{ { 0x66, 0x0f, 0xae, 0x30 }, 4, X87_NONE },       /* clwb (%rax) */
	{ { 0x0f, 0xae, 0x18 }, 3, X87_NONE },             /* stmxcsr (%rax) */
	{ { 0x0f, 0xae, 0xf0 }, 3, X87_NONE },             /* mfence */
	{ { 0x90 }, 1, X87_NONE },
};

START_TEST(uses_by_opcode)
{
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ck_assert_msg(x87_use_of(cases[i].code, cases[i].length) == cases[i].use, "case %u",
			      i);
}
END_TEST

START_TEST(places_of_the_pointer)
{
	static const uint8_t env[] = { 0xd9, 0x30 }, env16[] = { 0x66, 0xd9, 0x30 };
	static const uint8_t area[] = { 0x0f, 0xae, 0x00 }, area64[] = { 0x48, 0x0f, 0xae, 0x00 };

	ck_assert_uint_eq(x87_layout_of(env, sizeof(env)).pointer, 12);
	ck_assert_uint_eq(x87_layout_of(env16, sizeof(env16)).pointer_bytes, 2);
	ck_assert_uint_eq(x87_layout_of(area, sizeof(area)).pointer_bytes, 4);
	ck_assert_uint_eq(x87_layout_of(area64, sizeof(area64)).pointer_bytes, 8);
	ck_assert_uint_eq(x87_opcode_of((const uint8_t[]){ 0xdd, 0x05 }, 2), 0x505);
}
END_TEST

START_TEST(packed_pointers)
{
	static const uint8_t env[] = { 0xd9, 0x30 }, env16[] = { 0x66, 0xd9, 0x30 };
	static const uint8_t area[] = { 0x0f, 0xae, 0x00 }, area64[] = { 0x48, 0x0f, 0xae, 0x00 };
	const struct x87_layout layouts[] = { x87_layout_of(env, sizeof(env)),
					      x87_layout_of(env16, sizeof(env16)),
					      x87_layout_of(area, sizeof(area)),
					      x87_layout_of(area64, sizeof(area64)) };
	const struct x87_pointers p = { .pc = 0x1234,
					.operand = 0x5678,
					.opcode = 0x505,
					.code_segment = 0x33,
					.data_segment = 0x2b };

	for (unsigned i = 0; i < 4; i++) {
		uint8_t bytes[X87_LAYOUT_BYTES] = { 0 };
		struct x87_pointers found;

		x87_pack(&layouts[i], &p, bytes);
		found = x87_unpack(&layouts[i], bytes);
		ck_assert_uint_eq(found.pc, p.pc);
		ck_assert_uint_eq(found.operand, p.operand);
		ck_assert_uint_eq(found.opcode, i == 1 ? 0 : p.opcode);
		ck_assert_uint_eq(found.code_segment, i == 3 ? 0 : p.code_segment);
	}
}
END_TEST

START_TEST(clearing_and_stack)
{
	ck_assert(x87_clears((const uint8_t[]){ 0xdb, 0xe3 }, 2));            /* fninit */
	ck_assert(x87_clears((const uint8_t[]){ 0xdd, 0x30 }, 2));            /* fnsave (%rax) */
	ck_assert(!x87_clears((const uint8_t[]){ 0xd9, 0x30 }, 2));           /* fnstenv (%rax) */
	ck_assert(x87_is_on_stack((const uint8_t[]){ 0xdd, 0x04, 0x24 }, 3)); /* fldl (%rsp) */
	ck_assert(x87_is_on_stack((const uint8_t[]){ 0xdd, 0x45, 0x08 }, 3)); /* fldl 8(%rbp) */
	ck_assert(!x87_is_on_stack((const uint8_t[]){ 0x41, 0xdd, 0x04, 0x24 }, 4)); /* (%r12) */
	ck_assert(!x87_is_on_stack((const uint8_t[]){ 0xdd, 0x05, 0, 0, 0, 0 }, 6)); /* (%rip) */
	ck_assert(!x87_is_on_stack((const uint8_t[]){ 0xd9, 0xee }, 2));             /* fldz */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("x87 pointers");
	TCase *bytes = tcase_create("bytes");

	tcase_add_test(bytes, uses_by_opcode);
	tcase_add_test(bytes, places_of_the_pointer);
	tcase_add_test(bytes, packed_pointers);
	tcase_add_test(bytes, clearing_and_stack);
	suite_add_tcase(suite, bytes);
	return run_suite(suite);
}
