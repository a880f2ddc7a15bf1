/* SPDX-License-Identifier: MIT */
/*
 * Compares isa_effects with the processor. A child single-steps instructions with random registers.
 * A register outside `writes` must not change, and a different value in a register outside `reads`
 * must change nothing else. The flags and the base of gs follow the same rules. general[to] must be
 * general[from] + displacement. Instructions that fault are skipped and counted.
 */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/unit/isa/seen.h"
#include "tests/unit/isa/stepped.h"
#include "tests/unit/isa/sweep.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"
#include "traceformat/traceisa.h"

enum {
	CODE = 0x10000000,
	MEMORY = 0x20000000,
	PAGE = 4096,
	MEMORY_SIZE = 4 * PAGE,
	STATUS_FLAGS = 0xcd5, /* cf pf af zf sf df of */
	DIRECTION_FLAG = 0x400,
	TRIES = 3,
	RANDOM_CODES = 20000,
	QUICK_CODES = 8000,
	XSTATE_BV = 512, /* in the header of an xsave area */
};

struct state {
	uint64_t general[16];
	uint64_t flags, gs_base, rip;
	uint8_t memory[MEMORY_SIZE];
	uint8_t xstate[XSTATE_MAX];
};

static struct {
	struct stepped child;
	uint8_t memory[MEMORY_SIZE]; /* what a step begins with */
} box;
static struct {
	long encodings, executions, faults, relations, replaced, failures;
} count;
static enum isa_vendor vendor; /* of the processor here */
static uint64_t random_state = 88172645463325252u;

static uint64_t random64(void)
{
	return xorshift(&random_state);
}

/* ---- the child --------------------------------------------------------------------------- */

static void open_box(void)
{
	uint64_t present = 3;

	vendor = isa_vendor_here();
	stepped_map(CODE, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	stepped_map(MEMORY, MEMORY_SIZE, PROT_READ | PROT_WRITE);
	/* Quadwords that are addresses, for pop, ret and jmp. */
	for (size_t i = 0; i < MEMORY_SIZE; i += 8) {
		uint64_t value = random64() % UINT32_MAX;

		memcpy(box.memory + i, &value, 8);
	}
	stepped_begin(&box.child, NULL);
	memcpy(box.child.xstate + 512, &present, 8);
	for (int i = 160; i < 416; i++) /* xmm0 .. xmm15 */
		box.child.xstate[i] = random64();
}

#define GENERAL(user)                                                                         \
	{                                                                                     \
		&(user)->rax, &(user)->rcx, &(user)->rdx, &(user)->rbx, &(user)->rsp,         \
			&(user)->rbp, &(user)->rsi, &(user)->rdi, &(user)->r8, &(user)->r9,   \
			&(user)->r10, &(user)->r11, &(user)->r12, &(user)->r13, &(user)->r14, \
			&(user)->r15,                                                         \
	}

/* Executes the instruction at CODE once; returns false if it does not complete. */
static bool step(const struct state *before, struct state *after)
{
	struct user_regs_struct user = box.child.initial;
	unsigned long long *general[16] = GENERAL(&user);
	int signal;

	memcpy((void *)MEMORY, box.memory, MEMORY_SIZE);
	for (int i = 0; i < 16; i++)
		*general[i] = before->general[i];
	user.orig_rax = -1;
	user.rip = CODE;
	user.eflags = before->flags | 0x202;
	user.fs_base = 0x40;
	user.gs_base = before->gs_base;
	signal = stepped_step(&box.child, &user);
	for (int i = 0; i < 16; i++)
		after->general[i] = *general[i];
	after->flags = user.eflags & STATUS_FLAGS;
	after->rip = user.rip;
	count.executions++;
	if (signal != SIGTRAP)
		return false;
	stepped_read_xstate(&box.child, after->xstate);
	/* XSTATE_BV may or may not count a mask register of value 0 as in its initial state. */
	memset(after->xstate + XSTATE_BV, 0, sizeof(uint64_t));
	memcpy(after->memory, (void *)MEMORY, MEMORY_SIZE);
	return true;
}

/* ---- one encoding ------------------------------------------------------------------------ */

static void complain(const uint8_t *code, const struct isa_insn *insn, const char *what, int reg)
{
	char text[128];

	isa_disassemble(code, 15, CODE, vendor, ISA_SYNTAX_INTEL, text, sizeof(text));
	fprintf(stderr, "%-50s", text);
	for (int i = 0; i < insn->length; i++)
		fprintf(stderr, " %02x", code[i]);
	fprintf(stderr, ": %s (register %d)\n", what, reg);
	count.failures++;
}

/* Mnemonics of instructions whose results differ from one execution to the next. */
static bool is_repeatable(const uint8_t *code)
{
	static const char *const others[] = { "cpuid",  "rdtsc", "rdtscp", "rdrand",
					      "rdseed", "rdpmc", "rdpid",  "rdpru" };
	char mnemonic[32];

	isa_mnemonic(code, 15, CODE, vendor, mnemonic, sizeof(mnemonic));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(mnemonic, others[i]))
			return false;
	return true;
}

