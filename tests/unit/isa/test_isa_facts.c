/* SPDX-License-Identifier: MIT */
/*
 * Compares isa_facts with a table of XED's categories by capstone's instructions, with capstone's
 * lists of registers, where these are right, and with operand counts of XED written by hand.
 */
#include <capstone/capstone.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tests/unit/isa/elf_text.h"
#include "tests/unit/run_suite.h"
#include "traceformat/traceisa.h"

static const char *const files[] = { "/lib/x86_64-linux-gnu/libc.so.6",
				     "/lib/x86_64-linux-gnu/libm.so.6", "/usr/bin/python3",
				     "/usr/lib/x86_64-linux-gnu/libcrypto.so.3" };

enum { TOLD = 20 }; /* disagreements printed */

/* ---- categories -------------------------------------------------------------------------- */

/* XED's categories by capstone's id, several apart by |; NULL: not known. */
static char *categories[X86_INS_ENDING];

static void read_categories(void)
{
	FILE *file = fopen("tests/oracle/xed_categories.tsv", "r");
	char line[256], category[128];
	unsigned id;

	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%u\t%*[^\t]\t%127[^\n]", &id, category) == 2 &&
		    id < X86_INS_ENDING && *category != '?')
			categories[id] = strdup(category);
	fclose(file);
}

static bool is_among(const char *word, const char *words, const char *separator)
{
	size_t length = strlen(word);

	while (*words) {
		size_t n = strcspn(words, separator);

		if (n == length && !memcmp(word, words, n))
			return true;
		words += n + (words[n] != '\0');
	}
	return false;
}

static bool is_one_of(const char *word, const char *words)
{
	return is_among(word, words, "|");
}

static bool is_word(const char *word, const char *words)
{
	return is_among(word, words, " ");
}

/* Integer comparisons into mask registers, which capstone calls pcmpistri and such. */
static bool has_wrong_id(const cs_insn *insn)
{
	return !strncmp(insn->mnemonic, "vpcmp", 5);
}

/* ---- registers --------------------------------------------------------------------------- */

/* A set of our register numbers. */
struct set {
	bool has[ISA_N_REGISTERS];
};

static uint8_t number_named(const char *name)
{
	for (unsigned i = 0; i < ISA_N_REGISTERS; i++)
		if (!strcasecmp(isa_register_name(i), name))
			return i;
	if (!strncmp(name, "st(", 3))
		for (unsigned i = 0; i < ISA_N_REGISTERS; i++)
			if (!strncmp(isa_register_name(i), "st", 2) &&
			    isa_register_name(i)[2] == name[3])
				return i;
	return ISA_NO_REGISTER;
}

static uint8_t numbers[X86_REG_ENDING];

static void name_registers(csh handle)
{
	for (unsigned i = 0; i < X86_REG_ENDING; i++) {
		const char *name = cs_reg_name(handle, i);

		numbers[i] = name ? number_named(name) : ISA_NO_REGISTER;
	}
}

static struct set set_of(const uint16_t *regs, uint8_t count)
{
	struct set set = { { false } };

	for (int i = 0; i < count; i++)
		if (regs[i] < X86_REG_ENDING && numbers[regs[i]] != ISA_NO_REGISTER)
			set.has[numbers[regs[i]]] = true;
	return set;
}

static struct set our_set(const uint8_t *regs, uint8_t count)
{
	struct set set = { { false } };

	for (int i = 0; i < count; i++)
		set.has[regs[i]] = true;
	return set;
}

struct comparison {
	long insns, categories, wrong_categories, wrong_registers, excused;
};

static void tell(const cs_insn *insn, const char *what, uint8_t number)
{
	printf("%lx: %s %s: %s %s\n", insn->address, insn->mnemonic, insn->op_str, what,
	       isa_register_name(number));
}

