/* SPDX-License-Identifier: MIT */
/*
 * fill() makes the translate backend's record buffer overflow (HOME_BUFFER_BYTES in space_cache.h) with few
 * instructions: five slots for each string instruction, though it has nothing to do.
 */
#ifndef FILL_H
#define FILL_H

static __attribute__((noinline)) void fill(void)
{
	for (int i = 0; i < 140; i++)
		__asm__ volatile(".rept 50\n\trep movsb\n\t.endr" : : "c"(0), "S"(0), "D"(0));
}

#endif
