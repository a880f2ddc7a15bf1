/* SPDX-License-Identifier: MIT */
/*
 * Converts the description of a memory access that perf_event_open(2) gives for any sampler
 * (Intel's PEBS above all), union perf_mem_data_src and the weight, to the fields that IBS has for
 * the same facts.
 */
#ifndef IBS_DATA_SOURCE_H
#define IBS_DATA_SOURCE_H

#include "analyzers/ibs/packet/packet.h"

/*
 * Sets the fields that data_source gives, and latency (of a load that missed, cycles from its
 * issue) as IBS_DC_MISS_LAT.
 */
void ibs_packet_set_access(struct ibs_packet *packet, uint64_t data_source, uint64_t latency);

#endif
