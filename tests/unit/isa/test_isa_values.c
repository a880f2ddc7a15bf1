/* SPDX-License-Identifier: MIT */
/* isa_values: addresses and extras from registers chosen so that every term shows. */
#include <check.h>
#include <cpuid.h>
#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/run_suite.h"
#include "traceformat/traceisa.h"

enum { PC = 0x401000, MAX_EXPECTED = 12 };

static struct isa_registers registers;

/* general[i] is (i + 1) << 32 | i << 20, fs and gs are far away. */
static void set_registers(void)
{
	memset(&registers, 0, sizeof(registers));
	for (uint64_t i = 0; i < 16; i++)
		registers.general[i] = (i + 1) << 32 | i << 20;
	registers.fs_base = 0x7f0000000000;
	registers.gs_base = 0x600000000000;
}

static void set_vector32(int number, const int32_t *elements, int n)
{
	memcpy(registers.vector[number], elements, n * sizeof(*elements));
}

static void set_vector64(int number, const int64_t *elements, int n)
{
	memcpy(registers.vector[number], elements, n * sizeof(*elements));
}

/* Decodes hex bytes and computes the values; returns their number. */
static int find_values(const char *hex, struct isa_insn *insn, uint64_t *values)
{
	uint8_t bytes[16];
	size_t n = 0;
	int used;

	for (unsigned byte; sscanf(hex, "%2x%n", &byte, &used) == 1; hex += used)
		bytes[n++] = byte;
	ck_assert_int_eq(isa_decode(bytes, n, PC, ISA_INTEL, insn), 0);
	ck_assert_uint_eq(insn->length, n);
	isa_values(insn, &registers, values);
	return insn->n_values;
}

#define RAX    0x100000000ull
#define RCX    0x200100000ull
#define RDX    0x300200000ull
#define RBX    0x400300000ull
#define RSP    0x500400000ull
#define RBP    0x600500000ull
#define RSI    0x700600000ull
#define RDI    0x800700000ull
#define R12    0xd00c00000ull
#define FS     0x7f0000000000ull
#define GS     0x600000000000ull
#define LOW(x) ((x)&0xffffffffull)

/* ---- general registers only -------------------------------------------------------------- */

static const struct {
	const char *assembly, *bytes;
	int n;
	uint64_t values[MAX_EXPECTED];
} general[] = {
	{ "mov (%rbx),%rax", "48 8b 03", 1, { RBX } },
	{ "mov -8(%rax,%rcx,4),%eax", "8b 44 88 f8", 1, { RAX + RCX * 4 - 8 } },
	{ "mov 0x10(%rip),%eax", "8b 05 10 00 00 00", 1, { PC + 6 + 0x10 } },
	{ "mov -0x10(%rip),%eax", "8b 05 f0 ff ff ff", 1, { PC + 6 - 0x10 } },
	{ "mov %fs:0x28,%rax", "64 48 8b 04 25 28 00 00 00", 1, { FS + 0x28 } },
	{ "mov %fs:-0x10,%rax", "64 48 8b 04 25 f0 ff ff ff", 1, { FS - 0x10 } },
	{ "mov %gs:(%rax,%rbx,4),%cx", "65 66 8b 0c 98", 1, { GS + RAX + RBX * 4 } },
	{ "mov 8(%r12d,%ebx,2),%eax", "67 41 8b 44 5c 08", 1, { LOW(R12 + RBX * 2 + 8) } },
	{ "mov -8(%eax),%eax", "67 8b 40 f8", 1, { 0xfffffff8 } },
	{ "mov %fs:-8(%eax),%rcx", "64 67 48 8b 48 f8", 1, { FS + 0xfffffff8 } },
	{ "mov -0x7fffffff,%eax", "67 8b 04 25 01 00 00 80", 1, { 0x80000001 } },
	{ "movabs 0xfedcba9876543210,%al",
	  "a0 10 32 54 76 98 ba dc fe",
	  1,
	  { 0xfedcba9876543210 } },
	{ "push %rax", "50", 1, { RSP - 8 } },
	{ "pushw %ax", "66 50", 1, { RSP - 2 } },
	{ "pushq 8(%rsp)", "ff 74 24 08", 2, { RSP + 8, RSP - 8 } },
	{ "popq 8(%rsp)", "8f 44 24 08", 2, { RSP, RSP + 16 } },
	{ "popq 8(%esp)", "67 8f 44 24 08", 2, { RSP, LOW(RSP + 16) } },
	{ "call *8(%rsp)", "ff 54 24 08", 2, { RSP + 8, RSP - 8 } },
	{ "ret", "c3", 1, { RSP } },
	{ "leave", "c9", 1, { RBP } },
	{ "enter $16,$4", "c8 10 00 04", 2, { RBP - 24, RSP - 40 } },
	{ "movsb", "a4", 2, { RSI, RDI } },
	{ "cmpsb %fs:", "64 a6", 2, { FS + RSI, RDI } },
	{ "addr32 stosb", "67 aa", 1, { LOW(RDI) } },
	{ "rep movsq", "f3 48 a5", 5, { RSI, RDI, RCX, 0, 0 } },
	{ "rep stosb", "f3 aa", 4, { RDI, RCX, 0, 0 } },
	{ "repne scasb", "f2 ae", 4, { RDI, RCX, 0, 0 } },
	{ "addr32 rep movsb", "67 f3 a4", 5, { LOW(RSI), LOW(RDI), LOW(RCX), 0, 0 } },
	{ "movdir64b (%rdi),%rsi", "66 0f 38 f8 37", 2, { RDI, RSI } },
	{ "lea 8(%rax),%rcx", "48 8d 48 08", 0, { 0 } },
};

