/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/bbv/bbv.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/synthetic.h"

/* ---- the rules, one by one --------------------------------------------------------------- */

enum { BLOCKS = 8 };

/* Code, one thread, and what it wrote. */
struct machine {
	struct synthetic_block blocks[BLOCKS];
	uint32_t n_blocks;
	struct bbv *bbv;
	struct bbv_thread *thread;
	uint64_t ordinal;
	char *text;
	size_t size;
	FILE *out;
};

static struct machine machine;

static void new_bbv(uint32_t n_code, enum bbv_rules rules, uint64_t interval)
{
	struct bbv_setup setup = { .n_code = n_code, .rules = rules };

	machine.bbv = bbv_new(&setup);
	machine.thread = bbv_thread_new(machine.bbv, interval);
}

static void begin_by(enum bbv_rules rules, uint64_t interval)
{
	memset(&machine, 0, sizeof(machine));
	new_bbv(BLOCKS, rules, interval);
	machine.out = open_memstream(&machine.text, &machine.size);
	bbv_thread_output(machine.thread, machine.out);
}

static void begin(uint64_t interval)
{
	begin_by(BBV_EXP_BBV, interval);
}

static const struct tf_block *code(uint64_t pc, const char *bytes, size_t size)
{
	struct synthetic_block *b = &machine.blocks[machine.n_blocks];

	synthetic_decode(b, pc, bytes, size);
	b->block.id = machine.n_blocks++;
	return &b->block;
}

static void part(const struct tf_block *block, unsigned executed, enum tf_outcome outcome,
		 const uint64_t *values)
{
	struct tf_block_exec exec = { block, values, executed, outcome };

	bbv_execute(machine.thread, &exec, machine.ordinal);
	machine.ordinal += executed;
}

static void run(const struct tf_block *block, enum tf_outcome outcome)
{
	part(block, block->n_insns, outcome, NULL);
}

/* A rep stosb or scasb, which has one operand: its address and three extras. */
static void run_rep(const struct tf_block *block, uint64_t before, uint64_t done, uint64_t flags)
{
	uint64_t values[4] = { 0x1000, before, done, flags };

	part(block, block->n_insns, TF_NOT_TAKEN, values);
}

static void assert_lines(const char *expected)
{
	fflush(machine.out);
	ck_assert_str_eq(machine.text, expected);
}

/* The addresses of blocks 1, 2, ... are those. */
static void assert_starts(const uint64_t *pcs, uint32_t count)
{
	ck_assert_uint_eq(bbv_count(machine.bbv), count);
	for (uint32_t i = 0; i < count; i++)
		ck_assert_uint_eq(bbv_start(machine.bbv, i + 1)->pc, pcs[i]);
}

static void end(void)
{
	fclose(machine.out);
	free(machine.text);
	bbv_thread_free(machine.thread);
	bbv_free(machine.bbv);
}

#define NOP5 "\x90\x90\x90\x90\x90"
#define NOP10 NOP5 NOP5
#define JMP "\xeb\x10"
#define JZ "\x74\x10"
#define LOOP "\xe2\x10"
#define REP_STOSB "\xf3\xaa"
#define REPNE_SCASB "\xf2\xae"
#define REP_LODSB "\xf3\xac"
#define PAUSE "\xf3\x90"
#define CLFLUSH "\x0f\xae\x38"
#define CLFLUSHOPT "\x66\x0f\xae\x38"
#define FLDCW "\xd9\x28"
#define FMA "\xc4\xe2\x75\xa8\xd0"
#define FXRSTOR "\x0f\xae\x08"

START_TEST(first_interval_is_longer_by_one)
{
	begin(10);
	const struct tf_block *block = code(0x1000, BYTES("\x90" JMP));	/* 2 instructions */

	for (int i = 0; i < 16; i++)
		run(block, TF_TAKEN);
	assert_lines("T:1:11   \nT:1:10   \nT:1:10   \n");
	ck_assert_uint_eq(bbv_totals(machine.thread).instructions, 32);
	ck_assert_uint_eq(bbv_totals(machine.thread).intervals, 3);
	end();
}
END_TEST

