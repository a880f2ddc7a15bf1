/* SPDX-License-Identifier: MIT */
/* Samples and their fields. */
#ifndef IBS_PACKET_H
#define IBS_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traceformat/traceformat.h"

enum ibs_kind { IBS_KIND_OP, IBS_KIND_FETCH, IBS_N_KINDS };

/* Registers of ops, then those of fetches. */
/* clang-format off */
enum ibs_register {
	IBS_OP_CTL, IBS_OP_RIP, IBS_OP_DATA, IBS_OP_DATA2, IBS_OP_DATA3, IBS_DC_LIN, IBS_DC_PHYS,
	IBS_BR_TARGET, IBS_OP_DATA4,
	IBS_FETCH_CTL, IBS_FETCH_LIN, IBS_FETCH_PHYS, IBS_FETCH_EXTD, IBS_N_PACKET_REGISTERS,
};
/* clang-format on */

/* Fields of ops, then those of fetches. Bits that processors use differently are several fields. */
/* clang-format off */
enum ibs_field {
	IBS_MAX_CNT_LOW, IBS_L3_MISS_ONLY, IBS_EN, IBS_VAL, IBS_CNT_CTL, IBS_MAX_CNT_HIGH,
	IBS_CUR_CNT, IBS_LD_LAT_THRESHOLD, IBS_LD_LAT_EN,
	IBS_RIP,
	IBS_COMP_TO_RET, IBS_TAG_TO_RET, IBS_BRN_RESYNC, IBS_MISP_RETURN, IBS_OP_RETURN,
	IBS_BRN_TAKEN, IBS_BRN_MISP, IBS_BRN_RET, IBS_RIP_INVALID, IBS_BRN_FUSE, IBS_MICROCODE,
	IBS_DATA_SRC_LOW, IBS_RMT_NODE, IBS_CACHE_HIT_ST, IBS_DATA_SRC_HIGH, IBS_STREAMING_STORE,
	IBS_RMT_SOCKET,
	IBS_LD, IBS_ST, IBS_DC_L1TLB_MISS, IBS_DC_L2TLB_MISS, IBS_DC_L1TLB_HIT_2M,
	IBS_DC_L1TLB_HIT_1G, IBS_DC_PAGE_SIZE, IBS_DC_L2TLB_HIT_2M, IBS_DC_MISS, IBS_MISALIGNED,
	IBS_LD_BANK_CONFLICT, IBS_ST_BANK_CONFLICT, IBS_ST_TO_LD_FWD, IBS_ST_TO_LD_CANCEL, IBS_WC,
	IBS_UC, IBS_LOCKED, IBS_MAB_HIT, IBS_NO_MAB_ALLOC, IBS_LIN_VALID, IBS_PHY_VALID,
	IBS_DC_L2TLB_HIT_1G, IBS_L2_MISS, IBS_SW_PF, IBS_MEM_WIDTH, IBS_OPEN_MEM_REQS,
	IBS_DC_MISS_LAT, IBS_TLB_REFILL_LAT,
	IBS_LIN, IBS_PHYS, IBS_TARGET, IBS_LD_RESYNC,
	IBS_FETCH_MAX_CNT, IBS_FETCH_CNT, IBS_FETCH_LAT, IBS_FETCH_EN, IBS_FETCH_VAL,
	IBS_FETCH_COMP,
	IBS_IC_MISS, IBS_FETCH_PHY_VALID, IBS_ITLB_PAGE_SIZE, IBS_L1ITLB_MISS, IBS_L2ITLB_MISS,
	IBS_RAND_EN, IBS_FETCH_L2_MISS, IBS_FETCH_L3_MISS_ONLY, IBS_OC_MISS, IBS_FETCH_L3_MISS,
	IBS_FETCH_LINEAR, IBS_FETCH_PHYSICAL, IBS_ITLB_REFILL_LAT,
	IBS_N_FIELDS,
};
/* clang-format on */

enum { IBS_FIRST_FETCH_FIELD = IBS_FETCH_MAX_CNT };

/* Values of IBS_DATA_SRC_LOW, as far as the model has them. */
enum ibs_data_source { IBS_SOURCE_L3 = 1, IBS_SOURCE_DRAM = 3 };

/*
 * A sample of an op or of a fetch as AMD's Instruction-Based Sampling delivers it: its registers
 * (Processor Programming Reference for family 19h, BIOS and Kernel Developer's Guides of families
 * 10h to 16h), and which of their fields are known. A field that is not known is not 0.
 */
struct ibs_packet {
	uint64_t registers[IBS_N_PACKET_REGISTERS];
	uint64_t known[2]; /* bit by enum ibs_field */
	uint64_t op;       /* its number in the thread, from 0; of a fetch: its first op */
	uint64_t interval; /* ops, cycles or fetches since the previous sample; 0: not known */
	uint32_t insn;     /* index of the static instruction */
	uint32_t thread;
	uint32_t caps; /* capabilities that decode the registers */
	uint8_t kind;  /* enum ibs_kind */
};

/* Capabilities (CPUID Fn8000_001B EAX) of the model's packets. */
enum { IBS_CAPS_ZEN4 = 0xbff };

const char *ibs_register_name(enum ibs_register reg);
const char *ibs_field_name(enum ibs_field field);
/* Writes the names of all fields, with a blank before each, to text, which has size bytes. */
void ibs_fields_list(char *text, size_t size);
/* Finds a field by its name, or by "lat", the latency of loads that missed. */
bool ibs_field_find(const char *name, size_t length, enum ibs_field *field);
enum ibs_register ibs_field_register(enum ibs_field field);
enum ibs_kind ibs_register_kind(enum ibs_register reg);

/* Returns true if a field is a whole register, such as an address. */
bool ibs_field_is_register(enum ibs_field field);

/* Sets a field; values that do not fit become its largest one. */
void ibs_packet_set(struct ibs_packet *packet, enum ibs_field field, uint64_t value);

/* Gets a field. Returns false if it is not known. */
bool ibs_packet_get(const struct ibs_packet *packet, enum ibs_field field, uint64_t *value);

/* Returns true if a field is known and not 0. */
bool ibs_packet_is(const struct ibs_packet *packet, enum ibs_field field);

/* A sample from any source: its packet, and its place in the trace. */
struct ibs_sample {
	const struct ibs_packet *packet;
	uint32_t process, thread;     /* indexes, or TF_NONE: not known */
	uint64_t pc;                  /* of the instruction, or of a fetch */
	uint64_t time_ns;             /* CLOCK_MONOTONIC, or 0: not known */
	uint32_t cpu;                 /* number, or TF_NONE */
	const char *mode;             /* "user", or NULL */
	const char *comm;             /* the thread's name, or NULL */
	const char *stack;            /* "main;sort;compare", or NULL */
	uint32_t module;              /* index, or TF_NONE: code without a file */
	uint64_t module_offset;       /* the pc as an ELF virtual address of the module */
	const struct tf_block *block; /* one that has the instruction, or NULL */
};

#endif
