/* SPDX-License-Identifier: MIT */
/* The options of trace-dump: which part of a trace is printed, and how. */
#ifndef DUMP_OPTIONS_H
#define DUMP_OPTIONS_H

#include "traceformat/traceformat.h"
#include "traceformat/traceisa.h"

enum dump_format { DUMP_TEXT, DUMP_JSONL, DUMP_CSV };

struct dump_options {
	enum dump_format format;
	enum isa_syntax syntax;
	uint64_t from, count;
	const char *from_function; /* instead of from; NULL: none */
	uint32_t thread;
	bool bytes, blocks, events, only_events, no_symbols, samples;
};

#endif
