/* SPDX-License-Identifier: MIT */
/*
 * Register traffic: how many register operands instructions have, how often a value is used, and
 * how many executions lie between its production and a use (age).
 *
 * Numbers: operands; values that were overwritten, and their uses; uses, and those of age <= 1, 2,
 * 4, 8, 16, 32, 64. An instruction of 7 operands or more adds none; ages and uses above 127 are
 * 127. A register that was never written has an initial value, of age since the beginning, that
 * counts as overwritten if it was used.
 *
 * The effects on values that are produced and used within a superblock are the same each time. They
 * are counted at the end, as often as the superblock executed. The cost of an execution is that of
 * the values that enter and leave it: the uses of values from before, and the registers written.
 *
 * The uses of a register's initial value are counted apart, because the value is an earlier state's
 * last one when states are merged.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzers/mica/analysis.h"
#include "cli/common/checked.h"

enum { MOST = 127, MAX_OPERANDS = 6 };

/* A use of a value from before the superblock, or the last write of a register in it. */
struct crossing {
	uint16_t number; /* register */
	uint16_t uses;   /* of a written value, in the superblock */
	uint32_t at;     /* instruction of the superblock, from 1 */
};

struct summary {
	uint64_t executions;                      /* in the interval */
	const struct mica_superblock *superblock; /* NULL: has not executed yet */
	size_t first;                             /* crossing: n_uses, and then n_writes */
	uint32_t n_uses, n_writes;
};

struct value {
	uint64_t produced; /* at this position; 0: the initial value */
	uint64_t uses;
};

/* The initial value of a register. */
struct initial {
	uint64_t uses;           /* in the interval */
	uint64_t ages[MOST + 1]; /* of these uses */
	bool overwritten;        /* in the interval, */
	uint64_t degree;         /* after so many uses */
};

struct reg {
	uint64_t position; /* executions */
	struct value values[MICA_N_REGISTERS];
	struct initial initial[MICA_N_REGISTERS];
	uint64_t degrees[MOST + 1], ages[MOST + 1], operands[MAX_OPERANDS + 1];
	struct summary *summaries; /* by superblock */
	ARRAY(struct crossing) crossings;
	uint32_t *executed; /* superblocks that have executed in the interval */
	size_t n_executed;
};

static void *start(const struct mica_setup *setup)
{
	struct reg *g = checked_array(1, sizeof(*g));

	g->summaries = checked_array(setup->numbers.superblocks, sizeof(*g->summaries));
	g->executed = checked_array(setup->numbers.superblocks, sizeof(*g->executed));
	return g;
}

static void stop(void *self)
{
	struct reg *g = self;

	free(g->summaries);
	free(g->crossings.at);
	free(g->executed);
	free(g);
}

static unsigned trimmed(uint64_t value)
{
	return value < MOST ? value : MOST;
}

/* ---- one by one -------------------------------------------------------------------------- */

static __attribute__((noinline)) void use_initial(struct initial *initial, uint64_t position)
{
	initial->ages[trimmed(position)]++;
	initial->uses++;
}

static inline void use(struct reg *g, unsigned r, uint64_t position)
{
	struct value *value = &g->values[r];

	value->uses++;
	if (value->produced)
		g->ages[trimmed(position - value->produced)]++;
	else
		use_initial(&g->initial[r], position);
}

static inline void overwrite(struct reg *g, unsigned r, struct value by)
{
	struct value *value = &g->values[r];

	if (value->produced) {
		g->degrees[trimmed(value->uses)]++;
	} else {
		g->initial[r].overwritten = true;
		g->initial[r].degree = value->uses;
	}
	*value = by;
}

static void execute(struct reg *g, const struct isa_facts *facts)
{
	g->position++;
	for (unsigned i = 0; i < facts->n_reads; i++)
		use(g, facts->reads[i], g->position);
	for (unsigned i = 0; i < facts->n_writes; i++)
		overwrite(g, facts->writes[i], (struct value){ .produced = g->position });
	if (facts->n_register_operands <= MAX_OPERANDS)
		g->operands[facts->n_register_operands]++;
}

static void feed(void *self, const struct mica_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++)
		execute(self, &events[i].insn->facts);
}

/* ---- superblocks ------------------------------------------------------------------------- */

static void add_crossing(struct reg *g, struct crossing crossing)
{
	CHECKED_RESERVE(g->crossings, g->crossings.count + 1);
	g->crossings.at[g->crossings.count++] = crossing;
}

