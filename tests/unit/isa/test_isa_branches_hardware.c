/* SPDX-License-Identifier: MIT */
/*
 * Near branches with and without an operand-size prefix, and far pointers: the processor goes where
 * isa_decode says, by as many bytes of memory (isa_sandbox.h). Here vendors differ.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/isa/isa_sandbox.h"
#include "tests/unit/run_suite.h"

enum { CARRY = 0x1, ZERO = 0x40, LONGEST = 16 };

static struct isa_insn decode(const char code[LONGEST])
{
	struct isa_insn insn;

	ck_assert_int_eq(isa_decode((const uint8_t *)code, LONGEST, CODE, sandbox.vendor, &insn),
			 0);
	sandbox_put((const uint8_t *)code, insn.length);
	sandbox_reset(&insn);
	return insn;
}

/* rcx, flags: values with which the branch is taken. */
/* clang-format off */
static const struct {
	char code[LONGEST];
	uint64_t rcx, flags;
} relative[] = {
	{ "\xeb\x05", 0, 0 }, { "\x66\xeb\x05", 0, 0 },
	{ "\x66\x48\xeb\x05", 0, 0 }, { "\x48\x66\xeb\x05", 0, 0 },
	{ "\xe9\x05\x01", 0, 0 }, { "\x66\xe9\x05\x01", 0, 0 }, { "\x66\x48\xe9\x05\x01", 0, 0 },
	{ "\xe8\x05\x01", 0, 0 }, { "\x66\xe8\x05\x01", 0, 0 }, { "\x66\x48\xe8\x05\x01", 0, 0 },
	{ "\x66\xf2\xe8\x05\x01", 0, 0 }, { "\x66\x2e\x40\xe8\x05\x01", 0, 0 },
	{ "\x74\x85", 0, ZERO }, { "\x66\x74\x85", 0, ZERO },
	{ "\x66\x72\x05", 0, CARRY }, { "\x66\x48\x72\x05", 0, CARRY },
	{ "\x0f\x84\x05\x81", 0, ZERO }, { "\x66\x0f\x84\x05\x81", 0, ZERO },
	{ "\x66\x48\x0f\x84\x05\x81", 0, ZERO },
	{ "\xe2\x05", 2, 0 }, { "\x66\xe2\x05", 2, 0 }, { "\x67\x66\xe2\x05", 2, 0 },
	{ "\x66\xe1\x05", 2, ZERO }, { "\x66\xe0\x05", 2, 0 }, { "\x66\x48\xe2\x05", 2, 0 },
	{ "\xe3\x05", 0, 0 }, { "\x66\xe3\x05", 0, 0 }, { "\x67\x66\xe3\x05", 1ull << 32, 0 },
};
/* clang-format on */

START_TEST(test_relative)
{
	struct isa_insn insn;

	sandbox_open();
	insn = decode(relative[_i].code);
	sandbox.registers.general[ISA_RCX] = relative[_i].rcx;
	sandbox.registers.rflags |= relative[_i].flags;
	ck_assert_int_eq(sandbox_compare((const uint8_t *)relative[_i].code, &insn, "faults"),
			 DONE);
	ck_assert_uint_eq(sandbox.after.rip, insn.target);
	sandbox_try_edges((const uint8_t *)relative[_i].code, &insn);
	sandbox_close();
	ck_assert_int_eq(sandbox_count.failures, 0);
}
/* clang-format off */
END_TEST

/* The pointer in rcx and all over memory is a valid target for every width. */
static const char indirect[][LONGEST] = {
	"\xff\xd1", "\x66\xff\xd1", "\x66\x48\xff\xd1", "\x66\x40\xff\xe1", "\xff\xe1",
	"\xff\x10", "\x66\xff\x10", "\x66\x48\xff\x10",
	"\xff\x20", "\x66\xff\x20", "\x66\x48\xff\x20",
	"\xc3", "\x66\xc3", "\x66\x48\xc3",
	"\xc2\x08\x01", "\x66\xc2\x08\x01", "\x66\x48\xc2\x08\x01"
};
/* clang-format on */

