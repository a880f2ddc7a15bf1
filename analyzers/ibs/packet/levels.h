/* SPDX-License-Identifier: MIT */
/* Finds the level of the memory that gave a load its data, for all families. */
#ifndef IBS_LEVELS_H
#define IBS_LEVELS_H

#include "analyzers/ibs/packet/packet.h"

/* clang-format off */
enum ibs_level {
	IBS_LEVEL_L1, IBS_LEVEL_PENDING, IBS_LEVEL_L2, IBS_LEVEL_L3, IBS_LEVEL_OTHER_CORE,
	IBS_LEVEL_OTHER_NODE, IBS_LEVEL_DRAM, IBS_LEVEL_REMOTE_DRAM, IBS_LEVEL_PERSISTENT,
	IBS_LEVEL_IO, IBS_LEVEL_EXTENSION, IBS_LEVEL_PEER_AGENT, IBS_N_LEVELS,
};
/* clang-format on */

/* Gets the level. Returns false if the op is not a load or the level is not known. */
bool ibs_level_get(const struct ibs_packet *packet, enum ibs_level *level);

const char *ibs_level_name(enum ibs_level level);

#endif
