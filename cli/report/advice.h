/* SPDX-License-Identifier: MIT */
/*
 * The changes that are most worth making in a program. Each kind of advice estimates the share of
 * the program's cycles that a change is about: counted events, times the cost of one on a processor
 * of today.
 * The cycles of the program are those of the machine model of trace-ibs, or one for each
 * instruction without that result.
 */
#ifndef REPORT_ADVICE_H
#define REPORT_ADVICE_H

#include <jansson.h>

enum { MOST_ADVICE = 3 };

/*
 * Returns at most MOST_ADVICE entries, that with the greatest share first: "text" says what to do,
 * "why" gives the numbers, "number" and "unit" the counted events, "share_percent" the estimate,
 * "command" what prints the number, "section" where the page has more. The document needs "results"
 * and "commands".
 */
json_t *advice_of(const json_t *document);

#endif
