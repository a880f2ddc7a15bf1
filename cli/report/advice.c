/* SPDX-License-Identifier: MIT */
#include "cli/report/advice.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/json_values.h"
#include "cli/common/quantity.h"
#include "cli/report/advice_kinds.h"
#include "cli/report/facts.h"

static const double LEAST_SHARE = 0.01; /* of cycles; less is not worth the work */

struct advice {
	char *text, *why;    /* owned */
	const char *part;    /* whose command prints the number */
	const char *section; /* of the page */
	uint64_t number;
	const char *unit;
	double share; /* of the program's cycles, estimated, or counted exactly: */
	bool exact;
};

struct advisor {
	const json_t *document;
	double cycles; /* of the program */
	ARRAY(struct advice) given;
};

/* ---- entries ------------------------------------------------------------------------------- */

static void give(struct advisor *a, struct advice advice)
{
	if (advice.share > 1)
		advice.share = 1;
	if (advice.share >= LEAST_SHARE) {
		CHECKED_RESERVE(a->given, a->given.count + 1);
		a->given.at[a->given.count++] = advice;
		return;
	}
	free(advice.text);
	free(advice.why);
}

static double share_of(const struct advisor *a, double events, double cost)
{
	return a->cycles > 0 ? events * cost / a->cycles : 0;
}

/* ---- advice of trace-slo ------------------------------------------------------------------- */

/* Makes a sentence of trace-slo's advice, which begins in lower case. */
static char *sentence(const char *words)
{
	char *text = checked_copy(words);

	if (*text >= 'a' && *text <= 'z')
		*text = (char)(*text - 'a' + 'A');
	return text;
}

static void advise_locality(struct advisor *a)
{
	enum { OF_SLO = 2 };
	const json_t *rows = result_at(a->document, "slo.refactorings");

	for (size_t i = 0; i < json_array_size(rows) && i < OF_SLO; i++) {
		const json_t *row = json_array_get(rows, i);
		const char *words = json_read_text(row, "advice");
		uint64_t reuses = count_in(row, "reuses"), lost = count_in(row, "lost_cycles");
		char of_reuses[COUNT_SIZE], of_lost[COUNT_SIZE];
		double share = share_of(a, (double)lost, 1);

		if (!words)
			continue;
		give(a, (struct advice){
				.text = sentence(words),
				.why = text_format("%s reuses of data are so far apart that caches "
						   "miss; that costs about %s cycles.",
						   format_count(reuses, of_reuses),
						   format_count(lost, of_lost)),
				.part = "slo",
				.section = "locality",
				.number = lost,
				.unit = "cycles",
				.share = share,
			});
	}
}

static void advise(struct advisor *a, const struct advice_kind *kind)
{
	uint64_t number = kind->count(a->document), all = count_at(a->document, "mix.instructions");
	double share = kind->cost ? share_of(a, (double)number, kind->cost)
		       : all      ? (double)number / (double)all
				  : 0;
	char count[COUNT_SIZE];

	if (share < LEAST_SHARE)
		return;
	give(a,
	     (struct advice){
		     .text = kind->text ? checked_copy(kind->text) : kind->make_text(a->document),
		     .why = kind->why(a->document, format_count(number, count)),
		     .part = kind->part,
		     .section = kind->section,
		     .number = number,
		     .unit = kind->unit,
		     .share = share,
		     .exact = !kind->cost,
	     });
}

/* ---- the choice ---------------------------------------------------------------------------- */

static int by_share(const void *a, const void *b)
{
	const struct advice *first = a, *second = b;

	if (first->share != second->share)
		return first->share < second->share ? 1 : -1;
	return strcmp(first->part, second->part);
}

static json_t *entry_of(const struct advisor *a, const struct advice *advice)
{
	json_t *entry = checked(json_object());
	json_t *command = json_object_get(json_object_get(a->document, "commands"), advice->part);

	json_member(entry, "text", json_text(advice->text));
	json_member(entry, "why", json_text(advice->why));
	if (command)
		json_member(entry, "command", json_incref(command));
	json_member(entry, "section", json_word(advice->section));
	json_member(entry, "number", json_number(advice->number));
	json_member(entry, "unit", json_word(advice->unit));
	json_member(entry, "share_percent", checked(json_real(100 * advice->share)));
	json_member(entry, "exactness", json_word(advice->exact ? "exact" : "modelled"));
	return entry;
}

json_t *advice_of(const json_t *document)
{
	struct advisor a = { .document = document };
	json_t *list = checked(json_array());

	a.cycles = (double)count_at(document, "ibs.cycles_of_all_threads");
	if (a.cycles <= 0)
		a.cycles = (double)count_in(first_trace(document), "instructions");
	advise_locality(&a);
	for (size_t i = 0; i < n_advice_kinds; i++)
		advise(&a, &advice_kinds[i]);
	if (a.given.count)
		qsort(a.given.at, a.given.count, sizeof(*a.given.at), by_share);
	for (size_t i = 0; i < a.given.count; i++) {
		if (i < MOST_ADVICE)
			json_element(list, entry_of(&a, &a.given.at[i]));
		free(a.given.at[i].text);
		free(a.given.at[i].why);
	}
	free(a.given.at);
	return list;
}
