/* SPDX-License-Identifier: MIT */
/* The machine model on programs whose cycles can be counted by hand, on the preset "simple". */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/ibs/model/idle_cores.h"
#include "tests/scratch.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/synthetic.h"

enum {
	CODE = 0x401000,
	FIRST_FETCH = 6 + 24 + 200, /* L2 TLB, page walk, memory */
	FIRST_DISPATCH = FIRST_FETCH + 4,
};

static struct machine machine;
static struct set_cache l3;
static struct pipeline pipeline;
static struct predictor predictor;
static struct ibs_timing timing;

static void start(void)
{
	set_cache_init(&l3, machine.l3_size / 64, machine.l3_ways);
	pipeline_init(&pipeline, &machine, &l3);
	predictor_init(&predictor, &machine);
}

static void stop(void)
{
	pipeline_free(&pipeline);
	predictor_free(&predictor);
	set_cache_free(&l3);
}

static void setup(void)
{
	ck_assert(machine_preset(&machine, "simple"));
	start();
}

/* Restarts the pipeline on the machine's current parameters. */
static void restart(void)
{
	stop();
	start();
}

static struct ibs_op_facts decoded(uint64_t pc, const char *code, size_t size)
{
	struct ibs_op_facts ops[IBS_MAX_OPS];

	ck_assert_uint_eq(ibs_insn_decode(ops, &machine, ISA_AMD, (const uint8_t *)code, size, pc),
			  1);
	ck_assert_uint_eq(ops[0].length, size);
	return ops[0];
}

static struct ibs_timing execute(const struct ibs_op_facts *insn, unsigned kinds, uint64_t address)
{
	struct access accesses[2];
	struct ibs_op op = {
		.facts = insn,
		.next_pc = insn->pc + insn->length,
		.accesses = accesses,
	};

	if (kinds & ACCESS_READ)
		accesses[op.n_accesses++] = (struct access){ address, 8, ACCESS_READ };
	if (kinds & ACCESS_WRITE)
		accesses[op.n_accesses++] = (struct access){ address, 8, ACCESS_WRITE };
	pipeline_step(&pipeline, &op, &timing);
	return timing;
}

static void assert_times(uint64_t dispatched, uint64_t issued, uint64_t completed, uint64_t retired)
{
	ck_assert_uint_eq(timing.dispatched, dispatched);
	ck_assert_uint_eq(timing.issued, issued);
	ck_assert_uint_eq(timing.completed, completed);
	ck_assert_uint_eq(timing.retired, retired);
}

/* ---- ops --------------------------------------------------------------------------------- */

/* Four a cycle: inc %eax, inc %ecx, ... */
START_TEST(independent_ops)
{
	static const char *const code[] = {
		"\xff\xc0", "\xff\xc1", "\xff\xc2",     "\xff\xc3",
		"\xff\xc6", "\xff\xc7", "\x41\xff\xc0", "\x41\xff\xc1"
	};

	for (uint64_t i = 0; i < 8; i++) {
		struct ibs_op_facts insn = decoded(CODE + 3 * i, code[i], strlen(code[i]));
		uint64_t d = FIRST_DISPATCH + i / 4;

		execute(&insn, 0, 0);
		/* inc keeps the carry flag, but does not wait for the flag */
		assert_times(d, d + 1, d + 2, d + 3);
	}
}
END_TEST

/* imul %rax,%rax: 3 cycles each */
START_TEST(dependent_ops)
{
	struct ibs_op_facts insn = decoded(CODE, BYTES("\x48\x0f\xaf\xc0"));

	for (uint64_t i = 0; i < 50; i++) {
		uint64_t issued = FIRST_DISPATCH + 1 + 3 * i;

		execute(&insn, 0, 0);
		assert_times(FIRST_DISPATCH + i / 4, issued, issued + 3, issued + 4);
	}
}
END_TEST

