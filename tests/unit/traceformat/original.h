/* SPDX-License-Identifier: MIT */
/* A known trace, and the items that a reader still returns from damaged copies of it. */
#ifndef ORIGINAL_H
#define ORIGINAL_H

#include "tests/unit/traces/trace_file.h"

/* A trace, its file, and the truth about it. */
struct original {
	struct random_trace *trace;
	uint8_t *bytes;
	size_t size;
	struct truth *insns; /* by thread; item i is instruction i */
	uint64_t print;      /* fingerprint */
};

/* The instructions and events that a reader returns from a damaged trace. */
struct rest {
	VECTOR(uint64_t) insns;  /* thread << 32 | ordinal */
	VECTOR(uint64_t) events; /* thread << 32 | index */
	unsigned errors, gaps;
};

/* Makes a small trace with a bit of everything. The caller frees it with original_free(). */
struct original original_new(uint64_t seed);
void original_free(struct original *o);

/* Removes the copies of sections from o->bytes, as in versions before 1.4. */
void original_without_copies(struct original *o);

/* Returns a hash of META and the dictionary. */
uint64_t dictionary_print(struct tf_reader *reader);

/* Returns a hash of the whole static content. */
uint64_t fingerprint_of(struct tf_reader *reader);

/* Reads all threads, and checks that all returned data are right. */
struct rest rest_read(const struct original *o, struct tf_reader *reader, unsigned columns);
void rest_free(struct rest *rest);

/* Returns whether all elements of b are in a. Both lists ascend. */
bool rest_holds(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b);

#endif
