/* SPDX-License-Identifier: MIT */
/* A sample from any source: its packet, and its place in the trace. */
#ifndef IBS_SAMPLE_H
#define IBS_SAMPLE_H

#include "analyzers/ibs/packet/packet.h"
#include "traceformat/traceformat.h"

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
