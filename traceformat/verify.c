/* SPDX-License-Identifier: MIT */
/* Checking a whole trace: every checksum, every chunk decoded, every total counted again. */
#include "error.h"
#include "lane.h"

struct verifier {
	struct tf_reader *r;
	struct lane *lane;
	void (*report)(void *opaque, const struct tf_error *error);
	void *opaque;
	int faults;
};

static void fault(struct verifier *v, const struct tf_error *error)
{
	v->faults++;
	v->report(v->opaque, error);
}

/* Of all sections but the chunks that check_chunks looks at. */
static void check_payloads(struct verifier *v)
{
	for (size_t i = 0; i < v->r->sections.count; i++) {
		const struct section *s = &v->r->sections.at[i];
		struct tf_error error;

		if (is_chunk(s))
			continue;
		if (s->kind == SECTION_CHUNK && s->thread >= MAX_THREADS)
			fail_section(v->r, s, &error, "its thread number is too large");
		else if (section_check(v->r, s, &error) == 0)
			continue;
		fault(v, &error);
	}
}

static void compare(struct verifier *v, const struct section *s, const char *what,
		    uint64_t counted, uint64_t stated)
{
	struct tf_error error;

	if (counted == stated)
		return;
	fail_at(&error, TF_E_DAMAGED, s->offset, s->number,
		"%s: section %u (%s) at offset %llu: has %llu %s but says %llu", v->r->name,
		s->number, tf_section_kind_name(s->kind), (unsigned long long)s->offset,
		(unsigned long long)counted, what, (unsigned long long)stated);
	fault(v, &error);
}

static void compare_totals(struct verifier *v, const struct section *s,
			   const struct tf_totals *counted, const struct tf_totals *stated)
{
	compare(v, s, "instructions", counted->instructions, stated->instructions);
	compare(v, s, "loads", counted->loads, stated->loads);
	compare(v, s, "stores", counted->stores, stated->stores);
	compare(v, s, "prefetches", counted->prefetches, stated->prefetches);
	compare(v, s, "repetitions", counted->repetitions, stated->repetitions);
	compare(v, s, "opaque instructions", counted->opaque, stated->opaque);
	compare(v, s, "block executions", counted->blocks, stated->blocks);
	compare(v, s, "path executions", counted->paths, stated->paths);
	compare(v, s, "events", counted->events, stated->events);
}

static void check_chunks(struct verifier *v, uint32_t thread, struct tf_totals *sum)
{
	struct tf_reader *r = v->r;
	const struct thread_chunks *chunks = &r->chunks.at[thread];
	struct chunk head = { 0 };
	struct tf_error error;
	uint64_t end = 0;

	for (size_t k = 0; k < chunks->sections.count; k++) {
		const struct section *s = &r->sections.at[chunks->sections.at[k]];
		struct tf_totals counted;

		if (s->first < end) {
			fail_section(r, s, &error, "its instructions overlap those before it");
			fault(v, &error);
			continue;
		}
		end = s->first + s->count;
		if (section_check(r, s, &error) < 0 ||
		    chunk_check(v->lane, thread, k, &counted, &error) < 0 ||
		    chunk_read(r, s, 0, &head, &error) < 0) {
			fault(v, &error);
			continue;
		}
		compare_totals(v, s, &counted, &head.totals);
		totals_add(sum, &counted);
	}
	chunk_free(&head);
}

int tf_verify(struct tf_reader *r, void (*report)(void *, const struct tf_error *), void *opaque,
	      struct tf_error *error)
{
	struct verifier v = { .r = r, .report = report, .opaque = opaque };
	struct tf_error e;
	int status;

	if (!r->finished) {
		fail_at(&e, TF_E_TRUNCATED, r->walked_to, TF_NONE,
			"%s: was not finished: its index is missing or damaged", r->name);
		fault(&v, &e);
	}
	if (r->bytes_lost || reader_tail(r) || reader_missing(r)) {
		fail_at(&e, TF_E_DAMAGED, 0, TF_NONE, "%s: %llu bytes and %u sections are lost",
			r->name, (unsigned long long)(r->bytes_lost + reader_tail(r)),
			reader_missing(r) + (reader_tail(r) != 0));
		fault(&v, &e);
	}
	check_payloads(&v);
	status = tf_load(r, error);
	if (status < 0)
		return status;
	if (r->sections_lost && !v.faults) {
		fail_at(&e, TF_E_DAMAGED, 0, TF_NONE,
			"%s: %u dictionary sections break the format's rules", r->name,
			r->sections_lost);
		fault(&v, &e);
	}
	v.lane = lane_for_checks(r);
	if (!v.lane)
		return fail_memory(error);
	for (uint32_t t = 0; t < r->chunks.count; t++) {
		struct tf_totals sum = { 0 }, stated;

		check_chunks(&v, t, &sum);
		if (t >= r->threads.count && r->chunks.at[t].sections.count) {
			fail_at(&e, TF_E_DAMAGED, 0, TF_NONE, "%s: thread %u has chunks, but is not known",
				r->name, t);
			fault(&v, &e);
		}
		if (!r->finished || t >= r->threads.count)
			continue;
		if (tf_get_thread_totals(r, t, &stated, &e) < 0)
			fault(&v, &e);
		else
			compare_totals(&v, &r->sections.at[r->sections.count - 1], &sum, &stated);
	}
	lane_free(v.lane);
	return v.faults;
}
