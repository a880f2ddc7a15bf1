/* SPDX-License-Identifier: MIT */
/* Tells traces from files of vectors by their first bytes. */
#ifndef TRACE_MAGIC_H
#define TRACE_MAGIC_H

#include <stdbool.h>
#include <string.h>

/* Whether a file that begins with these bytes is a trace. */
static inline bool begins_as_trace(const char *bytes, size_t size)
{
	static const char magic[8] = "\x89TRC\r\n\x1a\n";

	return size >= sizeof(magic) && !memcmp(bytes, magic, sizeof(magic));
}

#endif
