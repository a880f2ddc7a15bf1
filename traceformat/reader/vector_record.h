/* SPDX-License-Identifier: MIT */
/* Decodes the records of basic block vectors (FORMAT.md 4.5). */
#ifndef VECTOR_RECORD_H
#define VECTOR_RECORD_H

#include "traceformat/reader/section_records.h"

/* Vectors have so many counts that all exits are looked up in a table that caches hold. */
struct vector_exits {
	const struct tf_reader *reader;
	uint32_t *lengths; /* by exit: instructions; 0: there is no such exit, or PARTIAL */
	uint8_t *partial;  /* by exit, a bit: executions may end before the path does */
	uint32_t n;
};

/* Makes the table for a reader whose dictionary is loaded. Returns false if memory is out. */
bool vector_exits_measure(const struct tf_reader *reader, struct vector_exits *exits);
void vector_exits_free(struct vector_exits *exits);

/*
 * Takes the beginning of a record, so that its counts follow in *record: all of *vector but the
 * counts. Returns false if it breaks the rules.
 */
bool vector_head_take(struct span *record, struct tf_vector *vector);

/*
 * Takes the n_counts counts of a record. Returns NULL, or what is wrong: some rule is broken, or
 * the counts do not add up to vector->instructions.
 */
const char *vector_counts_take(const struct vector_exits *exits, struct span record,
			       const struct tf_vector *vector, struct tf_vector_count *counts);

extern const char vector_breaks_rules[];

#endif
