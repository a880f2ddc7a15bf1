/* SPDX-License-Identifier: MIT */
/* Facts that identify a trace and the processor on which it was recorded. */
#ifndef TRACE_META_H
#define TRACE_META_H

#include <stdbool.h>
#include <stdint.h>

#include "traceformat/traceisa.h"

enum { UUID_TEXT = 2 * 16 + 4 + 1 };

/* Writes a trace's UUID to text, in hexadecimal with hyphens (RFC 9562), and returns text. */
const char *uuid_text(const uint8_t uuid[16], char text[UUID_TEXT]);

/* Returns the recorded vendor, or Intel for old traces without one. */
enum isa_vendor recorded_vendor(struct tf_reader *reader);

/*
 * Returns whether the trace was imported from a format without code: all instructions are opaque,
 * but have the operands that are known.
 */
bool lacks_code(struct tf_reader *reader);

/* Returns whether the trace was imported from a format that does not mark branches. */
bool lacks_branches(struct tf_reader *reader);

/* Returns how to get a trace with data addresses, for a message about a trace that has none. */
const char *addresses_advice(struct tf_reader *reader);

#endif