START_TEST(lines_are_in_order_of_addresses)
{
	begin(5);
	const struct tf_block *high = code(0x2000, BYTES("\x90" JMP));
	const struct tf_block *low = code(0x1000, BYTES("\x90\x90" JMP));

	run(high, TF_TAKEN);
	run(low, TF_TAKEN);
	run(high, TF_TAKEN);
	assert_lines("T:2:3   :1:3   \n");
	const uint32_t *ids = bbv_sorted(machine.bbv);

	ck_assert_uint_eq(ids[0], 2);
	ck_assert_uint_eq(ids[1], 1);
	end();
}
END_TEST

/* A block that ends by the recorder's limit goes on in the next; 60 instructions end one. */
START_TEST(sixty_instructions_end_a_block)
{
	begin(1000);
	const struct tf_block *first = code(0x1000, BYTES(NOP10 NOP10 NOP10 NOP10 NOP5));
	const struct tf_block *second = code(0x102d, BYTES(NOP10 NOP5 "\x90" JMP));

	run(first, TF_NOT_TAKEN);
	run(second, TF_TAKEN);
	assert_starts((uint64_t[]){ 0x1000, 0x103c }, 2);
	end();
}
END_TEST

START_TEST(a_branch_ends_a_block_though_not_taken)
{
	begin(1000);
	const struct tf_block *first = code(0x1000, BYTES("\x90" JZ));
	const struct tf_block *second = code(0x1003, BYTES("\x90" JMP));

	run(first, TF_NOT_TAKEN);
	run(second, TF_TAKEN);
	assert_starts((uint64_t[]){ 0x1000, 0x1003 }, 2);
	end();
}
END_TEST

START_TEST(loop_ends_a_block_only_if_taken)
{
	begin(4);
	const struct tf_block *first = code(0x1000, BYTES("\x90" LOOP));
	const struct tf_block *second = code(0x1003, BYTES("\x90" JMP));

	run(first, TF_NOT_TAKEN);
	run(second, TF_TAKEN);
	assert_starts((uint64_t[]){ 0x1000 }, 1);
	run(first, TF_TAKEN);
	run(second, TF_TAKEN);
	assert_starts((uint64_t[]){ 0x1000, 0x1003 }, 2);
	assert_lines("T:1:5   \n");
	end();
}
END_TEST

START_TEST(pause_and_clflush_end_a_block)
{
	begin(1000);
	run(code(0x1000, BYTES("\x90" PAUSE "\x90" CLFLUSH "\x90" CLFLUSHOPT JMP)), TF_TAKEN);
	assert_starts((uint64_t[]){ 0x1000, 0x1003, 0x1007 }, 3);
	end();
}
END_TEST

/* Three repetitions are four iterations: the second enters the rep itself. */
START_TEST(a_rep_counts_to_the_next_block)
{
	begin(3);
	const struct tf_block *block = code(0x1000, BYTES("\x90" REP_STOSB "\x90" JMP));

	run_rep(block, 3, 3, 0);
	run(code(0x1020, BYTES("\x90" JMP)), TF_TAKEN);
	assert_starts((uint64_t[]){ 0x1000, 0x1001, 0x1003, 0x1020 }, 4);
	assert_lines("T:1:1   :3:3   \n");
	struct bbv_totals totals = bbv_totals(machine.thread);

	ck_assert_uint_eq(totals.instructions, 6);
	ck_assert_uint_eq(totals.reps, 1);
	ck_assert_uint_eq(totals.repetitions, 4);
	end();
}
END_TEST

START_TEST(a_rep_of_nothing_has_no_block)
{
	begin(1000);
	const struct tf_block *block = code(0x1000, BYTES("\x90" REP_STOSB "\x90" JMP));

	run_rep(block, 0, 0, 0);
	assert_starts((uint64_t[]){ 0x1000, 0x1003 }, 2);
	ck_assert_uint_eq(bbv_totals(machine.thread).repetitions, 1);
	end();
}
END_TEST

/* The first of two reps in a row counts to the total, but to no block. */
START_TEST(two_reps_in_a_row_lose_one)
{
	uint64_t values[] = { 0x1000, 0x2000, 2, 2, 0, 2, 2, 0 };

	begin(4);
	const struct tf_block *block = code(0x1000, BYTES(REP_STOSB "\xf3\xab" "\x90\x90\x90" JMP));

	part(block, block->n_insns, TF_TAKEN, values);
	assert_lines("T:3:4   \n");
	ck_assert_uint_eq(bbv_totals(machine.thread).instructions, 6);
	ck_assert_uint_eq(bbv_totals(machine.thread).repetitions, 6);
	end();
}
END_TEST

