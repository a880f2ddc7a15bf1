/* SPDX-License-Identifier: MIT */
#include "recorder/core/marker_budgets.h"

#include <stdlib.h>

#include "traceformat/common/array.h"

enum { UNLIMITED = 1 << 30 };

struct marker_budgets {
	struct marked_insns *counts;
	ARRAY(uint8_t) budgets; /* by number of the marker, from 1; 0: it is not watched */
	unsigned n, n_watched;
	int64_t left[MARKER_BUDGETS];
};

struct marker_budgets *marker_budgets_new(struct marked_insns *counts)
{
	struct marker_budgets *b = calloc(1, sizeof(*b));

	if (b)
		b->counts = counts;
	return b;
}

void marker_budgets_free(struct marker_budgets *b)
{
	if (b)
		free(b->budgets.at);
	free(b);
}

bool marker_budgets_watch(struct marker_budgets *b, uint32_t number)
{
	if (!RESERVE(b->budgets, number + 1u))
		return false;
	if (b->budgets.count <= number)
		b->budgets.count = number + 1u;
	if (b->budgets.at[number])
		return true;
	b->budgets.at[number] = (uint8_t)(1 + b->n_watched++ % MARKER_BUDGETS);
	if (b->n < MARKER_BUDGETS)
		b->left[b->n++] = UNLIMITED;
	marked_insns_limit(b->counts, number, &b->left[b->budgets.at[number] - 1]);
	return true;
}

static unsigned budget_of(const struct marker_budgets *b, uint32_t number)
{
	return number < b->budgets.count ? b->budgets.at[number] : 0;
}

unsigned marker_budget_of(const struct session *s, const struct tf_block *block, unsigned *insn)
{
	const struct marker_budgets *b = s->marker_budgets;
	unsigned found = 0;

	for (uint32_t i = 0; b && i < b->budgets.count; i++) {
		unsigned at;

		if (b->budgets.at[i] && marked_insns_in_block(b->counts, block, i, &at) &&
		    (!found || at < *insn)) {
			found = b->budgets.at[i];
			*insn = at;
		}
	}
	return found;
}

void marker_budgets_lift(struct marker_budgets *b)
{
	for (unsigned i = 0; i < b->n; i++)
		b->left[i] = UNLIMITED;
}

bool marker_budgets_limit(struct marker_budgets *b, uint32_t number, uint64_t executions)
{
	unsigned budget = budget_of(b, number);

	if (budget && executions < (uint64_t)b->left[budget - 1])
		b->left[budget - 1] = (int64_t)executions;
	return budget;
}

unsigned marker_budgets_n(const struct session *s)
{
	const struct marker_budgets *b = s->marker_budgets;

	return b ? b->n : 0;
}

static int64_t left_of(const struct marker_budgets *b, unsigned budget)
{
	return __atomic_load_n(&b->left[budget], __ATOMIC_RELAXED);
}

int64_t marker_budget_take(struct session *s, unsigned budget, unsigned parts, int64_t most)
{
	struct marker_budgets *b = s->marker_budgets;
	int64_t part = left_of(b, budget) / parts;

	if (part > most + 1)
		part = most + 1;
	if (part < 1)
		part = 1;
	__atomic_sub_fetch(&b->left[budget], part, __ATOMIC_RELAXED);
	return part - 1;
}

void marker_budget_return(struct session *s, unsigned budget, int64_t part, int64_t executed)
{
	__atomic_add_fetch(&s->marker_budgets->left[budget], part - executed, __ATOMIC_RELAXED);
}

bool marker_budgets_are_due(const struct session *s)
{
	const struct marker_budgets *b = s->marker_budgets;

	for (unsigned i = 0; b && i < b->n; i++)
		if (left_of(b, i) <= 0)
			return true;
	return false;
}