/* Instructions for which capstone 4.0.2 is known to be wrong, or follows another rule than XED. */
enum { READ = 1, WRITE = 2, OURS = 4, THEIRS = 8 };
static const struct {
	const char *mnemonic;  /* a beginning */
	const char *registers; /* beginnings of names */
	unsigned who;
	const char *reason;
} known_errors[] = {
	{ "cmov", "", READ | THEIRS, "the destination is written under a condition, not read" },
	{ "f", "st", READ | WRITE | OURS, "implicit st0 and st1" },
	{ "vzero", "", WRITE | THEIRS, "XED lists no registers" },
	{ "test", "", WRITE | THEIRS, "writes flags alone" },
	{ "syscall", "rcx r11", WRITE | OURS, "the return address and flags" },
	{ "enter", "rsp rbp", READ | WRITE | OURS, "implicit" },
	{ "xlatb", "al rbx", READ | WRITE | OURS, "implicit" },
	{ "retf", "rsp", READ | WRITE | OURS, "implicit" },
	{ "iret", "rsp", READ | WRITE | OURS, "implicit" },
	{ "lcall", "rsp", READ | WRITE | OURS, "implicit" },
	{ "lock cmpxchg", "al ax eax rax edx rdx", READ | WRITE | OURS, "the accumulator" },
	{ "cmpxchg", "al ax eax rax edx rdx", READ | WRITE | OURS, "the accumulator" },
	{ "cqo", "rax", WRITE | THEIRS, "is read" },
	{ "cdq", "eax", WRITE | THEIRS, "is read" },
	{ "cwd", "ax", WRITE | THEIRS, "is read" },
	{ "in", "rdi edi", READ | WRITE | OURS | THEIRS, "both widths of a pointer" },
	{ "outs", "rsi esi", READ | WRITE | OURS | THEIRS, "both widths of a pointer" },
	{ "scas", "rdi edi", READ | WRITE | OURS | THEIRS, "both widths of a pointer" },
	{ "ldmxcsr", "mxcsr", WRITE | OURS, "not listed" },
	{ "stmxcsr", "mxcsr", READ | OURS, "not listed" },
	{ "vldmxcsr", "mxcsr", WRITE | OURS, "not listed" },
	{ "vstmxcsr", "mxcsr", READ | OURS, "not listed" },
	{ "adox", "", READ | OURS, "the destination is an addend" },
	{ "movh", "xmm", READ | THEIRS, "a partial write reads nothing" },
	{ "movl", "xmm", READ | THEIRS, "a partial write reads nothing" },
	{ "movsxd", "", WRITE | OURS | THEIRS, "without REX.W the destination is 32 bits" },
	{ "fcmov", "st", READ | WRITE | THEIRS, "takes st0 for a source" },
};

static bool begins_one(const char *name, const char *words)
{
	while (*words) {
		size_t n = strcspn(words, " ");

		if (!strncmp(name, words, n))
			return true;
		words += n + (words[n] != '\0');
	}
	return false;
}

static bool excused(const cs_insn *insn, bool write, uint8_t number, bool ours)
{
	unsigned who = (write ? WRITE : READ) | (ours ? OURS : THEIRS);

	for (size_t i = 0; i < sizeof(known_errors) / sizeof(known_errors[0]); i++)
		if (!strncmp(insn->mnemonic, known_errors[i].mnemonic,
			     strlen(known_errors[i].mnemonic)) &&
		    (known_errors[i].who & who) == who &&
		    (!*known_errors[i].registers ||
		     begins_one(isa_register_name(number), known_errors[i].registers)))
			return true;
	return false;
}

static void compare_sets(struct comparison *sum, const cs_insn *insn, bool write,
			 const struct set *ours, const struct set *theirs)
{
	for (unsigned i = 0; i < ISA_N_REGISTERS; i++) {
		if (ours->has[i] == theirs->has[i])
			continue;
		if (excused(insn, write, i, ours->has[i])) {
			sum->excused++;
			continue;
		}
		if (++sum->wrong_registers > TOLD)
			continue;
		tell(insn,
		     write          ? ours->has[i] ? "only we write" : "only capstone writes"
		     : ours->has[i] ? "only we read"
				    : "only capstone reads",
		     i);
	}
}

static void compare(struct comparison *sum, csh handle, const cs_insn *insn,
		    const struct isa_facts *facts)
{
	struct set reads = our_set(facts->reads, facts->n_reads);
	struct set writes = our_set(facts->writes, facts->n_writes);
	cs_regs read, written;
	uint8_t n_read, n_written;

	sum->insns++;
	if (categories[insn->id] && !has_wrong_id(insn)) {
		sum->categories++;
		if (!is_one_of(facts->category, categories[insn->id])) {
			sum->wrong_categories++;
			printf("%s %s: %s, not %s\n", insn->mnemonic, insn->op_str, facts->category,
			       categories[insn->id]);
		}
	}
	cs_regs_access(handle, insn, read, &n_read, written, &n_written);

	struct set their_reads = set_of(read, n_read), their_writes = set_of(written, n_written);

	compare_sets(sum, insn, false, &reads, &their_reads);
	compare_sets(sum, insn, true, &writes, &their_writes);
}

