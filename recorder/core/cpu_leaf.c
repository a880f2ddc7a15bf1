/* SPDX-License-Identifier: MIT */
#include "recorder/core/cpu_leaf.h"

#include <cpuid.h>

struct cpu_leaf cpu_leaf_ask(uint32_t number, uint32_t sub)
{
	struct cpu_leaf l;

	__cpuid_count(number, sub, l.eax, l.ebx, l.ecx, l.edx);
	return l;
}

struct cpu_leaf cpu_leaf_read(uint32_t number, uint32_t sub)
{
	enum { EXTENDED = 0x80000000 };
	uint32_t last = cpu_leaf_ask(number & EXTENDED, 0).eax;

	return number <= last ? cpu_leaf_ask(number, sub) : (struct cpu_leaf){ 0, 0, 0, 0 };
}