START_TEST(test_general)
{
	uint64_t values[ISA_MAX_VALUES];
	struct isa_insn insn;

	set_registers();
	ck_assert_int_eq(find_values(general[_i].bytes, &insn, values), general[_i].n);
	ck_assert(!isa_needs_vectors(&insn));
	for (int i = 0; i < general[_i].n; i++)
		ck_assert_msg(values[i] == general[_i].values[i], "%s: %lx, expected %lx",
			      general[_i].assembly, values[i], general[_i].values[i]);
}
END_TEST

/* ---- bit strings, xlat, clzero ----------------------------------------------------------- */

static uint64_t first_value(const char *hex)
{
	uint64_t values[ISA_MAX_VALUES];
	struct isa_insn insn;

	find_values(hex, &insn, values);
	return values[0];
}

START_TEST(test_bit_string)
{
	static const struct {
		const char *bytes; /* bts of register a in (%rdi) */
		uint64_t offset;
		int64_t expected; /* from rdi */
	} cases[] = {
		{ "48 0f ab 07", 0, 0 },
		{ "48 0f ab 07", 63, 0 },
		{ "48 0f ab 07", 64, 8 },
		{ "48 0f ab 07", -1, -8 },
		{ "48 0f ab 07", -64, -8 },
		{ "48 0f ab 07", -65, -16 },
		{ "48 0f ab 07", INT64_MIN, INT64_MIN / 8 },
		{ "0f ab 07", 0x100000000 + 33, 4 }, /* upper half ignored */
		{ "0f ab 07", 0xffffffff, -4 },
		{ "0f ab 07", 0x80000000, -0x10000000 },
		{ "66 0f ab 07", 16, 2 },
		{ "66 0f ab 07", 0x1ffff, -2 },
		{ "66 0f ab 07", 0x8000, -4096 },
		{ "66 0f ab 07", 0x17fff, 4094 },
	};

	set_registers();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		registers.general[ISA_RAX] = cases[i].offset;
		ck_assert_int_eq((int64_t)(first_value(cases[i].bytes) - RDI), cases[i].expected);
	}
	/* btc %rax,%fs:8(%rdi,%rcx,8); btsl %eax,(%edi) */
	registers.general[ISA_RAX] = -1;
	ck_assert_uint_eq(first_value("64 48 0f bb 44 cf 08"), FS + RDI + RCX * 8 + 8 - 8);
	registers.general[ISA_RDI] = 0x500000002;
	ck_assert_uint_eq(first_value("67 0f ab 07"), 0xfffffffe);
	/* btl $37,(%rbx): an immediate stays within the operand */
	ck_assert_uint_eq(first_value("0f ba 23 25"), RBX);
}
END_TEST

START_TEST(test_xlat_and_clzero)
{
	set_registers();
	registers.general[ISA_RAX] = 0x1234567890abcdef;
	ck_assert_uint_eq(first_value("d7"), RBX + 0xef);
	ck_assert_uint_eq(first_value("64 67 d7"), FS + LOW(RBX + 0xef));
	ck_assert_uint_eq(first_value("0f 01 fc"), 0x1234567890abcdc0);
	ck_assert_uint_eq(first_value("67 0f 01 fc"), 0x90abcdc0);
}
END_TEST

