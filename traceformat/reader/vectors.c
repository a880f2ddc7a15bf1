/* SPDX-License-Identifier: MIT */
/* Reads basic block vectors (FORMAT.md 4.5). */
#include "traceformat/common/error.h"
#include "traceformat/reader/section_records.h"

/* Vectors have so many counts that all exits are looked up in a table that caches hold. */
struct tf_vectors {
	struct section_records records;
	struct span record;                   /* at hand: its counts, not yet taken */
	ARRAY(struct tf_vector_count) counts; /* of the record at hand */
	uint32_t *lengths; /* by exit: instructions; 0: there is no such exit, or PARTIAL */
	uint8_t *partial;  /* by exit, a bit: executions may end before the path does */
	uint32_t n_exits;
};

static bool measure_exits(struct tf_vectors *v)
{
	const struct tf_reader *r = v->records.reader;
	struct tf_exit_info info;

	v->n_exits = tf_n_exits(r);
	v->lengths = calloc(v->n_exits + 1ul, sizeof(*v->lengths));
	v->partial = calloc(v->n_exits / 8 + 1ul, 1);
	if (!v->lengths || !v->partial)
		return false;
	for (uint32_t i = 0; i < v->n_exits; i++) {
		if (!tf_exit(r, i, &info))
			continue;
		if (info.outcome == TF_PARTIAL)
			v->partial[i / 8] |= (uint8_t)(1 << i % 8);
		else
			v->lengths[i] = info.n_insns;
	}
	return true;
}

static void free_exits(struct tf_vectors *v)
{
	free(v->lengths);
	free(v->partial);
}

static uint32_t take_executed(const struct tf_vectors *v, struct span *s, uint32_t exit)
{
	struct tf_exit_info info;

	tf_exit(v->records.reader, exit, &info);
	return (uint32_t)take_varint_max(s, info.path->n_insns);
}

/*
 * Takes the counts of a vector, but of exits that are not partial not the instructions: looking
 * them up would hold up the decoding. Returns false if an exit does not exist.
 */
static bool decode_counts(const struct tf_vectors *v, struct span *s,
			  struct tf_vector_count *counts, uint64_t n)
{
	uint32_t last = 0;

	for (uint64_t i = 0; i < n; i++) {
		struct tf_vector_count *c = &counts[i];

		c->exit = last += (uint32_t)take_varint_max(s, UINT32_MAX - last);
		c->times = take_varint(s);
		c->executed = 0;
		if (c->exit >= v->n_exits)
			return false;
		if (v->partial[c->exit / 8] >> c->exit % 8 & 1)
			c->executed = take_executed(v, s, c->exit);
	}
	return true;
}

/* Sets the instructions that are missing. Returns false if a count breaks the rules. */
static bool look_up_lengths(const struct tf_vectors *v, struct tf_vector_count *counts, uint64_t n)
{
	bool good = true;

	for (uint64_t i = 0; i < n; i++) {
		struct tf_vector_count *c = &counts[i];

		if (!c->executed)
			c->executed = v->lengths[c->exit];
		good &= c->executed && c->times;
	}
	return good;
}

/* Returns true if the counts are in order and add up to the vector's instructions. */
static bool agrees(const struct tf_vector *v)
{
	uint64_t sum = 0, product;

	for (size_t i = 0; i < v->n_counts; i++) {
		const struct tf_vector_count *c = &v->counts[i];

		if (i && c->exit == c[-1].exit && c->executed <= c[-1].executed)
			return false;
		if (__builtin_mul_overflow(c->times, (uint64_t)c->executed, &product) ||
		    __builtin_add_overflow(sum, product, &sum))
			return false;
	}
	return sum == v->instructions;
}

static const char breaks_rules[] = "a vector breaks the format's rules";
static const char adds_wrong[] = "a vector's counts do not add up";

/* Takes the beginning of a record. Returns 1, or a negative status with *why, if it is damaged. */
static int take_head(struct tf_vectors *vectors, struct tf_vector *v, const char **why)
{
	enum { LEAST_BYTES = 2 }; /* of a count */
	struct span *s = &vectors->record;

	*s = section_records_take(&vectors->records);
	*v = (struct tf_vector){ .interval = take_varint(s) };
	v->thread = (uint32_t)take_varint_max(s, UINT32_MAX);
	v->instructions = take_varint(s);
	v->n_counts = take_varint_max(s, span_left(s) / LEAST_BYTES);
	*why = breaks_rules;
	return s->bad || vectors->records.in.bad ? TF_E_DAMAGED : 1;
}

/* Takes the counts of the record at hand. Returns like take_head. */
static int take_counts(struct tf_vectors *vectors, struct tf_vector *v, const char **why)
{
	struct span s = vectors->record;

	*why = breaks_rules;
	if (!RESERVE(vectors->counts, v->n_counts))
		return TF_E_MEMORY;
	vectors->counts.count = v->n_counts;
	if (!decode_counts(vectors, &s, vectors->counts.at, v->n_counts) ||
	    !look_up_lengths(vectors, vectors->counts.at, v->n_counts))
		return TF_E_DAMAGED;
	v->counts = vectors->counts.at;
	*why = adds_wrong;
	return s.bad || !agrees(v) ? TF_E_DAMAGED : 1;
}

static int take_record(struct tf_vectors *vectors, struct tf_vector *v, const char **why)
{
	int status = take_head(vectors, v, why);

	return status > 0 ? take_counts(vectors, v, why) : status;
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
	const char *why = NULL;
	int status = tf_load(r, error);

	if (status < 0)
		return status;
	if (!measure_exits(&vectors)) {
		free_exits(&vectors);
		return fail_memory(error);
	}
	status = 1;
	while (vectors.records.left && status > 0)
		status = take_record(&vectors, &vector, &why);
	free(vectors.counts.at);
	free_exits(&vectors);
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
	if (measure_exits(*vectors))
		return 0;
	tf_vectors_close(*vectors);
	*vectors = NULL;
	return fail_memory(error);
}

static int fail_next(struct tf_vectors *vectors, int status, const char *why,
		     struct tf_error *error)
{
	vectors->records.left = 0;
	return fail_record(vectors, status, why, error);
}

int tf_vectors_head(struct tf_vectors *vectors, struct tf_vector *vector, struct tf_error *error)
{
	int status = section_records_next(&vectors->records, error);
	const char *why;

	if (status <= 0)
		return status;
	status = take_head(vectors, vector, &why);
	return status > 0 ? 1 : fail_next(vectors, status, why, error);
}

int tf_vectors_counts(struct tf_vectors *vectors, struct tf_vector *vector, struct tf_error *error)
{
	const char *why;
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
	section_records_free(&vectors->records);
	free(vectors->counts.at);
	free_exits(vectors);
	free(vectors);
}
