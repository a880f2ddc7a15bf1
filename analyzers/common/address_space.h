/* SPDX-License-Identifier: MIT */
/* Where threads of several processes are one sequence, an address says whose it is. */
#ifndef ADDRESS_SPACE_H
#define ADDRESS_SPACE_H

#include "traceformat/traceformat.h"

/* Returns what is added to the addresses of a thread: its process at bit 48, above them all. */
static inline uint64_t address_space(const struct tf_reader *reader, uint32_t thread)
{
	return (uint64_t)tf_thread(reader, thread)->process << 48;
}

#endif