/* imul %rax,%rax; xor %eax,%eax: of two turns a cycle the second one waits for the first xor */
START_TEST(clearing_needs_no_value)
{
	struct ibs_op_facts multiply = decoded(CODE, BYTES("\x48\x0f\xaf\xc0"));
	struct ibs_op_facts clear = decoded(CODE + 4, BYTES("\x31\xc0"));

	for (uint64_t i = 0; i < 50; i++) {
		execute(&multiply, 0, 0);
		ck_assert_uint_eq(timing.issued, FIRST_DISPATCH + i / 2 + 1 + i % 2);
		execute(&clear, 0, 0);
		ck_assert_uint_eq(timing.issued, FIRST_DISPATCH + i / 2 + 1);
	}
}
END_TEST

/* push %rax; pop %rcx: rsp waits for nothing */
START_TEST(stack_pointer)
{
	struct ibs_op_facts push = decoded(CODE, BYTES("\x50"));
	struct ibs_op_facts pop = decoded(CODE + 1, BYTES("\x59"));

	execute(&push, ACCESS_WRITE, 0x7fff0000);
	uint64_t warm = timing.completed + 300;

	for (uint64_t i = 0; i < 200; i++) {
		execute(&push, ACCESS_WRITE, 0x7fff0000);
		ck_assert_uint_eq(timing.issued, timing.dispatched + 1);
		execute(&pop, ACCESS_READ, 0x7fff0000);
		ck_assert_uint_eq(timing.issued, timing.dispatched + 1);
	}
	ck_assert_uint_lt(timing.completed, warm);
}
END_TEST

/* A load that misses everything, then inc %ecx: 127 fit into the reorder buffer with it. */
START_TEST(reorder_buffer)
{
	struct ibs_op_facts load = decoded(CODE, BYTES("\x48\x8b\x00"));
	struct ibs_op_facts inc = decoded(CODE + 3, BYTES("\xff\xc1"));

	execute(&load, ACCESS_READ, 0x10000000);
	uint64_t retired = FIRST_DISPATCH + 1 + 30 + 200 + 1;

	assert_times(FIRST_DISPATCH, FIRST_DISPATCH + 1, retired - 1, retired);
	for (uint64_t i = 1; i < 128; i++)
		execute(&inc, 0, 0);
	ck_assert_uint_eq(timing.dispatched, FIRST_DISPATCH + 127 / 4);
	ck_assert_uint_eq(timing.retired, retired + 127 / 4);
	execute(&inc, 0, 0);
	ck_assert_uint_eq(timing.dispatched, retired + 1);
}
END_TEST

/* ---- memory ------------------------------------------------------------------------------ */

/* Returns the cycles of a round of mov (%rax),%rax through `lines` lines, one after the other. */
static uint64_t chase(uint64_t lines)
{
	struct ibs_op_facts load = decoded(CODE, BYTES("\x48\x8b\x00"));
	uint64_t before = 0;

	for (int round = 0; round < 3; round++) {
		before = timing.completed;
		for (uint64_t i = 0; i < lines; i++)
			execute(&load, ACCESS_READ, 0x10000000 + 64 * i);
	}
	return timing.completed - before;
}

START_TEST(pointer_chase)
{
	enum { LINES_A_PAGE = 64 };
	static const struct {
		uint64_t lines, latency, page_latency;
		enum memory_source source;
	} cases[] = {
		{ 256, 4, 0, FROM_L1 },
		{ 1024, 14, 0, FROM_L2 },
		{ 16384, 40, 6, FROM_L3 },
		{ 1 << 18, 200, 30, FROM_MEMORY },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t lines = cases[i].lines;

		restart();
		ck_assert_uint_eq(chase(lines),
				  lines * cases[i].latency +
					  lines / LINES_A_PAGE * cases[i].page_latency);
		ck_assert_uint_eq(timing.memory.source, cases[i].source);
		ck_assert_uint_eq(timing.memory.l1_miss, i > 0);
		ck_assert_uint_eq(timing.memory.l2_miss, i > 1);
		ck_assert_uint_eq(timing.memory.miss_latency, cases[i].latency - 4);
	}
}
END_TEST

