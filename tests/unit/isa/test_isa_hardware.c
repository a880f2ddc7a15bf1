/* SPDX-License-Identifier: MIT */
/*
 * Compares the decoder with the processor. Every encoding of a systematic sweep that the processor
 * knows is executed at the edges of memory (isa_sandbox.h). Memory that is only stored to must not
 * influence the result. Encodings that the processor does not implement are skipped and counted.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/isa/isa_sandbox.h"
#include "tests/unit/isa/seen.h"
#include "tests/unit/isa/sweep.h"
#include "tests/unit/run_suite.h"

/* ---- one encoding ------------------------------------------------------------------------ */

/* An instruction for which processors or kernels do more than the accesses that a trace shows. */
struct quirk {
	const char *name;  /* the disassembly begins with it */
	bool skip;         /* do not execute */
	bool full_masks;   /* test only with all lanes active */
	bool no_direction; /* do not test whether it loads */
	const char *reason;
};

static const struct quirk quirks[] = {
	{ "tpause", .skip = true, .reason = "waits" },
	{ "umwait", .skip = true, .reason = "waits" },
	{ "enter", .skip = true, .reason = "probes the stack at its new top" },
	{ "sgdt", .skip = true, .reason = "emulated (UMIP)" },
	{ "sidt", .skip = true, .reason = "emulated (UMIP)" },
	{ "sldt", .skip = true, .reason = "emulated (UMIP)" },
	{ "smsw", .skip = true, .reason = "emulated (UMIP)" },
	{ "str ", .skip = true, .reason = "emulated (UMIP)" },
	{ "pop fs", .skip = true, .reason = "Intel reads 2 of the 8 bytes" },
	{ "pop gs", .skip = true, .reason = "Intel reads 2 of the 8 bytes" },
	{ "maskmovq", .full_masks = true, .reason = "may fault on inactive lanes" },
	{ "maskmovdqu", .full_masks = true, .reason = "may fault on inactive lanes" },
	{ "vmaskmovdqu", .full_masks = true, .reason = "may fault on inactive lanes" },
	{ "vextract", .full_masks = true, .reason = "faults on inactive lanes" },
	{ "fxsave", .no_direction = true, .reason = "leaves reserved bytes as they are" },
	{ "xsave", .no_direction = true, .reason = "leaves reserved bytes as they are" },
	{ "ret far", .skip = true, .reason = "AMD reads on before it sees the null selector" },
	{ "and ", .no_direction = true, .reason = "with 0, whatever it loads" },
	{ "lock and ", .no_direction = true, .reason = "with 0, whatever it loads" },
};

static const struct quirk *find_quirk(const uint8_t *code)
{
	static const struct quirk none;
	char text[128];

	isa_disassemble(code, 15, CODE, sandbox.vendor, ISA_SYNTAX_INTEL, text, sizeof(text));
	for (size_t i = 0; i < sizeof(quirks) / sizeof(quirks[0]); i++)
		if (!strncmp(text, quirks[i].name, strlen(quirks[i].name)))
			return &quirks[i];
	return &none;
}

static void fill_memory(uint8_t byte)
{
	memset((void *)READ_WRITE, byte, WINDOW);
	memset((void *)AUXILIARY, byte, AUXILIARY_SIZE);
}

enum dependence { INDEPENDENT, DEPENDENT, UNKNOWN };

/* Returns whether the instruction's results depend on the previous content of memory. */
static enum dependence find_dependence(const struct isa_insn *insn)
{
	static uint8_t xstate[2][XSTATE_MAX], stored[2][XSTATE_MAX];
	static const uint8_t contents[2] = { 0x11, 0x66 };
	struct user_regs_struct user[2];
	struct range ranges[MAX_RANGES];
	int n = sandbox_ranges(insn, -1, ranges);
	size_t size = 0;

	for (int run = 0; run < 2; run++) {
		fill_memory(contents[run]);
		if (sandbox_step() != DONE || sandbox.after.rip == CODE)
			return UNKNOWN;
		user[run] = sandbox.after;
		stepped_read_xstate(&sandbox.child, xstate[run]);
		size = 0;
		for (int i = 0; i < n; i++)
			if (ranges[i].store) {
				memcpy(stored[run] + size, (void *)ranges[i].address,
				       ranges[i].size);
				size += ranges[i].size;
			}
	}
	return memcmp(&user[0], &user[1], sizeof(user[0])) ||
			       memcmp(xstate[0], xstate[1], sandbox.child.xstate_size) ||
			       memcmp(stored[0], stored[1], size)
		       ? DEPENDENT
		       : INDEPENDENT;
}

/* Checks the prediction of whether stored-to memory is loaded as well. Operands that are only
 * loaded were compared before: such loads fault where mere stores do not. */
static void try_direction(const uint8_t *code, const struct isa_insn *insn)
{
	enum dependence dependence;
	uint8_t access = 0;

	for (int i = 0; i < insn->n_operands; i++)
		access |= insn->operands[i].trace.access;
	if (!(access & TF_STORE) || insn->end != TF_END_NONE)
		return;
	dependence = find_dependence(insn);
	fill_memory(0);
	sandbox_count.directions += dependence != UNKNOWN;
	if (dependence == DEPENDENT && !(access & TF_LOAD))
		sandbox_complain(code, insn, "loads, unlike predicted");
	if (dependence == INDEPENDENT && access & TF_LOAD)
		sandbox_complain(code, insn, "does not load, unlike predicted");
}

static bool is_masked_evex(const uint8_t *code)
{
	return code[0] == 0x62 && code[3] & 7;
}

