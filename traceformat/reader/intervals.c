/* SPDX-License-Identifier: MIT */
/* Reads the ends of intervals (FORMAT.md 4.6). */
#include "traceformat/common/error.h"
#include "traceformat/reader/marker_counts.h"
#include "traceformat/reader/section_records.h"

struct tf_intervals {
	struct section_records records;
	ARRAY(struct tf_excluded) excluded; /* of the record at hand */
	struct marker_counts *counts;       /* NULL: not counted */
	uint64_t filtered;                  /* instructions up to the last interval's end */
};

static void take_marker(const struct tf_reader *r, struct span *s, struct tf_marker *m)
{
	const struct tf_block *block;

	*m = (struct tf_marker){ .block = take_index(s) };
	if (m->block == TF_NONE)
		return;
	m->insn = (uint32_t)take_varint_max(s, UINT32_MAX);
	m->thread = (uint32_t)take_varint_max(s, UINT32_MAX);
	m->tier = (uint32_t)take_varint_max(s, UINT32_MAX);
	block = tf_block(r, m->block);
	if (!block || m->insn >= block->n_insns || !reader_has_thread(r, m->thread))
		s->bad = true;
}

static int take_excluded(struct tf_intervals *v, struct span *s, struct tf_interval *interval)
{
	enum { LEAST_BYTES = 2 }; /* of a block */
	const struct tf_reader *r = v->records.reader;
	uint64_t n = take_varint_max(s, span_left(s) / LEAST_BYTES);
	uint32_t last = 0;

	if (!RESERVE(v->excluded, n))
		return TF_E_MEMORY;
	for (uint64_t i = 0; i < n; i++) {
		struct tf_excluded *e = &v->excluded.at[i];
		uint32_t more = (uint32_t)take_varint_max(s, UINT32_MAX - last);

		*e = (struct tf_excluded){ last + more, (uint32_t)take_varint_max(s, UINT32_MAX) };
		if ((i && !more) || !tf_block(r, e->block))
			s->bad = true;
		last = e->block;
	}
	interval->excluded = v->excluded.at;
	interval->n_excluded = n;
	return 0;
}

/* Takes a record. Returns 1, or a negative status. */
static int take_record(struct tf_intervals *v, struct tf_interval *interval)
{
	enum { SKETCH_SIZE = 256 }; /* bytes */
	struct span s = section_records_take(&v->records);
	const uint8_t *hash;
	int status;

	*interval = (struct tf_interval){ .number = take_varint(&s) };
	interval->instructions = take_varint(&s);
	interval->filtered = take_varint_max(&s, interval->instructions);
	take_marker(v->records.reader, &s, &interval->marker);
	hash = take_bytes(&s, TF_INTERVAL_HASH);
	if (hash)
		memcpy(interval->hash, hash, TF_INTERVAL_HASH);
	if (v->records.section->version == 0)
		take_bytes(&s, SKETCH_SIZE);
	status = take_excluded(v, &s, interval);
	return status < 0 ? status : s.bad || v->records.in.bad ? TF_E_DAMAGED : 1;
}

static int fail_record(const struct tf_intervals *v, int status, struct tf_error *error)
{
	return status == TF_E_MEMORY ? fail_memory(error)
				     : fail_section(v->records.reader, v->records.section, error,
						    "an interval breaks the format's rules");
}

/* Returns true if the interval can follow the other one. */
static bool follows(const struct tf_interval *now, const struct tf_interval *before)
{
	return now->number > before->number && now->instructions >= before->instructions &&
	       now->filtered >= before->filtered;
}

int intervals_check(struct tf_reader *r, const struct section *s, const struct buffer *payload,
		    struct tf_error *error)
{
	struct tf_intervals v = { .records = section_records_of(r, s, payload) };
	struct tf_interval before = { 0 }, interval;
	int status = tf_load(r, error);
	bool first = true;

	if (status < 0)
		return status;
	status = 1;
	while (v.records.left && status > 0) {
		status = take_record(&v, &interval);
		if (status > 0 && !first && !follows(&interval, &before))
			status = TF_E_DAMAGED;
		before = interval;
		first = false;
	}
	free(v.excluded.at);
	if (status < 0)
		return fail_record(&v, status, error);
	if (span_left(&v.records.in))
		return fail_section(r, s, error, "bytes are left over");
	return 0;
}

int tf_intervals_open(struct tf_reader *reader, bool counted, struct tf_intervals **intervals,
		      struct tf_error *error)
{
	struct tf_intervals *v;
	int status = tf_load(reader, error);

	if (status < 0)
		return status;
	v = calloc(1, sizeof(*v));
	if (!v)
		return fail_memory(error);
	v->records.reader = reader;
	v->records.kind = SECTION_INTERVALS;
	if (counted)
		status = marker_counts_open(reader, &v->counts, error);
	if (status < 0) {
		tf_intervals_close(v);
		return status;
	}
	*intervals = v;
	return 0;
}

/* Checks the totals behind the last interval. */
static int end(struct tf_intervals *v, struct tf_error *error)
{
	int status = v->counts ? marker_counts_end(v->counts, error) : 0;

	return status < 0 ? status
			  : section_records_compare(v->records.reader, "vectors.filtered",
						    "filtered instructions", v->filtered, error);
}

int tf_intervals_next(struct tf_intervals *v, struct tf_interval *interval, struct tf_error *error)
{
	int status = section_records_next(&v->records, error);

	if (status == 0)
		return end(v, error);
	if (status > 0)
		status = take_record(v, interval);
	if (status > 0) {
		v->filtered = interval->filtered;
		return v->counts ? marker_counts_follow(v->counts, interval, error) : 1;
	}
	v->records.left = 0;
	if (v->counts)
		marker_counts_fail(v->counts);
	return fail_record(v, status, error);
}

void tf_intervals_close(struct tf_intervals *v)
{
	if (!v)
		return;
	section_records_free(&v->records);
	free(v->excluded.at);
	marker_counts_close(v->counts);
	free(v);
}

int intervals_add_up(struct tf_reader *r, struct tf_error *error)
{
	struct tf_intervals *intervals;
	struct tf_interval interval;
	int status;

	if (r->sections_lost || reader_missing(r) || (r->compat & COMPAT_REPAIRED))
		return 0;
	status = tf_intervals_open(r, true, &intervals, error);
	if (status < 0)
		return status;
	do
		status = tf_intervals_next(intervals, &interval, error);
	while (status > 0);
	tf_intervals_close(intervals);
	return status;
}
