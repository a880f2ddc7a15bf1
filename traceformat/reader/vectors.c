/* SPDX-License-Identifier: MIT */
/* Reads basic block vectors section by section, so that memory does not depend on their number. */
#include "traceformat/reader/vectors.h"

#include "traceformat/common/error.h"
#include "traceformat/tracesamples.h"

struct vector_records {
	struct span in;
	uint64_t left;                        /* records */
	ARRAY(struct tf_vector_count) counts; /* of the record at hand */
};

struct tf_vectors {
	struct tf_reader *reader;
	size_t next_section;
	const struct section *section; /* of the records */
	struct buffer payload;
	struct vector_records records;
};

static void begin_records(struct vector_records *v, const struct section *s,
			  const struct buffer *payload)
{
	v->in = span_of(payload->data, payload->size);
	v->left = s->count;
}

/* Takes a count. Returns false if the exit does not exist or the count breaks the rules. */
static bool take_count(const struct tf_reader *r, struct span *s, struct tf_vector_count *c,
		       uint32_t last)
{
	struct tf_exit_info info;

	c->exit = last + (uint32_t)take_varint_max(s, UINT32_MAX - last);
	c->times = take_varint(s);
	if (!tf_exit(r, c->exit, &info))
		return false;
	c->executed = info.n_insns;
	if (info.outcome == TF_PARTIAL)
		c->executed = (uint32_t)take_varint_max(s, info.path->n_insns);
	return c->executed && c->times;
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

/* Takes a record. Returns 1, or a negative status with *why, if it is damaged. */
static int take_record(const struct tf_reader *r, struct vector_records *records,
		       struct tf_vector *v, const char **why)
{
	enum { LEAST_BYTES = 2 }; /* of a count */
	uint64_t size = take_varint(&records->in), n;
	const uint8_t *bytes = take_bytes(&records->in, size);
	struct span s = span_of(bytes, bytes ? size : 0);
	uint32_t last = 0;

	*v = (struct tf_vector){ .interval = take_varint(&s) };
	v->thread = (uint32_t)take_varint_max(&s, UINT32_MAX);
	v->instructions = take_varint(&s);
	n = take_varint_max(&s, span_left(&s) / LEAST_BYTES);
	*why = "a vector breaks the format's rules";
	records->left--;
	if (s.bad || records->in.bad)
		return TF_E_DAMAGED;
	if (!RESERVE(records->counts, n))
		return TF_E_MEMORY;
	records->counts.count = n;
	for (uint64_t i = 0; i < n; i++) {
		if (!take_count(r, &s, &records->counts.at[i], last))
			return TF_E_DAMAGED;
		last = records->counts.at[i].exit;
	}
	v->counts = records->counts.at;
	v->n_counts = n;
	*why = "a vector's counts do not add up";
	return s.bad || !agrees(v) ? TF_E_DAMAGED : 1;
}

static int fail_record(const struct tf_reader *r, const struct section *s, int status,
		       const char *why, struct tf_error *error)
{
	return status == TF_E_MEMORY ? fail_memory(error) : fail_section(r, s, error, why);
}

int vectors_check(struct tf_reader *r, const struct section *s, const struct buffer *payload,
		  struct tf_error *error)
{
	struct vector_records records = { 0 };
	struct tf_vector vector;
	const char *why = NULL;
	int status = tf_load(r, error);

	if (status < 0)
		return status;
	begin_records(&records, s, payload);
	status = 1;
	while (records.left && status > 0)
		status = take_record(r, &records, &vector, &why);
	free(records.counts.at);
	if (status < 0)
		return fail_record(r, s, status, why, error);
	if (records.in.at != records.in.end)
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
	(*vectors)->reader = reader;
	return 0;
}

/* Reads the next section of vectors. Returns 1, 0 if there is none, or a negative status. */
static int next_section(struct tf_vectors *vectors, struct tf_error *error)
{
	struct tf_reader *r = vectors->reader;
	int status;

	for (; vectors->next_section < r->sections.count; vectors->next_section++) {
		struct section *s = &r->sections.at[vectors->next_section];

		if (s->kind != SECTION_VECTORS || s->lost || section_known(s) != 1)
			continue;
		vectors->next_section++;
		vectors->section = s;
		status = reader_payload(r, s, &vectors->payload, error);
		if (status == 0)
			begin_records(&vectors->records, s, &vectors->payload);
		return status == 0 ? 1 : status;
	}
	return 0;
}

int tf_vectors_next(struct tf_vectors *vectors, struct tf_vector *vector, struct tf_error *error)
{
	const char *why;
	int status;

	while (!vectors->records.left) {
		status = next_section(vectors, error);
		if (status <= 0)
			return status;
	}
	status = take_record(vectors->reader, &vectors->records, vector, &why);
	if (status > 0)
		return 1;
	vectors->records.left = 0;
	return fail_record(vectors->reader, vectors->section, status, why, error);
}

void tf_vectors_close(struct tf_vectors *vectors)
{
	if (!vectors)
		return;
	buffer_free(&vectors->payload);
	free(vectors->records.counts.at);
	free(vectors);
}