/* What ended it decides: the condition at element 5, or the count of 8. */
START_TEST(conditional_reps_iterate_until_the_condition)
{
	begin(1000);
	const struct tf_block *block = code(0x1000, BYTES(REPNE_SCASB "\x90" JMP));

	run_rep(block, 8, 5, TF_REP_ZF);
	ck_assert_uint_eq(bbv_totals(machine.thread).repetitions, 5);
	run_rep(block, 8, 8, 0);
	ck_assert_uint_eq(bbv_totals(machine.thread).repetitions, 5 + 9);
	run_rep(block, 8, 2, TF_REP_INTERRUPTED);
	ck_assert_uint_eq(bbv_totals(machine.thread).repetitions, 5 + 9 + 2);
	end();
}
END_TEST

START_TEST(rep_lods_is_one_iteration_and_ends_nothing)
{
	uint64_t values[] = { 0x1000, 5, 5, 0 };

	begin(1000);
	const struct tf_block *block = code(0x1000, BYTES(REP_LODSB "\x90" JMP));

	part(block, block->n_insns, TF_TAKEN, values);
	assert_starts((uint64_t[]){ 0x1000 }, 1);
	ck_assert_uint_eq(bbv_totals(machine.thread).repetitions, 1);
	end();
}
END_TEST

START_TEST(a_control_word_that_unmasks_ends_a_block)
{
	begin(1000);
	const struct tf_block *block = code(0x1000, BYTES("\x90" FLDCW "\x90" FLDCW "\x90" JMP));

	bbv_control_word(machine.thread, 2, TF_X87_CONTROL_WORD, 0xc7f);	/* 24 bits */
	bbv_control_word(machine.thread, 4, TF_X87_CONTROL_WORD, 0x37f);	/* the default */
	part(block, block->n_insns, TF_TAKEN, (uint64_t[]){ 0, 0 });
	assert_starts((uint64_t[]){ 0x1000, 0x1003 }, 2);
	ck_assert_uint_eq(bbv_totals(machine.thread).fldcw, 2);
	bbv_control_word(machine.thread, 8, TF_MXCSR, 0x9f80);	/* flush to zero */
	part(block, block->n_insns, TF_TAKEN, (uint64_t[]){ 0, 0 });
	assert_starts((uint64_t[]){ 0x1000, 0x1003 }, 2);
	bbv_control_word(machine.thread, 16, TF_MXCSR, 0x1f80);	/* the default */
	bbv_control_word(machine.thread, 17, TF_MXCSR, 0x1f00);	/* an exception unmasked */
	part(block, block->n_insns, TF_TAKEN, (uint64_t[]){ 0, 0 });
	assert_starts((uint64_t[]){ 0x1000, 0x1003, 0x1007 }, 3);
	end();
}
END_TEST

/* Left after one instruction, for a handler; then resumed. */
START_TEST(an_interrupted_block_is_begun_anew)
{
	begin(1000);
	const struct tf_block *block = code(0x1000, BYTES("\x90\x90" JMP));
	const struct tf_block *handler = code(0x2000, BYTES("\x90\xc3"));
	const struct tf_block *rest = code(0x1001, BYTES("\x90" JMP));

	part(block, 1, TF_PARTIAL, NULL);
	part(handler, 2, TF_TAKEN, (uint64_t[]){ 0 });
	run(rest, TF_TAKEN);
	assert_starts((uint64_t[]){ 0x1000, 0x2000, 0x1001 }, 3);
	end();
}
END_TEST

/* The faulting instruction counts to the block under way, and again, in its own, when retried. */
START_TEST(a_fault_is_counted)
{
	begin(3);
	const struct tf_block *block = code(0x1000, BYTES("\x90\x90" JMP));
	const struct tf_block *rest = code(0x1001, BYTES("\x90" JMP));

	part(block, 1, TF_PARTIAL, NULL);
	bbv_fault(machine.thread, 0x1001);
	run(rest, TF_TAKEN);
	assert_starts((uint64_t[]){ 0x1000, 0x1001 }, 2);
	assert_lines("T:1:2   :2:2   \n");
	bbv_fault(machine.thread, 0x5000);
	ck_assert_uint_eq(bbv_totals(machine.thread).instructions, 5);
	ck_assert_uint_eq(bbv_start(machine.bbv, 3)->pc, 0x5000);
	end();
}
END_TEST