static void set_masks(uint64_t mask)
{
	for (int i = 0; i < 8; i++)
		sandbox.registers.mask[i] = mask;
}

static void try_masks(const uint8_t *code, const struct isa_insn *insn)
{
	static const uint64_t masks[] = { 1, 0x800000008000808a, 0 };

	for (size_t k = 0; k < sizeof(masks) / sizeof(masks[0]); k++) {
		set_masks(masks[k]);
		sandbox_try_edges(code, insn);
	}
}

static bool is_new(const uint8_t *code, const struct isa_insn *insn)
{
	uint64_t hash = encoding_hash(code, sandbox.vendor, insn, sizeof(*insn));

	if (code[0] == 0x62)
		hash ^= (uint64_t)code[3] << 32; /* masked and not */
	return !seen_before(hash);
}

static void try_encoding(const uint8_t *code, void *unused)
{
	const struct quirk *quirk;
	struct isa_insn insn;

	(void)unused;
	if (isa_decode(code, 15, CODE, sandbox.vendor, &insn) < 0 || insn.flags & TF_INSN_OPAQUE ||
	    insn.end == TF_END_SYSCALL || !is_new(code, &insn))
		return;
	quirk = find_quirk(code);
	if (quirk->skip)
		return;
	sandbox_put(code, insn.length);
	sandbox_reset(&insn);
	if (quirk->full_masks) {
		memset(sandbox.registers.mmx, 0xff, sizeof(sandbox.registers.mmx));
		memset(sandbox.registers.vector, 0xff, sizeof(sandbox.registers.vector));
	}
	if (quirk->full_masks || is_masked_evex(code))
		set_masks(~0ull);
	sandbox_count.encodings++;
	if (sandbox_compare(code, &insn, "faults in the middle of memory, or not") == ILLEGAL) {
		sandbox_count.unimplemented++;
		return;
	}
	if (insn.end == TF_END_TRAP)
		return;
	sandbox_try_edges(code, &insn);
	if (!quirk->no_direction)
		try_direction(code, &insn);
	if (is_masked_evex(code) && !quirk->full_masks)
		try_masks(code, &insn);
}

/* Executes a string instruction with rcx 3; returns how often it repeated. */
static long repeat(const char *code, size_t size, uint8_t memory)
{
	struct isa_insn insn;

	sandbox_put((const uint8_t *)code, size);
	fill_memory(memory);
	ck_assert_int_eq(isa_decode((const uint8_t *)code, size, CODE, sandbox.vendor, &insn), 0);
	ck_assert_uint_eq(insn.length, size);
	ck_assert(insn.flags & TF_INSN_REP);
	sandbox_reset(&insn);
	sandbox.registers.general[ISA_RCX] = 3;
	sandbox.registers.general[ISA_RAX] = 0;
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(sandbox_step(), DONE);
		if (sandbox.after.rip != CODE)
			break;
		sandbox.registers.general[ISA_RCX] = sandbox.after.rcx;
		sandbox.registers.general[ISA_RSI] = sandbox.after.rsi;
		sandbox.registers.general[ISA_RDI] = sandbox.after.rdi;
	}
	ck_assert_uint_eq(sandbox.after.rip, CODE + size);
	return 3 - sandbox.after.rcx;
}

/* Either prefix repeats movs. The last of several prefixes decides the condition of scas. */
START_TEST(test_repetition)
{
	struct isa_insn insn;

	sandbox_open();
	ck_assert_int_eq(repeat("\xf3\xa4", 2, 0), 3);
	ck_assert_int_eq(repeat("\xf2\xa4", 2, 0), 3);
	ck_assert_int_eq(repeat("\xf2\xaa", 2, 0), 3);
	ck_assert_int_eq(repeat("\xf3\xae", 2, 0), 3);
	ck_assert_int_eq(repeat("\xf3\xae", 2, 1), 1);
	ck_assert_int_eq(repeat("\xf2\xae", 2, 0), 1);
	ck_assert_int_eq(repeat("\xf2\xf3\xae", 3, 0), 3);
	ck_assert_int_eq(repeat("\xf3\xf2\xae", 3, 0), 1);
	sandbox_close();
	isa_decode((const uint8_t *)"\xf2\xf3\xae", 3, CODE, sandbox.vendor, &insn);
	ck_assert_uint_eq(insn.rep_condition, 1);
	isa_decode((const uint8_t *)"\xf3\xf2\xae", 3, CODE, sandbox.vendor, &insn);
	ck_assert_uint_eq(insn.rep_condition, 2);
	isa_decode((const uint8_t *)"\xf2\xa4", 2, CODE, sandbox.vendor, &insn);
	ck_assert_uint_eq(insn.rep_condition, 0);
}
END_TEST

START_TEST(test_sweep)
{
	sandbox_open();
	sweep(try_encoding, NULL);
	sandbox_close();
	printf("%ld encodings, %ld of them unknown to this processor; %ld steps, %ld unclear; "
	       "%ld lengths and targets, %ld directions compared\n",
	       sandbox_count.encodings, sandbox_count.unimplemented, sandbox_count.steps,
	       sandbox_count.unclear, sandbox_count.controls, sandbox_count.directions);
	ck_assert_int_gt(sandbox_count.steps, 40000);
	ck_assert_int_gt(sandbox_count.controls, 20000);
	ck_assert_int_gt(sandbox_count.directions, 500);
	ck_assert_int_eq(sandbox_count.failures, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("isa-hardware");
	TCase *tests = tcase_create("hardware");

	tcase_add_test(tests, test_repetition);
	tcase_add_test(tests, test_sweep);
	tcase_set_timeout(tests, 300);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
