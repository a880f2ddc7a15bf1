/* SPDX-License-Identifier: MIT */
/*
 * Compares isa_effects with a table of instructions whose effects the manual states.
 * test_isa_effects_capstone.c compares it with capstone, test_isa_effects_hardware.c with the
 * processor.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/run_suite.h"
#include "traceformat/traceisa.h"

static const char *const names[16] = { "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
				       "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15" };

static const struct row {
	const char *code; /* hexadecimal */
	const char *reads, *writes;
	const char *others; /* r reads flags, w writes them, g uses gs */
	const char *relation;
	const char *fields; /* opcode, modrm, rip_field, immediate */
} rows[] = {
	/* mov rbp, rsp */
	{ "4889e5", "rsp", "rbp", "", "rbp=rsp+0", "1 2 0 0" },
	/* mov rsp, r12 */
	{ "4c89e4", "r12", "rsp", "", "rsp=r12+0", "1 2 0 0" },
	/* mov ebp, esp */
	{ "89e5", "rsp", "rbp", "", "", "0 1 0 0" },
	/* lea rsp, [rsp+0x8] */
	{ "488d642408", "rsp", "rsp", "", "rsp=rsp+8", "1 2 0 0" },
	/* lea rbp, [r13] */
	{ "498d6d00", "r13", "rbp", "", "rbp=r13+0", "1 2 0 0" },
	/* lea rax, [0x1017] */
	{ "488d0510000000", "", "rax", "", "", "1 2 3 0" },
	/* lea rax, [rax+r12*1-0x1] */
	{ "4a8d4420ff", "rax r12", "rax", "", "", "1 2 0 0" },
	/* lea rax, [eax+0x8] */
	{ "67488d4008", "rax", "rax", "", "", "2 3 0 0" },
	/* lea eax, [rax+0x8] */
	{ "8d4008", "rax", "rax", "", "", "0 1 0 0" },
	/* lea rax, [rax+0x8] */
	{ "65488d4008", "rax", "rax", "", "rax=rax+8", "2 3 0 0" },
	/* add rax, 0xfffffffffffffff8 */
	{ "4883c0f8", "rax", "rax", "w", "rax=rax-8", "1 2 0 0" },
	/* sub r12, 0xfffffffffffffff8 */
	{ "4983ecf8", "r12", "r12", "w", "r12=r12+8", "1 2 0 0" },
	/* add rax, 0xffffffffffff0000 */
	{ "48050000ffff", "rax", "rax", "w", "rax=rax-65536", "1 0 0 0" },
	/* sub rax, 0xffffffff80000000 */
	{ "482d00000080", "rax", "rax", "w", "rax=rax+2147483648", "1 0 0 0" },
	/* sub qword ptr [rsp], 0xfffffffffffffff8 */
	{ "48832c24f8", "rsp", "", "w", "", "1 2 0 0" },
	/* add eax, 0x1 */
	{ "83c001", "rax", "rax", "w", "", "0 1 0 0" },
	/* adc rax, 0x1 */
	{ "4883d001", "rax", "rax", "rw", "", "1 2 0 0" },
	/* inc rax */
	{ "48ffc0", "rax", "rax", "w", "rax=rax+1", "1 2 0 0" },
	/* dec r12 */
	{ "49ffcc", "r12", "r12", "w", "r12=r12-1", "1 2 0 0" },
	/* inc eax */
	{ "ffc0", "rax", "rax", "w", "", "0 1 0 0" },
	/* neg rax */
	{ "48f7d8", "rax", "rax", "w", "", "1 2 0 0" },
	/* push rax */
	{ "50", "rax rsp", "rsp", "", "rsp=rsp-8", "0 0 0 0" },
	/* push rsp */
	{ "54", "rsp", "rsp", "", "rsp=rsp-8", "0 0 0 0" },
	/* push rbp */
	{ "55", "rsp rbp", "rsp", "", "rsp=rsp-8", "0 0 0 0" },
	/* push ax */
	{ "6650", "rax rsp", "rsp", "", "rsp=rsp-2", "1 0 0 0" },
	/* push qword ptr [eax] */
	{ "67ff30", "rax rsp", "rsp", "", "rsp=rsp-8", "1 2 0 0" },
	/* push 0x8 */
	{ "6a08", "rsp", "rsp", "", "rsp=rsp-8", "0 0 0 0" },
	/* pop sp */
	{ "665c", "rsp", "rsp", "", "", "1 0 0 0" },
	/* pop ax */
	{ "6658", "rax rsp", "rax rsp", "", "rsp=rsp+2", "1 0 0 0" },
	/* pop rsp */
	{ "5c", "rsp", "rsp", "", "", "0 0 0 0" },
	/* pop r12 */
	{ "415c", "rsp", "rsp r12", "", "rsp=rsp+8", "1 0 0 0" },
	/* pop word ptr [rax] */
	{ "668f00", "rax rsp", "rsp", "", "rsp=rsp+2", "1 2 0 0" },
	/* pop qword ptr [rsp+0x8] */
	{ "8f442408", "rsp", "rsp", "", "rsp=rsp+8", "0 1 0 0" },
	/* push fs */
	{ "0fa0", "rsp", "rsp", "", "rsp=rsp-8", "0 0 0 0" },
	/* pop gs */
	{ "0fa9", "rsp", "rsp", "g", "rsp=rsp+8", "0 0 0 0" },
	/* push gs */
	{ "0fa8", "rsp", "rsp", "g", "rsp=rsp-8", "0 0 0 0" },
	/* push fs */
	{ "660fa0", "rsp", "rsp", "", "rsp=rsp-2", "1 0 0 0" },
	/* pushfq */
	{ "9c", "rsp", "rsp", "r", "rsp=rsp-8", "0 0 0 0" },
	/* popfq */
	{ "9d", "rsp", "rsp", "w", "rsp=rsp+8", "0 0 0 0" },
	/* pushf */
	{ "669c", "rsp", "rsp", "r", "rsp=rsp-2", "1 0 0 0" },
	/* call 0x1005 */
	{ "e800000000", "rsp", "rsp", "", "rsp=rsp-8", "0 0 0 0" },
	/* call qword ptr [rsp+0x8] */
	{ "ff542408", "rsp", "rsp", "", "rsp=rsp-8", "0 1 0 0" },
	/* call far fword ptr [rax] */
	{ "ff18", "rax rsp", "rsp", "", "", "0 1 0 0" },
	/* ret */
	{ "c3", "rsp", "rsp", "", "rsp=rsp+8", "0 0 0 0" },
	/* ret 0x8 */
	{ "c20800", "rsp", "rsp", "", "rsp=rsp+16", "0 0 0 0" },
	/* ret 0xfff0 */
	{ "c2f0ff", "rsp", "rsp", "", "rsp=rsp+65528", "0 0 0 0" },
	/* ret far */
	{ "cb", "rsp", "rsp", "", "", "0 0 0 0" },
	/* ret far 0x8 */
	{ "ca0800", "rsp", "rsp", "", "", "0 0 0 0" },
	/* iretq */
	{ "48cf", "rsp", "rsp", "w", "", "1 0 0 0" },
	/* leave */
	{ "c9", "rsp rbp", "rsp rbp", "", "rsp=rbp+8", "0 0 0 0" },
	/* leave */
	{ "66c9", "rsp rbp", "rsp rbp", "", "rsp=rbp+2", "1 0 0 0" },
	/* enter 0x10, 0x1 */
	{ "c8100001", "rsp rbp", "rsp rbp", "", "", "0 0 0 0" },
	/* xchg rax, rcx */
	{ "4887c8", "rax rcx", "rax rcx", "", "", "1 2 0 0" },
	/* nop */
	{ "90", "", "", "", "", "0 0 0 0" },
	/* rep movsb */
	{ "f3a4", "rcx rsi rdi", "rcx rsi rdi", "r", "", "1 0 0 0" },
	/* repne movsb */
	{ "f2a4", "rcx rsi rdi", "rcx rsi rdi", "r", "", "1 0 0 0" },
	/* movsd */
	{ "a5", "rsi rdi", "rsi rdi", "r", "", "0 0 0 0" },
	/* rep stosb */
	{ "f3aa", "rax rcx rdi", "rcx rdi", "r", "", "1 0 0 0" },
	/* repe cmpsb */
	{ "f3a6", "rcx rsi rdi", "rcx rsi rdi", "rw", "", "1 0 0 0" },
	/* repne scasb */
	{ "f2ae", "rax rcx rdi", "rcx rdi", "rw", "", "1 0 0 0" },
	/* rep lodsb */
	{ "f3ac", "rax rcx rsi", "rax rcx rsi", "r", "", "1 0 0 0" },
	/* movsb */
	{ "65a4", "rsi rdi", "rsi rdi", "rg", "", "1 0 0 0" },
	/* mul ecx */
	{ "f7e1", "rax rcx", "rax rdx", "w", "", "0 1 0 0" },
	/* div rcx */
	{ "48f7f1", "rax rcx rdx", "rax rdx", "w", "", "1 2 0 0" },
	/* imul eax, ecx, 0x5 */
	{ "6bc105", "rcx", "rax", "w", "", "0 1 0 0" },
	/* mul cl */
	{ "f6e1", "rax rcx", "rax", "w", "", "0 1 0 0" },
	/* shl rax, 0x8 */
	{ "48c1e008", "rax", "rax", "w", "", "1 2 0 0" },
	/* cmpxchg dword ptr [rbx], ecx */
	{ "0fb10b", "rax rcx rbx", "rax", "w", "", "0 2 0 0" },
	/* cmpxchg qword ptr [rbx], rcx */
	{ "480fb10b", "rax rcx rbx", "rax", "w", "", "1 3 0 0" },
	/* lock cmpxchg8b qword ptr [rax] */
	{ "f00fc708", "rax rcx rdx rbx", "rax rdx", "w", "", "1 3 0 0" },
	/* lock cmpxchg16b xmmword ptr [rax] */
	{ "f0480fc708", "rax rcx rdx rbx", "rax rdx", "w", "", "2 4 0 0" },
	/* mulx rax, rax, rcx */
	{ "c4e2fbf6c1", "rcx rdx", "rax", "", "", "0 4 0 0" },
	/* cpuid */
	{ "0fa2", "rax rcx", "rax rcx rdx rbx", "", "", "0 0 0 0" },
	/* rdtsc */
	{ "0f31", "", "rax rdx", "", "", "0 0 0 0" },
	/* rdtscp */
	{ "0f01f9", "", "rax rcx rdx", "", "", "0 2 0 0" },
	/* xlat */
	{ "d7", "rax rbx", "rax", "", "", "0 0 0 0" },
	/* loop 0x1000 */
	{ "e2fe", "rcx", "rcx", "", "", "0 0 0 0" },
	/* loope 0x1000 */
	{ "e1fe", "rcx", "rcx", "r", "", "0 0 0 0" },
	/* jrcxz 0x1000 */
	{ "e3fe", "rcx", "", "", "", "0 0 0 0" },
	/* rdrand rax */
	{ "480fc7f0", "", "rax", "w", "", "1 3 0 0" },
	/* xsave [rax] */
	{ "0fae20", "rax rdx", "", "", "", "0 2 0 0" },
	/* xsavec [rax] */
	{ "0fc720", "rax rdx", "", "", "", "0 2 0 0" },
	/* xrstor [rax] */
	{ "0fae28", "rax rdx", "", "", "", "0 2 0 0" },
	/* maskmovdqu xmm0, xmm1 */
	{ "660ff7c1", "rdi", "", "", "", "1 3 0 0" },
	/* monitor */
	{ "0f01c8", "rax rcx rdx", "", "", "", "0 2 0 0" },
	/* monitorx */
	{ "0f01fa", "rax rcx rdx", "", "", "", "0 2 0 0" },
	/* blsr rax, rcx */
	{ "c4e2f8f3c9", "rcx", "rax", "w", "", "0 4 0 0" },
	/* shl eax, cl */
	{ "d3e0", "rax rcx", "rax", "w", "", "0 1 0 0" },
	/* shld dword ptr [rax], ecx, cl */
	{ "0fa508", "rax rcx", "", "w", "", "0 2 0 0" },
	/* fnstsw ax */
	{ "dfe0", "rax", "rax", "", "", "0 1 0 0" },
	/* fcmovb st0, st1 */
	{ "dac1", "", "", "r", "", "0 1 0 0" },
	/* fcomi st0, st1 */
	{ "dbf1", "", "", "w", "", "0 1 0 0" },
	/* syscall */
	{ "0f05", "all", "rax rcx r11", "rw", "", "0 0 0 0" },
	/* int 0x80 */
	{ "cd80", "all", "rax rcx r11", "r", "", "0 0 0 0" },
	/* prefetcht0 byte ptr [rax] */
	{ "0f1808", "rax", "", "", "", "0 2 0 0" },
	/* nop dword ptr [rax] */
	{ "0f1f4000", "rax", "", "", "", "0 2 0 0" },
	/* mov eax, dword ptr gs:[rax] */
	{ "658b00", "rax", "rax", "g", "", "1 2 0 0" },
	/* rdgsbase rax */
	{ "f3480faec8", "", "rax", "g", "", "2 4 0 0" },
	/* wrgsbase rax */
	{ "f3480faed8", "rax", "", "g", "", "2 4 0 0" },
	/* swapgs */
	{ "0f01f8", "", "", "g", "", "0 2 0 0" },
	/* mov gs, ax */
	{ "8ee8", "rax", "", "g", "", "0 1 0 0" },
	/* mov eax, gs */
	{ "8ce8", "", "rax", "g", "", "0 1 0 0" },
	/* lgs eax, fword ptr [rax] */
	{ "0fb500", "rax", "rax", "g", "", "0 2 0 0" },
	/* bsf rax, rcx */
	{ "480fbcc1", "rax rcx", "rax", "w", "", "1 3 0 0" },
	/* tzcnt rax, rcx */
	{ "f3480fbcc1", "rcx", "rax", "w", "", "2 4 0 0" },
	/* cmovz rax, rcx */
	{ "480f44c1", "rax rcx", "rax", "r", "", "1 3 0 0" },
	/* setz ah */
	{ "0f94c4", "rax", "rax", "r", "", "0 2 0 0" },
	/* mov al, 0x10 */
	{ "b010", "rax", "rax", "", "", "0 0 0 0" },
	/* mov al, ah */
	{ "88e0", "rax", "rax", "", "", "0 1 0 0" },
	/* mov ax, 0x10 */
	{ "66b81000", "rax", "rax", "", "", "1 0 0 0" },
	/* mov eax, 0x10 */
	{ "b810000000", "", "rax", "", "", "0 0 0 0" },
	/* xor eax, eax */
	{ "31c0", "rax", "rax", "w", "", "0 1 0 0" },
	/* xadd rcx, rax */
	{ "480fc1c1", "rax rcx", "rax rcx", "w", "", "1 3 0 0" },
	/* sahf */
	{ "9e", "rax", "", "w", "", "0 0 0 0" },
	/* lahf */
	{ "9f", "rax", "rax", "r", "", "0 0 0 0" },
	/* cqo */
	{ "4899", "rax", "rdx", "", "", "1 0 0 0" },
	/* cld */
	{ "fc", "", "", "w", "", "0 0 0 0" },
	/* cmc */
	{ "f5", "", "", "rw", "", "0 0 0 0" },
	/* in al, dx */
	{ "ec", "rax rdx", "rax", "", "", "0 0 0 0" },
	/* mov rax, qword ptr [0x706050403020100] */
	{ "48a1000102030405060708", "", "rax", "", "", "1 0 0 0" },
	/* vpgatherdd ymm0, dword ptr [ymm3*4], ymm1 */
	{ "c4e27590049d00000000", "", "", "", "", "0 4 0 0" },
	/* pcmpestri xmm0, xmm1, 0x0 */
	{ "660f3a61c100", "rax rdx", "rcx", "w", "", "1 4 0 0" },
	/* nop ecx */
	{ "f30f1ef9", "rcx rdi", "", "", "", "1 3 0 0" },
	/* mov rax, qword ptr [0x1017] */
	{ "488b0510000000", "", "rax", "", "", "1 2 3 0" },
	/* mov qword ptr [0x101b], 0x1 */
	{ "48c7051000000001000000", "", "", "", "", "1 2 3 4" },
	/* mov word ptr [0x1019], 0xbbaa */
	{ "66c70510000000aabb", "", "", "", "", "1 2 3 2" },
	/* mov eax, dword ptr [0x1017] */
	{ "678b0510000000", "", "rax", "", "", "1 2 3 0" },
	/* jmp qword ptr [0x1016] */
	{ "ff2510000000", "", "", "", "", "0 1 2 0" },
	/* vpshufd xmm0, xmmword ptr [0x1019], 0xff */
	{ "c5f9700510000000ff", "", "", "", "", "0 3 4 1" },
	/* vaddps zmm0, zmm0, zmmword ptr [0x101a] */
	{ "62f17c48580510000000", "", "", "", "", "0 5 6 0" },
	/* crc32 rax, rcx */
	{ "f2480f38f1c1", "rax rcx", "rax", "", "", "2 5 0 0" },
	/* bts dword ptr [rax], ecx */
	{ "0fab08", "rax rcx", "", "w", "", "0 2 0 0" },
	/* movd xmm0, ecx */
	{ "660f6ec1", "rcx", "", "", "", "1 3 0 0" },
	/* movd ecx, xmm0 */
	{ "660f7ec1", "", "rcx", "", "", "1 3 0 0" },
	/* bswap eax */
	{ "0fc8", "rax", "rax", "", "", "0 0 0 0" },
	/* jnz 0x1000 */
	{ "75fe", "", "", "r", "", "0 0 0 0" },
	/* jmp rax */
	{ "ffe0", "rax", "", "", "", "0 1 0 0" },
	/* jmp qword ptr [rax] */
	{ "ff20", "rax", "", "", "", "0 1 0 0" },
	/* vpgatherdd zmm0 {k1}, dword ptr [rax+zmm1*4] */
	{ "62f27d49900488", "rax", "", "", "", "0 5 0 0" },
	/* vgatherdpd ymm0, qword ptr [rax+xmm1*4], ymm2 */
	{ "c4e2ed920488", "rax", "", "", "", "0 4 0 0" },
};

