/* SPDX-License-Identifier: MIT */
/*
 * Compares isa_decode with two other decoders on all code of real libraries: with capstone in
 * lengths, control transfers and memory operands, as trace-verify --decode does; with objdump in
 * instruction boundaries and branch targets.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verify/second_decoder.h"
#include "tests/unit/isa/elf_text.h"
#include "tests/unit/isa/seen.h"
#include "tests/unit/isa/sweep.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"
#include "traceformat/traceisa.h"

struct comparison {
	long insns;             /* decoded by both */
	long operands, targets; /* compared */
	long undecoded;         /* by us: data between the code */
	long alone;             /* decoded only by us */
	long excused, wrong;
};

static const char libc[] = "/lib/x86_64-linux-gnu/libc.so.6";

static void disagree(struct comparison *comparison, const uint8_t *code, uint64_t pc,
		     const char *other, enum decoded_part part)
{
	char text[128];

	isa_disassemble(code, 15, pc, ISA_INTEL, ISA_SYNTAX_ATT, text, sizeof(text));
	fprintf(stderr, "%lx: %s, the other decoder has %s: %s differs\n", pc, text, other,
		decoded_part_name(part));
	comparison->wrong++;
}

static void report(const char *decoder, const char *path, const struct comparison *comparison)
{
	printf("%s, %s: %ld instructions, %ld addresses, %ld targets; %ld known to us alone, "
	       "%ld errors excused\n",
	       decoder, path, comparison->insns, comparison->operands, comparison->targets,
	       comparison->alone, comparison->excused);
}

static bool has_target(const struct isa_insn *insn)
{
	return insn->end == TF_END_CONDITIONAL || insn->end == TF_END_JUMP ||
	       insn->end == TF_END_CALL;
}

/* ---- capstone ---------------------------------------------------------------------------- */

static void count_insn(const struct isa_insn *insn, struct comparison *comparison)
{
	comparison->insns++;
	comparison->targets += has_target(insn);
	for (int i = 0; i < insn->n_operands; i++)
		comparison->operands += !(insn->operands[i].trace.flags & TF_IMPLICIT);
}

static void compare_insn(struct second_decoder *decoder, const uint8_t *code, size_t available,
			 uint64_t pc, const struct isa_insn *insn, struct comparison *comparison)
{
	struct decoder_difference difference;

	switch (second_decoder_compare(decoder, code, available, pc, ISA_INTEL, insn,
				       &difference)) {
	case DECODERS_AGREE: break;
	case DECODERS_ONE: comparison->alone++; break;
	case DECODERS_EXCUSED: comparison->excused++; break;
	case DECODERS_DIFFER: disagree(comparison, code, pc, difference.theirs, difference.part);
	}
}

static struct comparison compare_with_capstone(const struct elf_text *text)
{
	struct second_decoder *decoder = second_decoder_open();
	struct comparison comparison = { 0 };
	struct isa_insn insn;

	ck_assert_ptr_nonnull(decoder);
	for (size_t at = 0; at < text->size; at += insn.length) {
		const uint8_t *code = text->code + at;
		size_t left = text->size - at;

		if (isa_decode(code, left, text->address + at, ISA_INTEL, &insn) < 0) {
			comparison.undecoded++;
			insn.length = 1;
			continue;
		}
		count_insn(&insn, &comparison);
		if (!is_quick() || !begins_as_before(code, insn.length))
			compare_insn(decoder, code, left, text->address + at, &insn, &comparison);
	}
	second_decoder_close(decoder);
	return comparison;
}

START_TEST(test_capstone)
{
	static const struct {
		const char *path;
		bool has_data; /* in .text */
	} files[] = {
		{ libc, false },
		{ "/usr/bin/python3", false },
		{ "/usr/lib/x86_64-linux-gnu/libcrypto.so.3", true },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct comparison comparison;
		struct elf_text text;

		if (!elf_text_open(files[i].path, &text)) {
			printf("%s: skipped, not installed\n", files[i].path);
			ck_assert_str_ne(files[i].path, libc);
			continue;
		}
		comparison = compare_with_capstone(&text);
		report("capstone", files[i].path, &comparison);
		ck_assert_int_eq(comparison.wrong, 0);
		ck_assert_int_gt(comparison.insns, 100000);
		ck_assert_int_gt(comparison.operands, 20000);
		ck_assert_int_gt(comparison.targets, 20000);
		ck_assert_int_lt(comparison.alone, comparison.insns / 100);
		ck_assert_int_lt(comparison.excused, comparison.insns / 1000);
		if (!files[i].has_data)
			ck_assert_int_eq(comparison.undecoded, 0);
	}
}
END_TEST

