/* SPDX-License-Identifier: MIT */
#include "cli/compare/texts.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"

uint32_t text_number(struct texts *texts, const char *text, size_t length)
{
	uint64_t hash = hash_bytes(text, length), at = hash;
	uint32_t number;

	while ((number = hash_index_next(&texts->index, hash, &at)) != HASH_NONE)
		if (strlen(texts->at[number]) == length && !memcmp(texts->at[number], text, length))
			return number;
	number = (uint32_t)texts->count;
	CHECKED_RESERVE(*texts, texts->count + 1);
	texts->at[texts->count++] = checked(strndup(text, length));
	if (!hash_index_add(&texts->index, hash, number))
		out_of_memory();
	return number;
}

void texts_free(struct texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		free(texts->at[i]);
	free(texts->at);
	hash_index_free(&texts->index);
}