static size_t parse_code(const char *text, uint8_t *code)
{
	size_t n = 0;
	unsigned byte;

	for (; sscanf(text, "%2x", &byte) == 1; text += 2)
		code[n++] = byte;
	return n;
}

static void print_mask(uint16_t mask, char *text, size_t size)
{
	size_t n = 0;

	text[0] = '\0';
	if (mask == 0xffff)
		n += snprintf(text, size, "all");
	else
		for (int i = 0; i < 16; i++)
			if (mask >> i & 1)
				n += snprintf(text + n, size - n, "%s%s", n ? " " : "", names[i]);
}

static void check_row(const struct row *row)
{
	struct isa_effects effects;
	uint8_t code[16];
	char text[128];
	size_t size = parse_code(row->code, code);

	ck_assert_msg(isa_effects(code, size, 0x1000, ISA_INTEL, &effects) == 0, "%s", row->code);
	print_mask(effects.reads, text, sizeof(text));
	ck_assert_msg(!strcmp(text, row->reads), "%s reads %s", row->code, text);
	print_mask(effects.writes, text, sizeof(text));
	ck_assert_msg(!strcmp(text, row->writes), "%s writes %s", row->code, text);
	snprintf(text, sizeof(text), "%s%s%s", effects.reads_flags ? "r" : "",
		 effects.writes_flags ? "w" : "", effects.uses_gs ? "g" : "");
	ck_assert_msg(!strcmp(text, row->others), "%s: %s", row->code, text);
	text[0] = '\0';
	if (effects.to != ISA_NO_REGISTER)
		snprintf(text, sizeof(text), "%s=%s%+ld", names[effects.to], names[effects.from],
			 (long)effects.displacement);
	ck_assert_msg(!strcmp(text, row->relation), "%s: %s", row->code, text);
	snprintf(text, sizeof(text), "%d %d %d %d", effects.opcode, effects.modrm,
		 effects.rip_field, effects.immediate);
	ck_assert_msg(!strcmp(text, row->fields), "%s: %s", row->code, text);
}