/* mov (%rbx),%rcx of ever new lines: as many at a time as there are miss buffers. */
START_TEST(streaming)
{
	struct ibs_op_facts load = decoded(CODE, BYTES("\x48\x8b\x0b"));
	uint64_t retired[1000];

	for (uint64_t i = 0; i < 1000; i++) {
		execute(&load, ACCESS_READ, 0x10000000 + 64 * i);
		retired[i] = timing.retired;
		if (i >= 100) {
			ck_assert_uint_eq(retired[i] - retired[i - 8], 200);
			ck_assert_uint_eq(timing.memory.open_requests, 8);
		}
	}
}
END_TEST

/* Two loads of one line: the second waits for the rest of the first's miss. */
START_TEST(pending_line)
{
	struct ibs_op_facts load = decoded(CODE, BYTES("\x48\x8b\x0b"));

	execute(&load, ACCESS_READ, 0x10000000);
	ck_assert_uint_eq(timing.memory.miss_latency, 196);
	ck_assert_uint_eq(timing.memory.tlb_refill, 30);
	uint64_t ready = timing.completed;

	execute(&load, ACCESS_READ, 0x10000008);
	ck_assert_uint_eq(timing.completed, ready);
	ck_assert(timing.memory.was_pending && timing.memory.l1_miss);
	ck_assert_uint_eq(timing.memory.open_requests, 1);
	ck_assert_uint_eq(timing.memory.miss_latency, ready - timing.issued - 4);
	ck_assert_uint_eq(timing.memory.tlb_refill, 0);
}
END_TEST

/* imul %rax,%rax; mov %rax,(%rbx); mov (%rbx),%rax: 3 + 1 + 4 cycles a turn */
START_TEST(store_to_load)
{
	struct ibs_op_facts multiply = decoded(CODE, BYTES("\x48\x0f\xaf\xc0"));
	struct ibs_op_facts store = decoded(CODE + 4, BYTES("\x48\x89\x03"));
	struct ibs_op_facts load = decoded(CODE + 7, BYTES("\x48\x8b\x03"));
	uint64_t before = 0;

	for (int i = 0; i < 100; i++) {
		execute(&multiply, 0, 0);
		execute(&store, ACCESS_WRITE, 0x10000000);
		execute(&load, ACCESS_READ, 0x10000000);
		if (i > 10)
			ck_assert_uint_eq(timing.completed - before, 8);
		before = timing.completed;
	}
}
END_TEST

START_TEST(access_of_two_lines)
{
	struct ibs_op_facts load = decoded(CODE, BYTES("\x48\x8b\x0b"));

	execute(&load, ACCESS_READ, 0x10000ffc);
	ck_assert(timing.memory.crosses_line);
	ck_assert_uint_eq(timing.memory.tlb_refill, 30);
	ck_assert_uint_eq(timing.completed - timing.issued, 230);
	execute(&load, ACCESS_READ, 0x10001000);
	ck_assert(!timing.memory.l1_tlb_miss);
}
END_TEST

/* A line that one process has brought to L3 is a miss for another process. */
START_TEST(processes)
{
	struct ibs_op_facts load = decoded(CODE, BYTES("\x48\x8b\x0b"));
	static struct pipeline same, other;
	struct access access = { 0x10000000, 8, ACCESS_READ };
	struct ibs_op op = { .facts = &load, .n_accesses = 1, .accesses = &access };

	execute(&load, ACCESS_READ, 0x10000000);
	pipeline_init(&same, &machine, &l3);
	pipeline_init(&other, &machine, &l3);
	other.memory.lower.space = 1ull << 42;
	pipeline_step(&same, &op, &timing);
	ck_assert_uint_eq(timing.memory.source, FROM_L3);
	pipeline_step(&other, &op, &timing);
	ck_assert_uint_eq(timing.memory.source, FROM_MEMORY);
	pipeline_free(&same);
	pipeline_free(&other);
}
END_TEST

