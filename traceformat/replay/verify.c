/* SPDX-License-Identifier: MIT */
/*
 * Checks a whole trace: compares every checksum, decodes every chunk, and counts every total again.
 */
#include <stdio.h>
#include <string.h>

#include "traceformat/common/error.h"
#include "traceformat/reader/copies.h"
#include "traceformat/reader/section_records.h"
#include "traceformat/replay/lane.h"

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

/* Appends to the error's text as far as there is room. */
static void append(struct tf_error *error, const char *text)
{
	size_t size = strlen(error->text);

	snprintf(error->text + size, sizeof(error->text) - size, "%s", text);
}

/* Checks the section in its place, not its copy. */
static int check_original(struct verifier *v, struct section *s, struct tf_error *error)
{
	int status;

	v->r->only_originals = true;
	status = s->kind == SECTION_COPIES && section_known(s) == 1 ? copies_check(v->r, s, error)
								    : section_check(v->r, s, error);
	v->r->only_originals = false;
	if (status == 0 && s->kind == SECTION_END && reader_end(v->r)->sought &&
	    v->r->end.status < 0) {
		status = v->r->end.status;
		*error = v->r->end.error;
	}
	return status;
}

/* Checks all sections except the chunks that check_chunks decodes. */
static void check_payloads(struct verifier *v)
{
	for (size_t i = 0; i < v->r->sections.count; i++) {
		struct section *s = &v->r->sections.at[i];
		struct tf_error error;

		if (is_chunk(s))
			continue;
		if (s->kind == SECTION_CHUNK && s->thread >= MAX_THREADS)
			fail_section(v->r, s, &error, "its thread number is too large");
		else if (check_original(v, s, &error) == 0)
			continue;
		if (copies_have(v->r, s))
			append(&error, "; its copy is whole");
		else if (s->kind != SECTION_END) /* tf_get_info checks END each time */
			reader_lose(v->r, s);
		fault(v, &error);
	}
}

/* Reports one fault for all wrong totals of a section. whose: their owner, or "". */
static void compare_totals(struct verifier *v, const struct section *s, const char *whose,
			   const struct tf_totals *counted, const struct tf_totals *stated)
{
	const struct {
		const char *what;
		uint64_t counted, stated;
	} totals[] = {
		{ "instructions", counted->instructions, stated->instructions },
		{ "loads", counted->loads, stated->loads },
		{ "stores", counted->stores, stated->stores },
		{ "prefetches", counted->prefetches, stated->prefetches },
		{ "repetitions", counted->repetitions, stated->repetitions },
		{ "opaque instructions", counted->opaque, stated->opaque },
		{ "block executions", counted->blocks, stated->blocks },
		{ "path executions", counted->paths, stated->paths },
		{ "events", counted->events, stated->events },
	};
	char text[sizeof(((struct tf_error *)0)->text)] = "";
	struct tf_error error;
	int size = 0;

	for (size_t i = 0; i < sizeof(totals) / sizeof(*totals); i++)
		if (totals[i].counted != totals[i].stated && (size_t)size < sizeof(text))
			size += snprintf(text + size, sizeof(text) - (size_t)size,
					 "%s%llu %s, not %llu", size ? "; " : "",
					 (unsigned long long)totals[i].counted, totals[i].what,
					 (unsigned long long)totals[i].stated);
	if (!size)
		return;
	fail_at(&error, TF_E_DAMAGED, s->offset, s->number,
		"%s: section %u (%s) at offset %llu: its totals%s do not hold: %s", v->r->name,
		s->number, tf_section_kind_name(s->kind), (unsigned long long)s->offset, whose,
		text);
	fault(v, &error);
}

/*
 * Decodes the thread's chunks. Returns true if all of them are whole; *sum then has their totals.
 */
static bool check_chunks(struct verifier *v, uint32_t thread, struct tf_totals *sum)
{
	struct tf_reader *r = v->r;
	const struct thread_chunks *chunks = &r->chunks.at[thread];
	struct chunk head = { 0 };
	struct tf_error error;
	uint64_t end = 0;
	bool whole = true;

	for (size_t k = 0; k < chunks->sections.count; k++) {
		struct section *s = &r->sections.at[chunks->sections.at[k]];
		struct tf_totals counted;

		if (s->first < end) {
			fail_section(r, s, &error, "its instructions overlap those before it");
			reader_lose(r, s);
			fault(v, &error);
			whole = false;
			continue;
		}
		end = s->first + s->count;
		if (section_check(r, s, &error) < 0 ||
		    chunk_check(v->lane, thread, k, &counted, &error) < 0 ||
		    chunk_read(r, s, 0, &head, &error) < 0) {
			reader_lose(r, s);
			fault(v, &error);
			whole = false;
			continue;
		}
		compare_totals(v, s, "", &counted, &head.totals);
		totals_add(sum, &counted);
	}
	chunk_free(&head);
	return whole;
}

