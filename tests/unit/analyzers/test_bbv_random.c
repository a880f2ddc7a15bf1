/* SPDX-License-Identifier: MIT */
/* Basic block vectors of random programs against an instruction-by-instruction model. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/analyzers/bbv_machine.h"
#include "tests/unit/run_suite.h"

enum what { PLAIN, BRANCH, SIDE_EXIT, STOPS, REPEATS, LODS, LOADS_CW };

static const struct form {
	const char *bytes;
	size_t size;
	enum what what;
} forms[] = {
	{ BYTES("\x90"), PLAIN },      { BYTES("\x0f\xa2"), PLAIN }, /* cpuid */
	{ BYTES(PAUSE), STOPS },       { BYTES(CLFLUSH), STOPS },
	{ BYTES(REP_STOSB), REPEATS }, { BYTES("\xf3\x48\xab"), REPEATS }, /* rep stosq */
	{ BYTES(REP_LODSB), LODS },    { BYTES(FLDCW), LOADS_CW },
	{ BYTES(JZ), BRANCH }, /* the last three end a basic block */
	{ BYTES(LOOP), SIDE_EXIT },    { BYTES("\xe3\x10"), SIDE_EXIT }, /* jrcxz */
};
enum { N_FORMS = sizeof(forms) / sizeof(forms[0]), N_ENDS = 3 };

struct model {
	uint64_t interval, length, total, rep, repetitions, reps, fldcw, last_rep;
	uint64_t pcs[4096], counts[4096]; /* by id - 1 */
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

/* Counts an instruction at pc. goes_on: the next instruction is the one behind it in memory. */
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

/* Makes a block of up to 100 instructions, sometimes with a branch. */
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

/* Runs a block in the machine and the model. Returns whether control continues behind the block. */
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
		model_step(m, block->pc + insn->offset, what, i + 1 < executed || goes_on,
			   what == LODS ? 1 : iterations, warns);
	}
	machine_part(block, executed, taken ? TF_TAKEN : whole ? TF_NOT_TAKEN : TF_PARTIAL, values);
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
	machine_begin(m.interval);
	bbv_thread_free(machine.thread);
	bbv_free(machine.bbv);
	machine_new_bbv(N, BBV_EXP_BBV, m.interval);
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
	machine_assert_lines(expected);
	free(expected);
	machine_assert_starts(m.pcs, m.n);
	struct bbv_totals totals = bbv_totals(machine.thread);

	ck_assert_uint_eq(totals.instructions, m.total);
	ck_assert_uint_eq(totals.repetitions, m.repetitions);
	ck_assert_uint_eq(totals.reps, m.reps);
	ck_assert_uint_eq(totals.fldcw, m.fldcw);
	machine_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bbv-random");
	TCase *tests = tcase_create("programs");

	tcase_add_loop_test(tests, random_programs, 0, 40);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