START_TEST(test_capstone_random_bytes)
{
	enum { TRIES = 200000 };
	struct second_decoder *decoder = second_decoder_open();
	struct comparison comparison = { 0 };
	uint64_t state = 88172645463325252u;

	ck_assert_ptr_nonnull(decoder);
	for (int i = 0; i < TRIES; i++) {
		uint64_t words[2] = { xorshift(&state), xorshift(&state) };
		const uint8_t *code = (const uint8_t *)words;
		struct isa_insn insn;

		if (isa_decode(code, 15, 0x1000, ISA_INTEL, &insn) < 0)
			continue;
		count_insn(&insn, &comparison);
		if (!is_quick() || !begins_as_before(code, insn.length))
			compare_insn(decoder, code, 15, 0x1000, &insn, &comparison);
	}
	second_decoder_close(decoder);
	ck_assert_int_eq(comparison.wrong, 0);
	ck_assert_int_gt(comparison.insns, TRIES / 2);
	ck_assert_int_lt(comparison.excused, comparison.insns / 100);
}
END_TEST

struct evex_sweep {
	struct second_decoder *decoder;
	struct comparison comparison;
};

static void compare_evex(const uint8_t *code, void *opaque)
{
	struct evex_sweep *sweep = opaque;
	struct isa_insn insn;

	if (code[0] != 0x62 || isa_decode(code, 15, 0x1000, ISA_INTEL, &insn) < 0)
		return;
	count_insn(&insn, &sweep->comparison);
	compare_insn(sweep->decoder, code, 15, 0x1000, &insn, &sweep->comparison);
}

/* Code of libraries has few of the AVX-512 instructions. */
START_TEST(test_capstone_evex)
{
	struct evex_sweep all = { .decoder = second_decoder_open() };

	ck_assert_ptr_nonnull(all.decoder);
	sweep(compare_evex, &all);
	second_decoder_close(all.decoder);
	report("capstone", "AVX-512", &all.comparison);
	ck_assert_int_eq(all.comparison.wrong, 0);
	ck_assert_int_gt(all.comparison.operands, 20000);
	ck_assert_int_lt(all.comparison.excused, all.comparison.insns / 10);
}
END_TEST

/* Each row spoils one fact of an instruction, which capstone must contradict. */
static void spoil_length(struct isa_insn *insn)
{
	insn->length++;
}
static void spoil_end(struct isa_insn *insn)
{
	insn->end = TF_END_RETURN;
}
static void spoil_target(struct isa_insn *insn)
{
	insn->target++;
}
static void spoil_base(struct isa_insn *insn)
{
	insn->operands[0].address.base ^= 1;
}
static void spoil_index(struct isa_insn *insn)
{
	insn->operands[0].address.index ^= 1;
}
static void spoil_scale(struct isa_insn *insn)
{
	insn->operands[0].address.scale *= 2;
}
static void spoil_segment(struct isa_insn *insn)
{
	insn->operands[0].address.segment ^= 1;
}
static void spoil_displacement(struct isa_insn *insn)
{
	insn->operands[0].address.displacement ^= 0x40;
}
static void spoil_size(struct isa_insn *insn)
{
	insn->operands[0].trace.size *= 2;
}
static void spoil_operands(struct isa_insn *insn)
{
	insn->n_operands = 0;
}

