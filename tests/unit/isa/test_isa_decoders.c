/* SPDX-License-Identifier: MIT */
/*
 * Two more opinions on all code of real libraries: capstone on lengths, branch targets and the
 * parts of memory operands; objdump on instruction boundaries and branch targets. Where they are
 * known to be wrong stands in tables, with the reason.
 */
#include <capstone/capstone.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/isa/elf_text.h"
#include "tests/unit/run_suite.h"
#include "traceformat/isa.h"

struct comparison {
	long insns;		/* that both decode */
	long operands, targets;	/* compared */
	long undecoded;		/* by us: data between the code */
	long alone;		/* decoded by us alone */
	long excused, wrong;
};

static const char libc[] = "/lib/x86_64-linux-gnu/libc.so.6";

enum aspect { LENGTH, ADDRESS, TARGET };
static const char *const aspect_names[] = { "length", "address", "target" };

/* ---- known errors of the others ---------------------------------------------------------- */

static size_t skip_prefixes(const uint8_t *code)
{
	size_t i = 0;

	while (i < 14 && memchr("\x66\x67\xf0\xf2\xf3\x26\x2e\x36\x3e\x64\x65", code[i], 11))
		i++;
	return i;
}

static bool has_high_source(const uint8_t *code)
{
	const uint8_t *evex = code + skip_prefixes(code);

	return evex[0] == 0x62 && !(evex[3] & 8);
}

static bool is_ud0_or_ud1(const uint8_t *code)
{
	const uint8_t *opcode = code + skip_prefixes(code);

	return opcode[0] == 0x0f && (opcode[1] == 0xb9 || opcode[1] == 0xff);
}

static bool has_operand_size(const uint8_t *code)
{
	return memchr(code, 0x66, skip_prefixes(code));
}

static bool has_null_segment(const uint8_t *code)
{
	size_t n = skip_prefixes(code);

	return memchr(code, 0x2e, n) || memchr(code, 0x36, n) || memchr(code, 0x3e, n) ||
	       memchr(code, 0x26, n);
}

static const struct {
	const char *decoder;
	enum aspect aspect;
	bool (*applies)(const uint8_t *code);
	const char *reason;
} known_errors[] = {
	{ "capstone", ADDRESS, has_high_source,
	  "takes EVEX.V' (vector source 16-31) for the high bit of a vector index" },
	{ "capstone", LENGTH, is_ud0_or_ud1, "leaves out ModRM, which processors fetch" },
	{ "capstone", LENGTH, has_operand_size,
	  "16-bit branch displacements, as AMD has them; ours are Intel's" },
	{ "capstone", ADDRESS, has_null_segment,
	  "cs, ds, es, ss hide a preceding fs or gs; in 64-bit mode they mean nothing" },
};