/* The values that a superblock has produced so far, by register. */
struct produced {
	uint32_t at[MICA_N_REGISTERS]; /* instruction, from 1; 0: none */
	uint32_t uses[MICA_N_REGISTERS];
};

/*
 * Counts an instruction's effects within a superblock, `times` times; if times is 0, uses of values
 * from before become crossings.
 */
static void walk_insn(struct reg *g, const struct isa_facts *facts, uint32_t at, uint64_t times,
		      struct produced *produced)
{
	for (unsigned i = 0; i < facts->n_reads; i++) {
		unsigned r = facts->reads[i];

		if (produced->at[r])
			g->ages[trimmed(at - produced->at[r])] += times;
		else if (!times)
			add_crossing(g, (struct crossing){ .number = r, .at = at });
		produced->uses[r]++;
	}
	for (unsigned i = 0; i < facts->n_writes; i++) {
		unsigned r = facts->writes[i];

		if (produced->at[r])
			g->degrees[trimmed(produced->uses[r])] += times;
		produced->at[r] = at;
		produced->uses[r] = 0;
	}
	if (facts->n_register_operands <= MAX_OPERANDS)
		g->operands[facts->n_register_operands] += times;
}

static void walk(struct reg *g, const struct mica_superblock *superblock, uint64_t times,
		 struct produced *produced)
{
	uint32_t at = 0;

	for (unsigned k = 0; k < superblock->n_segments; k++)
		for (unsigned i = 0; i < superblock->segments[k].count; i++)
			walk_insn(g, &superblock->segments[k].insns[i].facts, ++at, times,
				  produced);
}

static void learn(struct reg *g, struct summary *summary, const struct mica_superblock *superblock)
{
	struct produced produced = { { 0 }, { 0 } };

	summary->superblock = superblock;
	summary->first = g->crossings.count;
	walk(g, superblock, 0, &produced);
	summary->n_uses = g->crossings.count - summary->first;
	for (unsigned r = 0; r < MICA_N_REGISTERS; r++)
		if (produced.at[r])
			add_crossing(g, (struct crossing){ r, trimmed(produced.uses[r]),
							   produced.at[r] });
	summary->n_writes = g->crossings.count - summary->first - summary->n_uses;
}

static void cross(struct reg *g, const struct summary *summary)
{
	const struct crossing *c = g->crossings.at + summary->first;

	for (unsigned i = 0; i < summary->n_uses; i++, c++)
		use(g, c->number, g->position + c->at);
	for (unsigned i = 0; i < summary->n_writes; i++, c++)
		overwrite(g, c->number, (struct value){ g->position + c->at, c->uses });
	g->position += summary->superblock->n_insns;
}

static void feed_superblock(void *self, const struct mica_superblock_exec *exec)
{
	struct reg *g = self;
	struct summary *summary = &g->summaries[exec->superblock->number];

	if (!summary->superblock)
		learn(g, summary, exec->superblock);
	if (!summary->executions++)
		g->executed[g->n_executed++] = exec->superblock->number;
	cross(g, summary);
}

static void settle(struct reg *g)
{
	for (size_t i = 0; i < g->n_executed; i++) {
		struct summary *summary = &g->summaries[g->executed[i]];
		struct produced produced = { { 0 }, { 0 } };

		walk(g, summary->superblock, summary->executions, &produced);
		summary->executions = 0;
	}
	g->n_executed = 0;
}

/* ---- merging ----------------------------------------------------------------------------- */

/* Counts a later state's uses of its initial value, which is the value that g has at its end. */
static void merge_uses(struct reg *g, unsigned r, const struct initial *later)
{
	struct value *value = &g->values[r];
	struct initial *initial = &g->initial[r];
	uint64_t *ages = value->produced ? g->ages : initial->ages;

	for (unsigned i = 0; i <= MOST; i++)
		ages[trimmed(g->position - value->produced + i)] += later->ages[i];
	value->uses += later->uses;
	if (!value->produced)
		initial->uses += later->uses;
}

static void merge_register(struct reg *g, unsigned r, const struct reg *later)
{
	struct value last = later->values[r];

	merge_uses(g, r, &later->initial[r]);
	if (later->initial[r].overwritten)
		overwrite(g, r, (struct value){ g->position + last.produced, last.uses });
}

