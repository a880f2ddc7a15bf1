/* SPDX-License-Identifier: MIT */
/* Reads basic block vectors (FORMAT.md 4.5). */
#include <stdlib.h>

#include "traceformat/common/error.h"
#include "traceformat/reader/vectors_ahead.h"

struct tf_vectors {
	struct section_records records;
	uint64_t instructions; /* of the vectors so far */
	uint64_t intervals;    /* up to the last vector */
	bool incomplete;       /* a part of the vectors is lost, and the caller knows */
	bool contradicts;      /* META has other totals */
	struct span record;    /* at hand: its counts, not yet taken */
	struct vector_exits exits;
	ARRAY(struct tf_vector_count) counts; /* of the record at hand */

	struct vectors_ahead *ahead;         /* NULL: sections are read when they are needed */
	const struct section_ahead *section; /* at hand, if it was read ahead: */
	size_t n_taken;                      /* its records, with the one at hand */
	size_t first_count, end_count;       /* of the record at hand, in the section's counts */
};

/* Takes the beginning of a record. Returns 1, or a negative status if it is damaged. */
static int take_head(struct tf_vectors *vectors, struct tf_vector *v)
{
	vectors->record = section_records_take(&vectors->records);
	if (!vector_head_take(&vectors->record, v) || vectors->records.in.bad)
		return TF_E_DAMAGED;
	vectors->n_taken++;
	vectors->instructions += v->instructions;
	vectors->intervals = v->interval + 1;
	vectors->first_count = vectors->end_count;
	vectors->end_count += v->n_counts;
	return 1;
}

/* Returns true if the counts of the record at hand have been decoded ahead. */
static bool is_decoded(const struct tf_vectors *vectors)
{
	return vectors->section && vectors->n_taken <= vectors->section->n_decoded;
}

/*
 * Takes the counts of the record at hand. Returns 1, or a negative status; *why: of TF_E_DAMAGED.
 */
static int take_counts(struct tf_vectors *vectors, struct tf_vector *v, const char **why)
{
	if (is_decoded(vectors)) {
		v->counts = vectors->section->counts.at + vectors->first_count;
		return 1;
	}
	if (!RESERVE(vectors->counts, v->n_counts))
		return TF_E_MEMORY;
	vectors->counts.count = v->n_counts;
	*why = vector_counts_take(&vectors->exits, vectors->record, v, vectors->counts.at);
	v->counts = *why ? NULL : vectors->counts.at;
	return *why ? TF_E_DAMAGED : 1;
}

static int fail_record(const struct tf_vectors *v, int status, const char *why,
		       struct tf_error *error)
{
	return status == TF_E_MEMORY
		       ? fail_memory(error)
		       : fail_section(v->records.reader, v->records.section, error, why);
}

int vectors_check(struct tf_reader *r, const struct section *s, const struct buffer *payload,
		  struct tf_error *error)
{
	struct tf_vectors vectors = { .records = section_records_of(r, s, payload) };
	struct tf_vector vector;
	const char *why = vector_breaks_rules;
	int status = tf_load(r, error);

	if (status < 0)
		return status;
	if (!vector_exits_measure(r, &vectors.exits)) {
		vector_exits_free(&vectors.exits);
		return fail_memory(error);
	}
	status = 1;
	while (vectors.records.left && status > 0) {
		status = take_head(&vectors, &vector);
		if (status > 0)
			status = take_counts(&vectors, &vector, &why);
	}
	free(vectors.counts.at);
	vector_exits_free(&vectors.exits);
	if (status < 0)
		return fail_record(&vectors, status, why, error);
	if (span_left(&vectors.records.in))
		return fail_section(r, s, error, "bytes are left over");
	return 0;
}

int tf_vectors_open(struct tf_reader *reader, struct tf_vectors **vectors, struct tf_error *error)
{
	int status = tf_load(reader, error);

	if (status < 0)
		return status;
	*vectors = calloc(1, sizeof(**vectors));
	if (!*vectors)
		return fail_memory(error);
	(*vectors)->records.reader = reader;
	(*vectors)->records.kind = SECTION_VECTORS;
	if (vector_exits_measure(reader, &(*vectors)->exits))
		return 0;
	tf_vectors_close(*vectors);
	*vectors = NULL;
	return fail_memory(error);
}