/* The iteration that faults is one more of the rep: it is no instruction of its own. */
START_TEST(a_fault_in_a_rep)
{
	uint64_t values[] = { 0x1000, 100, 4, TF_REP_INTERRUPTED };

	begin(1000);
	const struct tf_block *block = code(0x1000, BYTES("\x90" REP_STOSB "\x90" JMP));
	const struct tf_block *handler = code(0x2000, BYTES("\x90\xc3"));

	part(block, 2, TF_PARTIAL, values);
	bbv_fault(machine.thread, 0x1001);
	run(handler, TF_TAKEN);
	assert_starts((uint64_t[]){ 0x1000, 0x1001, 0x2000 }, 3);
	ck_assert_uint_eq(bbv_totals(machine.thread).reps, 1);
	ck_assert_uint_eq(bbv_totals(machine.thread).repetitions, 5);
	ck_assert_uint_eq(bbv_totals(machine.thread).instructions, 4);
	part(block, 1, TF_PARTIAL, NULL);
	bbv_fault(machine.thread, 0x1001);	/* none done at all */
	run(handler, TF_TAKEN);
	ck_assert_uint_eq(bbv_totals(machine.thread).reps, 2);
	ck_assert_uint_eq(bbv_totals(machine.thread).repetitions, 6);
	ck_assert_uint_eq(bbv_totals(machine.thread).instructions, 8);
	assert_starts((uint64_t[]){ 0x1000, 0x1001, 0x2000 }, 3);
	end();
}
END_TEST

/* From the fused multiply-add on a block has at most 31 instructions. */
START_TEST(a_verbose_instruction_shortens_its_block)
{
	begin(1000);
	run(code(0x1000, BYTES(FMA NOP10 NOP10 NOP10 "\x90" JMP)), TF_TAKEN);
	run(code(0x2000, BYTES(NOP10 NOP10 NOP10 NOP10 FMA "\x90" JMP)), TF_TAKEN);
	assert_starts((uint64_t[]){ 0x1000, 0x1023, 0x2000, 0x202d }, 4);
	end();
}
END_TEST

START_TEST(fxrstor_gives_no_warning)
{
	begin(1000);
	const struct tf_block *block = code(0x1000, BYTES("\x90" FXRSTOR "\x90" JMP));

	bbv_control_word(machine.thread, 2, TF_X87_CONTROL_WORD, 0xc7f);
	bbv_control_word(machine.thread, 2, TF_MXCSR, 0x9f80);
	part(block, block->n_insns, TF_TAKEN, (uint64_t[]){ 0 });
	assert_starts((uint64_t[]){ 0x1000 }, 1);
	end();
}
END_TEST

/* With a REX prefix that exp-bbv does not know: three repetitions are four instructions. */
START_TEST(an_unseen_rep_counts_its_iterations)
{
	begin(1000);
	const struct tf_block *block = code(0x1000, BYTES("\x90\xf3\x4c\xab\x90" JMP));

	run_rep(block, 3, 3, 0);
	bbv_end(machine.thread, true);
	assert_starts((uint64_t[]){ 0x1000, 0x1001, 0x1004 }, 3);
	assert_lines("T:1:2   :2:3   :3:2   \n");
	ck_assert_uint_eq(bbv_totals(machine.thread).reps, 0);
	end();
}
END_TEST

START_TEST(exact_rules)
{
	uint64_t values[4] = { 0x1000, 3, 3, 0 };

	begin_by(BBV_DYNAMIC, 4);
	const struct tf_block *block = code(0x1000, BYTES("\x90" REP_STOSB PAUSE "\x90" LOOP));
	const struct tf_block *next = code(0x1008, BYTES("\x90" JMP));

	part(block, block->n_insns, TF_NOT_TAKEN, values);
	bbv_fault(machine.thread, 0x1008);	/* does not count */
	run(next, TF_TAKEN);
	bbv_end(machine.thread, true);
	assert_starts((uint64_t[]){ 0x1000, 0x1008 }, 2);
	assert_lines("T:1:4   \nT:1:1   :2:2   \n");
	ck_assert_uint_eq(bbv_totals(machine.thread).repetitions, 3);
	ck_assert_uint_eq(bbv_totals(machine.thread).intervals, 2);
	end();
}
END_TEST

