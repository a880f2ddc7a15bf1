/* SPDX-License-Identifier: MIT */
/* isa_constants: which bytes are constants, and that the others say all that decoders know. */
#include <string.h>

#include "tests/unit/run_suite.h"
#include "traceformat/traceisa.h"

static const struct {
	const char *name;
	uint8_t length;
	uint8_t code[15], cleared[15];
} examples[] = {
	{ "mov $0x11223344, %eax", 5, { 0xb8, 0x44, 0x33, 0x22, 0x11 }, { 0xb8 } },
	{ "movabs", 10, { 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8 }, { 0x48, 0xb8 } },
	{ "mov 0x12(%rax), %ecx", 3, { 0x8b, 0x48, 0x12 }, { 0x8b, 0x48 } },
	{ "mov 0x12345678(%rip), %ecx", 6, { 0x8b, 0x0d, 0x78, 0x56, 0x34, 0x12 }, { 0x8b, 0x0d } },
	{ "movl $0x11, 0x22(%rax,%rbx,2)",
	  8,
	  { 0xc7, 0x44, 0x58, 0x22, 0x11, 0, 0, 1 },
	  { 0xc7, 0x44, 0x58 } },
	{ "movabs 0x1122334455667788, %al",
	  9,
	  { 0xa0, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11 },
	  { 0xa0 } },
	{ "je", 2, { 0x74, 0x10 }, { 0x74, 0x10 } },
	{ "call", 5, { 0xe8, 1, 2, 3, 4 }, { 0xe8, 1, 2, 3, 4 } },
	{ "ret $8", 3, { 0xc2, 8, 0 }, { 0xc2, 8, 0 } },
	{ "int $0x80", 2, { 0xcd, 0x80 }, { 0xcd, 0x80 } },
	{ "enter $0x20, $1", 4, { 0xc8, 0x20, 0, 1 }, { 0xc8, 0x20, 0, 1 } },
	{ "vblendvps with %xmm3",
	  6,
	  { 0xc4, 0xe3, 0x71, 0x4a, 0xc2, 0x35 },
	  { 0xc4, 0xe3, 0x71, 0x4a, 0xc2, 0x30 } },
	{ "vpshufd $0x1b", 5, { 0xc5, 0xf9, 0x70, 0xc1, 0x1b }, { 0xc5, 0xf9, 0x70, 0xc1 } },
	{ "add %eax, %ecx", 2, { 0x01, 0xc1 }, { 0x01, 0xc1 } },
};

START_TEST(constants_become_zero)
{
	for (unsigned i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		struct isa_constants constants;
		uint8_t code[15];

		memcpy(code, examples[i].code, sizeof(code));
		ck_assert_msg(isa_constants(code, examples[i].length, ISA_INTEL, &constants) == 0,
			      "%s does not decode", examples[i].name);
		for (unsigned k = 0; k < constants.count; k++)
			isa_clear_constant(&constants.at[k], code);
		ck_assert_msg(!memcmp(code, examples[i].cleared, examples[i].length), "%s",
			      examples[i].name);
	}
}
END_TEST

START_TEST(bad_code_is_refused)
{
	static const uint8_t bad[] = { 0x06, 0x06 };
	struct isa_constants constants = { .count = 3 };

	ck_assert_int_eq(isa_constants(bad, sizeof(bad), ISA_INTEL, &constants), -1);
	ck_assert_int_eq(constants.count, 3);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("constants");
	TCase *tests = tcase_create("constants");

	tcase_add_test(tests, constants_become_zero);
	tcase_add_test(tests, bad_code_is_refused);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