/* Instructions that are not tried: system calls depend on the kernel, and tpause and umwait
 * wait. */
static bool is_executable(const uint8_t *code, const struct isa_insn *insn)
{
	char mnemonic[32];

	isa_mnemonic(code, 15, CODE, vendor, mnemonic, sizeof(mnemonic));
	return insn->end != TF_END_SYSCALL && insn->end != TF_END_TRAP &&
	       strcmp(mnemonic, "tpause") && strcmp(mnemonic, "umwait");
}

/* Returns a pointer into memory, or a number. Small numbers are counts, divisors or bit offsets. */
static uint64_t random_register(int try)
{
	uint64_t pointer = MEMORY + MEMORY_SIZE / 2 + random64() % 16 * 64;

	switch (try == 0 ? 0 : random64() % 4) {
	case 0:
	case 1: return pointer;
	case 2: return random64() % 100;
	default: return random64();
	}
}

/* Some hypervisors cannot resume a task whose rsp is not canonical. */
static uint64_t canonical(uint64_t address)
{
	return (uint64_t)((int64_t)(address << 16) >> 16);
}

static void check_writes(const uint8_t *code, const struct isa_insn *insn,
			 const struct isa_effects *effects, const struct state *before,
			 const struct state *after)
{
	for (int i = 0; i < 16; i++)
		if (before->general[i] != after->general[i] && !(effects->writes >> i & 1))
			complain(code, insn, "writes, unlike predicted", i);
	if (before->flags != after->flags && !effects->writes_flags)
		complain(code, insn, "writes flags, unlike predicted", 0);
	/* A repetition that continues stays at its pc. */
	if (effects->to == ISA_NO_REGISTER || after->rip == CODE)
		return;
	count.relations++;
	if (after->general[effects->to] !=
	    before->general[effects->from] + (uint64_t)effects->displacement)
		complain(code, insn, "has another relation", effects->to);
}

/* other: `before` with everything changed that the instruction does not read. */
static void check_reads(const uint8_t *code, const struct isa_insn *insn,
			const struct isa_effects *effects, const struct state *before,
			const struct state *after, const struct state *other)
{
	static struct state second;
	uint64_t kept;

	if (!step(other, &second)) {
		complain(code, insn, "faults after a change of what it does not read", 0);
		return;
	}
	for (int i = 0; i < 16; i++)
		if (effects->writes >> i & 1 && after->general[i] != second.general[i])
			complain(code, insn, "result differs", i);
	/* Flags that it does not write keep the difference. */
	kept = ~(before->flags ^ after->flags) & ~(other->flags ^ second.flags);
	if ((after->flags ^ second.flags) & ~(kept & (before->flags ^ other->flags)))
		complain(code, insn, "flags differ", 0);
	if (effects->replaces_flags && (after->flags ^ second.flags) & ~(uint64_t)DIRECTION_FLAG)
		complain(code, insn, "keeps flags", 0);
	count.replaced += effects->replaces_flags && before->flags != other->flags;
	if (after->rip != second.rip)
		complain(code, insn, "goes elsewhere", 0);
	if (memcmp(after->memory, second.memory, MEMORY_SIZE))
		complain(code, insn, "stores differ", 0);
	if (memcmp(after->xstate, second.xstate, box.child.xstate_size))
		complain(code, insn, "vectors differ", 0);
}

