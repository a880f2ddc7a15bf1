/* SPDX-License-Identifier: MIT */
/*
 * isa_effects: a table of instructions whose effects the manual states, and capstone's opinion of
 * all code of real libraries and of random bytes. test_isa_effects_hardware.c asks the processor.
 */
#include <capstone/capstone.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/isa/elf_text.h"
#include "tests/unit/run_suite.h"
#include "traceformat/isa.h"

static const char *const names[16] = {
	"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
	"r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15",
};

/* ---- what the manual says ---------------------------------------------------------------- */

static const struct row {
	const char *code;	/* hexadecimal */
	const char *reads, *writes;
	const char *others;	/* r reads flags, w writes them, g uses gs */
	const char *relation;
	const char *fields;	/* opcode, modrm, rip_field, immediate */
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

/* Undecodable, cut, opaque: an error, and nothing is touched. */
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
	ck_assert_int_eq(isa_effects((const uint8_t *)"\xc4\xe2\x7b\x4b\x04\x08", 6, 0,
				     ISA_INTEL, &effects),
			 -1);	/* tileloadd */
	ck_assert_mem_eq(&effects, &before, sizeof(effects));
}
END_TEST

/* ---- what capstone says ------------------------------------------------------------------ */

enum {
	RAX = 1 << ISA_RAX,
	RCX = 1 << ISA_RCX,
	RDX = 1 << ISA_RDX,
	RBX = 1 << ISA_RBX,
	RSP = 1 << ISA_RSP,
	RBP = 1 << ISA_RBP,
	RSI = 1 << ISA_RSI,
	RDI = 1 << ISA_RDI,
	R11 = 1 << 11,
	ANY = 0xffff,
	FLAGS = 1 << 16,	/* beside the general registers */
};

struct access {
	uint32_t reads, writes;	/* FLAGS or-ed in */
};

/* Where we differ on purpose or capstone 4.0.2 is wrong: by mnemonic, and in these bits alone. */
static const struct exception {
	const char *mnemonic;	/* capstone's, without rep and lock */
	uint32_t reads, writes;
	const char *reason;
} exceptions[] = {
	/* Destinations of which something may survive count as read here. */
	{ "bsf", ANY, 0, "keeps its destination if the source is 0" },
	{ "bsr", ANY, 0, "keeps its destination if the source is 0" },
	{ "lar", ANY, FLAGS, "keeps its destination unless it sets zf" },
	{ "lsl", ANY, FLAGS, "keeps its destination unless it sets zf" },
	{ "lodsb", RAX, 0, "keeps rax if repeated 0 times" },
	{ "lodsw", RAX, 0, "keeps rax if repeated 0 times" },
	{ "lodsd", RAX, 0, "keeps rax if repeated 0 times" },
	{ "lodsq", RAX, 0, "keeps rax if repeated 0 times" },
	{ "sldt", ANY, 0, "keeps the high bits if Linux emulates it" },
	{ "smsw", ANY, 0, "keeps the high bits if Linux emulates it" },
	{ "str", ANY, 0, "keeps the high bits if Linux emulates it" },
	{ "xbegin", RAX, 0, "writes rax only when it aborts" },
	{ "cmpxchg", ANY, ANY | FLAGS, "one of rax and the destination survives" },
	/* The kernel's effects. */
	{ "syscall", ANY | FLAGS, RAX | RCX | R11 | FLAGS, "nothing listed" },
	{ "sysenter", ANY | FLAGS, RAX | RCX | RSP | R11 | FLAGS, "nothing listed" },
	{ "int", ANY | FLAGS, RAX | RCX | R11, "nothing listed" },
	/* Errors of capstone. */
	{ "cdq", 0, RAX, "rax is not written" },
	{ "cqo", 0, RAX, "rax is not written" },
	{ "cwd", 0, RAX, "rax is not written" },
	{ "cmc", FLAGS, 0, "cf is inverted, hence read" },
	{ "rcl", FLAGS, 0, "cf is rotated in" },
	{ "rcr", FLAGS, 0, "cf is rotated in" },
	{ "fcmovb", FLAGS, 0, "the condition is forgotten" },
	{ "fcmovbe", FLAGS, 0, "the condition is forgotten" },
	{ "fcmove", FLAGS, 0, "the condition is forgotten" },
	{ "fcmovnb", FLAGS, 0, "the condition is forgotten" },
	{ "fcmovnbe", FLAGS, 0, "the condition is forgotten" },
	{ "fcmovne", FLAGS, 0, "the condition is forgotten" },
	{ "fcmovnu", FLAGS, 0, "the condition is forgotten" },
	{ "fcmovu", FLAGS, 0, "the condition is forgotten" },
	{ "enter", RSP | RBP, RSP | RBP, "no registers listed" },
	{ "push", RSP, RSP, "no rsp with fs and gs" },
	{ "pop", RSP, RSP, "no rsp with fs and gs" },
	{ "retf", RSP, RSP, "no rsp listed" },
	{ "retfq", RSP, RSP, "no rsp listed" },
	{ "lcall", 0, RSP, "no rsp listed" },
	{ "iret", RSP, RSP | FLAGS, "no registers listed" },
	{ "iretd", RSP, RSP | FLAGS, "no registers listed" },
	{ "iretq", RSP, RSP | FLAGS, "no registers listed" },
	{ "xlatb", RAX | RBX, RAX, "no registers listed" },
	{ "stosq", RCX, RCX, "rcx without a repetition" },
	{ "movsd", RCX, RCX, "no rcx under repne, which repeats as rep does" },
	{ "test", 0, RAX, "with an immediate writes nothing but flags" },
	{ "xadd", 0, FLAGS, "no flags with memory" },
	{ "movsxd", ANY, 0, "takes a 16-bit destination for a wider one" },
	{ "nop", ANY, 0, "no address registers" },
	{ "vpcmpeqd", ANY, 0, "no address registers" },
	{ "vpcmpneqd", ANY, 0, "no address registers" },
	{ "vpxorq", ANY, 0, "no address registers" },
	{ "xabort", RAX, RAX, "no rax listed" },
	{ "in", RAX, 0, "with both prefixes that set the operand size" },
	{ "xchg", ANY, ANY, "takes pause with REX for an exchange, unlike processors" },
	{ "adox", ANY, 0, "its destination is a summand too" },
	{ "int1", 0, FLAGS, "of the handler's making: tf" },
	{ "stac", 0, FLAGS, "ac alone" },
	{ "verr", 0, FLAGS, "zf is written" },
	{ "verw", 0, FLAGS, "zf is written" },
	/* Privileged: in user mode none of this ever happens. */
	{ "getsec", RCX | RDX, RBX | RDX | RCX, "depends on the leaf" },
	{ "rsm", 0, FLAGS, "no flags listed" },
	{ "sysexit", RCX | RDX, RSP, "no registers listed" },
	{ "sysret", RCX | R11, FLAGS, "no registers listed" },
	{ "vmptrld", 0, FLAGS, "no flags listed" },
	{ "vmptrst", 0, FLAGS, "no flags listed" },
	{ "vmread", 0, FLAGS, "no flags listed" },
	{ "vmwrite", ANY, ANY | FLAGS, "takes the encoding for a destination" },
	{ "encls", ANY, ANY, "no registers listed" },
};

