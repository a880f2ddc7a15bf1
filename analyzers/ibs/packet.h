/* SPDX-License-Identifier: MIT */
/*
 * An op sample as AMD's Instruction-Based Sampling delivers it: registers in the encoding of Zen 4
 * (Processor Programming Reference for family 19h, IbsOpCtl to IbsBrTarget), and which of their
 * fields are known. A field that is not known is not 0.
 */
#ifndef IBS_PACKET_H
#define IBS_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzers/ibs/pipeline.h"
#include "analyzers/ibs/sampler.h"

enum ibs_register {
	IBS_OP_CTL, IBS_OP_RIP, IBS_OP_DATA, IBS_OP_DATA2, IBS_OP_DATA3, IBS_DC_LIN, IBS_DC_PHYS,
	IBS_BR_TARGET, IBS_N_PACKET_REGISTERS,
};

enum ibs_field {
	IBS_MAX_CNT_LOW, IBS_L3_MISS_ONLY, IBS_EN, IBS_VAL, IBS_CNT_CTL, IBS_MAX_CNT_HIGH,
	IBS_CUR_CNT,
	IBS_RIP,
	IBS_COMP_TO_RET, IBS_TAG_TO_RET, IBS_OP_RETURN, IBS_BRN_TAKEN, IBS_BRN_MISP, IBS_BRN_RET,
	IBS_RIP_INVALID, IBS_BRN_FUSE, IBS_MICROCODE,
	IBS_DATA_SRC_LOW, IBS_RMT_NODE, IBS_CACHE_HIT_ST, IBS_DATA_SRC_HIGH,
	IBS_LD, IBS_ST, IBS_DC_L1TLB_MISS, IBS_DC_L2TLB_MISS, IBS_DC_L1TLB_HIT_2M,
	IBS_DC_L1TLB_HIT_1G, IBS_DC_L2TLB_HIT_2M, IBS_DC_MISS, IBS_MISALIGNED, IBS_WC, IBS_UC,
	IBS_LOCKED, IBS_NO_MAB_ALLOC, IBS_LIN_VALID, IBS_PHY_VALID, IBS_DC_L2TLB_HIT_1G,
	IBS_L2_MISS, IBS_SW_PF, IBS_MEM_WIDTH, IBS_OPEN_MEM_REQS, IBS_DC_MISS_LAT,
	IBS_TLB_REFILL_LAT,
	IBS_LIN, IBS_PHYS, IBS_TARGET,
	IBS_N_FIELDS,
};

/* IBS_DATA_SRC_LOW; only these of them does the model know. */
enum ibs_data_source { IBS_SOURCE_L3 = 1, IBS_SOURCE_DRAM = 3 };

struct ibs_packet {
	uint64_t registers[IBS_N_PACKET_REGISTERS];
	uint64_t known;		/* bit by enum ibs_field */
	uint64_t op;		/* its number in the thread, from 0 */
	uint32_t insn;		/* index of the static instruction */
	uint32_t thread;
};

/* Capabilities (CPUID Fn8000_001B EAX) that decode these registers. */
enum { IBS_CAPS_ZEN4 = 0xbff };

const char *ibs_register_name(enum ibs_register reg);
const char *ibs_field_name(enum ibs_field field);
enum ibs_register ibs_field_register(enum ibs_field field);

/* Sets a field; values that do not fit become its largest one. */
void ibs_packet_set(struct ibs_packet *packet, enum ibs_field field, uint64_t value);

/* Gets a field. Returns false if it is not known. */
bool ibs_packet_get(const struct ibs_packet *packet, enum ibs_field field, uint64_t *value);

/* Whether a field is known, and not 0. */
bool ibs_packet_is(const struct ibs_packet *packet, enum ibs_field field);

/* Begins a packet with what the model knows of an op. */
void ibs_packet_fill(struct ibs_packet *packet, const struct ibs_op *op,
		     const struct ibs_timing *timing);

/* Adds the state of the sampler, which has begun its next count. */
void ibs_packet_set_sampler(struct ibs_packet *packet, const struct ibs_sampler *sampler);

#endif
