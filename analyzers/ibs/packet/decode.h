/* SPDX-License-Identifier: MIT */
/*
 * Decodes the raw data of IBS hardware. The meaning of a field follows from the capabilities that
 * the sample comes with, and from the processor's family and model only where the capabilities do
 * not decide (Processor Programming References and BIOS and Kernel Developer's Guides of AMD
 * families 10h to 1Ah, their revision guides for errata).
 */
#ifndef IBS_DECODE_H
#define IBS_DECODE_H

#include "analyzers/ibs/packet/packet.h"
#include "traceformat/tracesamples.h"

/* The processor that took samples. */
struct ibs_cpu {
	unsigned family, model; /* of AMD; 0: not known, so that only the capabilities count */
	bool old_fetch_payload; /* the kernel is older than 5.10: IcIbsExtdCtl is not valid */
};

enum ibs_decoded {
	IBS_DECODED,
	IBS_NOT_A_SAMPLE, /* the valid bit of the hardware is not set */
	IBS_BAD_PAYLOAD,  /* the size does not fit the capabilities, or there are none */
};

/*
 * Decodes a payload of PERF_SAMPLE_RAW: u32 capabilities, then the registers of a kind. Sets
 * registers, caps, kind and known of *packet, and all else of it to 0.
 */
enum ibs_decoded ibs_decode(const struct ibs_cpu *cpu, enum ibs_kind kind, const uint8_t *payload,
			    size_t size, struct ibs_packet *packet);

/*
 * Decodes a struct of AMD Research's IBS toolkit (traceformat, TF_SAMPLER_IBS_TOOLKIT); its size
 * tells the kind.
 */
enum ibs_decoded ibs_decode_toolkit(const struct ibs_cpu *cpu, uint32_t caps, const uint8_t *bytes,
				    size_t size, struct ibs_packet *packet);

/*
 * Marks as unknown the fields that the hardware fills in but that do not apply to this op: a miss
 * latency without a miss, a data source without data, a branch outcome without a branch.
 */
void ibs_packet_restrict(struct ibs_packet *packet, const struct ibs_cpu *cpu);

/* Parses family and model of "AuthenticAMD,25,17,1"; returns false if the processor has no IBS. */
bool ibs_cpu_parse(const char *cpuid, struct ibs_cpu *cpu);

#endif