static void compare_text(struct comparison *sum, csh handle, const struct elf_text *text)
{
	cs_insn *insn = cs_malloc(handle);
	size_t at = 0;

	while (at < text->size) {
		const uint8_t *code = text->code + at;
		size_t left = text->size - at;
		uint64_t pc = text->address + at;
		struct isa_insn decoded;
		struct isa_facts facts;

		if (isa_decode(code, left, pc, ISA_INTEL, &decoded) ||
		    isa_facts(code, left, ISA_INTEL, &facts)) {
			at++;
			continue;
		}
		at += decoded.length;
		if (cs_disasm_iter(handle, &code, &left, &pc, insn) && insn->size == decoded.length)
			compare(sum, handle, insn, &facts);
	}
	cs_free(insn, 1);
}

START_TEST(test_capstone)
{
	struct comparison sum = { 0 };
	struct elf_text text;
	csh handle;

	read_categories();
	ck_assert_int_eq(cs_open(CS_ARCH_X86, CS_MODE_64, &handle), CS_ERR_OK);
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	name_registers(handle);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (elf_text_open(files[i], &text)) {
			if (is_quick())
				text.size /= 4;
			compare_text(&sum, handle, &text);
		}
	cs_close(&handle);
	printf("%ld instructions, %ld categories, %ld registers excused, wrong: %ld and %ld\n",
	       sum.insns, sum.categories, sum.excused, sum.wrong_categories, sum.wrong_registers);
	ck_assert_int_gt(sum.insns, 100000);
	ck_assert_int_gt(sum.categories, sum.insns / 100 * 99);
	ck_assert_int_eq(sum.wrong_categories, 0);
	/* Not looked into one by one: 8-bit mul and div, unusual prefixes, EVEX, data in .text. */
	ck_assert_int_lt(sum.wrong_registers, sum.insns / 1000);
}
END_TEST

/* ---- by hand ----------------------------------------------------------------------------- */