/* ---- masks ------------------------------------------------------------------------------- */

static void check(const char *hex, int n, const uint64_t *expected)
{
	uint64_t values[ISA_MAX_VALUES];
	struct isa_insn insn;

	ck_assert_int_eq(find_values(hex, &insn, values), n);
	ck_assert(isa_needs_vectors(&insn));
	for (int i = 0; i < n; i++)
		ck_assert_msg(values[i] == expected[i], "%s: value %d is %lx, expected %lx", hex, i,
			      values[i], expected[i]);
}

#define CHECK(hex, ...) \
	check(hex, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8, (uint64_t[]){ __VA_ARGS__ })

START_TEST(test_k_masks)
{
	set_registers();
	registers.mask[1] = 0x123456789abcdef1;
	registers.mask[2] = 0;
	registers.mask[7] = 0xfffffffffffffff5;
	/* vmovdqu8 (%rax),%zmm0{%k1}: 64 lanes; vmovdqa32 (%rax),%xmm0{%k7}: 4 */
	CHECK("62 f1 7f 49 6f 00", RAX, 0x123456789abcdef1);
	CHECK("62 f1 7d 8f 6f 00", RAX, 5);
	/* vmovdqu16 %ymm0,64(%rax){%k2}; vaddss (%rax),%xmm1,%xmm2{%k1} */
	CHECK("62 f1 ff 2a 7f 40 02", RAX + 64, 0);
	CHECK("62 f1 76 09 58 10", RAX, 1);
}
END_TEST

START_TEST(test_sign_masks)
{
	static const int32_t dwords[8] = { -1, 1, INT32_MIN, 0x7fffffff, 0x80, -2, 0, -3 };
	static const int64_t qwords[4] = { 1, -1, 0x80000000, INT64_MIN };

	set_registers();
	set_vector32(1, dwords, 8);
	set_vector64(2, qwords, 4);
	for (int i = 0; i < 16; i++)
		registers.vector[3][i] = i % 3 ? 0x7f : 0x80;
	/* vmaskmovps (%rax),%ymm1,%ymm2; vpmaskmovd (%rax),%xmm1,%xmm2 */
	CHECK("c4 e2 75 2c 10", RAX, 0xa5);
	CHECK("c4 e2 71 8c 10", RAX, 5);
	/* vpmaskmovq %ymm1,%ymm2,(%rax) */
	CHECK("c4 e2 ed 8e 08", RAX, 0xa);
	/* maskmovdqu %xmm3,%xmm2, also with edi */
	CHECK("66 0f f7 d3", RDI, 0x9249);
	CHECK("67 66 0f f7 d3", LOW(RDI), 0x9249);
	/* maskmovq %mm3,%mm2 */
	registers.mmx[3] = 0x80ff7f0180007f80;
	CHECK("0f f7 d3", RDI, 0xc9);
}
END_TEST

/* ---- gathers and scatters ---------------------------------------------------------------- */