START_TEST(test_indirect)
{
	const uint64_t pointer = CODE + 0x808;
	struct isa_effects effects;
	struct isa_insn insn;
	uint64_t mask;

	sandbox_open();
	insn = decode(indirect[_i]);
	ck_assert_int_eq(isa_effects((const uint8_t *)indirect[_i], LONGEST, CODE, sandbox.vendor,
				     &effects),
			 0);
	sandbox.registers.general[ISA_RCX] = pointer;
	for (uint64_t at = 0; at < WINDOW; at += sizeof(pointer)) {
		memcpy((void *)(READ_WRITE + at), &pointer, sizeof(pointer));
		memcpy((void *)(READ_ONLY + at), &pointer, sizeof(pointer));
		memcpy((void *)(AUXILIARY + at), &pointer, sizeof(pointer));
		memcpy((void *)(AUXILIARY + AUXILIARY_SIZE / 2 + at), &pointer, sizeof(pointer));
	}
	ck_assert_int_eq(sandbox_compare((const uint8_t *)indirect[_i], &insn, "faults"), DONE);
	mask = insn.n_operands && insn.operands[0].trace.size == 2 ? 0xffff : UINT64_MAX;
	if (effects.to == ISA_RSP)
		ck_assert_uint_eq(sandbox.after.rsp, sandbox.registers.general[ISA_RSP] +
							     (uint64_t)effects.displacement);
	if (insn.n_operands)
		ck_assert_uint_eq(sandbox.after.rip, pointer & mask);
	sandbox_try_edges((const uint8_t *)indirect[_i], &insn);
	sandbox_close();
	ck_assert_int_eq(sandbox_count.failures, 0);
}
/* clang-format off */
END_TEST

/* Far pointers: on the stack, where offset and selector are as wide, in memory, and for data. */
static const struct {
	char code[LONGEST];
	enum { STACK, CODE_POINTER, DATA_POINTER } pointer;
} far[] = {
	{ "\xcb", STACK }, { "\x66\xcb", STACK }, { "\x48\xcb", STACK },
	{ "\xca\x04", STACK }, { "\x66\xca\x04", STACK }, { "\x48\xca\x04", STACK },
	{ "\xff\x18", CODE_POINTER }, { "\x66\xff\x18", CODE_POINTER },
	{ "\x48\xff\x18", CODE_POINTER }, { "\x66\x48\xff\x18", CODE_POINTER },
	{ "\xff\x28", CODE_POINTER }, { "\x66\xff\x28", CODE_POINTER },
	{ "\x48\xff\x28", CODE_POINTER }, { "\x66\x48\xff\x28", CODE_POINTER },
	{ "\x0f\xb2\x00", DATA_POINTER }, { "\x66\x0f\xb2\x00", DATA_POINTER },
	{ "\x48\x0f\xb2\x00", DATA_POINTER }, { "\x48\x0f\xb4\x00", DATA_POINTER },
	{ "\x0f\xb4\x00", DATA_POINTER }, { "\x66\x0f\xb5\x00", DATA_POINTER },
	{ "\x48\x0f\xb5\x00", DATA_POINTER },
};
/* clang-format on */

static void put_pointer(uint64_t at, size_t size, bool stack, uint16_t selector)
{
	uint64_t offset = CODE;
	size_t place = stack ? size / 2 : size - 2;

	memset((void *)at, 0, size);
	memcpy((void *)at, &offset, place < 8 ? place : 8);
	memcpy((void *)(at + place), &selector, 2);
}

START_TEST(test_far)
{
	struct isa_insn insn;
	bool stack = far[_i].pointer == STACK;
	uint16_t selector;
	size_t size;

	sandbox_open();
	insn = decode(far[_i].code);
	size = insn.operands[0].trace.size;
	selector = far[_i].pointer == DATA_POINTER ? sandbox.child.initial.ss
						   : sandbox.child.initial.cs;
	put_pointer(READ_WRITE, size, stack, selector);
	put_pointer(READ_WRITE + WINDOW - size, size, stack, selector);
	put_pointer(READ_ONLY + WINDOW - size, size, stack, selector);
	put_pointer(AUXILIARY + AUXILIARY_SIZE / 2, size, stack, selector);
	ck_assert_int_eq(sandbox_compare((const uint8_t *)far[_i].code, &insn, "faults"), DONE);
	sandbox_try_edges((const uint8_t *)far[_i].code, &insn);
	sandbox_close();
	ck_assert_int_eq(sandbox_count.failures, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("isa-branches-hardware");
	TCase *tests = tcase_create("branches");

	tcase_add_loop_test(tests, test_relative, 0, sizeof(relative) / sizeof(relative[0]));
	tcase_add_loop_test(tests, test_indirect, 0, sizeof(indirect) / sizeof(indirect[0]));
	tcase_add_loop_test(tests, test_far, 0, sizeof(far) / sizeof(far[0]));
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
