/* SPDX-License-Identifier: MIT */
/* trace-slo's refactorings of two traces: which of these are gone, and which are new. */
#ifndef COMPARE_ADVICE_H
#define COMPARE_ADVICE_H

#include "cli/compare/result.h"

struct advice_pair {
	const char *advice[2]; /* as trace-slo words it; NULL: the trace does not have it */
	uint64_t lost_cycles[2], reuses[2];
};

struct advice_pairs {
	ARRAY(struct advice_pair);
};

/*
 * Matches the advice of two results by its words without numbers, as lines move, and returns it,
 * that with the greatest change of lost cycles first. The results must outlive the list.
 */
struct advice_pairs compare_advice(const struct result *results, struct texts *texts);

/* Returns how far the lost cycles of both traces are apart. */
uint64_t advice_change(const struct advice_pair *pair);

#endif