START_TEST(test_capstone_contradicts)
{
	static const uint8_t add[15] = {
		0x64, 0x48, 0x01, 0x44, 0x8f, 0x08
	}; /* %rax, %fs:8(%rdi,%rcx,4) */
	static const uint8_t jne[15] = { 0x75, 0x10 };
	static const struct {
		const uint8_t *code;
		void (*spoil)(struct isa_insn *);
		enum decoded_part part;
	} rows[] = {
		{ add, spoil_length, DECODED_LENGTH },
		{ add, spoil_end, DECODED_TRANSFER },
		{ jne, spoil_end, DECODED_TRANSFER },
		{ jne, spoil_target, DECODED_TRANSFER },
		{ add, spoil_base, DECODED_OPERAND },
		{ add, spoil_index, DECODED_OPERAND },
		{ add, spoil_scale, DECODED_OPERAND },
		{ add, spoil_segment, DECODED_OPERAND },
		{ add, spoil_displacement, DECODED_OPERAND },
		{ add, spoil_size, DECODED_SIZE },
		{ add, spoil_operands, DECODED_OPERAND },
	};
	struct second_decoder *decoder = second_decoder_open();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct decoder_difference difference;
		struct isa_insn insn;

		ck_assert_int_eq(isa_decode(rows[i].code, 15, 0x1000, ISA_INTEL, &insn), 0);
		ck_assert_int_eq(second_decoder_compare(decoder, rows[i].code, 15, 0x1000,
							ISA_INTEL, &insn, &difference),
				 DECODERS_AGREE);
		rows[i].spoil(&insn);
		ck_assert_int_eq(second_decoder_compare(decoder, rows[i].code, 15, 0x1000,
							ISA_INTEL, &insn, &difference),
				 DECODERS_DIFFER);
		ck_assert_int_eq(difference.part, rows[i].part);
	}
	second_decoder_close(decoder);
}
END_TEST

/* ---- objdump ----------------------------------------------------------------------------- */

/* Reads "  26380:\tcall   26390 <name>". Returns false if the line is no instruction. */
static bool parse_line(char *line, uint64_t *pc, char **insn)
{
	char *end;

	*pc = strtoull(line, &end, 16);
	if (end == line || end[0] != ':' || end[1] != '\t')
		return false;
	*insn = end + 2;
	(*insn)[strcspn(*insn, "\n")] = '\0';
	return true;
}

/* The target is the last word before the symbol. */
static uint64_t parse_target(const char *insn)
{
	const char *end = strchr(insn, '<'), *start;

	end = end ? end - 1 : insn + strlen(insn);
	for (start = end; start > insn && start[-1] != ' ' && start[-1] != ',';)
		start--;
	return strtoull(start, NULL, 16);
}

/* next: where objdump has the following instruction. */
static void compare_line(struct comparison *comparison, const struct elf_text *text, uint64_t pc,
			 const char *line, uint64_t next)
{
	const uint8_t *code = text->code + (pc - text->address);
	struct isa_insn insn;

	if (isa_decode(code, text->size - (pc - text->address), pc, ISA_INTEL, &insn) < 0) {
		comparison->undecoded++;
		return;
	}
	comparison->insns++;
	if (pc + insn.length != next)
		disagree(comparison, code, pc, line, DECODED_LENGTH);
	if (!has_target(&insn))
		return;
	comparison->targets++;
	if (parse_target(line) != insn.target)
		disagree(comparison, code, pc, line, DECODED_TRANSFER);
}

START_TEST(test_objdump)
{
	struct comparison comparison = { 0 };
	char command[256], buffers[2][256], *insn, *last = NULL;
	uint64_t pc, last_pc = 0, end;
	struct elf_text text;
	FILE *pipe;

	ck_assert(elf_text_open(libc, &text));
	end = text.address + (is_quick() ? text.size / 2 : text.size);
	snprintf(command, sizeof(command),
		 "objdump -d -w -j .text --no-show-raw-insn --stop-address=%#lx %s", end + 15,
		 libc);
	pipe = popen(command, "r");
	ck_assert_ptr_nonnull(pipe);
	for (int i = 0; fgets(buffers[i], sizeof(buffers[i]), pipe);) {
		if (!parse_line(buffers[i], &pc, &insn))
			continue;
		if (last && last_pc < end)
			compare_line(&comparison, &text, last_pc, last, pc);
		last = insn;
		last_pc = pc;
		i = !i;
	}
	ck_assert_int_eq(pclose(pipe), 0);
	report("objdump", libc, &comparison);
	ck_assert_int_eq(comparison.wrong, 0);
	ck_assert_int_eq(comparison.undecoded, 0);
	ck_assert_int_gt(comparison.insns, 100000);
	ck_assert_int_gt(comparison.targets, 20000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("isa-decoders");
	TCase *tests = tcase_create("decoders");

	tcase_add_test(tests, test_capstone);
	tcase_add_test(tests, test_capstone_random_bytes);
	tcase_add_test(tests, test_capstone_evex);
	tcase_add_test(tests, test_capstone_contradicts);
	tcase_add_test(tests, test_objdump);
	tcase_set_timeout(tests, 300);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