/* Executes an op by chance. */
static struct ibs_timing execute_random(struct pipeline *p, struct predictor *predicts,
					uint64_t *state)
{
	struct ibs_op_facts load = decoded(CODE + random_below(state, 1 << 20),
					   BYTES("\x48\x8b\x0b"));
	struct ibs_op_facts jump = decoded(CODE + 16 * random_below(state, 512), BYTES("\x75\xfc"));
	struct access access = { 0x10000000 + 8 * random_below(state, 1 << 20), 8,
				 random_chance(state, 50) ? ACCESS_READ : ACCESS_WRITE };
	struct ibs_op op = { .facts = &load, .n_accesses = 1, .accesses = &access };
	struct ibs_timing result;

	if (random_chance(state, 30))
		op = (struct ibs_op){ .facts = &jump,
				      .next_pc = jump.pc + 2,
				      .taken = random_chance(state, 50) };
	op.mispredicted = predictor_misses(predicts, op.facts, op.next_pc, op.taken);
	pipeline_step(p, &op, &result);
	return result;
}

/* The halves of a core. */
struct whole_core {
	struct idle_core core, front;
};

static void core_new(struct whole_core *whole, struct set_cache *shared)
{
	idle_core_new(&whole->core, IDLE_CORE);
	pipeline_init(&whole->core.core->pipeline, &machine, shared);
	idle_core_new(&whole->front, IDLE_FRONT);
	ibs_program_init(&whole->front.front->program, &machine, NULL);
}

static void core_free(struct whole_core *whole)
{
	idle_core_free(&whole->core);
	idle_core_free(&whole->front);
}

static struct ibs_timing execute_next(struct whole_core *whole, uint64_t *state)
{
	return execute_random(&whole->core.core->pipeline, &whole->front.front->program.predictor,
			      state);
}

/* A core that is packed now and then executes as one that is not. */
START_TEST(packed_core)
{
	static struct whole_core others[MOST_AWAKE_CORES], packed, plain;
	static struct idle_cores cores, fronts;
	struct set_cache l3s[2];
	uint64_t states[2] = { 1, 1 };

	ck_assert(machine_preset(&machine, "zen4"));
	for (int i = 0; i < 2; i++)
		set_cache_init(&l3s[i], machine.l3_size / 64, machine.l3_ways);
	core_new(&packed, &l3s[0]);
	core_new(&plain, &l3s[1]);
	for (int i = 0; i < MOST_AWAKE_CORES; i++)
		core_new(&others[i], &l3s[1]);
	for (int i = 0; i < 20000; i++) {
		if (i % 500 == 0) {
			idle_cores_wake(&cores, &packed.core);
			idle_cores_wake(&fronts, &packed.front);
			for (int k = 0; k < MOST_AWAKE_CORES; k++) {
				idle_cores_wake(&cores, &others[k].core);
				idle_cores_wake(&fronts, &others[k].front);
			}
			ck_assert_ptr_nonnull(packed.core.packed);
			ck_assert_ptr_nonnull(packed.front.packed);
			idle_cores_wake(&cores, &packed.core);
			idle_cores_wake(&fronts, &packed.front);
		}
		struct ibs_timing a = execute_next(&packed, &states[0]);
		struct ibs_timing b = execute_next(&plain, &states[1]);

		ck_assert_uint_eq(a.retired, b.retired);
		ck_assert_uint_eq(a.mispredicted, b.mispredicted);
		ck_assert_uint_eq(a.memory.source, b.memory.source);
	}
	for (int i = 0; i < MOST_AWAKE_CORES; i++)
		core_free(&others[i]);
	core_free(&packed);
	core_free(&plain);
	idle_cores_free(&cores);
	idle_cores_free(&fronts);
	for (int i = 0; i < 2; i++)
		set_cache_free(&l3s[i]);
}
END_TEST