START_TEST(test_manual)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i]);
}
END_TEST

/* Undecodable, cut and opaque instructions give an error and leave the result unchanged. */
START_TEST(test_refusal)
{
	struct isa_effects effects, before;

	memset(&effects, 0x5a, sizeof(effects));
	before = effects;
	ck_assert_int_eq(isa_effects((const uint8_t *)"\x06", 1, 0, ISA_INTEL, &effects), -1);
	ck_assert_int_eq(isa_effects((const uint8_t *)"\x48\x8b", 2, 0, ISA_INTEL, &effects), -1);
	ck_assert_int_eq(isa_effects((const uint8_t *)"", 0, 0, ISA_INTEL, &effects), -1);
	ck_assert_int_eq(isa_effects((const uint8_t *)"\x0f\x01\xc1", 3, 0, ISA_INTEL, &effects),
			 -1);
	ck_assert_mem_eq(&effects, &before, sizeof(effects));
	/* tileloadd (%rax,%rcx,1),%tmm0 */
	ck_assert_int_eq(isa_effects((const uint8_t *)"\xc4\xe2\x7b\x4b\x04\x08", 6, 0, ISA_INTEL,
				     &effects),
			 0);
	ck_assert_uint_eq(effects.reads, 1u << ISA_RAX | 1u << ISA_RCX);
	ck_assert_uint_eq(effects.writes, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("isa-effects");
	TCase *tests = tcase_create("manual");

	tcase_add_test(tests, test_manual);
	tcase_add_test(tests, test_refusal);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