static const struct exception *find_exception(const char *mnemonic)
{
	static const char *const prefixes[] = { "lock ", "rep ", "repe ", "repne ", "bnd ",
						"xacquire ", "xrelease " };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(mnemonic, prefixes[i], strlen(prefixes[i])))
			mnemonic += strlen(prefixes[i]);
	for (size_t i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++)
		if (!strcmp(mnemonic, exceptions[i].mnemonic))
			return &exceptions[i];
	return NULL;
}

/* Returns the bit of a register of capstone, 0 if it is no subject here. bytes: its width. */
static uint32_t subject(x86_reg reg, int *bytes)
{
	static const x86_reg parts[8][5] = {
		{ X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH },
		{ X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH },
		{ X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH },
		{ X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH },
		{ X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL, X86_REG_SPL },
		{ X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL, X86_REG_BPL },
		{ X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL, X86_REG_SIL },
		{ X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL, X86_REG_DIL },
	};
	static const x86_reg firsts[4] = { X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B };

	*bytes = 8;
	if (reg == X86_REG_EFLAGS)
		return FLAGS;
	for (int i = 0; i < 8; i++)
		for (int part = 0; part < 5; part++)
			if (reg == parts[i][part]) {
				*bytes = part == 4 ? 1 : 8 >> part;
				return 1u << i;
			}
	for (int part = 0; part < 4; part++)
		if (reg >= firsts[part] && reg <= firsts[part] + 7) {
			*bytes = 8 >> part;
			return 1u << (8 + reg - firsts[part]);
		}
	return 0;
}

/* A write of 8 or 16 bits is a read as well. */
static struct access capstone_access(csh handle, const cs_insn *insn)
{
	struct access access = { 0, 0 };
	uint8_t n_read, n_written;
	cs_regs read, written;
	int bytes;

	ck_assert_int_eq(cs_regs_access(handle, insn, read, &n_read, written, &n_written),
			 CS_ERR_OK);
	for (int i = 0; i < n_read; i++)
		access.reads |= subject(read[i], &bytes);
	for (int i = 0; i < n_written; i++) {
		uint32_t bit = subject(written[i], &bytes);

		access.writes |= bit;
		if (bytes < 4)
			access.reads |= bit;
	}
	return access;
}

