/* SPDX-License-Identifier: MIT */
/*
 * Symbols in lines of text: those of the running kernel in /proc/kallsyms, and those of JIT-
 * compiled code in /tmp/perf-PID.map (tools/perf/Documentation/jit-interface.txt of Linux).
 */
#ifndef TEXT_SYMBOLS_H
#define TEXT_SYMBOLS_H

#include "traceformat/common/bytes.h"
#include "traceformat/traceformat.h"

/* A zeroed structure has no symbols. */
struct text_symbols {
	struct tf_symbol *at; /* sorted by value, which is an address */
	size_t count, capacity;
};

/*
 * Reads the symbols of a kernel whose code begins at an address, if it is the running one with
 * this build-id and shows its addresses; else none. Returns false if memory is out.
 */
bool text_symbols_of_kernel(struct text_symbols *symbols, const uint8_t *build_id, size_t size,
			    uint64_t begin);

/*
 * Reads the symbols of the file that a process's JIT compilers have written, if there is one.
 * Returns false if memory is out.
 */
bool text_symbols_of_jit(struct text_symbols *symbols, const char *path);

void text_symbols_free(struct text_symbols *symbols);

#endif