/* The image of two 4-byte indices in one extra. */
static uint64_t pair(int32_t low, int32_t high)
{
	return (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
}

START_TEST(test_lanes)
{
	static const int32_t dwords[16] = { 1, -2, 3,  -4, 5,  -6, 7,  -8,
					    9, 10, 11, 12, 13, 14, 15, 16 };
	static const int64_t qwords[8] = { -1, 2, -3, 4, -5, 6, -7, 8 };
	static const int32_t signs[8] = { -1, 0, -1, -1, 0, 0, 0, -1 };

	set_registers();
	set_vector32(2, dwords, 16);
	set_vector64(12, qwords, 8);
	set_vector32(1, signs, 8);
	set_vector32(22, dwords, 16);
	registers.mask[1] = 0xfff3;
	/* vgatherdps %ymm1,8(%rax,%ymm2,4),%ymm3 */
	CHECK("c4 e2 75 92 5c 90 08", RAX + 8, 0x8d, pair(1, -2), pair(3, -4), pair(5, -6),
	      pair(7, -8));
	/* vgatherdpd %xmm1,(%rax,%xmm2,8),%xmm3: two of four indices; signs of 8-byte elements */
	CHECK("c4 e2 f1 92 1c d0", RAX, 2, pair(1, -2));
	/* vgatherqps %xmm1,(%rax,%xmm12,1),%xmm3 */
	CHECK("c4 a2 71 93 1c 20", RAX, 1, -1, 2);
	/* vpgatherdd %xmm1,0x10(,%xmm2,4),%xmm3; then with %fs:(%eax,%xmm2,4) */
	CHECK("c4 e2 71 90 1c 95 10 00 00 00", 0x10, 0xd, pair(1, -2), pair(3, -4));
	CHECK("64 67 c4 e2 71 90 1c 90", FS + LOW(RAX), 0xd, pair(1, -2), pair(3, -4));
	/* vpgatherdq (%rax,%ymm22,8),%zmm3{%k1} */
	CHECK("62 f2 fd 41 90 1c f0", RAX, 0xf3, pair(1, -2), pair(3, -4), pair(5, -6),
	      pair(7, -8));
	/* vpscatterqd %ymm3,8(%rax,%zmm12,4){%k1} */
	CHECK("62 b2 7d 49 a1 5c a0 02", RAX + 8, 0xf3, -1, 2, -3, 4, -5, 6, -7, 8);
	/* vpgatherdd 8(%rax,%zmm2,4),%zmm3{%k1} */
	CHECK("62 f2 7d 49 90 5c 90 02", RAX + 8, 0xfff3, pair(1, -2), pair(3, -4), pair(5, -6),
	      pair(7, -8), pair(9, 10), pair(11, 12), pair(13, 14), pair(15, 16));
}
END_TEST

/* ---- broadcasts -------------------------------------------------------------------------- */

/* Lanes of memory are loaded if one of the register's lanes that receive them is active. */
START_TEST(test_broadcasts)
{
	set_registers();
	registers.mask[1] = 0xf840;
	registers.mask[2] = 0xf0000;
	registers.mask[3] = 1ull << 63;
	/* vpaddd (%rax){1to16},%zmm1,%zmm2{%k1}; the same with %k2, which has no active lane */
	CHECK("62 f1 75 59 fe 10", RAX, 1);
	CHECK("62 f1 75 5a fe 10", RAX, 0);
	/* vbroadcasti32x4 (%rax),%zmm1{%k1}: lanes 6 and 11 to 15 */
	CHECK("62 f2 7d 49 5a 08", RAX, 0xf);
	registers.mask[1] = 0x840;
	CHECK("62 f2 7d 49 5a 08", RAX, 0xc);
	/* vpbroadcastb (%rax),%zmm1{%k3}; vpbroadcastb (%rax),%ymm1{%k3} */
	CHECK("62 f2 7d 4b 78 08", RAX, 1);
	CHECK("62 f2 7d 2b 78 08", RAX, 0);
}
END_TEST

/* ---- sizes ------------------------------------------------------------------------------- */

START_TEST(test_packed_size)
{
	set_registers();
	registers.mask[1] = 0xf0f1;
	registers.mask[3] = 0xfe;
	/* vpcompressb %zmm1,(%rax){%k1}; vexpandps (%rax),%zmm1{%k1} */
	CHECK("62 f2 7d 49 63 08", RAX, 9);
	CHECK("62 f2 7d 49 88 08", RAX, 9 * 4);
	/* vcompresspd %xmm1,(%rax){%k3}: two lanes */
	CHECK("62 f2 fd 0b 8a 08", RAX, 8);
	/* vpexpandw (%rax),%ymm1{%k2}{z} with nothing active */
	CHECK("62 f2 fd aa 62 08", RAX, 0);
}
END_TEST

static const char xsave[] = "0f ae 21", xsaveopt[] = "0f ae 31", xrstor[] = "0f ae 29";
static const char xsavec[] = "0f c7 21";

/* The size for components of an operand at (%rcx). */
static uint64_t xsave_bytes(const char *hex, uint64_t xcr0, uint64_t requested)
{
	uint64_t values[ISA_MAX_VALUES];
	struct isa_insn insn;

	registers.xcr0 = xcr0;
	registers.general[ISA_RAX] = 0xabc00000000 | (uint32_t)requested;
	registers.general[ISA_RDX] = 0xdef00000000 | requested >> 32;
	ck_assert_int_eq(find_values(hex, &insn, values), 2);
	ck_assert(isa_needs_vectors(&insn));
	ck_assert_uint_eq(values[0], RCX);
	return values[1];
}

START_TEST(test_xsave_legacy)
{
	static const char *const all[] = { xsave, xsaveopt, xrstor, xsavec };

	set_registers();
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		ck_assert_uint_eq(xsave_bytes(all[i], 0, ~0ull), 576);
		ck_assert_uint_eq(xsave_bytes(all[i], 3, ~0ull), 576);
		ck_assert_uint_eq(xsave_bytes(all[i], ~0ull, 3), 576);
	}
}
END_TEST

