/* SPDX-License-Identifier: MIT */
/* Kinds of advice about events that each cost as much, such as mispredicted branches. */
#ifndef REPORT_ADVICE_KINDS_H
#define REPORT_ADVICE_KINDS_H

#include <jansson.h>
#include <stdint.h>

struct advice_kind {
	const char *part;    /* whose command prints the number of events */
	const char *section; /* of the page */
	const char *unit;    /* of the number */
	int cost;            /* cycles of each; 0: the number is of instructions, and exact */
	const char *text;    /* what to do; NULL: make_text says it */
	char *(*make_text)(const json_t *document);
	uint64_t (*count)(const json_t *document);
	/*
	 * Says why, without the share, which stands apart. count: the number as text. Free the
	 * texts.
	 */
	char *(*why)(const json_t *document, const char *count);
};

extern const struct advice_kind advice_kinds[];
extern const size_t n_advice_kinds;

#endif
