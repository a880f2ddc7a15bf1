/* SPDX-License-Identifier: MIT */
/*
 * Some encodings mean different instructions on Intel's and on AMD's processors. The tables below
 * have both meanings, by the manuals. test_isa_branches_hardware.c tests this machine's processor.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/isa/isa_text.h"
#include "tests/unit/run_suite.h"

enum { PC = 0x12345678, BYTES = 15 };

enum { NONE = 1000 }; /* nothing known of rsp */

static const struct {
	const char *bytes;
	struct expected {
		const char *assembly;
		unsigned length;
		const char *facts; /* isa_text.h */
		int rsp;           /* what is added to it */
	} of[2];                   /* vendors */
} table[] = {
	{ "66 e8 10 20",
	  { { "call 0x1234768e", 6, "call call 0x1234768e; ~store 8 rsp-0x8", -8 },
	    { "callw 0x768c", 4, "call call 0x768c; ~store 2 rsp-0x2", -2 } } },
	{ "66 e9 10 20",
	  { { "jmp 0x1234768e", 6, "jump jump 0x1234768e", NONE },
	    { "jmpw 0x768c", 4, "jump jump 0x768c", NONE } } },
	{ "66 eb 05",
	  { { "jmp 0x12345680", 3, "jump jump 0x12345680", NONE },
	    { "jmpw 0x5680", 3, "jump jump 0x5680", NONE } } },
	{ "66 74 05",
	  { { "jz 0x12345680", 3, "branch conditional 0x12345680", NONE },
	    { "jz 0x5680", 3, "branch conditional 0x5680", NONE } } },
	{ "66 0f 84 fe ff",
	  { { "jz 0x1235567d", 7, "branch conditional 0x1235567d", NONE },
	    { "jz 0x567b", 5, "branch conditional 0x567b", NONE } } },
	{ "66 e2 05",
	  { { "loop 0x12345680", 3, "branch conditional 0x12345680", NONE },
	    { "loop 0x5680", 3, "branch conditional 0x5680", NONE } } },
	{ "66 c3",
	  { { "ret", 2, "return return; ~load 8 rsp", 8 },
	    { "retw", 2, "return return; ~load 2 rsp", 2 } } },
	{ "66 c2 08 00",
	  { { "ret $0x8", 4, "return return; ~load 8 rsp", 16 },
	    { "retw $0x8", 4, "return return; ~load 2 rsp", 10 } } },
	{ "66 ff d1",
	  { { "call *%rcx", 3, "call indirect-call; ~store 8 rsp-0x8", -8 },
	    { "callw *%cx", 3, "call indirect-call; ~store 2 rsp-0x2", -2 } } },
	{ "66 ff 10",
	  { { "call *(%rax)", 3, "call indirect-call; load 8 rax; ~store 8 rsp-0x8", -8 },
	    { "callw *(%rax)", 3, "call indirect-call; load 2 rax; ~store 2 rsp-0x2", -2 } } },
	{ "66 ff 20",
	  { { "jmp *(%rax)", 3, "jump indirect-jump; load 8 rax", NONE },
	    { "jmpw *(%rax)", 3, "jump indirect-jump; load 2 rax", NONE } } },
	{ "48 ff 18",
	  { { "lcall *(%rax)", 3, "call indirect-call; load 10 rax; ~store 16 rsp-0x10", NONE },
	    { "lcall *(%rax)", 3, "call indirect-call; load 6 rax; ~store 16 rsp-0x10", NONE } } },
	{ "48 ff 28",
	  { { "ljmp *(%rax)", 3, "jump indirect-jump; load 10 rax", NONE },
	    { "ljmp *(%rax)", 3, "jump indirect-jump; load 6 rax", NONE } } },
	{ "48 0f b4 00",
	  { { "lfs (%rax), %rax", 4, "move segment1; load 10 rax", NONE },
	    { "lfs (%rax), %rax", 4, "move segment1; load 6 rax", NONE } } },
	{ "66 63 06",
	  { { "movslw (%rsi), %ax", 3, "move; load 2 rsi", NONE },
	    { "movslw (%rsi), %ax", 3, "move; load 4 rsi", NONE } } },
	{ "0f 34",
	  { { "sysenter", 2, "system syscall", NONE }, { "sysenter", 2, "system trap", NONE } } },
};

/* REX.W undoes the prefix, unless the prefix stands behind it; other prefixes change nothing. */
static const struct {
	const char *bytes;
	bool narrow;
} prefixes[] = {
	{ "eb 05", false },      { "66 eb 05", true },     { "66 48 eb 05", false },
	{ "48 66 eb 05", true }, { "66 4f eb 05", false }, { "66 41 eb 05", true },
	{ "f2 66 eb 05", true }, { "66 66 48 e8", false }, { "48 eb 05", false },
	{ "66 48 c3", false },
};