static void merge_superblock(struct reg *g, const struct summary *later)
{
	uint32_t number = later->superblock->number;
	struct summary *summary = &g->summaries[number];

	if (!summary->superblock)
		learn(g, summary, later->superblock);
	if (!summary->executions)
		g->executed[g->n_executed++] = number;
	summary->executions += later->executions;
}

static void add(uint64_t *sums, const uint64_t *numbers, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		sums[i] += numbers[i];
}

static int merge(void *self, const void *other)
{
	const struct reg *later = other;
	struct reg *g = self;

	for (unsigned r = 0; r < MICA_N_REGISTERS; r++)
		merge_register(g, r, later);
	for (size_t i = 0; i < later->n_executed; i++)
		merge_superblock(g, &later->summaries[later->executed[i]]);
	add(g->degrees, later->degrees, MOST + 1);
	add(g->ages, later->ages, MOST + 1);
	add(g->operands, later->operands, MAX_OPERANDS + 1);
	g->position += later->position;
	return 0;
}

static void save(void *self, struct state_writer *writer)
{
	struct reg *g = self;

	settle(g);
	analyzer_put(writer, g->position);
	for (unsigned r = 0; r < MICA_N_REGISTERS; r++) {
		analyzer_put(writer, g->values[r].produced);
		analyzer_put(writer, g->values[r].uses);
		analyzer_put(writer, g->initial[r].uses);
		analyzer_put_all(writer, g->initial[r].ages, MOST + 1);
		analyzer_put(writer, g->initial[r].overwritten);
		analyzer_put(writer, g->initial[r].degree);
	}
	analyzer_put_all(writer, g->degrees, MOST + 1);
	analyzer_put_all(writer, g->ages, MOST + 1);
	analyzer_put_all(writer, g->operands, MAX_OPERANDS + 1);
}

static void load(void *self, struct state_reader *reader)
{
	struct reg *g = self;

	g->position = analyzer_take(reader);
	for (unsigned r = 0; r < MICA_N_REGISTERS; r++) {
		g->values[r].produced = analyzer_take_max(reader, g->position);
		g->values[r].uses = analyzer_take(reader);
		g->initial[r].uses = analyzer_take(reader);
		analyzer_take_all(reader, g->initial[r].ages, MOST + 1);
		g->initial[r].overwritten = analyzer_take_max(reader, 1);
		g->initial[r].degree = analyzer_take(reader);
	}
	analyzer_take_all(reader, g->degrees, MOST + 1);
	analyzer_take_all(reader, g->ages, MOST + 1);
	analyzer_take_all(reader, g->operands, MAX_OPERANDS + 1);
}

/* ---- numbers ----------------------------------------------------------------------------- */

/* Counts the uses of initial values, now that no earlier state can come. */
static void settle_initial(struct reg *g)
{
	for (unsigned r = 0; r < MICA_N_REGISTERS; r++) {
		struct initial *initial = &g->initial[r];

		if (!initial->uses && !initial->overwritten)
			continue;
		add(g->ages, initial->ages, MOST + 1);
		if (initial->overwritten && initial->degree)
			g->degrees[trimmed(initial->degree)]++;
		*initial = (struct initial){ 0 };
	}
}

static unsigned end(void *self, bool last, uint64_t *numbers)
{
	struct reg *g = self;
	uint64_t *n = numbers, uses = 0;

	(void)last;
	settle(g);
	settle_initial(g);
	memset(numbers, 0, 4 * sizeof(*numbers));
	for (unsigned i = 0; i <= MAX_OPERANDS; i++)
		n[0] += i * g->operands[i];
	for (unsigned i = 0; i <= MOST; i++) {
		n[1] += g->degrees[i];
		n[2] += i * g->degrees[i];
		n[3] += g->ages[i];
	}
	n += 4;
	for (unsigned i = 0; i <= 64; i++) {
		uses += g->ages[i];
		if (i && !(i & (i - 1)))
			*n++ = uses;
	}
	memset(g->operands, 0, sizeof(g->operands));
	memset(g->degrees, 0, sizeof(g->degrees));
	memset(g->ages, 0, sizeof(g->ages));
	return n - numbers;
}

/* clang-format off */
const struct mica_analysis mica_reg = {
	.start = start, .feed = feed, .superblock = feed_superblock, .end = end, .stop = stop,
	.merge = merge, .save = save, .load = load,
};
/* clang-format on */
