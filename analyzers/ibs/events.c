/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/events.h"

#define CONDITIONS(...) ((const struct ibs_condition[]){ __VA_ARGS__ })
#define EVENT(name, sum, ...) \
	{ name, { __VA_ARGS__ }, sizeof(CONDITIONS(__VA_ARGS__)) / sizeof(struct ibs_condition), \
	  sum }

/* First those of OProfile for families 10h to 16h, then those of uProf for Zen. */
const struct ibs_event ibs_events[IBS_N_EVENTS] = {
	EVENT("IBS_OP_ALL", 0),
	EVENT("IBS_OP_TAG_TO_RETIRE", IBS_TAG_TO_RET),
	EVENT("IBS_OP_COMP_TO_RET", IBS_COMP_TO_RET),
	EVENT("IBS_OP_BRANCH_RETIRED", 0, { IBS_BRN_RET, 1 }),
	EVENT("IBS_OP_MISPREDICTED_BRANCH", 0, { IBS_BRN_RET, 1 }, { IBS_BRN_MISP, 1 }),
	EVENT("IBS_OP_TAKEN_BRANCH", 0, { IBS_BRN_RET, 1 }, { IBS_BRN_TAKEN, 1 }),
	EVENT("IBS_OP_MISPREDICTED_BRANCH_TAKEN", 0,
	      { IBS_BRN_RET, 1 }, { IBS_BRN_TAKEN, 1 }, { IBS_BRN_MISP, 1 }),
	EVENT("IBS_OP_RETURNS", 0, { IBS_BRN_RET, 1 }, { IBS_OP_RETURN, 1 }),
	EVENT("IBS_OP_MISPREDICTED_RETURNS", 0,
	      { IBS_BRN_RET, 1 }, { IBS_OP_RETURN, 1 }, { IBS_BRN_MISP, 1 }),
	EVENT("IBS_OP_RESYNC", 0, { IBS_ABSENT, 1 }),
	EVENT("IBS_OP_ALL_LOAD_STORE", 0, { IBS_IS_MEMORY, 1 }),
	EVENT("IBS_OP_LOAD", 0, { IBS_LD, 1 }),
	EVENT("IBS_OP_STORE", 0, { IBS_ST, 1 }),
	EVENT("IBS_OP_L1_DTLB_HITS", 0,
	      { IBS_IS_MEMORY, 1 }, { IBS_LIN_VALID, 1 }, { IBS_DC_L1TLB_MISS, 0 }),
	EVENT("IBS_OP_L1_DTLB_MISS_L2_DTLB_HIT", 0,
	      { IBS_IS_MEMORY, 1 }, { IBS_LIN_VALID, 1 }, { IBS_DC_L1TLB_MISS, 1 },
	      { IBS_DC_L2TLB_MISS, 0 }),
	EVENT("IBS_OP_L1_L2_DTLB_MISS", 0,
	      { IBS_IS_MEMORY, 1 }, { IBS_LIN_VALID, 1 }, { IBS_DC_L1TLB_MISS, 1 },
	      { IBS_DC_L2TLB_MISS, 1 }),
	EVENT("IBS_OP_DATA_CACHE_MISS", 0, { IBS_IS_MEMORY, 1 }, { IBS_DC_MISS, 1 }),
	EVENT("IBS_OP_DATA_HITS", 0, { IBS_IS_MEMORY, 1 }, { IBS_DC_MISS, 0 }),
	EVENT("IBS_OP_MISALIGNED_DATA_ACC", 0, { IBS_IS_MEMORY, 1 }, { IBS_MISALIGNED, 1 }),
	EVENT("IBS_OP_BANK_CONF_LOAD", 0, { IBS_IS_MEMORY, 1 }, { IBS_ABSENT, 1 }),
	EVENT("IBS_OP_BANK_CONF_STORE", 0, { IBS_IS_MEMORY, 1 }, { IBS_ABSENT, 1 }),
	EVENT("IBS_OP_FORWARD", 0, { IBS_LD, 1 }, { IBS_ABSENT, 1 }),
	EVENT("IBS_OP_CANCELLED", 0, { IBS_LD, 1 }, { IBS_ABSENT, 1 }),
	EVENT("IBS_OP_DCUC_MEM_ACC", 0, { IBS_IS_MEMORY, 1 }, { IBS_UC, 1 }),
	EVENT("IBS_OP_DCWC_MEM_ACC", 0, { IBS_IS_MEMORY, 1 }, { IBS_WC, 1 }),
	EVENT("IBS_OP_LOCKED", 0, { IBS_IS_MEMORY, 1 }, { IBS_LOCKED, 1 }),
	EVENT("IBS_OP_MAB_HIT", 0,
	      { IBS_IS_MEMORY, 1 }, { IBS_DC_MISS, 1 }, { IBS_NO_MAB_ALLOC, 1 }),
	EVENT("IBS_OP_L1_DTLB_4K", 0,
	      { IBS_LIN_VALID, 1 }, { IBS_DC_L1TLB_MISS, 0 }, { IBS_DC_L1TLB_HIT_2M, 0 },
	      { IBS_DC_L1TLB_HIT_1G, 0 }),
	EVENT("IBS_OP_L1_DTLB_2M", 0,
	      { IBS_IS_MEMORY, 1 }, { IBS_LIN_VALID, 1 }, { IBS_DC_L1TLB_MISS, 0 },
	      { IBS_DC_L1TLB_HIT_2M, 1 }),
	EVENT("IBS_OP_L1_DTLB_1G", 0,
	      { IBS_IS_MEMORY, 1 }, { IBS_LIN_VALID, 1 }, { IBS_DC_L1TLB_MISS, 0 },
	      { IBS_DC_L1TLB_HIT_1G, 1 }),
	EVENT("IBS_OP_L2_DTLB_4K", 0,
	      { IBS_LIN_VALID, 1 }, { IBS_DC_L1TLB_MISS, 1 }, { IBS_DC_L2TLB_MISS, 0 },
	      { IBS_DC_L2TLB_HIT_2M, 0 }, { IBS_DC_L2TLB_HIT_1G, 0 }),
	EVENT("IBS_OP_L2_DTLB_2M", 0,
	      { IBS_IS_MEMORY, 1 }, { IBS_LIN_VALID, 1 }, { IBS_DC_L1TLB_MISS, 1 },
	      { IBS_DC_L2TLB_MISS, 0 }, { IBS_DC_L2TLB_HIT_2M, 1 }),
	EVENT("IBS_OP_L2_DTLB_1G", 0,
	      { IBS_IS_MEMORY, 1 }, { IBS_LIN_VALID, 1 }, { IBS_DC_L1TLB_MISS, 1 },
	      { IBS_DC_L2TLB_MISS, 0 }, { IBS_DC_L2TLB_HIT_1G, 1 }),
	EVENT("IBS_OP_DC_LOAD_LAT", IBS_DC_MISS_LAT, { IBS_LD, 1 }, { IBS_DC_MISS, 1 }),
	EVENT("IBS_MICROCODE_OP", 0, { IBS_MICROCODE, 1 }),
	EVENT("IBS_FUSED_INST_OP", 0, { IBS_BRN_FUSE, 1 }),
	EVENT("IBS_BR_TAG_TO_RETIRE_CYCLES", IBS_TAG_TO_RET, { IBS_BRN_RET, 1 }),
	EVENT("IBS_BR_COMP_TO_RETIRE_CYCLES", IBS_COMP_TO_RET, { IBS_BRN_RET, 1 }),
	EVENT("IBS_BR_MISP_TAG_TO_RETIRE_CYCLES", IBS_TAG_TO_RET,
	      { IBS_BRN_RET, 1 }, { IBS_BRN_MISP, 1 }),
	EVENT("IBS_BR_MISP_COMP_TO_RETIRE_CYCLES", IBS_COMP_TO_RET,
	      { IBS_BRN_RET, 1 }, { IBS_BRN_MISP, 1 }),
	EVENT("IBS_TAKEN_BR_TAG_TO_RETIRE_CYCLES", IBS_TAG_TO_RET,
	      { IBS_BRN_RET, 1 }, { IBS_BRN_TAKEN, 1 }),
	EVENT("IBS_TAKEN_BR_COMP_TO_RETIRE_CYCLES", IBS_COMP_TO_RET,
	      { IBS_BRN_RET, 1 }, { IBS_BRN_TAKEN, 1 }),
	EVENT("IBS_TAKEN_BR_MISP_TAG_TO_RETIRE_CYCLES", IBS_TAG_TO_RET,
	      { IBS_BRN_RET, 1 }, { IBS_BRN_TAKEN, 1 }, { IBS_BRN_MISP, 1 }),
	EVENT("IBS_TAKEN_BR_MISP_COMP_TO_RETIRE_CYCLES", IBS_COMP_TO_RET,
	      { IBS_BRN_RET, 1 }, { IBS_BRN_TAKEN, 1 }, { IBS_BRN_MISP, 1 }),
	EVENT("IBS_RET_TAG_TO_RETIRE_CYCLES", IBS_TAG_TO_RET,
	      { IBS_BRN_RET, 1 }, { IBS_OP_RETURN, 1 }),
	EVENT("IBS_RET_COMP_TO_RETIRE_CYCLES", IBS_COMP_TO_RET,
	      { IBS_BRN_RET, 1 }, { IBS_OP_RETURN, 1 }),
	EVENT("IBS_RET_MISP_TAG_TO_RETIRE_CYCLES", IBS_TAG_TO_RET,
	      { IBS_BRN_RET, 1 }, { IBS_OP_RETURN, 1 }, { IBS_BRN_MISP, 1 }),
	EVENT("IBS_RET_MISP_COMP_TO_RETIRE_CYCLES", IBS_COMP_TO_RET,
	      { IBS_BRN_RET, 1 }, { IBS_OP_RETURN, 1 }, { IBS_BRN_MISP, 1 }),
	EVENT("IBS_LOAD_STORE", 0, { IBS_LD, 1 }, { IBS_ST, 1 }),
	EVENT("IBS_LD_L1_DC_HIT", 0, { IBS_LD, 1 }, { IBS_DC_MISS, 0 }),
	EVENT("IBS_LD_L1_DC_MISS", 0, { IBS_LD, 1 }, { IBS_DC_MISS, 1 }),
	EVENT("IBS_ST_L1_DC_HIT", 0, { IBS_ST, 1 }, { IBS_DC_MISS, 0 }),
	EVENT("IBS_ST_L1_DC_MISS", 0, { IBS_ST, 1 }, { IBS_DC_MISS, 1 }),
	EVENT("IBS_SW_PF", 0, { IBS_SW_PF, 1 }),
	EVENT("IBS_LD_L2_HIT", 0, { IBS_LD, 1 }, { IBS_DC_MISS, 1 }, { IBS_L2_MISS, 0 }),
	EVENT("IBS_LD_L2_HIT_LAT", IBS_DC_MISS_LAT,
	      { IBS_LD, 1 }, { IBS_DC_MISS, 1 }, { IBS_L2_MISS, 0 }),
	EVENT("IBS_LD_L2_MISS", 0, { IBS_LD, 1 }, { IBS_DC_MISS, 1 }, { IBS_L2_MISS, 1 }),
	EVENT("IBS_LD_L2_MISS_LAT", IBS_DC_MISS_LAT,
	      { IBS_LD, 1 }, { IBS_DC_MISS, 1 }, { IBS_L2_MISS, 1 }),
	EVENT("IBS_LD_LOCAL_CACHE_HIT", 0,
	      { IBS_LD, 1 }, { IBS_DC_MISS, 1 }, { IBS_L2_MISS, 1 }, { IBS_SOURCE, 1 }),
	EVENT("IBS_LD_LOCAL_CACHE_HIT_LAT", IBS_DC_MISS_LAT,
	      { IBS_LD, 1 }, { IBS_DC_MISS, 1 }, { IBS_L2_MISS, 1 }, { IBS_SOURCE, 1 }),
	EVENT("IBS_LD_PEER_CACHE_HIT", 0,
	      { IBS_LD, 1 }, { IBS_DC_MISS, 1 }, { IBS_L2_MISS, 1 }, { IBS_SOURCE, 2 }),
	EVENT("IBS_LD_PEER_CACHE_HIT_LAT", IBS_DC_MISS_LAT,
	      { IBS_LD, 1 }, { IBS_DC_MISS, 1 }, { IBS_L2_MISS, 1 }, { IBS_SOURCE, 2 }),
	EVENT("IBS_LD_RMT_CACHE_HIT", 0,
	      { IBS_LD, 1 }, { IBS_DC_MISS, 1 }, { IBS_L2_MISS, 1 }, { IBS_SOURCE, 5 }),
	EVENT("IBS_LD_RMT_CACHE_HIT_LAT", IBS_DC_MISS_LAT,
	      { IBS_LD, 1 }, { IBS_DC_MISS, 1 }, { IBS_L2_MISS, 1 }, { IBS_SOURCE, 5 }),
	EVENT("IBS_LD_LOCAL_DRAM_HIT", 0,
	      { IBS_LD, 1 }, { IBS_DC_MISS, 1 }, { IBS_L2_MISS, 1 }, { IBS_SOURCE, 3 },
	      { IBS_RMT_NODE, 0 }),
	EVENT("IBS_LD_LOCAL_DRAM_HIT_LAT", IBS_DC_MISS_LAT,
	      { IBS_LD, 1 }, { IBS_DC_MISS, 1 }, { IBS_L2_MISS, 1 }, { IBS_SOURCE, 3 },
	      { IBS_RMT_NODE, 0 }),
	EVENT("IBS_LD_RMT_DRAM_HIT", 0,
	      { IBS_LD, 1 }, { IBS_DC_MISS, 1 }, { IBS_L2_MISS, 1 }, { IBS_SOURCE, 3 },
	      { IBS_RMT_NODE, 1 }),
	EVENT("IBS_LD_RMT_DRAM_HIT_LAT", IBS_DC_MISS_LAT,
	      { IBS_LD, 1 }, { IBS_DC_MISS, 1 }, { IBS_L2_MISS, 1 }, { IBS_SOURCE, 3 },
	      { IBS_RMT_NODE, 1 }),
	EVENT("IBS_LD_NVDIMM_HIT", 0,
	      { IBS_LD, 1 }, { IBS_DC_MISS, 1 }, { IBS_L2_MISS, 1 }, { IBS_SOURCE, 6 }),
	EVENT("IBS_LD_NVDIMM_HIT_LAT", IBS_DC_MISS_LAT,
	      { IBS_LD, 1 }, { IBS_DC_MISS, 1 }, { IBS_L2_MISS, 1 }, { IBS_SOURCE, 6 }),
	EVENT("IBS_LD_EXT_MEM_HIT", 0,
	      { IBS_LD, 1 }, { IBS_DC_MISS, 1 }, { IBS_L2_MISS, 1 }, { IBS_SOURCE, 8 }),
	EVENT("IBS_LD_EXT_MEM_HIT_LAT", IBS_DC_MISS_LAT,
	      { IBS_LD, 1 }, { IBS_DC_MISS, 1 }, { IBS_L2_MISS, 1 }, { IBS_SOURCE, 8 }),
	EVENT("IBS_LD_PEER_AGENT_MEM_HIT", 0,
	      { IBS_LD, 1 }, { IBS_DC_MISS, 1 }, { IBS_L2_MISS, 1 }, { IBS_SOURCE, 12 }),
	EVENT("IBS_LD_PEER_AGENT_MEM_HIT_LAT", IBS_DC_MISS_LAT,
	      { IBS_LD, 1 }, { IBS_DC_MISS, 1 }, { IBS_L2_MISS, 1 }, { IBS_SOURCE, 12 }),
	EVENT("IBS_LD_NON_MAIN_MEM_HIT", 0,
	      { IBS_LD, 1 }, { IBS_DC_MISS, 1 }, { IBS_L2_MISS, 1 }, { IBS_SOURCE, 7 }),
	EVENT("IBS_LD_NON_MAIN_MEM_HIT_LAT", IBS_DC_MISS_LAT,
	      { IBS_LD, 1 }, { IBS_DC_MISS, 1 }, { IBS_L2_MISS, 1 }, { IBS_SOURCE, 7 }),
	EVENT("IBS_L1_DTLB_REFILL_LAT", IBS_TLB_REFILL_LAT,
	      { IBS_IS_MEMORY, 1 }, { IBS_LIN_VALID, 1 }, { IBS_DC_L1TLB_MISS, 1 }),
	EVENT("IBS_DC_MISS_OPEN_MEM_REQS", IBS_OPEN_MEM_REQS, { IBS_LD, 1 }, { IBS_DC_MISS, 1 }),
};

