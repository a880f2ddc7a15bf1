/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/packet/levels.h"

static const char *const names[IBS_N_LEVELS] = {
	[IBS_LEVEL_L1] = "L1",
	[IBS_LEVEL_PENDING] = "already on its way",
	[IBS_LEVEL_L2] = "L2",
	[IBS_LEVEL_L3] = "L3",
	[IBS_LEVEL_OTHER_CORE] = "another core's cache",
	[IBS_LEVEL_OTHER_NODE] = "another node's cache",
	[IBS_LEVEL_DRAM] = "memory",
	[IBS_LEVEL_REMOTE_DRAM] = "another node's memory",
	[IBS_LEVEL_PERSISTENT] = "persistent memory",
	[IBS_LEVEL_IO] = "I/O",
	[IBS_LEVEL_EXTENSION] = "extension memory",
	[IBS_LEVEL_PEER_AGENT] = "peer agent's memory",
};

const char *ibs_level_name(enum ibs_level level)
{
	return names[level];
}

/*
 * Finds the level by the data source. Families before Zen 4 have part of these numbers, with the
 * same meanings except 4.
 */
static bool from_source(const struct ibs_packet *p, enum ibs_level *level)
{
	static const uint8_t levels[] = {
		[1] = IBS_LEVEL_L3,         [2] = IBS_LEVEL_OTHER_CORE, [3] = IBS_LEVEL_DRAM,
		[4] = IBS_LEVEL_OTHER_NODE, [5] = IBS_LEVEL_OTHER_NODE, [6] = IBS_LEVEL_PERSISTENT,
		[7] = IBS_LEVEL_IO,         [8] = IBS_LEVEL_EXTENSION,  [12] = IBS_LEVEL_PEER_AGENT
	};
	uint64_t source, high;

	if (!ibs_packet_get(p, IBS_DATA_SRC_LOW, &source))
		return false;
	if (ibs_packet_get(p, IBS_DATA_SRC_HIGH, &high))
		source |= high << 3;
	if (source >= sizeof(levels) || !levels[source])
		return false;
	*level = levels[source];
	if (*level == IBS_LEVEL_DRAM && ibs_packet_is(p, IBS_RMT_NODE))
		*level = IBS_LEVEL_REMOTE_DRAM;
	return true;
}

bool ibs_level_get(const struct ibs_packet *p, enum ibs_level *level)
{
	uint64_t miss;

	if (!ibs_packet_is(p, IBS_LD) || !ibs_packet_get(p, IBS_DC_MISS, &miss))
		return false;
	if (!miss)
		*level = IBS_LEVEL_L1;
	else if (ibs_packet_is(p, IBS_NO_MAB_ALLOC) || ibs_packet_is(p, IBS_MAB_HIT))
		*level = IBS_LEVEL_PENDING;
	else if (ibs_packet_get(p, IBS_L2_MISS, &miss) && !miss)
		*level = IBS_LEVEL_L2;
	else
		return from_source(p, level);
	return true;
}
