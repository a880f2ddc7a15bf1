/* SPDX-License-Identifier: MIT */
/* Merged states of mica/ilp.c against one state that saw all executions. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/common/state_bytes.h"
#include "analyzers/mica/ilp.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"

enum { N_INSNS = 48, MAX_PARTS = 7, LENGTH = 5 * ILP_LOG / 2 };

/* A program of random instructions, and a stream of its executions. */
struct stream {
	struct mica_insn insns[N_INSNS];
	uint32_t latencies[N_INSNS];
	struct mica_setup setup;
	struct mica_event events[LENGTH];
};

static void make_insn(struct stream *s, unsigned i, uint64_t *random)
{
	struct mica_insn *insn = &s->insns[i];
	unsigned registers = 1 + random_below(random, 40);

	insn->index = i;
	insn->facts.n_reads = random_below(random, 3);
	insn->facts.n_writes = random_below(random, 3);
	for (unsigned k = 0; k < 2; k++) {
		insn->facts.reads[k] = random_below(random, registers);
		insn->facts.writes[k] = random_below(random, registers);
	}
	s->latencies[i] = random_chance(random, 80) ? 1 : 1 + random_below(random, 60);
}

static void make_event(struct stream *s, struct mica_event *event, unsigned insn, uint64_t *random)
{
	uint64_t memory = (uint64_t)64 << insn % 8;

	*event = (struct mica_event){ .insn = &s->insns[insn], .counts = true };
	event->n_reads = insn % 5 < 3 ? insn % 5 : 0;
	event->n_writes = insn % 3 == 0;
	for (unsigned k = 0; k < event->n_reads; k++)
		event->read[k] = random_below(random, (unsigned)memory);
	event->read_size = event->n_reads ? random_below(random, 20) : 0;
	if (event->n_writes)
		event->write = random_below(random, (unsigned)memory);
	event->write_size = event->n_writes ? random_below(random, 20) : 0;
}

static void choose_windows(struct mica_setup *setup, uint64_t *random)
{
	setup->n_windows = 1 + random_below(random, 6);
	for (unsigned i = 0; i < setup->n_windows; i++)
		setup->windows[i] = 1 + random_below(random, 1u << random_below(random, 10));
}

/* Makes a program of loops, in which executions are repeated with other addresses. */
static struct stream *make_stream(uint64_t *random)
{
	struct stream *s = checked_array(1, sizeof(*s));
	unsigned first = 0, count = 1;

	for (unsigned i = 0; i < N_INSNS; i++)
		make_insn(s, i, random);
	s->setup = (struct mica_setup){ .numbers = { N_INSNS, N_INSNS, 1, 1 }, .insns = s->insns };
	s->setup.block_shift = random_below(random, 7);
	s->setup.latencies = random_chance(random, 50) ? s->latencies : NULL;
	s->setup.no_avx2 = random_chance(random, 50);
	choose_windows(&s->setup, random);
	for (unsigned i = 0; i < LENGTH; i++) {
		if (i % 512 == 0) {
			first = random_below(random, N_INSNS);
			count = 1 + random_below(random, N_INSNS - first);
		}
		make_event(s, &s->events[i], first + i % count, random);
	}
	return s;
}

static void feed(const struct stream *s, struct ilp *p, size_t from, size_t end, uint64_t *random)
{
	while (from < end) {
		size_t n = 1 + random_below(random, 300);

		n = n < end - from ? n : end - from;
		mica_ilp.feed(p, s->events + from, n);
		from += n;
	}
}

/* Returns a state that was fed executions, in batches. */
static struct ilp *run(const struct stream *s, size_t from, size_t end, uint64_t *random)
{
	struct ilp *p = mica_ilp.start(&s->setup);

	mica_ilp.expect_merge(p);
	feed(s, p, from, end, random);
	return p;
}

static struct state_writer saved(struct ilp *p)
{
	struct state_writer writer = { .bytes = { 0 } };

	mica_ilp.save(p, &writer);
	return writer;
}