static void disagree(struct comparison *comparison, const char *decoder, const uint8_t *code,
		     uint64_t pc, const char *other, enum aspect aspect)
{
	char text[128];

	for (size_t i = 0; i < sizeof(known_errors) / sizeof(known_errors[0]); i++)
		if (!strcmp(known_errors[i].decoder, decoder) &&
		    known_errors[i].aspect == aspect && known_errors[i].applies(code)) {
			comparison->excused++;
			return;
		}
	isa_disassemble(code, 15, pc, ISA_INTEL, ISA_SYNTAX_ATT, text, sizeof(text));
	fprintf(stderr, "%lx: %s, %s has %s: %s differs\n", pc, text, decoder, other,
		aspect_names[aspect]);
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

/* capstone's name of a register as we number them. */
static uint8_t general_number(x86_reg reg)
{
	static const x86_reg wide[] = {
		X86_REG_RAX, X86_REG_RCX, X86_REG_RDX, X86_REG_RBX, X86_REG_RSP, X86_REG_RBP,
		X86_REG_RSI, X86_REG_RDI, X86_REG_R8, X86_REG_R9, X86_REG_R10, X86_REG_R11,
		X86_REG_R12, X86_REG_R13, X86_REG_R14, X86_REG_R15,
	};
	static const x86_reg narrow[] = {
		X86_REG_EAX, X86_REG_ECX, X86_REG_EDX, X86_REG_EBX, X86_REG_ESP, X86_REG_EBP,
		X86_REG_ESI, X86_REG_EDI, X86_REG_R8D, X86_REG_R9D, X86_REG_R10D, X86_REG_R11D,
		X86_REG_R12D, X86_REG_R13D, X86_REG_R14D, X86_REG_R15D,
	};

	for (int i = 0; i < 16; i++)
		if (reg == wide[i] || reg == narrow[i])
			return i;
	return ISA_NO_REGISTER;
}

static uint8_t vector_number(x86_reg reg)
{
	if (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM31)
		return reg - X86_REG_XMM0;
	if (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM31)
		return reg - X86_REG_YMM0;
	if (reg >= X86_REG_ZMM0 && reg <= X86_REG_ZMM31)
		return reg - X86_REG_ZMM0;
	return ISA_NO_REGISTER;
}

static uint8_t segment_number(x86_reg reg)
{
	return reg == X86_REG_FS ? TF_SEGMENT_FS : reg == X86_REG_GS ? TF_SEGMENT_GS : 0;
}

static const cs_x86_op *capstone_operand(const cs_insn *capstone, x86_op_type type)
{
	const cs_x86 *x86 = &capstone->detail->x86;

	for (int i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == type)
			return &x86->operands[i];
	return NULL;
}

static bool same_address(const struct isa_insn *insn, const struct isa_operand *operand,
			 const cs_insn *capstone, const x86_op_mem *memory)
{
	const struct isa_address *address = &operand->address;
	int64_t displacement = memory->disp;
	bool relative = memory->base == X86_REG_RIP || memory->base == X86_REG_EIP;

	if (relative)
		displacement += capstone->address + capstone->size;
	/* pop computes its destination with the new rsp */
	if (capstone->id == X86_INS_POP && address->base == ISA_RSP)
		displacement += insn->operands[0].trace.size;
	return address->base == general_number(memory->base) &&
	       address->index == general_number(memory->index) &&
	       address->index_vector == vector_number(memory->index) &&
	       (address->index == ISA_NO_REGISTER || address->scale == memory->scale) &&
	       (address->index_vector == ISA_NO_REGISTER ||
		operand->trace.scale == memory->scale) &&
	       address->segment == segment_number(memory->segment) &&
	       (address->address32 ? (uint32_t)address->displacement == (uint32_t)displacement
				   : address->displacement == displacement);
}

static void compare_operands(struct comparison *comparison, const uint8_t *code,
			     const struct isa_insn *insn, const cs_insn *capstone)
{
	const cs_x86_op *memory = capstone_operand(capstone, X86_OP_MEM);
	char text[256];

	snprintf(text, sizeof(text), "%s %s", capstone->mnemonic, capstone->op_str);
	for (int i = 0; i < insn->n_operands; i++) {
		const struct isa_operand *operand = &insn->operands[i];

		if (operand->trace.flags & TF_IMPLICIT)
			continue;
		comparison->operands++;
		if (!memory || !same_address(insn, operand, capstone, &memory->mem))
			disagree(comparison, "capstone", code, capstone->address, text, ADDRESS);
	}
}

static void compare_target(struct comparison *comparison, const uint8_t *code,
			   const struct isa_insn *insn, const cs_insn *capstone)
{
	const cs_x86_op *immediate = capstone_operand(capstone, X86_OP_IMM);

	if (!has_target(insn))
		return;
	comparison->targets++;
	if (!immediate || (uint64_t)immediate->imm != insn->target)
		disagree(comparison, "capstone", code, capstone->address, capstone->op_str,
			 TARGET);
}

static struct comparison compare_with_capstone(const struct elf_text *text)
{
	struct comparison comparison = { 0 };
	cs_insn *capstone;
	csh handle;
	size_t at = 0;

	ck_assert_int_eq(cs_open(CS_ARCH_X86, CS_MODE_64, &handle), CS_ERR_OK);
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	capstone = cs_malloc(handle);
	while (at < text->size) {
		const uint8_t *code = text->code + at, *next = code;
		uint64_t pc = text->address + at, after = pc;
		size_t left = text->size - at;
		struct isa_insn insn;

		if (isa_decode(code, left, pc, ISA_INTEL, &insn) < 0) {
			comparison.undecoded++;
			at++;
			continue;
		}
		at += insn.length;
		if (!cs_disasm_iter(handle, &next, &left, &after, capstone)) {
			comparison.alone++;
			continue;
		}
		comparison.insns++;
		if (capstone->size != insn.length) {
			disagree(&comparison, "capstone", code, pc, capstone->mnemonic, LENGTH);
			continue;
		}
		compare_operands(&comparison, code, &insn, capstone);
		compare_target(&comparison, code, &insn, capstone);
	}
	cs_free(capstone, 1);
	cs_close(&handle);
	return comparison;
}

START_TEST(test_capstone)
{
	static const struct {
		const char *path;
		bool has_data;		/* in .text */
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
		ck_assert_int_lt(comparison.excused, 100);
		if (!files[i].has_data)
			ck_assert_int_eq(comparison.undecoded, 0);
	}
}
END_TEST

/* ---- objdump ----------------------------------------------------------------------------- */

/* "  26380:\tcall   26390 <name>": returns false if the line is no instruction. */
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
		disagree(comparison, "objdump", code, pc, line, LENGTH);
	if (!has_target(&insn))
		return;
	comparison->targets++;
	if (parse_target(line) != insn.target)
		disagree(comparison, "objdump", code, pc, line, TARGET);
}

START_TEST(test_objdump)
{
	struct comparison comparison = { 0 };
	char command[256], buffers[2][256], *insn, *last = NULL;
	uint64_t pc, last_pc = 0;
	struct elf_text text;
	FILE *pipe;

	ck_assert(elf_text_open(libc, &text));
	snprintf(command, sizeof(command), "objdump -d -w -j .text --no-show-raw-insn %s", libc);
	pipe = popen(command, "r");
	ck_assert_ptr_nonnull(pipe);
	for (int i = 0; fgets(buffers[i], sizeof(buffers[i]), pipe);) {
		if (!parse_line(buffers[i], &pc, &insn))
			continue;
		if (last)
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
	tcase_add_test(tests, test_objdump);
	tcase_set_timeout(tests, 300);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
