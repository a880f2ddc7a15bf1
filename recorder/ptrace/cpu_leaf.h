/* SPDX-License-Identifier: MIT */
/* One answer of cpuid. */
#ifndef CPU_LEAF_H
#define CPU_LEAF_H

#include <stdint.h>

struct cpu_leaf {
	uint32_t eax, ebx, ecx, edx;
};

/* Executes cpuid. For a leaf that is not there the processor may answer with another one. */
struct cpu_leaf cpu_leaf_ask(uint32_t number, uint32_t sub);

/* The same, but 0 for a leaf that is not there. */
struct cpu_leaf cpu_leaf_read(uint32_t number, uint32_t sub);

#endif
