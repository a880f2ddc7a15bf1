/* SPDX-License-Identifier: MIT */
/*
 * Reads the records of all sections of a kind, section by section, so that memory does not depend
 * on their number.
 */
#ifndef SECTION_RECORDS_H
#define SECTION_RECORDS_H

#include "traceformat/reader/reader.h"

struct section_records {
	struct tf_reader *reader;
	enum section_kind kind;
	size_t next_section;
	const struct section *section; /* of the records at hand */
	struct buffer payload;
	struct span in; /* records not yet taken */
	uint64_t left;  /* their number */
};

/* Returns the records of one section, which are in its payload. */
struct section_records section_records_of(struct tf_reader *reader, const struct section *section,
					  const struct buffer *payload);

/* Returns true if the section has records of the kind that can be read. */
bool section_records_are_in(const struct section *section, enum section_kind kind);

/*
 * Reads the next section if no record is left. Returns 1 if there is a record, 0 at the end, or a
 * negative status. Errors: IO, MEMORY, DAMAGED.
 */
int section_records_next(struct section_records *records, struct tf_error *error);

/* Takes a record, which begins with its size, and returns its bytes. Sets in.bad if it is cut. */
struct span section_records_take(struct section_records *records);

void section_records_free(struct section_records *records);

/*
 * Compares a total that all vectors or all intervals have with the one in META, if META has it.
 * Returns 0 without a comparison unless the trace is finished, undamaged and not repaired.
 * Errors: DAMAGED.
 */
int section_records_compare(struct tf_reader *reader, const char *key, const char *what,
			    uint64_t found, struct tf_error *error);

/* ---- checks of the records of one section, in its payload ---- */

/* Checks the records of a SAMPLES section. Errors: DAMAGED. */
int samples_check(const struct tf_reader *reader, const struct section *section,
		  const struct buffer *payload, struct tf_error *error);

/* Checks the records of a VECTORS section. Errors: MEMORY, DAMAGED. */
int vectors_check(struct tf_reader *reader, const struct section *section,
		  const struct buffer *payload, struct tf_error *error);

/* Checks the records of an INTERVALS section. Errors: MEMORY, DAMAGED. */
int intervals_check(struct tf_reader *reader, const struct section *section,
		    const struct buffer *payload, struct tf_error *error);

/* ---- checks of sections together ---- */

/*
 * Checks that the vectors add up to the intervals. Returns 0 without a check if sections are lost
 * or a repair may have left some out. Errors: IO, MEMORY, DAMAGED.
 */
int intervals_add_up(struct tf_reader *reader, struct tf_error *error);

/*
 * Checks that the vectors add up to the total in META, if neither sections are lost nor a repair
 * may have left some out. Damaged vectors are no error here. Errors: IO, MEMORY, DAMAGED.
 */
int vectors_add_up(struct tf_reader *reader, struct tf_error *error);

#endif