/* Returns whether all operands lie in MEMORY; other memory is not restored between executions. */
static bool stays_in_memory(const struct isa_insn *insn, const struct state *before)
{
	static struct isa_registers registers;
	uint64_t values[ISA_MAX_VALUES];

	memcpy(registers.general, before->general, sizeof(registers.general));
	registers.fs_base = 0x40;
	registers.gs_base = before->gs_base;
	isa_values(insn, &registers, values);
	for (int i = 0; i < insn->n_operands; i++)
		if (values[i] - MEMORY >= MEMORY_SIZE)
			return false;
	return true;
}

static void try_once(const uint8_t *code, const struct isa_insn *insn,
		     const struct isa_effects *effects, int try)
{
	static struct state before, after, other;

	for (int i = 0; i < 16; i++) {
		before.general[i] = random_register(try);
		other.general[i] = effects->reads >> i & 1 ? before.general[i] : random_register(1);
	}
	before.general[ISA_RSP] = canonical(before.general[ISA_RSP]);
	other.general[ISA_RSP] = canonical(other.general[ISA_RSP]);
	before.flags = random64() & STATUS_FLAGS;
	other.flags = effects->reads_flags ? before.flags : random64() & STATUS_FLAGS;
	before.gs_base = 0x40;
	other.gs_base = effects->uses_gs ? before.gs_base : 0x80;
	if (!step(&before, &after)) {
		count.faults++;
		return;
	}
	check_writes(code, insn, effects, &before, &after);
	if (is_repeatable(code) && stays_in_memory(insn, &before))
		check_reads(code, insn, effects, &before, &after, &other);
}

static void try_encoding(const uint8_t *code)
{
	struct isa_effects effects;
	struct isa_insn insn;

	if (isa_decode(code, 15, CODE, vendor, &insn) < 0 || insn.flags & TF_INSN_OPAQUE ||
	    !is_executable(code, &insn))
		return;
	ck_assert_int_eq(isa_effects(code, 15, CODE, vendor, &effects), 0);
	memset((void *)CODE, 0xcc, 32);
	memcpy((void *)CODE, code, insn.length);
	count.encodings++;
	for (int try = 0; try < (is_quick() ? 1 : TRIES); try++)
		try_once(code, &insn, &effects, try);
}

/* ---- which encodings --------------------------------------------------------------------- */

/* Tries the encoding unless one that differs only in vector registers was tried before. */
static void try_new(const uint8_t *code, void *unused)
{
	struct isa_effects effects;

	(void)unused;
	if (isa_effects(code, 15, CODE, vendor, &effects) == 0 &&
	    !seen_before(encoding_hash(code, vendor, &effects, sizeof(effects))))
		try_encoding(code);
}

static void finish(const char *what)
{
	printf("%s: %ld encodings, %ld executions, %ld faults, %ld relations\n", what,
	       count.encodings, count.executions, count.faults, count.relations);
	ck_assert_int_eq(count.failures, 0);
}

START_TEST(test_sweep)
{
	open_box();
	sweep(try_new, NULL);
	stepped_end(&box.child);
	finish("sweep");
	ck_assert_int_gt(count.executions - count.faults, 10000);
	ck_assert_int_gt(count.relations, 200);
	ck_assert_int_gt(count.replaced, 1000);
}
END_TEST

/* Makes instructions with operands of all kinds, and random prefixes. */
START_TEST(test_random)
{
	open_box();
	for (int i = 0; i < (is_quick() ? QUICK_CODES : RANDOM_CODES); i++) {
		uint64_t words[2] = { random64(), random64() };

		if (i % 2) /* REX.W, a one-byte opcode, a small displacement */
			words[0] = (words[0] & 0x0000ffffffffff0f) | 0x40;
		try_encoding((const uint8_t *)words);
	}
	stepped_end(&box.child);
	finish("random");
	ck_assert_int_gt(count.executions - count.faults, 10000);
	ck_assert_int_gt(count.relations, 500);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("isa-effects-hardware");
	TCase *tests = tcase_create("hardware");

	tcase_add_test(tests, test_sweep);
	tcase_add_test(tests, test_random);
	tcase_set_timeout(tests, 300);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
