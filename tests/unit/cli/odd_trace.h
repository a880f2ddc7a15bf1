/* SPDX-License-Identifier: MIT */
/*
 * A small trace that has every form of operand, every kind of event, and names that are up to no
 * good.
 */
#ifndef ODD_TRACE_H
#define ODD_TRACE_H

#include <stdbool.h>
#include <stdint.h>

enum odd_trace_kind { GOOD, UNFINISHED, WITHOUT_ADDRESSES };

void odd_trace_write(const char *path, enum odd_trace_kind kind);

/* Writes good.trace of this folder with a bit flipped in its first section of the kind (of CHUNK:
 * of thread 0). Returns the bytes that are lost with it. copies: keep the copies of sections. */
uint64_t odd_trace_damage(const char *path, const char *kind, bool copies);

#endif