START_TEST(cuts_end_intervals)
{
	begin(BBV_NO_INTERVAL);
	const struct tf_block *block = code(0x1000, BYTES(NOP10 JMP));

	bbv_cut(machine.thread, 0);	/* of nothing */
	bbv_cut(machine.thread, 3);
	bbv_cut(machine.thread, 3);
	run(block, TF_TAKEN);
	bbv_cut(machine.thread, 11);
	run(block, TF_TAKEN);
	bbv_end(machine.thread, true);
	assert_lines("T:1:3   \nT:1:8   \nT:1:11   \n");
	end();
}
END_TEST

/* Behind the blocks, and scaled to twice their sum. */
START_TEST(memory_is_weighted)
{
	struct bbv_setup setup = { .n_code = BLOCKS, .rules = BBV_DYNAMIC, .memory_weight = 2 };

	begin(1000);
	bbv_thread_free(machine.thread);
	bbv_free(machine.bbv);
	machine.bbv = bbv_new(&setup);
	machine.thread = bbv_thread_new(machine.bbv, 11);
	bbv_thread_output(machine.thread, machine.out);
	bbv_access(machine.thread, 7, 30);
	bbv_access(machine.thread, 5, 10);
	run(code(0x1000, BYTES(NOP10 JMP)), TF_TAKEN);
	assert_lines("T:3:11   :2:6   :1:17   \n");
	end();
}
END_TEST

START_TEST(many_blocks)
{
	enum { N = 5000 };

	begin(1000);
	for (int round = 0; round < 2; round++)
		for (uint64_t i = 0; i < N; i++)
			bbv_fault(machine.thread, 0x1000 + 64 * i);
	ck_assert_uint_eq(bbv_count(machine.bbv), N);
	ck_assert_uint_eq(bbv_start(machine.bbv, N)->pc, 0x1000 + 64 * (N - 1));
	end();
}
END_TEST

/* A fault does not say in which module it is; the retried instruction does. */
START_TEST(modules_are_learnt)
{
	begin(1000);
	struct tf_block block = *code(0x1000, BYTES("\x90" JMP));

	block.module = 3;
	bbv_fault(machine.thread, 0x1000);
	ck_assert_uint_eq(bbv_start(machine.bbv, 1)->module, TF_NONE);
	run(&block, TF_TAKEN);
	ck_assert_uint_eq(bbv_start(machine.bbv, 1)->module, 3);
	ck_assert_uint_eq(bbv_start(machine.bbv, 1)->module_offset, 0x1000);
	end();
}
END_TEST

START_TEST(threads_share_ids_and_nothing_else)
{
	begin(100);
	struct bbv_thread *other = bbv_thread_new(machine.bbv, 100);
	const struct tf_block *a = code(0x1000, BYTES("\x90" JMP));
	const struct tf_block *b = code(0x2000, BYTES("\x90" JMP));
	struct tf_block_exec exec = { b, NULL, 2, TF_TAKEN };

	run(a, TF_TAKEN);
	bbv_execute(other, &exec, 0);
	run(b, TF_TAKEN);
	assert_starts((uint64_t[]){ 0x1000, 0x2000 }, 2);
	ck_assert_uint_eq(bbv_totals(other).instructions, 2);
	ck_assert_uint_eq(bbv_totals(machine.thread).instructions, 4);
	bbv_thread_free(other);
	end();
}
END_TEST

START_TEST(the_summary)
{
	begin(3);
	const struct tf_block *block = code(0x1000, BYTES("\x90" JMP));

	for (int i = 0; i < 4; i++)
		run(block, TF_TAKEN);
	bbv_summary(machine.thread, 7, "> ", machine.out);
	assert_lines("T:1:4   \nT:1:3   \n"
		     "> \n> \n> # Thread 7\n> #   Total intervals: 2 (Interval Size 3)\n"
		     "> #   Total instructions: 8\n> #   Total reps: 0\n> #   Unique reps: 0\n"
		     "> #   Total fldcw instructions: 0\n> \n");
	end();
}
END_TEST

/* ---- random programs against an instruction-by-instruction model -------------------------- */

enum what { PLAIN, BRANCH, SIDE_EXIT, STOPS, REPEATS, LODS, LOADS_CW };

