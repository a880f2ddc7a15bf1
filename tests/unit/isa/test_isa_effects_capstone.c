/* SPDX-License-Identifier: MIT */
/* Compares isa_effects with capstone on the instructions of libraries and on random bytes. */
#include <capstone/capstone.h>
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/isa/elf_text.h"
#include "tests/unit/isa/seen.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"
#include "traceformat/traceisa.h"

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
	FLAGS = 1 << 16, /* beside the general registers */
};

struct access {
	uint32_t reads, writes; /* FLAGS or-ed in */
};

/* Mnemonics for which we differ on purpose or capstone 4.0.2 is wrong, only in the bits given. */
static const struct exception {
	const char *mnemonic; /* capstone's, without rep and lock */
	uint32_t reads, writes;
	const char *reason;
} exceptions[] = {
	/* A destination that may keep part of its value counts as read here. */
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
	/* Privileged instructions have no effects in user mode. */
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
	static const char *const prefixes[] = { "lock ", "rep ",      "repe ",    "repne ",
						"bnd ",  "xacquire ", "xrelease " };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(mnemonic, prefixes[i], strlen(prefixes[i])))
			mnemonic += strlen(prefixes[i]);
	for (size_t i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++)
		if (!strcmp(mnemonic, exceptions[i].mnemonic))
			return &exceptions[i];
	return NULL;
}

/* Returns the bit of a capstone register, 0 if the register is not compared. bytes: its width. */
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

/* Returns the number of bytes to advance. */
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
	if (is_quick() && begins_as_before(code, decoded.length)) {
		comparison->compared++;
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
	const int tries = is_quick() ? 200000 : 1000000;
	uint64_t state = 88172645463325252u;
	struct comparison comparison;

	open_comparison(&comparison);
	for (int i = 0; i < tries; i++) {
		uint64_t words[2] = { xorshift(&state), xorshift(&state) };

		compare(&comparison, (const uint8_t *)words, 15, 0x1000);
	}
	close_comparison(&comparison, "random bytes");
	ck_assert_int_gt(comparison.compared, tries / 2);
	ck_assert_int_lt(comparison.excused, comparison.compared / 10);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("isa-effects-capstone");
	TCase *tests = tcase_create("effects");

	tcase_set_timeout(tests, 300);
	tcase_add_test(tests, test_libraries);
	tcase_add_test(tests, test_random_bytes);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
