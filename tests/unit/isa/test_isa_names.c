/* SPDX-License-Identifier: MIT */
/* Instructions as text: disassembly, mnemonics, names of classes. */
#include <check.h>

#include "tests/unit/isa/isa_text.h"
#include "tests/unit/run_suite.h"

enum { PC = 0x1000 };

static const struct {
	const char *bytes, *att, *intel;
} texts[] = {
	{ "48 89 03", "mov %rax, (%rbx)", "mov qword ptr [rbx], rax" },
	{ "8b 05 10 00 00 00", "mov 0x10(%rip), %eax  # 0x1016",
	  "mov eax, dword ptr [rip+0x10]  # 0x1016" },
	{ "75 1e", "jnz 0x1020", "jnz 0x1020" },
	{ "ff e0", "jmp *%rax", "jmp rax" },
	{ "ff 15 00 00 00 00", "call *(%rip)  # 0x1006", "call qword ptr [rip]  # 0x1006" },
	{ "3e ff 20", "notrack jmp *(%rax)", "notrack jmp qword ptr [rax]" },
	{ "ff 18", "lcall *(%rax)", "call far fword ptr [rax]" },
	{ "ff 00", "incl (%rax)", "inc dword ptr [rax]" },
	{ "f0 66 ff 00", "lock incw (%rax)", "lock inc word ptr [rax]" },
	{ "48 d3 27", "shlq %cl, (%rdi)", "shl qword ptr [rdi], cl" },
	{ "d2 27", "shlb %cl, (%rdi)", "shl byte ptr [rdi], cl" },
	{ "48 c7 45 f8 ff ff ff ff", "movq $-0x1, -0x8(%rbp)",
	  "mov qword ptr [rbp-0x8], 0xffffffffffffffff" },
	{ "0f b6 06", "movzbl (%rsi), %eax", "movzx eax, byte ptr [rsi]" },
	{ "48 0f bf c1", "movswq %cx, %rax", "movsx rax, cx" },
	{ "48 63 06", "movslq (%rsi), %rax", "movsxd rax, dword ptr [rsi]" },
	{ "66 8f 44 24 08", "popw 0x8(%rsp)", "pop word ptr [rsp+0x8]" },
	{ "c8 10 00 03", "enter $0x10, $0x3", "enter 0x10, 0x3" },
	{ "66 0f 1f 44 00 00", "nopw (%rax,%rax,1)", "nop word ptr [rax+rax*1]" },
	{ "d9 00", "flds (%rax)", "fld dword ptr [rax]" },
	{ "db 28", "fldt (%rax)", "fld tbyte ptr [rax]" },
	{ "df 28", "fildll (%rax)", "fild qword ptr [rax]" },
	{ "da 00", "fiaddl (%rax)", "fiadd dword ptr [rax]" },
	{ "de 00", "fiadds (%rax)", "fiadd word ptr [rax]" },
	{ "d9 28", "fldcw (%rax)", "fldcw word ptr [rax]" },
	{ "f2 48 0f 2a 00", "cvtsi2sdq (%rax), %xmm0", "cvtsi2sd xmm0, qword ptr [rax]" },
	{ "c5 fd 5a 00", "vcvtpd2psy (%rax), %xmm0", "vcvtpd2ps xmm0, ymmword ptr [rax]" },
	{ "62 f1 7c 49 5a 08", "vcvtps2pd (%rax), %zmm1 {%k1}",
	  "vcvtps2pd zmm1 {k1}, ymmword ptr [rax]" },
	{ "62 f1 fe 48 6f 40 01", "vmovdqu64 0x40(%rax), %zmm0",
	  "vmovdqu64 zmm0, zmmword ptr [rax+0x40]" },
	{ "f2 0f 38 f0 00", "crc32b (%rax), %eax", "crc32 eax, byte ptr [rax]" },
	{ "f3 48 ab", "rep stosq", "rep stosq" },
	{ "c3", "ret", "ret" },
};

START_TEST(test_disassemble)
{
	uint8_t bytes[16];
	size_t size = parse_bytes(texts[_i].bytes, bytes);
	char text[128];

	isa_disassemble(bytes, size, PC, ISA_INTEL, ISA_SYNTAX_ATT, text, sizeof(text));
	ck_assert_str_eq(text, texts[_i].att);
	isa_disassemble(bytes, size, PC, ISA_INTEL, ISA_SYNTAX_INTEL, text, sizeof(text));
	ck_assert_str_eq(text, texts[_i].intel);
}
END_TEST

START_TEST(test_short_buffer)
{
	static const uint8_t mov[] = { 0x48, 0x89, 0x03 };
	char text[8];

	isa_disassemble(mov, sizeof(mov), PC, ISA_INTEL, ISA_SYNTAX_ATT, text, sizeof(text));
	ck_assert_str_eq(text, "mov %ra");
	isa_mnemonic(mov, sizeof(mov), PC, ISA_INTEL, text, 3);
	ck_assert_str_eq(text, "mo");
	isa_mnemonic(mov, sizeof(mov), PC, ISA_INTEL, text, sizeof(text));
	ck_assert_str_eq(text, "mov");
}
END_TEST

START_TEST(test_class_names)
{
	for (enum isa_class class = 0; class < ISA_N_CLASSES; class ++) {
		ck_assert_ptr_nonnull(isa_class_name(class));
		for (enum isa_class other = 0; other < class; other++)
			ck_assert_str_ne(isa_class_name(class), isa_class_name(other));
	}
	ck_assert_str_eq(isa_class_name(ISA_CLASS_INT_MULTIPLY), "int-multiply");
	ck_assert_str_eq(isa_class_name(ISA_N_CLASSES), "unknown");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("isa-names");
	TCase *tests = tcase_create("text");

	tcase_add_loop_test(tests, test_disassemble, 0, sizeof(texts) / sizeof(texts[0]));
	tcase_add_test(tests, test_short_buffer);
	tcase_add_test(tests, test_class_names);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