static const struct form {
	const char *bytes;
	size_t size;
	enum what what;
} forms[] = {
	{ BYTES("\x90"), PLAIN },
	{ BYTES("\x0f\xa2"), PLAIN },		/* cpuid */
	{ BYTES(PAUSE), STOPS },
	{ BYTES(CLFLUSH), STOPS },
	{ BYTES(REP_STOSB), REPEATS },
	{ BYTES("\xf3\x48\xab"), REPEATS },	/* rep stosq */
	{ BYTES(REP_LODSB), LODS },
	{ BYTES(FLDCW), LOADS_CW },
	{ BYTES(JZ), BRANCH },			/* the last three end a basic block */
	{ BYTES(LOOP), SIDE_EXIT },
	{ BYTES("\xe3\x10"), SIDE_EXIT },	/* jrcxz */
};
enum { N_FORMS = sizeof(forms) / sizeof(forms[0]), N_ENDS = 3 };

struct model {
	uint64_t interval, length, total, rep, repetitions, reps, fldcw, last_rep;
	uint64_t pcs[4096], counts[4096];	/* by id - 1 */
	uint32_t n;
	uint32_t current, left;
	FILE *out;
};

static uint32_t model_id(struct model *m, uint64_t pc)
{
	uint32_t i = 0;

	while (i < m->n && m->pcs[i] != pc)
		i++;
	if (i == m->n)
		m->pcs[m->n++] = pc;
	return i + 1;
}

static void model_close_rep(struct model *m)
{
	m->repetitions += m->rep;
	m->reps++;
	m->rep = 0;
}

static void model_line(struct model *m)
{
	uint64_t from = 0;

	putc('T', m->out);
	for (;;) {
		uint32_t best = 0;

		for (uint32_t i = 1; i <= m->n; i++)
			if (m->counts[i - 1] && m->pcs[i - 1] >= from &&
			    (!best || m->pcs[i - 1] < m->pcs[best - 1]))
				best = i;
		if (!best)
			break;
		fprintf(m->out, ":%u:%lu   ", best, m->counts[best - 1]);
		from = m->pcs[best - 1] + 1;
	}
	putc('\n', m->out);
	memset(m->counts, 0, sizeof(m->counts));
	m->length -= m->interval;
}

/* One instruction at pc; goes_on: the next is the one behind it in memory. */
static void model_step(struct model *m, uint64_t pc, enum what what, bool goes_on,
		       uint64_t iterations, bool warns)
{
	if (!m->current) {
		m->current = model_id(m, pc);
		m->left = 60;
	}
	if (what == REPEATS || what == LODS) {
		for (uint64_t i = 0; i < iterations; i++) {
			if (i == 1)
				model_id(m, pc);
			if (m->last_rep != pc && m->rep) {
				model_close_rep(m);
				m->total++;
				m->length++;
			}
			m->last_rep = pc;
			m->rep++;
		}
	} else {
		unsigned k = 1;

		if (m->rep) {
			model_close_rep(m);
			k = 2;
		}
		m->fldcw += what == LOADS_CW;
		m->counts[m->current - 1] += k;
		m->total += k;
		m->length += k;
		if (m->length > m->interval)
			model_line(m);
	}
	m->left--;
	if (what == BRANCH || what == STOPS || what == REPEATS || !goes_on || warns || !m->left)
		m->current = 0;
}

struct random_block {
	struct synthetic_block block;
	char code[1024];
	uint8_t forms[TF_MAX_BLOCK_INSNS];
};

/* Up to 100 instructions, and sometimes a branch. */
static void make_block(struct random_block *b, uint64_t pc, uint32_t id)
{
	unsigned n = 1 + rand() % (rand() % 4 ? 12 : 100), size = 0;
	bool branches = rand() % 4;

	for (unsigned i = 0; i < n; i++) {
		unsigned form = rand() % 3 ? 0 : rand() % (N_FORMS - N_ENDS);

		if (i + 1 == n && branches)
			form = N_FORMS - 1 - rand() % N_ENDS;
		b->forms[i] = form;
		memcpy(b->code + size, forms[form].bytes, forms[form].size);
		size += forms[form].size;
	}
	synthetic_decode(&b->block, pc, b->code, size);
	b->block.block.id = id;
	ck_assert_uint_eq(b->block.block.n_insns, n);
}

