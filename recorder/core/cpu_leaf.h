/* SPDX-License-Identifier: MIT */
/* A leaf of cpuid. */
#ifndef CPU_LEAF_H
#define CPU_LEAF_H

#include <stdint.h>

struct cpu_leaf {
	uint32_t eax, ebx, ecx, edx;
};

/* Executes cpuid. For a missing leaf the processor may answer with another one. */
struct cpu_leaf cpu_leaf_ask(uint32_t number, uint32_t sub);

/* Executes cpuid, but returns 0 for a missing leaf. */
struct cpu_leaf cpu_leaf_read(uint32_t number, uint32_t sub);

#endif
