/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/watched_insns.h"

#include "cli/common/checked.h"

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void watched_insns_init(struct watched_insns *w, const struct tf_reader *reader,
			const uint64_t *addresses, size_t n)
{
	uint32_t n_blocks = tf_n_blocks(reader);

	*w = (struct watched_insns){ .n_blocks = n_blocks };
	w->blocks = checked_array(n_blocks, sizeof(*w->blocks));
	CHECKED_RESERVE(w->addresses, n);
	for (size_t i = 0; i < n; i++)
		w->addresses.at[i] = addresses[i];
	if (n)
		qsort(w->addresses.at, n, sizeof(*w->addresses.at), compare);
	for (size_t i = 0; i < n; i++)
		if (!i || w->addresses.at[i] != w->addresses.at[w->addresses.count - 1])
			w->addresses.at[w->addresses.count++] = w->addresses.at[i];
}

void watched_insns_free(struct watched_insns *w)
{
	for (uint32_t id = 0; id < w->n_blocks; id++)
		free(w->blocks[id].insns.at);
	free(w->blocks);
	free(w->addresses.at);
}

size_t watched_insns_find(const struct watched_insns *w, uint64_t address)
{
	const uint64_t *found = w->addresses.count
					? bsearch(&address, w->addresses.at, w->addresses.count,
						  sizeof(address), compare)
					: NULL;

	return found ? (size_t)(found - w->addresses.at) : SIZE_MAX;
}

const struct watched_block *watched_insns_search(struct watched_insns *w,
						 const struct tf_block *block)
{
	struct watched_block *watched = &w->blocks[block->id];

	for (uint16_t i = 0; i < block->n_insns; i++) {
		size_t address = watched_insns_find(w, block->pc + block->insns[i].offset);

		if (address == SIZE_MAX)
			continue;
		CHECKED_RESERVE(watched->insns, watched->insns.count + 1);
		watched->insns.at[watched->insns.count++] = (struct watched_insn){ i, address };
	}
	watched->known = true;
	return watched;
}