/* Runs a block in both; returns whether control goes on behind it. */
static bool run_both(struct model *m, const struct random_block *b)
{
	const struct tf_block *block = &b->block.block;
	static uint64_t values[TF_MAX_PATH_VALUES];
	unsigned executed = rand() % 8 ? block->n_insns : 1 + rand() % block->n_insns;
	bool whole = executed == block->n_insns;
	bool branches = forms[b->forms[block->n_insns - 1]].what == BRANCH ||
			forms[b->forms[block->n_insns - 1]].what == SIDE_EXIT;
	bool taken = whole && branches && rand() % 2;
	bool goes_on = whole && !taken;

	for (unsigned i = 0; i < executed; i++) {
		const struct tf_insn *insn = &block->insns[i];
		enum what what = forms[b->forms[i]].what;
		uint64_t count = rand() % 4, iterations = count + 1;
		bool warns = false;

		if (what == REPEATS) {
			uint64_t *extras = &values[block->operands[insn->first_operand].extra];

			extras[0] = extras[1] = count;
			extras[2] = 0;
		}
		if (what == LOADS_CW) {
			uint32_t word = rand() % 2 ? 0x37f : 0x27f;

			warns = word == 0x27f;
			bbv_control_word(machine.thread, machine.ordinal + i + 1,
					 TF_X87_CONTROL_WORD, word);
		}
		model_step(m, block->pc + insn->offset, what,
			   i + 1 < executed || goes_on, what == LODS ? 1 : iterations, warns);
	}
	part(block, executed, taken ? TF_TAKEN : whole ? TF_NOT_TAKEN : TF_PARTIAL, values);
	return goes_on;
}

START_TEST(random_programs)
{
	enum { N = 40, STEPS = 4000 };
	static struct random_block blocks[N];
	struct model m = { .interval = 1 + (uint64_t)_i * _i * 7 };
	char *expected;
	size_t size;

	srand(_i);
	begin(m.interval);
	bbv_thread_free(machine.thread);
	bbv_free(machine.bbv);
	new_bbv(N, BBV_EXP_BBV, m.interval);
	bbv_thread_output(machine.thread, machine.out);
	m.out = open_memstream(&expected, &size);
	uint64_t pc = 0x10000;

	for (uint32_t i = 0; i < N; i++) {
		make_block(&blocks[i], pc, i);
		pc += blocks[i].block.block.code_size;
	}
	for (int step = 0, at = 0; step < STEPS; step++) {
		if (run_both(&m, &blocks[at]) && at + 1 < N) {
			at++;
			continue;
		}
		m.current = 0;
		at = rand() % N;
	}
	fclose(m.out);
	assert_lines(expected);
	free(expected);
	assert_starts(m.pcs, m.n);
	struct bbv_totals totals = bbv_totals(machine.thread);

	ck_assert_uint_eq(totals.instructions, m.total);
	ck_assert_uint_eq(totals.repetitions, m.repetitions);
	ck_assert_uint_eq(totals.reps, m.reps);
	ck_assert_uint_eq(totals.fldcw, m.fldcw);
	end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bbv");
	TCase *rules = tcase_create("rules");

	tcase_add_test(rules, first_interval_is_longer_by_one);
	tcase_add_test(rules, lines_are_in_order_of_addresses);
	tcase_add_test(rules, sixty_instructions_end_a_block);
	tcase_add_test(rules, a_branch_ends_a_block_though_not_taken);
	tcase_add_test(rules, loop_ends_a_block_only_if_taken);
	tcase_add_test(rules, pause_and_clflush_end_a_block);
	tcase_add_test(rules, a_rep_counts_to_the_next_block);
	tcase_add_test(rules, a_rep_of_nothing_has_no_block);
	tcase_add_test(rules, two_reps_in_a_row_lose_one);
	tcase_add_test(rules, conditional_reps_iterate_until_the_condition);
	tcase_add_test(rules, rep_lods_is_one_iteration_and_ends_nothing);
	tcase_add_test(rules, a_control_word_that_unmasks_ends_a_block);
	tcase_add_test(rules, an_interrupted_block_is_begun_anew);
	tcase_add_test(rules, a_fault_is_counted);
	tcase_add_test(rules, a_fault_in_a_rep);
	tcase_add_test(rules, a_verbose_instruction_shortens_its_block);
	tcase_add_test(rules, fxrstor_gives_no_warning);
	tcase_add_test(rules, an_unseen_rep_counts_its_iterations);
	tcase_add_test(rules, exact_rules);
	tcase_add_test(rules, cuts_end_intervals);
	tcase_add_test(rules, memory_is_weighted);
	tcase_add_test(rules, many_blocks);
	tcase_add_test(rules, modules_are_learnt);
	tcase_add_test(rules, threads_share_ids_and_nothing_else);
	tcase_add_test(rules, the_summary);
	tcase_add_loop_test(rules, random_programs, 0, 40);
	suite_add_tcase(suite, rules);
	return run_suite(suite);
}
