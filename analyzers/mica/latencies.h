/* SPDX-License-Identifier: MIT */
/* Latencies of instructions, from a file. */
#ifndef MICA_LATENCIES_H
#define MICA_LATENCIES_H

#include <stdbool.h>

#include "analyzers/mica/code.h"

/*
 * Reads a file of lines "TYPE, NAME, CYCLES", with comments from '#' on and empty lines. TYPE and
 * NAME are as in itypes groups: CATEGORY, OPCODE, or SPECIAL with mem_read. An instruction has the
 * latency of its OPCODE, else of its CATEGORY, else 1, and that of mem_read in addition if it reads
 * memory; of several lines the last one holds. Cycles are 1 .. 65535, of mem_read from 0.
 *
 * Returns the latencies by static instruction, to be freed, or NULL after a message
 * (FILE:LINE: ...).
 */
uint32_t *mica_read_latencies(const char *path, const struct mica_code *code);

#endif