/* ---- branches ---------------------------------------------------------------------------- */

/* Runs dec %ecx; jnz in a loop: each turn but the first ones must take `cycles` cycles. */
static void assert_loop(enum machine_predictor kind, uint64_t cycles)
{
	struct ibs_op_facts dec, jump;
	uint64_t before = 0;

	machine.predictor = kind;
	restart();
	dec = decoded(CODE, BYTES("\xff\xc9"));
	jump = decoded(CODE + 2, BYTES("\x75\xfc"));
	for (int i = 0; i < 100; i++) {
		struct ibs_op op = { .facts = &jump, .next_pc = CODE, .taken = true };

		execute(&dec, 0, 0);
		op.mispredicted = predictor_misses(&predictor, &jump, CODE, true);
		pipeline_step(&pipeline, &op, &timing);
		ck_assert_int_eq(timing.mispredicted, kind == PREDICTOR_STATIC);
		if (i > 10)
			ck_assert_uint_eq(timing.retired - before, cycles);
		before = timing.retired;
	}
}

/* Never predicted: 4 cycles to dispatch, 1 to issue, 2 ops, 6 to fetch anew. */
START_TEST(mispredicted_loop)
{
	assert_loop(PREDICTOR_STATIC, 4 + 1 + 2 + 6);
}
END_TEST

/* Predicted: a cycle a turn, for the chain of dec and for the fetch. */
START_TEST(predicted_loop)
{
	assert_loop(PREDICTOR_PERFECT, 1);
}
END_TEST

static bool predicted(struct predictor *p, uint8_t end, uint64_t pc, uint64_t next, bool taken)
{
	struct branch branch = {
		.pc = pc,
		.next_pc = next,
		.fall_through = pc + 5,
		.end = end,
		.taken = taken,
	};

	return predictor_step(p, &branch);
}

START_TEST(predictions)
{
	struct predictor *p = &predictor;

	ck_assert(predicted(p, TF_END_CALL, 0x100, 0x200, true));
	ck_assert(predicted(p, TF_END_CALL, 0x200, 0x300, true));
	ck_assert(predicted(p, TF_END_RETURN, 0x310, 0x205, true));
	ck_assert(predicted(p, TF_END_RETURN, 0x210, 0x105, true));
	ck_assert(!predicted(p, TF_END_RETURN, 0x310, 0x999, true));
	ck_assert(!predicted(p, TF_END_INDIRECT_JUMP, 0x400, 0x500, true));
	ck_assert(predicted(p, TF_END_INDIRECT_JUMP, 0x400, 0x500, true));
	ck_assert(!predicted(p, TF_END_INDIRECT_JUMP, 0x400, 0x600, true));
	/* Always taken: mispredicted until the history repeats and its counter has adapted. */
	int wrong = 0;

	for (int i = 0; i < 100; i++)
		wrong += !predicted(p, TF_END_CONDITIONAL, 0x700, 0x600, true);
	ck_assert_int_eq(wrong, 9);
	/* Taken every other time: gshare predicts this pattern, too. */
	for (int i = 0; i < 200; i++)
		wrong = predicted(p, TF_END_CONDITIONAL, 0x700, 0x600, i % 2) ? wrong : i;
	ck_assert_int_lt(wrong, 40);
}
END_TEST

/* ---- machines ---------------------------------------------------------------------------- */

static bool read_text(const char *text, char *error, size_t size)
{
	scratch_path path;
	FILE *file = fdopen(scratch_file(path, "machine"), "w");

	fputs(text, file);
	fclose(file);
	bool good = machine_read(&machine, path, error, size);

	remove(path);
	return good;
}

enum { OUTCOMES = 1000 };