/* Replaces a state by the one that is read from its bytes. */
static struct ilp *reload(struct ilp *p)
{
	struct state_writer writer = saved(p);
	struct state_reader reader = { .bytes = span_of(writer.bytes.data, writer.bytes.size) };
	struct ilp *fresh = mica_ilp.start(p->setup);

	mica_ilp.expect_merge(fresh);
	mica_ilp.load(fresh, &reader);
	ck_assert(!reader.bytes.bad);
	ck_assert_uint_eq(span_left(&reader.bytes), 0);
	mica_ilp.stop(p);
	buffer_free(&writer.bytes);
	return fresh;
}

static void assert_equal(struct ilp *a, struct ilp *b)
{
	uint64_t x[MICA_MAX_NUMBERS] = { 0 }, y[MICA_MAX_NUMBERS] = { 0 };
	struct state_writer of_a = saved(a), of_b = saved(b);

	ck_assert_uint_eq(of_a.bytes.size, of_b.bytes.size);
	ck_assert(!memcmp(of_a.bytes.data, of_b.bytes.data, of_a.bytes.size));
	buffer_free(&of_a.bytes);
	buffer_free(&of_b.bytes);
	unsigned n = mica_ilp.end(a, true, x);
	ck_assert_uint_eq(n, mica_ilp.end(b, true, y));
	for (unsigned i = 0; i < n; i++)
		ck_assert_uint_eq(x[i], y[i]);
}

/* A part of a stream. */
struct part {
	struct ilp *state;
	size_t from, end;
};

/* Merges the parts in a random order of neighbors. Returns how often a part was fed again. */
static unsigned merge_all(const struct stream *s, struct part *parts, unsigned n, uint64_t *random)
{
	unsigned n_again = 0;

	for (; n > 1; n--) {
		unsigned i = random_below(random, n - 1);
		struct part *a = &parts[i], *b = &parts[i + 1];

		if (mica_ilp.merge(a->state, b->state)) {
			feed(s, a->state, b->from, b->end, random);
			n_again++;
		}
		a->end = b->end;
		mica_ilp.stop(b->state);
		memmove(b, b + 1, (n - i - 2) * sizeof(*b));
		if (random_chance(random, 30))
			a->state = reload(a->state);
	}
	return n_again;
}

/* Cuts a stream at random places, and merges the parts. Returns how often one was fed again. */
static unsigned cut_and_merge(const struct stream *s, uint64_t *random)
{
	unsigned n = 1 + random_below(random, MAX_PARTS), n_again;
	struct ilp *whole = run(s, 0, LENGTH, random);
	struct part parts[MAX_PARTS];
	size_t from = 0;

	for (unsigned i = 0; i < n; i++) {
		size_t end = from + random_below(random, (unsigned)(LENGTH - from + 1));

		if (i + 1 == n)
			end = LENGTH;
		parts[i] = (struct part){ run(s, from, end, random), from, end };
		from = end;
	}
	n_again = merge_all(s, parts, n, random);
	assert_equal(parts[0].state, whole);
	mica_ilp.stop(parts[0].state);
	mica_ilp.stop(whole);
	return n_again;
}

START_TEST(random_streams)
{
	uint64_t random = 1;
	unsigned n_again = 0, n = is_quick() ? 60 : 2000;

	for (unsigned i = 0; i < n; i++) {
		struct stream *s = make_stream(&random);

		n_again += cut_and_merge(s, &random);
		free(s);
	}
	ck_assert_uint_lt(n_again, n / 10);
}
END_TEST

/* A log is full at the last execution of a state, one before it, or one behind it. */
START_TEST(limits_of_the_log)
{
	uint64_t random = 2;
	struct stream *s = make_stream(&random);

	for (unsigned i = 0; i < 6; i++) {
		size_t cut = 1 + i / 3 * 100, end = cut + ILP_LOG - 1 + i % 3;
		struct ilp *a = run(s, 0, cut, &random), *b = run(s, cut, end, &random);
		struct ilp *whole = run(s, 0, end, &random);

		ck_assert_int_eq(b->log.open, i % 3 < 2);
		ck_assert_int_eq(mica_ilp.merge(a, b), 0);
		assert_equal(a, whole);
		mica_ilp.stop(a);
		mica_ilp.stop(b);
		mica_ilp.stop(whole);
	}
	free(s);
}
END_TEST