/* Checks that the file has no gaps from its beginning to its end. */
static void check_extent(struct verifier *v)
{
	const struct tf_reader *r = v->r;
	uint64_t tail = reader_tail(r), lost = r->bytes_lost;
	struct tf_error error;
	char text[80] = "";

	for (size_t i = 0; i < r->sections.count; i++) /* check_payloads reports these */
		if (r->sections.at[i].lost)
			lost -= section_span(&r->sections.at[i]);

	if (tail)
		snprintf(text, sizeof(text), ", and its last %llu bytes are no whole section",
			 (unsigned long long)tail);
	if (r->header_restored) {
		fail_at(&error, TF_E_DAMAGED, 0, TF_NONE,
			"%s: the file header is damaged; its copy is whole", r->name);
		fault(v, &error);
	}
	if (!r->finished) {
		fail_at(&error, TF_E_TRUNCATED, r->walked_to, TF_NONE,
			"%s: was not finished: its index is missing or damaged%s", r->name, text);
		fault(v, &error);
	}
	if (lost || reader_missing(r)) {
		fail_at(&error, TF_E_DAMAGED, 0, TF_NONE, "%s: %llu bytes and %u sections are lost",
			r->name, (unsigned long long)lost, reader_missing(r));
		fault(v, &error);
	}
}

/*
 * Compares END's totals of a thread. If chunks are lost, which has been reported, they cannot
 * match.
 */
static void check_end(struct verifier *v, uint32_t thread, const struct tf_totals *sum)
{
	struct tf_reader *r = v->r;
	const struct end_record *end = &r->end;
	struct tf_totals nothing = { 0 };
	char whose[40];

	if (end->status < 0) /* check_payloads has reported it */
		return;
	snprintf(whose, sizeof(whose), " of thread %u", thread);
	compare_totals(v, &r->sections.at[r->sections.count - 1], whose, sum,
		       thread < end->threads.count ? &end->threads.at[thread] : &nothing);
}

/*
 * Checks that END and the ordinals agree with the chunks; nothing else shows that chunks were
 * removed.
 */
static bool check_consistency(struct verifier *v)
{
	struct tf_error error;
	struct tf_info info;

	if (tf_get_info(v->r, &info, &error) < 0 || info.consistent)
		return true;
	if (info.stated_instructions != info.found_instructions || !info.missing_instructions)
		fail_at(&error, TF_E_DAMAGED, 0, TF_NONE,
			"%s: contradicts itself: its chunks have %llu instructions, its END says %llu",
			v->r->name, (unsigned long long)info.found_instructions,
			(unsigned long long)info.stated_instructions);
	else
		fail_at(&error, TF_E_DAMAGED, 0, TF_NONE,
			"%s: contradicts itself: %llu instructions are missing before or between its "
			"chunks, though no section is",
			v->r->name, (unsigned long long)info.missing_instructions);
	fault(v, &error);
	return false;
}

int tf_verify(struct tf_reader *r, void (*report)(void *, const struct tf_error *), void *opaque,
	      struct tf_error *error)
{
	struct verifier v = { .r = r, .report = report, .opaque = opaque };
	bool consistent;
	struct tf_error e;
	int status;

	check_extent(&v);
	status = tf_load(r, error);
	check_payloads(&v);
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
	consistent = check_consistency(&v);
	for (uint32_t t = 0; t < r->chunks.count; t++) {
		struct tf_totals sum = { 0 };
		bool whole = check_chunks(&v, t, &sum);

		if (!reader_has_thread(r, t) && r->chunks.at[t].sections.count) {
			fail_at(&e, TF_E_DAMAGED, 0, TF_NONE,
				"%s: thread %u has chunks, but is not known", r->name, t);
			fault(&v, &e);
		}
		if (r->finished && consistent && whole && reader_has_thread(r, t))
			check_end(&v, t, &sum);
	}
	lane_free(v.lane);
	if (vectors_add_up(r, &e) < 0 || intervals_add_up(r, &e) < 0)
		fault(&v, &e);
	return v.faults;
}