__attribute__((target("xsave"))) static uint64_t read_xcr0(void)
{
	return _xgetbv(0);
}

/* Compares the size of the whole area with CPUID, leaf 0DH (subleaf 0: the standard format). */
START_TEST(test_xsave_extended)
{
	static const struct {
		int component;
		uint32_t size; /* of the compacted format up to it, none in between */
	} compacted[] = { { 2, 256 }, { 5, 64 }, { 6, 512 }, { 7, 1024 } };
	uint32_t a, b, c, d;
	uint64_t xcr0;

	__cpuid(1, a, b, c, d);
	if (!(c & bit_OSXSAVE)) {
		printf("skipped: no XSAVE\n");
		return;
	}
	set_registers();
	xcr0 = read_xcr0();
	__cpuid_count(0xd, 0, a, b, c, d);
	ck_assert_uint_eq(xsave_bytes(xsave, xcr0, ~0ull), b);
	ck_assert_uint_eq(xsave_bytes(xrstor, xcr0, ~0ull), b);
	ck_assert_uint_eq(xsave_bytes(xsaveopt, xcr0, ~0ull), b);
	ck_assert_uint_eq(xsave_bytes(xsave, ~0ull, xcr0), b);
	for (size_t i = 0, end = 576; i < sizeof(compacted) / sizeof(compacted[0]); i++) {
		uint64_t bit = 1ull << compacted[i].component;

		if (!(xcr0 & bit))
			continue;
		end += compacted[i].size;
		ck_assert_uint_eq(xsave_bytes(xsavec, xcr0, bit), 576 + compacted[i].size);
		ck_assert_uint_eq(xsave_bytes(xsavec, xcr0 & 0xe7, bit * 2 - 1), end);
	}
}
END_TEST

/* ---- tiles ------------------------------------------------------------------------------- */

enum { TILE_PIECES = 7, TILE_VALUES = TILE_PIECES * (1 + 1 + ISA_TILE_ROWS) };

static void configure_tile(int tile, unsigned columns, unsigned rows, unsigned start_row)
{
	registers.tile_config[0] = 1;
	registers.tile_config[1] = start_row;
	registers.tile_config[16 + 2 * tile] = columns & 0xff;
	registers.tile_config[17 + 2 * tile] = columns >> 8;
	registers.tile_config[48 + tile] = rows;
}

static const uint64_t *tile_extras(const uint64_t *values, int piece)
{
	return values + TILE_PIECES + piece * (1 + ISA_TILE_ROWS);
}

/* Checks that the operands cover the bytes of the manual's loop, and no others: row i is at first +
 * i * stride, from start_row on. */
static void check_tile(const char *hex, unsigned columns, unsigned first_row, unsigned rows,
		       uint64_t first, uint64_t stride)
{
	uint64_t values[ISA_MAX_VALUES];
	uint8_t seen[ISA_TILE_ROWS][ISA_TILE_COLUMNS] = { { 0 } };
	struct isa_insn insn;

	ck_assert_int_eq(find_values(hex, &insn, values), TILE_VALUES);
	ck_assert(isa_needs_vectors(&insn));
	for (int k = 0; k < TILE_PIECES; k++) {
		const uint64_t *extras = tile_extras(values, k);
		const struct tf_operand *o = &insn.operands[k].trace;

		ck_assert_uint_eq(o->size, 64u >> k);
		for (unsigned i = 0; i < o->lanes; i++) {
			uint64_t at = values[k] + extras[1 + i] * o->scale;

			if (!(extras[0] >> i & 1))
				continue;
			at -= first + i * stride;
			ck_assert_uint_le(at + o->size, ISA_TILE_COLUMNS);
			for (unsigned byte = 0; byte < o->size; byte++)
				seen[i][at + byte]++;
		}
	}
	for (unsigned i = 0; i < ISA_TILE_ROWS; i++)
		for (unsigned byte = 0; byte < ISA_TILE_COLUMNS; byte++)
			ck_assert_uint_eq(seen[i][byte],
					  i >= first_row && i < rows && byte < columns);
}

#define TILELOADD_TMM1 "c4 e2 7b 4b 0c 18" /* tileloadd (%rax,%rbx,1),%tmm1 */

