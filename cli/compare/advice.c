/* SPDX-License-Identifier: MIT */
#include "cli/compare/advice.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/json_values.h"

/* The pair for the n-th advice with the same words. */
struct worded_pair {
	struct {
		uint32_t words, n;
	} key;
	uint32_t pair;
};

struct worded_pairs {
	/* clang-format off */
	HASH_TABLE(struct worded_pair);
	/* clang-format on */
};

/* Returns the number of the text without the numbers of lines: "x.c:12" becomes "x.c:". */
static uint32_t words_of(const char *advice, struct texts *texts)
{
	char *words = checked_copy(advice), *to = words;
	uint32_t number;

	for (const char *from = advice; *from; from++) {
		*to++ = *from;
		while (*from == ':' && isdigit((unsigned char)from[1]))
			for (; isdigit((unsigned char)from[1]); from++)
				;
	}
	number = text_number(texts, words, (size_t)(to - words));
	free(words);
	return number;
}

static void add_row(struct advice_pairs *list, struct worded_pairs *worded, const json_t *row,
		    unsigned side, struct texts *texts)
{
	const char *advice = json_read_text(row, "advice");
	uint64_t cycles = 0, reuses = 0;
	struct worded_pair *entry = NULL;
	struct advice_pair *pair;

	if (!advice)
		return;
	json_read_number(row, "lost_cycles", &cycles);
	json_read_number(row, "reuses", &reuses);
	for (uint32_t n = 0;; n++) {
		size_t before = worded->count;

		entry = checked(TABLE_PUT(*worded, { words_of(advice, texts), n }));
		if (worded->count > before) {
			CHECKED_RESERVE(*list, list->count + 1);
			entry->pair = (uint32_t)list->count++;
			list->at[entry->pair] = (struct advice_pair){ 0 };
		}
		if (!list->at[entry->pair].advice[side])
			break;
	}
	pair = &list->at[entry->pair];
	pair->advice[side] = advice;
	pair->lost_cycles[side] = cycles < MOST_COST ? cycles : MOST_COST;
	pair->reuses[side] = reuses < MOST_COST ? reuses : MOST_COST;
}

uint64_t advice_change(const struct advice_pair *pair)
{
	uint64_t a = pair->lost_cycles[0], b = pair->lost_cycles[1];

	return a > b ? a - b : b - a;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct advice_pair *x = a, *y = b;
	uint64_t of_x = advice_change(x), of_y = advice_change(y);

	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	return strcmp(x->advice[x->advice[0] ? 0 : 1], y->advice[y->advice[0] ? 0 : 1]);
}

struct advice_pairs compare_advice(const struct result *results, struct texts *texts)
{
	enum { MOST = 1000 };
	struct advice_pairs list = { 0 };
	struct worded_pairs worded = { 0 };

	for (unsigned side = 0; side < 2; side++) {
		const json_t *rows = json_object_get(result_of(&results[side], "slo"),
						     "refactorings");

		for (size_t i = 0; i < json_array_size(rows) && i < MOST; i++)
			add_row(&list, &worded, json_array_get(rows, i), side, texts);
	}
	TABLE_FREE(worded);
	if (list.count)
		qsort(list.at, list.count, sizeof(*list.at), compare_pairs);
	return list;
}