struct comparison {
	csh handle;
	cs_insn *insn;
	long compared, excused, wrong;
};

static void complain(const char *what, const cs_insn *insn, uint32_t ours, uint32_t other)
{
	fprintf(stderr, "%s %s %s: %05x, capstone has %05x\n", insn->mnemonic, insn->op_str, what,
		ours, other);
}

/* Returns the bytes to go on. */
static size_t compare(struct comparison *comparison, const uint8_t *code, size_t available,
		      uint64_t pc)
{
	const cs_insn *insn = comparison->insn;
	const struct exception *exception;
	struct access ours, other;
	struct isa_effects effects;
	const uint8_t *next = code;
	uint64_t after = pc;
	struct isa_insn decoded;

	if (isa_decode(code, available, pc, ISA_INTEL, &decoded) < 0)
		return 1;
	if (isa_effects(code, available, pc, ISA_INTEL, &effects) < 0) {
		ck_assert(decoded.flags & TF_INSN_OPAQUE);
		return decoded.length;
	}
	/* Lengths are compared in test_isa_decoders.c. */
	if (!cs_disasm_iter(comparison->handle, &next, &available, &after, comparison->insn) ||
	    insn->size != decoded.length)
		return decoded.length;
	comparison->compared++;
	ours.reads = effects.reads | (effects.reads_flags ? FLAGS : 0);
	ours.writes = effects.writes | (effects.writes_flags ? FLAGS : 0);
	other = capstone_access(comparison->handle, insn);
	if (ours.reads == other.reads && ours.writes == other.writes)
		return decoded.length;
	exception = find_exception(insn->mnemonic);
	if (exception && !((ours.reads ^ other.reads) & ~exception->reads) &&
	    !((ours.writes ^ other.writes) & ~exception->writes)) {
		comparison->excused++;
		return decoded.length;
	}
	comparison->wrong++;
	if (ours.reads != other.reads)
		complain("reads", insn, ours.reads, other.reads);
	if (ours.writes != other.writes)
		complain("writes", insn, ours.writes, other.writes);
	return decoded.length;
}

static void open_comparison(struct comparison *comparison)
{
	*comparison = (struct comparison){ 0 };
	ck_assert_int_eq(cs_open(CS_ARCH_X86, CS_MODE_64, &comparison->handle), CS_ERR_OK);
	cs_option(comparison->handle, CS_OPT_DETAIL, CS_OPT_ON);
	comparison->insn = cs_malloc(comparison->handle);
}

static void close_comparison(struct comparison *comparison, const char *what)
{
	cs_free(comparison->insn, 1);
	cs_close(&comparison->handle);
	printf("%s: %ld instructions compared, %ld excused\n", what, comparison->compared,
	       comparison->excused);
	ck_assert_int_eq(comparison->wrong, 0);
}

START_TEST(test_libraries)
{
	static const char *const paths[] = {
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/usr/lib/x86_64-linux-gnu/libsqlite3.so.0",
		"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct comparison comparison;
		struct elf_text text;

		if (!elf_text_open(paths[i], &text)) {
			printf("%s: skipped, not installed\n", paths[i]);
			ck_assert_uint_ne(i, 0);
			continue;
		}
		open_comparison(&comparison);
		for (size_t at = 0; at < text.size;)
			at += compare(&comparison, text.code + at, text.size - at,
				      text.address + at);
		close_comparison(&comparison, paths[i]);
		ck_assert_int_gt(comparison.compared, 100000);
		ck_assert_int_lt(comparison.excused, comparison.compared / 50);
	}
}
END_TEST

START_TEST(test_random_bytes)
{
	enum { TRIES = 1000000 };
	uint64_t state = 88172645463325252u;
	struct comparison comparison;

	open_comparison(&comparison);
	for (int i = 0; i < TRIES; i++) {
		uint64_t words[2];

		for (int j = 0; j < 2; j++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			words[j] = state;
		}
		compare(&comparison, (const uint8_t *)words, 15, 0x1000);
	}
	close_comparison(&comparison, "random bytes");
	ck_assert_int_gt(comparison.compared, TRIES / 2);
	ck_assert_int_lt(comparison.excused, comparison.compared / 10);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("isa-effects");
	TCase *tests = tcase_create("effects");

	tcase_add_test(tests, test_manual);
	tcase_add_test(tests, test_refusal);
	tcase_add_test(tests, test_libraries);
	tcase_add_test(tests, test_random_bytes);
	tcase_set_timeout(tests, 300);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
