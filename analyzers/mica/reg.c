/* SPDX-License-Identifier: MIT */
/*
 * Register traffic: how many register operands instructions have, how often a value is used, and
 * how many executions lie between its production and a use (age).
 *
 * Numbers: operands; values that were overwritten, and their uses; uses, and those of age <= 1, 2,
 * 4, 8, 16, 32, 64. An instruction of 7 operands or more adds none; ages and uses above 127 are 127. A
 * register that was never written has an initial value, of age since the beginning, that counts as
 * overwritten if it was used. Constant cost a register.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzers/mica/analysis.h"

enum { MOST = 127, MAX_OPERANDS = 6 };

struct reg {
	uint64_t position;	/* executions */
	struct {
		uint64_t produced;	/* at this position */
		uint64_t uses;
		bool seen;
	} registers[ISA_N_REGISTERS];
	uint64_t degrees[MOST + 1], ages[MOST + 1], operands[MAX_OPERANDS + 1];
};

static void *start(const struct mica_setup *setup)
{
	(void)setup;
	return mica_alloc(1, sizeof(struct reg));
}

static unsigned trimmed(uint64_t value)
{
	return value < MOST ? value : MOST;
}

static void execute(struct reg *g, const struct isa_facts *facts)
{
	g->position++;
	for (unsigned i = 0; i < facts->n_reads; i++) {
		unsigned r = facts->reads[i];

		g->ages[trimmed(g->position - g->registers[r].produced)]++;
		g->registers[r].uses++;
		g->registers[r].seen = true;
	}
	for (unsigned i = 0; i < facts->n_writes; i++) {
		unsigned r = facts->writes[i];

		if (g->registers[r].seen)
			g->degrees[trimmed(g->registers[r].uses)]++;
		g->registers[r].produced = g->position;
		g->registers[r].uses = 0;
		g->registers[r].seen = true;
	}
	if (facts->n_register_operands <= MAX_OPERANDS)
		g->operands[facts->n_register_operands]++;
}

static void feed(void *self, const struct mica_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++)
		execute(self, &events[i].insn->facts);
}

static unsigned end(void *self, bool last, uint64_t *numbers)
{
	struct reg *g = self;
	uint64_t *n = numbers, uses = 0;

	(void)last;
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

const struct mica_analysis mica_reg = { start, feed, NULL, end, free };
