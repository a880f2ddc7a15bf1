/* SPDX-License-Identifier: MIT */
/*
 * Symbols that are lines of text: those of the running kernel, in /proc/kallsyms, and of what JIT
 * compilers have made, in /tmp/perf-PID.map (tools/perf/Documentation/jit-interface.txt of Linux).
 */
#ifndef TEXT_SYMBOLS_H
#define TEXT_SYMBOLS_H

#include "traceformat/common/bytes.h"
#include "traceformat/traceformat.h"

/* Zeroed there are none. */
struct text_symbols {
	struct tf_symbol *at; /* values are addresses, ascending */
	size_t count, room;
};

/*
 * Those of a kernel whose code begins at an address, if it is the one that runs now, with this
 * build-id, and tells its addresses; else none. False: memory is out.
 */
bool text_symbols_of_kernel(struct text_symbols *symbols, const uint8_t *build_id, size_t size,
			    uint64_t begin);

/* Those that the file of a process's JIT compilers has, if there is one. False: memory is out. */
bool text_symbols_of_jit(struct text_symbols *symbols, const char *path);

void text_symbols_free(struct text_symbols *symbols);

#endif
