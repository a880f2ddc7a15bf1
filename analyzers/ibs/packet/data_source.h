/* SPDX-License-Identifier: MIT */
/* Finds the cache level, or the memory, from which a load got its data. */
#ifndef IBS_DATA_SOURCE_H
#define IBS_DATA_SOURCE_H

#include "analyzers/ibs/packet/packet.h"

/* clang-format off */
enum ibs_level {
	IBS_LEVEL_L1, IBS_LEVEL_PENDING, IBS_LEVEL_L2, IBS_LEVEL_L3, IBS_LEVEL_OTHER_CORE,
	IBS_LEVEL_OTHER_NODE, IBS_LEVEL_DRAM, IBS_LEVEL_REMOTE_DRAM, IBS_LEVEL_PERSISTENT,
	IBS_LEVEL_IO, IBS_LEVEL_EXTENSION, IBS_LEVEL_PEER_AGENT, IBS_N_LEVELS,
};
/* clang-format on */

/*
 * Gets the level that gave a load its data, for all families. Returns false if the op is not a
 * load, or the level is not known.
 */
bool ibs_level_get(const struct ibs_packet *packet, enum ibs_level *level);

const char *ibs_level_name(enum ibs_level level);

/*
 * Sets the fields that describe a memory access from the description that perf_event_open(2) gives
 * for any sampler (Intel's PEBS above all): union perf_mem_data_src, and the weight, which is the
 * latency of a load that missed, in cycles from its issue, as IBS_DC_MISS_LAT.
 */
void ibs_packet_set_access(struct ibs_packet *packet, uint64_t data_source, uint64_t latency);

#endif