/*
 * Makes a stream whose executions from `lead` on extend two chains of dependences in turn; those
 * before extend only the first one, so that it is ahead.
 */
static struct stream *make_chains(size_t lead)
{
	struct stream *s = checked_array(1, sizeof(*s));

	s->setup = (struct mica_setup){ .numbers = { 2, 2, 1, 1 }, .insns = s->insns };
	s->setup.n_windows = 1;
	s->setup.windows[0] = 32;
	for (unsigned i = 0; i < 2; i++) {
		s->insns[i].index = i;
		s->insns[i].facts.n_reads = s->insns[i].facts.n_writes = 1;
		s->insns[i].facts.reads[0] = s->insns[i].facts.writes[0] = i;
	}
	for (size_t i = 0; i < LENGTH; i++)
		s->events[i].insn = &s->insns[i < lead ? 0 : i % 2];
	return s;
}

START_TEST(chains_that_never_join)
{
	enum { LEAD = 10, CUT = 20 };
	uint64_t random = 3;
	struct stream *s = make_chains(LEAD);
	struct ilp *a = run(s, 0, CUT, &random), *b = run(s, CUT, CUT + ILP_LOG, &random);
	struct ilp *c = run(s, 0, CUT, &random), *d = run(s, CUT, LENGTH, &random);
	struct ilp *short_whole = run(s, 0, CUT + ILP_LOG, &random),
		   *whole = run(s, 0, LENGTH, &random);

	ck_assert_int_eq(mica_ilp.merge(a, b), 0);
	assert_equal(a, short_whole);
	ck_assert_int_eq(mica_ilp.merge(c, d), ANALYZER_FEED_AGAIN);
	feed(s, c, CUT, LENGTH, &random);
	assert_equal(c, whole);
	mica_ilp.stop(a);
	mica_ilp.stop(b);
	mica_ilp.stop(c);
	mica_ilp.stop(d);
	mica_ilp.stop(short_whole);
	mica_ilp.stop(whole);
	free(s);
}
END_TEST

/* Bytes that save cannot have written are refused, and nothing is read or written beyond memory. */
START_TEST(damaged_states)
{
	uint64_t random = 4;
	struct stream *s = make_stream(&random);
	unsigned refused = 0, n = is_quick() ? 100 : 5000;
	struct ilp *p = run(s, 0, ILP_LOG + 1, &random);
	struct state_writer writer = saved(p);

	for (unsigned i = 0; i < n; i++) {
		struct ilp *fresh = mica_ilp.start(&s->setup);
		size_t at = writer.bytes.size - 1 - random_below(&random, 2000);
		uint8_t byte = writer.bytes.data[at];
		struct state_reader reader;

		writer.bytes.data[at] = (uint8_t)random_u64(&random);
		reader.bytes = span_of(writer.bytes.data, writer.bytes.size - i % 2);
		mica_ilp.expect_merge(fresh);
		mica_ilp.load(fresh, &reader);
		refused += reader.bytes.bad;
		mica_ilp.merge(fresh, p);
		mica_ilp.stop(fresh);
		writer.bytes.data[at] = byte;
	}
	ck_assert_uint_ge(refused, n / 2);
	buffer_free(&writer.bytes);
	mica_ilp.stop(p);
	free(s);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ilp merge");
	TCase *tests = tcase_create("merge");

	tcase_set_timeout(tests, 300);
	tcase_add_test(tests, random_streams);
	tcase_add_test(tests, limits_of_the_log);
	tcase_add_test(tests, chains_that_never_join);
	tcase_add_test(tests, damaged_states);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
