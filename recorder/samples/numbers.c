/* SPDX-License-Identifier: MIT */
#include "recorder/samples/numbers.h"

#include <stdlib.h>

static struct number *place_of(const struct numbers *n, uint32_t number)
{
	size_t i = number * UINT32_C(0x9e3779b1) & (n->room - 1);

	while (n->at[i].used && n->at[i].number != number)
		i = (i + 1) & (n->room - 1);
	return &n->at[i];
}

uint32_t numbers_find(const struct numbers *n, uint32_t number)
{
	const struct number *place = n->room ? place_of(n, number) : NULL;

	return place && place->used ? place->index : UINT32_MAX;
}

static bool grow(struct numbers *n)
{
	struct numbers grown = { .room = n->room ? 2 * n->room : 64 };

	grown.at = calloc(grown.room, sizeof(*grown.at));
	if (!grown.at)
		return false;
	for (size_t i = 0; i < n->room; i++)
		if (n->at[i].used)
			*place_of(&grown, n->at[i].number) = n->at[i];
	grown.count = n->count;
	free(n->at);
	*n = grown;
	return true;
}

bool numbers_set(struct numbers *n, uint32_t number, uint32_t index)
{
	struct number *place;

	if (2 * (n->count + 1) > n->room && !grow(n))
		return false;
	place = place_of(n, number);
	n->count += !place->used;
	*place = (struct number){ number, index, true };
	return true;
}