START_TEST(test_operand_counts)
{
	static const struct {
		const char *bytes, *iclass;
		uint8_t length, operands;
		const char *reads, *writes;
	} cases[] = {
		{ "\x01\xd8", "ADD", 2, 3, "eax ebx", "eax" },
		{ "\x89\xd8", "MOV", 2, 2, "ebx", "eax" },
		{ "\x48\x8b\x04\x4b", "MOV", 4, 1, "rbx rcx", "rax" },
		{ "\x50", "PUSH", 1, 2, "rax rsp", "rsp" },
		{ "\x58", "POP", 1, 2, "rsp", "rax rsp" },
		{ "\xe8\0\0\0\0", "CALL_NEAR", 5, 2, "rsp", "rsp" },
		{ "\xc3", "RET_NEAR", 1, 2, "rsp", "rsp" },
		{ "\xcb", "RET_FAR", 1, 2, "rsp", "rsp" },
		{ "\xeb\0", "JMP", 2, 1, "", "" },
		{ "\x74\0", "JZ", 2, 2, "", "" },
		{ "\xe3\0", "JRCXZ", 2, 2, "rcx", "" },
		{ "\x48\x8d\x04\x0b", "LEA", 4, 1, "rbx rcx", "rax" },
		{ "\x90", "NOP", 1, 0, "", "" },
		{ "\x0f\x1f\x04\x0b", "NOP", 4, 0, "rbx rcx", "" },
		{ "\xf3\x0f\x1e\xfa", "ENDBR64", 4, 0, "", "" },
		{ "\x48\x0f\x44\xc3", "CMOVZ", 4, 3, "rbx", "rax" },
		{ "\x48\xf7\xe3", "MUL", 3, 4, "rax rbx", "rax rdx" },
		{ "\x48\xf7\xf3", "DIV", 3, 4, "rax rdx rbx", "rax rdx" },
		{ "\x0f\xa2", "CPUID", 2, 4, "eax ecx", "eax ebx ecx edx" },
		{ "\x0f\x05", "SYSCALL", 2, 4, "", "rcx r11" },
		{ "\xa4", "MOVSB", 1, 1, "rsi rdi", "rsi rdi" },
		{ "\xf3\xa4", "MOVSB", 2, 2, "rsi rdi rcx", "rsi rdi rcx" },
		{ "\xa6", "CMPSB", 1, 1, "rsi rdi", "rsi rdi" },
		{ "\xae", "SCASB", 1, 2, "al rdi", "rdi" },
		{ "\xac", "LODSB", 1, 2, "rsi", "al rsi" },
		{ "\x48\x99", "CQO", 2, 2, "rax", "rdx" },
		{ "\xc9", "LEAVE", 1, 2, "rsp rbp", "rsp rbp" },
		{ "\xd8\xc1", "FADD", 2, 3, "st0 st1", "st0" },
		{ "\xd8\x00", "FADD", 2, 2, "st0 rax", "st0" },
		{ "\xde\xc1", "FADDP", 2, 4, "st0 st1", "st1" },
		{ "\xd9\xc1", "FLD", 2, 4, "st1", "st0" },
		{ "\xd9\x00", "FLD", 2, 3, "rax", "st0" },
		{ "\xdd\xd9", "FSTP", 2, 4, "st0", "st1" },
		{ "\xd9\x18", "FSTP", 2, 3, "st0 rax", "" },
		{ "\xd9\xc9", "FXCH", 2, 3, "st0 st1", "st0 st1" },
		{ "\xd9\xe0", "FCHS", 2, 2, "st0", "st0" },
		{ "\xdb\xf1", "FCOMI", 2, 4, "st0 st1", "" },
		{ "\xdf\xf1", "FCOMIP", 2, 5, "st0 st1", "" },
		{ "\xd9\x28", "FLDCW", 2, 2, "rax", "" },
		{ "\xdf\xe0", "FNSTSW", 2, 2, "", "ax" },
		{ "\x0f\x2e\xc1", "UCOMISS", 3, 3, "xmm0 xmm1", "" },
		{ "\x0f\xae\x10", "LDMXCSR", 3, 1, "rax", "mxcsr" },
		{ "\xf2\x48\x0f\x2a\xc0", "CVTSI2SD", 5, 2, "rax", "xmm0" },
		{ "\x31\xc0", "XOR", 2, 3, "eax", "eax" },
		{ "\x0f\xb6\xc4", "MOVZX", 3, 2, "ah", "eax" },
		{ "\xf2\x0f\x10\xc1", "MOVSD_XMM", 4, 2, "xmm1", "xmm0" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct isa_facts facts;
		struct set sets[2];

		const uint8_t *code = (const uint8_t *)cases[i].bytes;

		ck_assert_int_eq(isa_facts(code, cases[i].length, ISA_INTEL, &facts), 0);
		ck_assert_str_eq(facts.iclass, cases[i].iclass);
		ck_assert_msg(facts.n_register_operands == cases[i].operands, "%s: %d, not %d",
			      cases[i].iclass, facts.n_register_operands, cases[i].operands);
		sets[0] = our_set(facts.reads, facts.n_reads);
		sets[1] = our_set(facts.writes, facts.n_writes);
		for (int way = 0; way < 2; way++) {
			const char *expected = way ? cases[i].writes : cases[i].reads;

			for (unsigned r = 0; r < ISA_N_REGISTERS; r++) {
				char word[12];

				snprintf(word, sizeof(word), "%s", isa_register_name(r));
				ck_assert_msg(sets[way].has[r] == is_word(word, expected),
					      "%s %s %s", cases[i].iclass, way ? "writes" : "reads",
					      word);
			}
		}
	}
}
END_TEST

START_TEST(test_registers)
{
	ck_assert_int_eq(isa_register_whole(number_named("ah")), number_named("rax"));
	ck_assert_int_eq(isa_register_whole(number_named("xmm31")), number_named("zmm31"));
	ck_assert_int_eq(isa_register_whole(number_named("k7")), number_named("k7"));
	ck_assert_str_eq(isa_register_name(ISA_N_REGISTERS - 1), "mxcsr");
	ck_assert_str_eq(isa_register_name(ISA_N_REGISTERS), "none");
}
END_TEST

START_TEST(test_undecodable)
{
	struct isa_facts facts;

	ck_assert_int_eq(isa_facts((const uint8_t *)"\x06", 1, ISA_INTEL, &facts), -1);
	ck_assert_str_eq(facts.category, "INVALID");
	ck_assert_int_eq(facts.n_reads + facts.n_writes + facts.n_register_operands, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("isa-facts");
	TCase *tests = tcase_create("facts");

	tcase_add_test(tests, test_capstone);
	tcase_add_test(tests, test_operand_counts);
	tcase_add_test(tests, test_registers);
	tcase_add_test(tests, test_undecodable);
	tcase_set_timeout(tests, 300);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