static size_t decode(const char *hex, enum isa_vendor vendor, uint8_t code[BYTES],
		     struct isa_insn *insn)
{
	memset(code, 0, BYTES);
	parse_bytes(hex, code);
	ck_assert_int_eq(isa_decode(code, BYTES, PC, vendor, insn), 0);
	return insn->length;
}

START_TEST(test_table)
{
	for (enum isa_vendor vendor = ISA_INTEL; vendor <= ISA_AMD; vendor++) {
		const struct expected *expected = &table[_i].of[vendor];
		struct isa_effects effects;
		struct isa_insn insn;
		uint8_t code[BYTES];
		char assembly[64];

		ck_assert_uint_eq(decode(table[_i].bytes, vendor, code, &insn), expected->length);
		ck_assert_str_eq(describe(&insn).s, expected->facts);
		isa_disassemble(code, BYTES, PC, vendor, ISA_SYNTAX_ATT, assembly,
				sizeof(assembly));
		ck_assert_str_eq(assembly, expected->assembly);
		ck_assert_int_eq(isa_effects(code, BYTES, PC, vendor, &effects), 0);
		ck_assert_int_eq(effects.to == ISA_RSP ? effects.displacement : NONE,
				 expected->rsp);
	}
}
END_TEST

START_TEST(test_prefixes)
{
	struct isa_insn intel, amd;
	uint8_t code[BYTES];

	decode(prefixes[_i].bytes, ISA_INTEL, code, &intel);
	decode(prefixes[_i].bytes, ISA_AMD, code, &amd);
	ck_assert_int_eq(memcmp(&intel, &amd, sizeof(amd)) != 0, prefixes[_i].narrow);
}
END_TEST

START_TEST(test_facts)
{
	static const uint8_t call[] = { 0x66, 0xe8, 0x10, 0x20 }, jump[] = { 0x66, 0xff, 0xe1 };
	struct isa_facts facts;
	char mnemonic[32];

	isa_mnemonic(call, sizeof(call), PC, ISA_INTEL, mnemonic, sizeof(mnemonic));
	ck_assert_str_eq(mnemonic, "(bad)");
	isa_mnemonic(call, sizeof(call), PC, ISA_AMD, mnemonic, sizeof(mnemonic));
	ck_assert_str_eq(mnemonic, "call");
	ck_assert_int_eq(isa_facts(call, sizeof(call), ISA_INTEL, &facts), -1);
	ck_assert_int_eq(isa_facts(call, sizeof(call), ISA_AMD, &facts), 0);
	ck_assert_str_eq(facts.iclass, "CALL_NEAR");
	ck_assert_int_eq(isa_facts(jump, sizeof(jump), ISA_INTEL, &facts), 0);
	ck_assert_str_eq(isa_register_name(facts.reads[0]), "rcx");
	ck_assert_int_eq(isa_facts(jump, sizeof(jump), ISA_AMD, &facts), 0);
	ck_assert_str_eq(isa_register_name(facts.reads[0]), "cx");
}
END_TEST

START_TEST(test_names)
{
	ck_assert_int_eq(isa_vendor_of("AuthenticAMD"), ISA_AMD);
	ck_assert_int_eq(isa_vendor_of("HygonGenuine"), ISA_AMD);
	ck_assert_int_eq(isa_vendor_of("GenuineIntel"), ISA_INTEL);
	ck_assert_int_eq(isa_vendor_of(""), ISA_INTEL);
	ck_assert_int_eq(isa_vendor_of(NULL), ISA_INTEL);
}
END_TEST

/* /proc/cpuinfo has the name that CPUID gives, which traces keep. */
START_TEST(test_here)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[8192], name[32] = "";

	ck_assert_ptr_nonnull(file);
	while (!*name && fgets(line, sizeof(line), file))
		sscanf(line, "vendor_id : %31s", name);
	fclose(file);
	ck_assert_str_ne(name, "");
	ck_assert_int_eq(isa_vendor_here(), isa_vendor_of(name));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("isa-vendors");
	TCase *tests = tcase_create("vendors");

	tcase_add_loop_test(tests, test_table, 0, sizeof(table) / sizeof(table[0]));
	tcase_add_loop_test(tests, test_prefixes, 0, sizeof(prefixes) / sizeof(prefixes[0]));
	tcase_add_test(tests, test_facts);
	tcase_add_test(tests, test_names);
	tcase_add_test(tests, test_here);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