/* The outcomes before number n, each at the bit of its age modulo `bits`. */
static uint32_t folded_history(const bool *outcomes, unsigned n, unsigned length, unsigned bits)
{
	uint32_t folded = 0;

	for (unsigned age = 0; age < length && age < n; age++)
		folded ^= (uint32_t)outcomes[n - 1 - age] << age % bits;
	return folded;
}

/* The folded histories, which each branch changes a little, are those of all outcomes. */
START_TEST(folded_histories)
{
	static const unsigned lengths[TAGE_TABLES] = { 5, 15, 44, 130 };
	bool outcomes[OUTCOMES];
	uint64_t state = 1;
	struct tage tage;

	tage_init(&tage, 10, 11);
	for (unsigned n = 0; n < OUTCOMES; n++) {
		for (unsigned i = 0; i < TAGE_TABLES; i++) {
			ck_assert_uint_eq(tage.index.folded[i],
					  folded_history(outcomes, n, lengths[i], 11));
			ck_assert_uint_eq(tage.tags[0].folded[i],
					  folded_history(outcomes, n, lengths[i], 8));
			ck_assert_uint_eq(tage.tags[1].folded[i],
					  folded_history(outcomes, n, lengths[i], 7));
		}
		outcomes[n] = random_chance(&state, 60);
		tage_step(&tage, 0x1000 + random_below(&state, 10), outcomes[n]);
	}
	tage_free(&tage);
}
END_TEST

START_TEST(machine_files)
{
	char error[256], *text;
	size_t size;

	ck_assert(read_text("# mine\npreset = zen4\n\nrob = 99 # few\n predictor = perfect\n",
			    error, sizeof(error)));
	ck_assert_uint_eq(machine.rob, 99);
	ck_assert_uint_eq(machine.dispatch_width, 6);
	ck_assert_uint_eq(machine.predictor, PREDICTOR_PERFECT);

	FILE *memory = open_memstream(&text, &size);
	struct machine written = machine;

	machine_write(&machine, memory);
	fclose(memory);
	ck_assert(machine_preset(&machine, "k10"));
	ck_assert_msg(read_text(text, error, sizeof(error)), "%s", error);
	ck_assert_mem_eq(&machine, &written, sizeof(machine));
	free(text);

	static const char *const bad[] = { "rob",
					   "rob = 0",
					   "rob = x",
					   "rob = 1 2",
					   "bor = 1",
					   "preset = zen9",
					   "predictor = oracle",
					   "l1d_ways = 257",
					   "target_entries = 100" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char two_lines[64];

		snprintf(two_lines, sizeof(two_lines), "rob = 5\n%s\n", bad[i]);
		ck_assert_msg(!read_text(two_lines, error, sizeof(error)), "%s", bad[i]);
		ck_assert_msg(strstr(error, ":2: "), "%s", error);
	}
	ck_assert(!machine_read(&machine, "/nonexistent", error, sizeof(error)));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ibs model");
	TCase *tests = tcase_create("model");

	tcase_add_checked_fixture(tests, setup, stop);
	tcase_add_test(tests, independent_ops);
	tcase_add_test(tests, dependent_ops);
	tcase_add_test(tests, clearing_needs_no_value);
	tcase_add_test(tests, stack_pointer);
	tcase_add_test(tests, reorder_buffer);
	tcase_add_test(tests, pointer_chase);
	tcase_add_test(tests, streaming);
	tcase_add_test(tests, pending_line);
	tcase_add_test(tests, store_to_load);
	tcase_add_test(tests, access_of_two_lines);
	tcase_add_test(tests, processes);
	tcase_add_test(tests, packed_core);
	tcase_add_test(tests, mispredicted_loop);
	tcase_add_test(tests, predicted_loop);
	tcase_add_test(tests, predictions);
	tcase_add_test(tests, folded_histories);
	tcase_add_test(tests, machine_files);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