enum outcome { NO, YES, UNKNOWN };

/* Gets what a condition is about. Returns false if it is not known. */
static bool get(const struct ibs_packet *packet, unsigned field, uint64_t *value)
{
	uint64_t other;

	if (field < IBS_N_FIELDS)
		return ibs_packet_get(packet, field, value);
	if (field == IBS_IS_MEMORY) {
		bool known = ibs_packet_get(packet, IBS_LD, value) &&
			     ibs_packet_get(packet, IBS_ST, &other);

		*value |= other;
		return known;
	}
	if (field == IBS_SOURCE) {
		bool known = ibs_packet_get(packet, IBS_DATA_SRC_LOW, value) &&
			     ibs_packet_get(packet, IBS_DATA_SRC_HIGH, &other);

		*value |= other << 3;
		return known;
	}
	return false;
}

/* One condition that does not hold is enough to know. */
static enum outcome is_counted(const struct ibs_event *event, const struct ibs_packet *packet)
{
	enum outcome outcome = YES;
	uint64_t value;

	for (unsigned i = 0; i < event->n_conditions; i++)
		if (!get(packet, event->all_of[i].field, &value))
			outcome = UNKNOWN;
		else if (value != event->all_of[i].value)
			return NO;
	if (outcome == YES && event->sum && !get(packet, event->sum, &value))
		return UNKNOWN;
	return outcome;
}

void ibs_events_add(struct ibs_event_counts *counts, const struct ibs_packet *packet)
{
	for (unsigned i = 0; i < IBS_N_EVENTS; i++) {
		enum outcome outcome = is_counted(&ibs_events[i], packet);
		uint64_t value = 1;

		if (outcome == YES && ibs_events[i].sum)
			get(packet, ibs_events[i].sum, &value);
		counts->values[i] += outcome == YES ? value : 0;
		counts->undecided[i] += outcome == UNKNOWN;
	}
}
