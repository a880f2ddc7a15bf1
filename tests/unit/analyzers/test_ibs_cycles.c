/* SPDX-License-Identifier: MIT */
/*
 * Compares the one-pass model with a simulator that goes cycle by cycle, on random ops. All
 * accesses hit L1, since the model accesses memory in program order and the simulator when ops
 * issue.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/ibs/model/pipeline.h"
#include "analyzers/ibs/model/predictor.h"
#include "tests/unit/run_suite.h"

enum { COUNT = 1500, CODE = 0x401000, DATA = 0x10000000, UNKNOWN = -1 };

static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
	random_state = random_state * 6364136223846793005 + 1442695040888963407;
	return (random_state >> 33) % limit;
}

/* ---- random programs --------------------------------------------------------------------- */

/* The code is in one line, so that each fetch takes a cycle. */
static const struct {
	const char *code;
	unsigned kinds;
} kinds[] = {
	{ "\xff\xc0", 0 },                              /* inc %eax */
	{ "\xff\xc1", 0 },                              /* inc %ecx */
	{ "\x01\xc8", 0 },                              /* add %ecx,%eax */
	{ "\x11\xc2", 0 },                              /* adc %eax,%edx */
	{ "\x0f\xaf\xc2", 0 },                          /* imul %edx,%eax */
	{ "\xf7\xf6", 0 },                              /* div %esi */
	{ "\x31\xc9", 0 },                              /* xor %ecx,%ecx */
	{ "\x8b\x03", ACCESS_READ },                    /* mov (%rbx),%eax */
	{ "\x8b\x34\x08", ACCESS_READ },                /* mov (%rax,%rcx),%esi */
	{ "\x03\x13", ACCESS_READ },                    /* add (%rbx),%edx */
	{ "\x89\x13", ACCESS_WRITE },                   /* mov %edx,(%rbx) */
	{ "\x01\x33", ACCESS_READ | ACCESS_WRITE },     /* add %esi,(%rbx) */
	{ "\x50", ACCESS_WRITE },                       /* push %rax */
	{ "\x59", ACCESS_READ },                        /* pop %rcx */
	{ "\x75\x00", 0 },                              /* jnz */
	{ "\xf2\x0f\x58\xc1", 0 },                      /* addsd %xmm1,%xmm0 */
	{ "\xf0\xff\x03", ACCESS_READ | ACCESS_WRITE }, /* lock incl (%rbx) */
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static struct machine machine;
static struct ibs_op_facts insns[KINDS];
static struct ibs_op ops[COUNT];
static struct access all_accesses[COUNT][2];

static void decode_all(void)
{
	static const char jump[] = { 0x75, 0 };
	uint64_t pc = CODE;

	for (unsigned i = 0; i < KINDS; i++) {
		bool is_jump = kinds[i].code[0] == jump[0] && !kinds[i].code[1];
		size_t length = is_jump ? sizeof(jump) : strlen(kinds[i].code);

		struct ibs_op_facts decoded[IBS_MAX_OPS];

		ck_assert_uint_eq(ibs_insn_decode(decoded, &machine, ISA_AMD,
						  (const uint8_t *)kinds[i].code, length, pc),
				  1);
		insns[i] = decoded[0];
		pc += length;
	}
	ck_assert_uint_le(pc, CODE + 64);
}

static void make_program(void)
{
	for (unsigned i = 0; i < COUNT; i++) {
		unsigned kind = random_below(KINDS);
		uint64_t address = DATA + 8 * random_below(8);

		struct access *list = all_accesses[i];

		ops[i] = (struct ibs_op){
			.facts = &insns[kind],
			.accesses = list,
			.taken = random_below(8) == 0,
		};
		if (kinds[kind].kinds & ACCESS_READ)
			list[ops[i].n_accesses++] = (struct access){ address, 8, ACCESS_READ };
		if (kinds[kind].kinds & ACCESS_WRITE)
			list[ops[i].n_accesses++] = (struct access){ address, 8, ACCESS_WRITE };
	}
}

/* ---- the simulator ----------------------------------------------------------------------- */

/* The cycles in which an op passed each stage; UNKNOWN: not yet. */
static struct times {
	int64_t fetched, dispatched, issued, completed, retired;
} sim[COUNT];

static bool accesses(unsigned i, enum access_kind kind)
{
	for (unsigned k = 0; k < ops[i].n_accesses; k++)
		if (ops[i].accesses[k].kind == kind)
			return true;
	return false;
}

static bool is_mispredicted(unsigned i)
{
	return ops[i].facts->end == TF_END_CONDITIONAL && ops[i].taken;
}

static bool is_in(uint8_t reg, const uint8_t *set, unsigned count)
{
	return memchr(set, reg, count) != NULL;
}

/* Returns the cycle from which on the register value that op i wrote is available. */
static int64_t register_known(unsigned i, uint8_t reg)
{
	if (reg != ops[i].facts->moved || sim[i].issued == UNKNOWN)
		return ops[i].facts->is_stack && reg == ops[i].facts->moved ? sim[i].dispatched
									    : sim[i].completed;
	return ops[i].facts->is_stack ? sim[i].dispatched : sim[i].issued + machine.integer;
}

static bool sources_known(unsigned i, int64_t cycle)
{
	for (unsigned s = 0; s < ops[i].facts->n_sources; s++) {
		uint8_t reg = ops[i].facts->sources[s];
		unsigned writer = i;

		while (writer > 0 && !is_in(reg, ops[writer - 1].facts->results,
					    ops[writer - 1].facts->n_results))
			writer--;
		if (!writer)
			continue;
		int64_t known = register_known(writer - 1, reg);

		if (known == UNKNOWN || known > cycle)
			return false;
	}
	return true;
}

/* Returns 1 + the last store before op i to the memory that op i reads; 0: there is none. */
static unsigned last_store(unsigned i)
{
	for (unsigned w = i; w > 0; w--)
		if (accesses(w - 1, ACCESS_WRITE) &&
		    ops[w - 1].accesses[0].address == ops[i].accesses[0].address)
			return w;
	return 0;
}

static void issue(unsigned i, int64_t cycle)
{
	if (sim[i].issued != UNKNOWN || sim[i].dispatched == UNKNOWN ||
	    sim[i].dispatched >= cycle || !sources_known(i, cycle))
		return;
	sim[i].issued = cycle;
}

/* Returns the cycle in which an issued load has its data; UNKNOWN: not yet. */
static int64_t loaded(unsigned i)
{
	int64_t cached = sim[i].issued + machine.l1d_latency, forwarded = sim[i].issued;
	unsigned store = last_store(i);

	if (!store || (sim[store - 1].retired != UNKNOWN && sim[store - 1].retired < forwarded))
		return cached;
	if (sim[store - 1].completed == UNKNOWN)
		return UNKNOWN;
	if (forwarded < sim[store - 1].completed)
		forwarded = sim[store - 1].completed;
	forwarded += machine.forward_latency;
	return forwarded > cached ? forwarded : cached;
}

static void complete(unsigned i)
{
	int64_t ready = sim[i].issued;

	if (sim[i].issued == UNKNOWN || sim[i].completed != UNKNOWN)
		return;
	if (accesses(i, ACCESS_READ))
		ready = loaded(i);
	if (ready != UNKNOWN)
		sim[i].completed = ready + ops[i].facts->latency;
}

/* Counts the ops of a kind before op i that still occupy a place in a queue. */
static unsigned queued(unsigned i, int64_t cycle, unsigned kind)
{
	unsigned n = 0;

	for (unsigned k = 0; k < i; k++)
		if ((!kind || accesses(k, kind)) &&
		    (sim[k].retired == UNKNOWN || sim[k].retired >= cycle))
			n++;
	return n;
}

static bool may_dispatch(unsigned i, int64_t cycle)
{
	return sim[i].fetched != UNKNOWN && sim[i].fetched + machine.frontend_depth <= cycle &&
	       queued(i, cycle, 0) < machine.rob &&
	       (!accesses(i, ACCESS_READ) || queued(i, cycle, ACCESS_READ) < machine.load_queue) &&
	       (!accesses(i, ACCESS_WRITE) || queued(i, cycle, ACCESS_WRITE) < machine.store_queue);
}

/* The op after a mispredicted branch is fetched later; any other op with the one before it. */
static void fetch(unsigned i, int64_t first)
{
	if (i == 0)
		sim[i].fetched = first;
	else if (!is_mispredicted(i - 1))
		sim[i].fetched = sim[i - 1].fetched;
	else if (sim[i - 1].completed != UNKNOWN)
		sim[i].fetched = sim[i - 1].completed + machine.restart;
}

static void simulate(int64_t first_fetch)
{
	unsigned dispatched = 0, retired = 0;

	memset(sim, 0xff, sizeof(sim));
	for (int64_t cycle = first_fetch; retired < COUNT; cycle++) {
		unsigned n = 0;

		for (unsigned k = 0; k < machine.retire_width && retired < COUNT; k++)
			if (sim[retired].completed != UNKNOWN && sim[retired].completed < cycle)
				sim[retired++].retired = cycle;
		for (unsigned i = retired; i < dispatched; i++) {
			issue(i, cycle);
			complete(i);
		}
		for (; n < machine.dispatch_width && dispatched < COUNT; n++) {
			fetch(dispatched, first_fetch);
			if (!may_dispatch(dispatched, cycle))
				break;
			sim[dispatched++].dispatched = cycle;
		}
	}
}

/* ---- both -------------------------------------------------------------------------------- */

static void compare(void)
{
	static struct set_cache l3;
	static struct pipeline pipeline;
	static struct predictor predictor;
	struct ibs_timing t;
	struct memory_access ignored = { 0 };

	decode_all();
	make_program();
	set_cache_init(&l3, machine.l3_size / 64, machine.l3_ways);
	pipeline_init(&pipeline, &machine, &l3);
	predictor_init(&predictor, &machine);
	memory_store(&pipeline.memory, DATA, 64, 0, &ignored);
	for (unsigned i = 0; i < COUNT; i++) {
		ops[i].mispredicted = predictor_misses(&predictor, ops[i].facts, ops[i].next_pc,
						       ops[i].taken);
		pipeline_step(&pipeline, &ops[i], &t);
		if (i == 0)
			simulate(pipeline.frontend.decoded - machine.frontend_depth);
		if (sim[i].dispatched != (int64_t)t.dispatched ||
		    sim[i].issued != (int64_t)t.issued ||
		    sim[i].completed != (int64_t)t.completed ||
		    sim[i].retired != (int64_t)t.retired)
			ck_abort_msg("op %u: %ld %ld %ld %ld, cycle by cycle %ld %ld %ld %ld", i,
				     (long)t.dispatched, (long)t.issued, (long)t.completed,
				     (long)t.retired, (long)sim[i].dispatched, (long)sim[i].issued,
				     (long)sim[i].completed, (long)sim[i].retired);
		ck_assert_int_eq(t.mispredicted, is_mispredicted(i));
	}
	pipeline_free(&pipeline);
	predictor_free(&predictor);
	set_cache_free(&l3);
}

START_TEST(random_ops)
{
	random_state = _i;
	ck_assert(machine_preset(&machine, "simple"));
	machine.predictor = PREDICTOR_STATIC;
	if (_i > 0) {
		machine.dispatch_width = 1 + random_below(8);
		machine.retire_width = 1 + random_below(8);
		machine.rob = 4 + random_below(60);
		machine.load_queue = 1 + random_below(16);
		machine.store_queue = 1 + random_below(16);
		machine.frontend_depth = random_below(10);
		machine.restart = 1 + random_below(10);
		machine.l1d_latency = 1 + random_below(6);
		machine.forward_latency = random_below(9);
	}
	compare();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ibs cycles");
	TCase *tests = tcase_create("cycles");

	tcase_add_loop_test(tests, random_ops, 0, 12);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