START_TEST(test_tiles_of_all_widths)
{
	for (unsigned columns = 0; columns <= ISA_TILE_COLUMNS; columns++) {
		set_registers();
		configure_tile(1, columns, 16, 0);
		configure_tile(2, 64, 1, 0);
		check_tile(TILELOADD_TMM1, columns, 0, 16, RAX, RBX);
		check_tile("c4 e2 7a 4b 0c 18", columns, 0, 16, RAX, RBX); /* tilestored */
		check_tile("c4 e2 79 4b 14 18", 64, 0, 1, RAX, RBX);       /* tileloaddt1 ,%tmm2 */
	}
}
END_TEST

START_TEST(test_tile_rows)
{
	uint64_t values[ISA_MAX_VALUES];
	struct isa_insn insn;

	for (unsigned rows = 0; rows <= ISA_TILE_ROWS; rows++)
		for (unsigned first = 0; first <= rows; first++) {
			set_registers();
			configure_tile(1, 48, rows, first);
			check_tile(TILELOADD_TMM1, 48, first, rows, RAX, RBX);
		}
	/* 16 rows of 64 bytes are 16 accesses, all of the first operand. */
	set_registers();
	configure_tile(1, 64, 16, 0);
	find_values(TILELOADD_TMM1, &insn, values);
	ck_assert_uint_eq(tile_extras(values, 0)[0], 0xffff);
	for (int k = 1; k < TILE_PIECES; k++)
		ck_assert_uint_eq(tile_extras(values, k)[0], 0);
	/* Without a configuration there are no rows; rows beyond the palette's do no harm. */
	set_registers();
	check_tile(TILELOADD_TMM1, 64, 0, 0, RAX, RBX);
	configure_tile(1, 64, 255, 0);
	check_tile(TILELOADD_TMM1, 64, 0, 0, RAX, RBX);
}
END_TEST

START_TEST(test_tile_addresses)
{
	uint64_t values[ISA_MAX_VALUES];
	struct isa_insn insn;

	set_registers();
	configure_tile(1, 64, 16, 0);
	configure_tile(7, 40, 9, 0);
	/* tileloadd 0x10(%rax),%tmm1: without an index, all rows are the same */
	check_tile("c4 e2 7b 4b 4c 20 10", 64, 0, 16, RAX + 16, 0);
	/* tileloadd -8(%rax,%rbx,4),%tmm1; a stride may be negative */
	check_tile("c4 e2 7b 4b 4c 98 f8", 64, 0, 16, RAX - 8, RBX * 4);
	registers.general[ISA_RBX] = -64;
	check_tile(TILELOADD_TMM1, 64, 0, 16, RAX, -64);
	/* tileloadd %fs:(%rax,%rbx,1),%tmm1 */
	check_tile("64 c4 e2 7b 4b 0c 18", 64, 0, 16, FS + RAX, -64);
	/* tileloadd -8(%r12d,%r10d,2),%tmm7 */
	registers.general[12] = 0xd00001000;
	registers.general[10] = 0xb00000100;
	check_tile("67 c4 82 7b 4b 7c 54 f8", 40, 0, 9, 0x1000 - 8, 0x200);
	/* tileloadd %fs:(%r12d,%r10d,2),%tmm7: from row 8 on it wraps, in its segment */
	registers.general[12] = 0xdfffff000;
	find_values("64 67 c4 82 7b 4b 3c 54", &insn, values);
	ck_assert_uint_eq(values[0], FS + 0xfffff000);
	ck_assert_uint_eq(values[0] + tile_extras(values, 0)[1 + 7], FS + 0xfffffe00);
	ck_assert_uint_eq(values[0] + tile_extras(values, 0)[1 + 8], FS);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("isa-values");
	TCase *tests = tcase_create("values");

	tcase_add_loop_test(tests, test_general, 0, sizeof(general) / sizeof(general[0]));
	tcase_add_test(tests, test_bit_string);
	tcase_add_test(tests, test_xlat_and_clzero);
	tcase_add_test(tests, test_k_masks);
	tcase_add_test(tests, test_sign_masks);
	tcase_add_test(tests, test_lanes);
	tcase_add_test(tests, test_broadcasts);
	tcase_add_test(tests, test_packed_size);
	tcase_add_test(tests, test_tiles_of_all_widths);
	tcase_add_test(tests, test_tile_rows);
	tcase_add_test(tests, test_tile_addresses);
	tcase_add_test(tests, test_xsave_legacy);
	tcase_add_test(tests, test_xsave_extended);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