void tf_vectors_read_ahead(struct tf_vectors *vectors, unsigned n_threads, bool counts)
{
	if (n_threads && !vectors->ahead && !vectors->records.section)
		vectors->ahead = vectors_ahead_open(vectors->records.reader, &vectors->exits,
						    n_threads, counts);
}

static int fail_next(struct tf_vectors *vectors, int status, const char *why,
		     struct tf_error *error)
{
	vectors->records.left = 0;
	vectors->incomplete = true;
	return fail_record(vectors, status, why, error);
}

/* Returns as section_records_next(). */
static int next_ahead(struct tf_vectors *vectors, struct tf_error *error)
{
	struct section_records *records = &vectors->records;

	while (!records->left) {
		const struct section_ahead *s = vectors_ahead_next(vectors->ahead);

		vectors->section = s;
		vectors->n_taken = vectors->end_count = 0;
		if (!s)
			return 0;
		if (s->status < 0) {
			if (error)
				*error = s->error;
			return s->status;
		}
		records->section = s->section;
		records->in = span_of(s->payload.data, s->payload.size);
		records->left = s->section->count;
	}
	return 1;
}

/*
 * Compares the vectors, behind the last one, with the totals in META: nothing else shows in all
 * versions that sections were removed.
 */
static int check_totals(struct tf_vectors *vectors, struct tf_error *error)
{
	struct tf_reader *r = vectors->records.reader;
	struct tf_info info;
	uint64_t intervals = vectors->intervals;
	int status;

	if (vectors->incomplete || tf_get_info(r, &info, NULL) < 0)
		return 0;
	if (intervals < info.n_intervals) /* all vectors of the last one are lost */
		intervals = info.n_intervals;
	status = section_records_compare(r, "vectors.instructions", "instructions",
					 vectors->instructions, error);
	if (status == 0)
		status = section_records_compare(r, "vectors.intervals", "intervals", intervals,
						 error);
	vectors->incomplete = vectors->contradicts = status < 0;
	return status;
}

int tf_vectors_head(struct tf_vectors *vectors, struct tf_vector *vector, struct tf_error *error)
{
	int status = vectors->ahead ? next_ahead(vectors, error)
				    : section_records_next(&vectors->records, error);

	if (status == 0)
		return check_totals(vectors, error);
	vectors->incomplete |= status < 0;
	if (status < 0)
		return status;
	status = take_head(vectors, vector);
	return status > 0 ? 1 : fail_next(vectors, status, vector_breaks_rules, error);
}

int tf_vectors_counts(struct tf_vectors *vectors, struct tf_vector *vector, struct tf_error *error)
{
	const char *why = NULL;
	int status = take_counts(vectors, vector, &why);

	return status > 0 ? 1 : fail_next(vectors, status, why, error);
}

int tf_vectors_next(struct tf_vectors *vectors, struct tf_vector *vector, struct tf_error *error)
{
	int status = tf_vectors_head(vectors, vector, error);

	return status > 0 ? tf_vectors_counts(vectors, vector, error) : status;
}

void tf_vectors_close(struct tf_vectors *vectors)
{
	if (!vectors)
		return;
	vectors_ahead_close(vectors->ahead);
	section_records_free(&vectors->records);
	free(vectors->counts.at);
	vector_exits_free(&vectors->exits);
	free(vectors);
}

int vectors_add_up(struct tf_reader *r, struct tf_error *error)
{
	struct tf_vectors *vectors;
	struct tf_vector vector;
	int status = tf_vectors_open(r, &vectors, error);

	if (status < 0)
		return status;
	while (tf_vectors_head(vectors, &vector, error) != 0 && !vectors->contradicts)
		;
	status = vectors->contradicts ? TF_E_DAMAGED : 0;
	tf_vectors_close(vectors);
	return status;
}
