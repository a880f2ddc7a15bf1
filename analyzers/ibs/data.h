/* SPDX-License-Identifier: MIT */
/* Samples by the memory that they access: in blocks of one size, such as lines or pages. */
#ifndef IBS_DATA_H
#define IBS_DATA_H

#include <stddef.h>

#include "analyzers/ibs/packet.h"

struct ibs_data_block {
	uint64_t key;		/* address >> shift, + 1; 0: a free entry */
	uint64_t samples, loads, stores, misses, tlb_misses;
	uint64_t miss_cycles;	/* sum of the latencies of loads that missed */
	uint32_t process;
};

struct ibs_data {
	unsigned shift;
	size_t used, mask;	/* entries; their number - 1 */
	struct ibs_data_block *entries;
};

/* shift: log2 of a block's bytes. Memory that is out ends the process. */
void ibs_data_init(struct ibs_data *data, unsigned shift);
void ibs_data_free(struct ibs_data *data);

/* Adds a sample of a process; one that accesses no memory is left out. */
void ibs_data_add(struct ibs_data *data, const struct ibs_packet *packet, uint32_t process);

/* Moves the blocks to the front, most cycles and then most samples first. Returns their number.
 * After that nothing more may be added. */
size_t ibs_data_sort(struct ibs_data *data);

#endif
