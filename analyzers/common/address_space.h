/* SPDX-License-Identifier: MIT */
/* Marks addresses with their process, where threads of several processes form one sequence. */
#ifndef ADDRESS_SPACE_H
#define ADDRESS_SPACE_H

#include "traceformat/traceformat.h"

/*
 * Returns the number to add to the addresses of a thread: its process, from bit 48 on, above all
 * addresses.
 */
static inline uint64_t address_space(const struct tf_reader *reader, uint32_t thread)
{
	return (uint64_t)tf_thread(reader, thread)->process << 48;
}

#endif
