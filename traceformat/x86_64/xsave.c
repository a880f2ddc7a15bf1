/* SPDX-License-Identifier: MIT */
/* The layout of the processor's XSAVE area: Intel SDM volume 1, 13.4.3; CPUID leaf 0DH. */
#include "traceformat/x86_64/internal.h"

#include <cpuid.h>
#include <pthread.h>

enum {
	LEAF = 0xd,
	FIRST_EXTENDED = 2, /* components 0 and 1 are in the legacy region */
	N_COMPONENTS = 63,  /* bit 63 is not a component */
	LEGACY_AND_HEADER = 576,
	ALIGNED = 1 << 1, /* ecx: starts at a multiple of 64 bytes if compacted */
};

/* A constant of the machine, kept because a virtual machine takes microseconds for each CPUID. */
static struct component {
	uint32_t size, offset, flags;
} components[N_COMPONENTS];
static pthread_once_t components_read = PTHREAD_ONCE_INIT;

static void read_components(void)
{
	uint32_t unused;

	if (__get_cpuid_max(0, NULL) < LEAF)
		return;
	for (int i = FIRST_EXTENDED; i < N_COMPONENTS; i++)
		__cpuid_count(LEAF, i, components[i].size, components[i].offset,
			      components[i].flags, unused);
}

uint32_t xsave_size(uint64_t enabled, bool compacted)
{
	uint32_t end = LEGACY_AND_HEADER;

	pthread_once(&components_read, read_components);
	for (int i = FIRST_EXTENDED; i < N_COMPONENTS; i++) {
		const struct component *component = &components[i];
		uint32_t start = component->offset;

		if (!(enabled >> i & 1) || !component->size)
			continue;
		if (compacted)
			start = component->flags & ALIGNED ? (end + 63) & ~63u : end;
		if (start + component->size > end)
			end = start + component->size;
	}
	return end;
}
