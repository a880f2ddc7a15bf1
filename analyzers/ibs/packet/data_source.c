/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/packet/data_source.h"

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

/* The first bits of fields of union perf_mem_data_src, and values of fields. */
enum { OP = 0, LVL = 5, LOCK = 24, TLB = 26, LVL_NUM = 33, REMOTE = 37, HOPS = 43 };
enum { OP_BITS = 5, LVL_BITS = 14, LOCK_BITS = 2, TLB_BITS = 7, LVL_NUM_BITS = 4, HOPS_BITS = 3 };
enum { OP_LOAD = 2, OP_STORE = 4, LVL_HIT = 2, LOCK_LOCKED = 2, LOCK_NA = 1 };
enum { TLB_HIT = 2, TLB_MISS = 4, TLB_L1 = 8, HOPS_ANOTHER_NODE = 2 };
enum { NUM_ANY_CACHE = 0xb, NUM_RAM = 0xd };

static unsigned bits(uint64_t source, unsigned from, unsigned count)
{
	return source >> from & ((1u << count) - 1);
}

/* Finds the level by the level number of newer kernels. */
static bool level_of_number(uint64_t source, enum ibs_level *level)
{
	static const uint8_t levels[1 << LVL_NUM_BITS] = {
		[1] = IBS_LEVEL_L1 + 1,          [2] = IBS_LEVEL_L2 + 1,
		[3] = IBS_LEVEL_L3 + 1,          [5] = IBS_LEVEL_PENDING + 1,
		[8] = IBS_LEVEL_IO + 1,          [9] = IBS_LEVEL_EXTENSION + 1,
		[0xa] = IBS_LEVEL_IO + 1,        [NUM_ANY_CACHE] = IBS_LEVEL_OTHER_CORE + 1,
		[0xc] = IBS_LEVEL_PENDING + 1,   [NUM_RAM] = IBS_LEVEL_DRAM + 1,
		[0xe] = IBS_LEVEL_PERSISTENT + 1
	};
	unsigned number = bits(source, LVL_NUM, LVL_NUM_BITS);

	if (!levels[number])
		return false;
	*level = levels[number] - 1;
	if (number == NUM_RAM && source >> REMOTE & 1)
		*level = IBS_LEVEL_REMOTE_DRAM;
	if (number == NUM_ANY_CACHE && bits(source, HOPS, HOPS_BITS) >= HOPS_ANOTHER_NODE)
		*level = IBS_LEVEL_OTHER_NODE;
	return true;
}

/* Finds the level by the level bits of older kernels: the first level with a hit. */
static bool level_of_bits(uint64_t source, enum ibs_level *level)
{
	static const struct {
		uint16_t bits;
		uint8_t level;
	} levels[] = {
		{ 0x8, IBS_LEVEL_L1 },           { 0x10, IBS_LEVEL_PENDING },
		{ 0x20, IBS_LEVEL_L2 },          { 0x400, IBS_LEVEL_OTHER_CORE },
		{ 0x800, IBS_LEVEL_OTHER_NODE }, { 0x40, IBS_LEVEL_L3 },
		{ 0x80, IBS_LEVEL_DRAM },        { 0x300, IBS_LEVEL_REMOTE_DRAM },
		{ 0x3000, IBS_LEVEL_IO },
	};
	unsigned lvl = bits(source, LVL, LVL_BITS);

	for (size_t i = 0; lvl & LVL_HIT && i < sizeof(levels) / sizeof(*levels); i++)
		if (lvl & levels[i].bits) {
			*level = levels[i].level;
			return true;
		}
	return false;
}

static void set_level(struct ibs_packet *p, enum ibs_level level)
{
	static const uint8_t sources[IBS_N_LEVELS] = {
		[IBS_LEVEL_L3] = 1,          [IBS_LEVEL_OTHER_CORE] = 2, [IBS_LEVEL_DRAM] = 3,
		[IBS_LEVEL_REMOTE_DRAM] = 3, [IBS_LEVEL_OTHER_NODE] = 5, [IBS_LEVEL_PERSISTENT] = 6,
		[IBS_LEVEL_IO] = 7,          [IBS_LEVEL_EXTENSION] = 8
	};
	enum { LOW_BITS = 3 };

	ibs_packet_set(p, IBS_DC_MISS, level != IBS_LEVEL_L1);
	if (level == IBS_LEVEL_L1)
		return;
	ibs_packet_set(p, IBS_NO_MAB_ALLOC, level == IBS_LEVEL_PENDING);
	if (level == IBS_LEVEL_PENDING)
		return;
	ibs_packet_set(p, IBS_L2_MISS, level != IBS_LEVEL_L2);
	if (!sources[level])
		return;
	ibs_packet_set(p, IBS_DATA_SRC_LOW, sources[level] & ((1 << LOW_BITS) - 1));
	ibs_packet_set(p, IBS_DATA_SRC_HIGH, sources[level] >> LOW_BITS);
	ibs_packet_set(p, IBS_RMT_NODE,
		       level == IBS_LEVEL_REMOTE_DRAM || level == IBS_LEVEL_OTHER_NODE);
}

static void set_tlb(struct ibs_packet *p, unsigned tlb)
{
	bool hit = tlb & TLB_HIT;

	if (!(tlb & (TLB_HIT | TLB_MISS)))
		return;
	ibs_packet_set(p, IBS_DC_L1TLB_MISS, !(hit && tlb & TLB_L1));
	if (!(hit && tlb & TLB_L1))
		ibs_packet_set(p, IBS_DC_L2TLB_MISS, !hit);
}

void ibs_packet_set_access(struct ibs_packet *p, uint64_t source, uint64_t latency)
{
	unsigned op = bits(source, OP, OP_BITS), lock = bits(source, LOCK, LOCK_BITS);
	enum ibs_level level;

	ibs_packet_set(p, IBS_LD, !!(op & OP_LOAD));
	ibs_packet_set(p, IBS_ST, !!(op & OP_STORE));
	if (!(op & (OP_LOAD | OP_STORE)))
		return;
	if (level_of_number(source, &level) || level_of_bits(source, &level))
		set_level(p, level);
	set_tlb(p, bits(source, TLB, TLB_BITS));
	if (!(lock & LOCK_NA))
		ibs_packet_set(p, IBS_LOCKED, lock == LOCK_LOCKED);
	if (op & OP_LOAD && ibs_packet_is(p, IBS_DC_MISS))
		ibs_packet_set(p, IBS_DC_MISS_LAT, latency);
}
