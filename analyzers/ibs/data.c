/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/data.h"

#include "analyzers/common/checked.h"

enum { FIRST_ENTRIES = 1024 };

void ibs_data_init(struct ibs_data *data, unsigned shift)
{
	*data = (struct ibs_data){ .shift = shift, .mask = FIRST_ENTRIES - 1 };
	data->entries = checked_array(FIRST_ENTRIES, sizeof(*data->entries));
}

void ibs_data_free(struct ibs_data *data)
{
	free(data->entries);
}

static struct ibs_data_block *find(const struct ibs_data *data, uint64_t key, uint32_t process)
{
	size_t at = (key + process) * 0x9e3779b97f4a7c15 >> 20;

	for (;; at++) {
		struct ibs_data_block *block = &data->entries[at & data->mask];

		if (!block->key || (block->key == key && block->process == process))
			return block;
	}
}

static void grow(struct ibs_data *data)
{
	struct ibs_data_block *old = data->entries;
	size_t n_old = data->mask + 1;

	data->mask = 2 * n_old - 1;
	data->entries = checked_array(2 * n_old, sizeof(*data->entries));
	for (size_t i = 0; i < n_old; i++)
		if (old[i].key)
			*find(data, old[i].key, old[i].process) = old[i];
	free(old);
}

void ibs_data_add(struct ibs_data *data, const struct ibs_packet *packet, uint32_t process)
{
	struct ibs_data_block *block;
	uint64_t address, cycles;

	if (!ibs_packet_get(packet, IBS_LIN, &address))
		return;
	block = find(data, (address >> data->shift) + 1, process);
	if (!block->key)
		data->used++;
	block->key = (address >> data->shift) + 1;
	block->process = process;
	block->samples++;
	block->loads += ibs_packet_is(packet, IBS_LD);
	block->stores += ibs_packet_is(packet, IBS_ST);
	block->misses += ibs_packet_is(packet, IBS_DC_MISS);
	block->tlb_misses += ibs_packet_is(packet, IBS_DC_L1TLB_MISS);
	if (ibs_packet_get(packet, IBS_DC_MISS_LAT, &cycles))
		block->miss_cycles += cycles;
	if (data->used > data->mask / 2)
		grow(data);
}

static int compare_blocks(const void *a, const void *b)
{
	const struct ibs_data_block *x = a, *y = b;

	if (x->miss_cycles != y->miss_cycles)
		return x->miss_cycles > y->miss_cycles ? -1 : 1;
	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

size_t ibs_data_sort(struct ibs_data *data)
{
	size_t count = 0;

	for (size_t i = 0; i <= data->mask; i++)
		if (data->entries[i].key)
			data->entries[count++] = data->entries[i];
	qsort(data->entries, count, sizeof(*data->entries), compare_blocks);
	return count;
}
