/* SPDX-License-Identifier: MIT */
/* The slot coding: all variants decode the encoded slots, with any sources. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "tests/unit/run_suite.h"
#include "traceformat/codings/kernels.h"
#include "traceformat/codings/slot_sources.h"

enum { PATHS = 40, RECORDS = 5000, MAX_SLOTS = 40 };

static uint64_t state;

static uint64_t random_u64(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t below(uint64_t n)
{
	return random_u64() % n;
}

/* Paths of all lengths, one behind the other. */
struct layout {
	uint32_t base[PATHS], count[PATHS], n_slots;
	struct slot_sources sources;
	struct slot_source found[PATHS * MAX_SLOTS];
};

static void make_layout(struct layout *l, bool sourced)
{
	l->n_slots = 0;
	l->sources = (struct slot_sources){ l->found, 0 };
	for (unsigned i = 0; i < PATHS; i++) {
		l->base[i] = l->n_slots;
		l->count[i] = i;
		l->n_slots += slot_states_of(i);
	}
	for (unsigned i = 0; i < PATHS && sourced; i++)
		for (uint32_t k = 0; k < l->count[i]; k++) {
			uint32_t source = (uint32_t)below(l->n_slots), slot = l->base[i] + k;
			bool later = source >= slot && source < l->base[i] + l->count[i];

			if (below(3) == 0 && !later)
				l->found[l->sources.count++] = (struct slot_source){ slot, source };
		}
}

/* Makes values that often continue by the same stride, and sometimes are arbitrary. */
static uint64_t next_value(uint64_t before)
{
	switch (below(8)) {
	case 0: return random_u64();
	case 1: return before + (random_u64() >> below(64));
	case 2: return before - (random_u64() >> below(64));
	case 3: return before;
	default: return before + 8;
	}
}

struct encoded {
	struct slot_encoder encoder;
	uint64_t *slots; /* of all records */
	struct slot_record *records;
};

static struct encoded *new_encoded(const struct layout *l)
{
	struct encoded *e = calloc(1, sizeof(*e));
	static uint64_t last[PATHS * MAX_SLOTS];
	size_t n = 0;

	e->slots = calloc(RECORDS * MAX_SLOTS, sizeof(*e->slots));
	e->records = calloc(RECORDS, sizeof(*e->records));
	memset(last, 0, sizeof(last));
	for (unsigned i = 0; i < RECORDS; i++) {
		unsigned path = (unsigned)below(PATHS);
		uint32_t count = below(8) ? l->count[path] : (uint32_t)below(l->count[path] + 1);

		e->records[i] = (struct slot_record){ l->base[path], (uint16_t)count,
						      (uint16_t)l->count[path], e->slots + n };
		for (uint32_t k = 0; k < count; k++)
			e->slots[n++] = last[l->base[path] + k] = next_value(
				last[l->base[path] + k]);
	}
	ck_assert(slot_states_reset(&e->encoder.states, l->n_slots));
	slot_sources_apply(&l->sources, &e->encoder.states);
	return e;
}

static void free_encoded(struct encoded *e)
{
	slot_encoder_free(&e->encoder);
	free(e->slots);
	free(e->records);
	free(e);
}

/* Encodes as slots_encode does, with a variant of the kernels. */
static void encode_by(const struct kernels *k, struct slot_encoder *e,
		      const struct slot_record *records, unsigned n)
{
	enum { FEW = 20 };
	uint64_t differences[FEW * MAX_SLOTS + SPAN_SLACK];

	for (unsigned i = 0; i < n; i += FEW) {
		unsigned few = n - i < FEW ? n - i : FEW;
		size_t count;

		ck_assert(buffer_reserve(&e->hits, FEW * MAX_SLOTS));
		for (unsigned p = 0; p < RESIDUAL_PLANES; p++)
			ck_assert(buffer_reserve(&e->residuals[p],
						 FEW * MAX_SLOTS * MAX_VARINT + SPAN_SLACK));
		count = k->encode_slots(e, records + i, few, differences);
		k->put_residuals(e->residuals, differences, count);
	}
	slots_encode_end(e);
}

static void check_same(const struct buffer *a, const struct buffer *b, const char *name)
{
	ck_assert_msg(a->size == b->size, "%s: %zu bytes, not %zu", name, b->size, a->size);
	ck_assert_msg(!a->size || !memcmp(a->data, b->data, a->size), "%s: other bytes", name);
}

/* Makes a decoder of the encoded slots. */
static struct slot_decoder decoder_of(const struct layout *l, struct encoded *e)
{
	static const uint8_t padding[8];
	struct slot_decoder d = { .n_bits = 0 };

	ck_assert(residuals_fit(e->encoder.residuals));
	put_bytes(&e->encoder.hits, padding, sizeof(padding));
	for (unsigned p = 0; p < RESIDUAL_PLANES; p++)
		put_bytes(&e->encoder.residuals[p], padding, 1);
	for (unsigned p = 0; p < RESIDUAL_PLANES; p++)
		e->encoder.residuals[p].size--;
	ck_assert(slot_states_reset(&d.states, l->n_slots));
	slot_sources_apply(&l->sources, &d.states);
	d.hits = e->encoder.hits.data;
	residuals_decode_begin(&d.residuals, e->encoder.residuals);
	for (unsigned i = 0; i < RECORDS; i++)
		d.n_bits += e->records[i].count;
	return d;
}

static void check_decoded(const struct layout *l, struct encoded *e)
{
	struct slot_decoder d = decoder_of(l, e);
	uint64_t slots[MAX_SLOTS];

	for (unsigned i = 0; i < RECORDS; i++) {
		const struct slot_record *r = &e->records[i];

		ck_assert(slots_decode(&d, r->base, slots, r->count));
		ck_assert_msg(!memcmp(slots, r->slots, r->count * sizeof(*slots)), "record %u", i);
	}
	ck_assert(residuals_used_up(&d.residuals));
	ck_assert(!slots_decode(&d, 0, slots, 1));
	slot_states_free(&d.states);
}

START_TEST(variants_agree)
{
	struct layout *l = malloc(sizeof(*l));
	struct encoded *reference;
	bool more = true;

	state = 88172645463325252u + (uint64_t)_i;
	make_layout(l, _i % 2);
	reference = new_encoded(l);
	encode_by(kernels_variant(0, &more), &reference->encoder, reference->records, RECORDS);
	for (unsigned v = 1; more; v++) {
		const struct kernels *k = kernels_variant(v, &more);
		struct slot_encoder e = { .n_bits = 0 };

		if (!k)
			continue;
		ck_assert(slot_states_reset(&e.states, l->n_slots));
		slot_sources_apply(&l->sources, &e.states);
		encode_by(k, &e, reference->records, RECORDS);
		check_same(&reference->encoder.hits, &e.hits, k->name);
		for (unsigned p = 0; p < RESIDUAL_PLANES; p++)
			check_same(&reference->encoder.residuals[p], &e.residuals[p], k->name);
		ck_assert(!memcmp(e.states.last, reference->encoder.states.last,
				  l->n_slots * sizeof(*e.states.last)));
		slot_encoder_free(&e);
	}
	check_decoded(l, reference);
	free_encoded(reference);
	free(l);
}
END_TEST

/* Each line is loaded and stored as a whole, including the last one. */
START_TEST(whole_lines)
{
	struct slot_states s = { 0 };

	for (size_t count = 1; count < 100000; count += 1 + count / 8) {
		ck_assert(slot_states_extend(&s, count));
		ck_assert_uint_ge(s.count, count);
		ck_assert_uint_eq(s.count % SLOT_STATES_LINE, 0);
	}
	slot_states_free(&s);
}
END_TEST

/* Returns the number of mapped pages of the address space. */
static size_t pages_mapped(void)
{
	size_t pages = 0;
	FILE *statm = fopen("/proc/self/statm", "r");

	ck_assert_int_eq(fscanf(statm, "%zu", &pages), 1);
	fclose(statm);
	return pages;
}

/* If memory for any of the arrays is lacking, all of them stay unchanged. */
START_TEST(no_memory)
{
	enum { FEW = 1000, MANY = 1 << 20, MIB = 1 << 20 };
	static const size_t enough_for[] = { 0, 13 * MIB, 26 * MIB };
	struct slot_states s = { 0 };
	struct rlimit unlimited, limited;
	size_t before = pages_mapped(), count, mapped;

	getrlimit(RLIMIT_AS, &unlimited);
	for (unsigned some = 0; some < 2; some++) {
		count = s.count;
		mapped = pages_mapped();
		for (unsigned i = 0; i < 3; i++) {
			limited = unlimited;
			limited.rlim_cur = mapped * 4096 + enough_for[i];
			setrlimit(RLIMIT_AS, &limited);
			ck_assert(!slot_states_extend(&s, MANY));
			setrlimit(RLIMIT_AS, &unlimited);
			ck_assert_uint_eq(s.count, count);
			ck_assert_uint_eq(pages_mapped(), mapped);
		}
		ck_assert(slot_states_extend(&s, FEW));
		ck_assert(!some || s.last[FEW - 1] == 7);
		s.last[FEW - 1] = 7;
	}
	ck_assert(slot_states_extend(&s, MANY));
	ck_assert_uint_eq(s.last[FEW - 1], 7);
	slot_states_free(&s);
	ck_assert_uint_eq(pages_mapped(), before);
}
END_TEST

/* The base of a path without slots may lie behind all states. */
START_TEST(no_slots)
{
	struct slot_encoder e = { 0 };

	ck_assert(slots_encode(&e, &(struct slot_record){ .base = 1u << 31 }, 1));
	ck_assert_uint_eq(e.n_slots, 0);
	slot_encoder_free(&e);
}
END_TEST

/* Returns whether a slot is its own source. */
static bool stands_alone(const struct slot_decoder *d, uint32_t slot)
{
	return d->states.source[slot] == 0;
}

/* Decoding only some paths gives the right values of their slots that have no source. */
START_TEST(skipped)
{
	struct layout *l = malloc(sizeof(*l));
	struct slot_decoder d;
	struct encoded *e;
	uint64_t slots[MAX_SLOTS];
	unsigned every = 1u << _i % 8, n_compared = 0;

	state = 0x2545f4914f6cdd1du + (uint64_t)_i;
	make_layout(l, _i % 2);
	e = new_encoded(l);
	for (unsigned i = 0; i < RECORDS; i++)
		ck_assert(slots_encode(&e->encoder, &e->records[i], 1));
	slots_encode_end(&e->encoder);
	d = decoder_of(l, e);
	for (unsigned i = 0; i < RECORDS; i++) {
		const struct slot_record *r = &e->records[i];

		if (r->path_slots % every) {
			slots_skip(&d, r->count);
			continue;
		}
		ck_assert(slots_finish_skip(&d));
		ck_assert(slots_decode(&d, r->base, slots, r->count));
		for (uint32_t k = 0; k < r->count; k++) {
			ck_assert(!stands_alone(&d, r->base + k) || slots[k] == r->slots[k]);
			n_compared += stands_alone(&d, r->base + k);
		}
	}
	ck_assert(slots_finish_skip(&d));
	ck_assert(every > 32 || n_compared);
	ck_assert(residuals_used_up(&d.residuals));
	slots_skip(&d, 1);
	ck_assert(!slots_finish_skip(&d));
	slot_states_free(&d.states);
	free_encoded(e);
	free(l);
}
END_TEST

/* Columns that claim more misses than there are. */
START_TEST(skipped_too_far)
{
	static const uint8_t hits[16];
	struct buffer planes[RESIDUAL_PLANES] = { 0 };
	struct slot_decoder d = { .hits = hits, .n_bits = 60 };

	ck_assert(residuals_put(planes, (const uint64_t[]){ 1, 2, 3 }, 3));
	residuals_decode_begin(&d.residuals, planes);
	slots_skip(&d, 3);
	ck_assert(slots_finish_skip(&d) && residuals_used_up(&d.residuals));
	slots_skip(&d, 57);
	ck_assert(!slots_finish_skip(&d));
	for (unsigned p = 0; p < RESIDUAL_PLANES; p++)
		buffer_free(&planes[p]);
}
END_TEST

START_TEST(encoded_and_decoded)
{
	struct layout *l = malloc(sizeof(*l));
	struct encoded *e;
	unsigned n;

	state = 0x9e3779b97f4a7c15u + (uint64_t)_i;
	make_layout(l, _i % 2);
	e = new_encoded(l);
	for (unsigned i = 0; i < RECORDS; i += n) {
		n = 1 + (unsigned)below(SPAN_SLOTS / MAX_SLOTS);
		n = n < RECORDS - i ? n : RECORDS - i;
		ck_assert(slots_encode(&e->encoder, e->records + i, n));
	}
	slots_encode_end(&e->encoder);
	check_decoded(l, e);
	free_encoded(e);
	free(l);
}
END_TEST

/* Differences at the limits of each plane. */
START_TEST(lengths_of_residuals)
{
	static const uint64_t edges[] = {
		0,        63, 64, 8191, 8192, 1 << 20, (1 << 20) - 1, 1u << 27, UINT64_C(1) << 62,
		INT64_MAX
	};
	enum { N = sizeof(edges) / sizeof(*edges) };
	struct buffer planes[RESIDUAL_PLANES] = { { 0 } }, whole = { 0 },
		      again[RESIDUAL_PLANES] = { { 0 } };
	struct residual_decoder d;
	struct span span;
	uint64_t all[2 * N];

	for (unsigned i = 0; i < N; i++) {
		all[2 * i] = edges[i];
		all[2 * i + 1] = ~edges[i];
	}
	ck_assert(residuals_put(planes, all, 2 * N));
	ck_assert(residuals_fit(planes));
	residuals_decode_begin(&d, planes);
	for (unsigned i = 0; i < 2 * N; i++) {
		ck_assert_uint_eq(take_miss(&d), all[i]);
		put_svarint(&whole, (int64_t)all[i]);
	}
	ck_assert(residuals_used_up(&d) && !d.bad);
	ck_assert_uint_eq(take_miss(&d), 0);
	ck_assert(d.bad);
	span = span_of(whole.data, whole.size);
	ck_assert_int_eq(residuals_spread(&span, again), 0);
	for (unsigned p = 0; p < RESIDUAL_PLANES; p++)
		check_same(&planes[p], &again[p], "spread");
	span = span_of(whole.data, whole.size - 1);
	ck_assert_int_eq(residuals_spread(&span, again), TF_E_DAMAGED);
	planes[1].size--;
	ck_assert(!residuals_fit(planes));
	for (unsigned p = 0; p < RESIDUAL_PLANES; p++) {
		buffer_free(&planes[p]);
		buffer_free(&again[p]);
	}
	buffer_free(&whole);
}
END_TEST

/* ---- sources ---- */

/* Slot 1 follows slot 0, slot 2 its own last value, slot 3 is anything; slot 4 is of another path. */
START_TEST(study_finds_sources)
{
	struct slot_study *study = slot_study_new();
	struct slot_sources found;

	state = 77;
	slot_study_begin(study);
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t x = below(1 << 20), slots[4] = { x, x + 4096, 16 * i, below(1 << 20) };
		uint64_t other = x - 64;
		struct slot_record record = { 0, 4, 4, slots }, next = { 4, 1, 1, &other };

		slot_study_record(study, &record);
		slot_study_record(study, &next);
	}
	ck_assert_uint_eq(slot_study_slots(study), 5000);
	found = slot_study_end(study);
	ck_assert_uint_eq(found.count, 2);
	ck_assert(found.at[0].slot == 1 && found.at[0].source == 0);
	ck_assert(found.at[1].slot == 4 && (found.at[1].source == 1 || found.at[1].source == 0));
	slot_study_free(study);
}
END_TEST

/* Slot 1 is slot 0 + 4096, and constant but for one execution in ten: a source would save little. */
START_TEST(study_spares_predicted_slots)
{
	struct slot_study *study = slot_study_new();

	slot_study_begin(study);
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t x = i / 10 * 3 % 7, slots[2] = { x, x + 4096 };
		struct slot_record record = { 0, 2, 2, slots };

		slot_study_record(study, &record);
	}
	ck_assert_uint_eq(slot_study_end(study).count, 0);
	slot_study_free(study);
}
END_TEST

static struct compiled_path paths[] = {
	{ .path = { .id = 0, .n_slots = 2 }, .slot_base = 0 },
	{ .path = { .id = 1, .n_slots = 3 },
	  .slot_base = 2,
	  .reps = { .any = true, .slots = (const uint64_t[]){ 4 } } },
	{ .path = { .id = 2, .n_slots = 1 }, .slot_base = 5 },
	{ .path = { .id = 3, .n_slots = 1 }, .slot_base = 3000000000 },
};

static const struct compiled_path *path_of(const void *opaque, uint32_t id)
{
	(void)opaque;
	return id < 4 ? &paths[id] : NULL;
}

START_TEST(sources_column)
{
	struct slot_source at[] = { { 1, 0 }, { 2, 5 }, { 3, 2 }, { 4, 3 }, { 5, 1 } };
	static const uint8_t needed[] = { SLOT_NEEDED | SLOTS_OF_PATH,
					  SLOT_NEEDED,
					  SLOT_NEEDED | SLOTS_OF_PATH,
					  SLOT_NEEDED,
					  0,
					  SLOT_NEEDED | SLOTS_OF_PATH };
	struct slot_sources sources = { at, 5 };
	struct slot_states states = { 0 };
	struct buffer column = { 0 };

	slot_sources_write(&sources, path_of, NULL, 3, &column);
	ck_assert(slot_states_reset(&states, 6));
	ck_assert(slot_sources_read(span_of(column.data, column.size), path_of, NULL, &states));
	ck_assert(states.sourced && !states.any_needed);
	slot_sources_need(span_of(column.data, column.size), path_of, NULL, WISH_REPETITIONS,
			  &states);
	ck_assert(states.any_needed);
	for (int i = 0; i < 6; i++)
		ck_assert_uint_eq(states.needed[i], needed[i]);
	for (int i = 0, k = 0; i < 6; i++)
		ck_assert_int_eq(states.source[i],
				 k < 5 && (int)at[k].slot == i ? (int)at[k++].source - i : 0);
	ck_assert(slot_states_reset(&states, 6));
	ck_assert(!states.sourced && !states.any_needed && states.source[1] == 0);
	ck_assert(states.needed[0] == 0 && states.needed[5] == 0);
	slot_states_free(&states);
	buffer_free(&column);
}
END_TEST

/* Slot 4 is the slot of repetition counts. */
START_TEST(reps_are_spared)
{
	struct slot_source at[] = { { 1, 0 }, { 2, 5 }, { 4, 3 }, { 5, 4 } };
	static const uint32_t left[] = { 1, 2, 5 };
	struct slot_sources sources = { at, 4 };
	struct slot_states states = { 0 };
	struct buffer column = { 0 };

	slot_sources_spare_reps(&sources, path_of, NULL, 3);
	ck_assert_uint_eq(sources.count, 3);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(sources.at[i].slot, left[i]);
	slot_sources_write(&sources, path_of, NULL, 3, &column);
	ck_assert(slot_states_reset(&states, 6));
	ck_assert(slot_sources_read(span_of(column.data, column.size), path_of, NULL, &states));
	slot_sources_need(span_of(column.data, column.size), path_of, NULL, WISH_REPETITIONS,
			  &states);
	ck_assert(states.sourced && !states.any_needed);
	slot_states_free(&states);
	buffer_free(&column);
}
END_TEST

static const struct compiled_path *path_of_two(const void *opaque, uint32_t id)
{
	const struct compiled_path *const *both = opaque;

	return id < 2 ? both[id] : NULL;
}

/* A path whose id is 2^32 further is not the path of the id's lower 32 bits. */
START_TEST(ids_do_not_wrap)
{
	static const struct compiled_path first = { .path = { .id = 0, .n_slots = 1 },
						    .slot_base = 7 },
					  second = { .path = { .id = 1, .n_slots = 1 } };
	const struct compiled_path *both[] = { &first, &second };
	struct buffer column = { 0 };
	struct slot_states states = { 0 };

	put_varint(&column, 1); /* slot 0 of path 1 from path 0 */
	put_varint(&column, 0);
	put_svarint(&column, -1);
	put_varint(&column, 0);
	put_varint(&column, TF_NONE); /* slot 0 of path 2^32 from path 1 */
	put_varint(&column, 0);
	put_svarint(&column, -(int64_t)TF_NONE);
	put_varint(&column, 0);
	ck_assert(slot_states_reset(&states, 8));
	ck_assert(
		!slot_sources_read(span_of(column.data, column.size), path_of_two, both, &states));
	slot_states_free(&states);
	buffer_free(&column);
}
END_TEST

START_TEST(bad_sources)
{
	static const struct {
		const char *why;
		uint8_t bytes[10];
		size_t size;
	} bad[] = {
		{ "cut off", { 0, 1, 0 }, 3 },
		{ "no such slot", { 0, 2, 0, 0 }, 4 },
		{ "no such path", { 4, 0, 0, 0 }, 4 },
		{ "of a path too far", { 3, 0, 5, 0 }, 4 },
		{ "from a path too far", { 0, 0, 6, 0 }, 4 },
		{ "no such source", { 0, 0, 4, 1 }, 4 },
		{ "a source before all paths", { 0, 0, 1, 0 }, 4 },
		{ "its own source", { 1, 1, 0, 1 }, 4 },
		{ "a later slot of its record", { 1, 1, 0, 2 }, 4 },
		{ "twice", { 0, 1, 0, 0, 0, 1, 2, 0 }, 8 },
		{ "not ascending", { 0, 1, 0, 0, 0, 0, 2, 0 }, 8 },
	};
	struct slot_states states = { 0 };

	ck_assert(slot_states_reset(&states, 6));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ck_assert_msg(!slot_sources_read(span_of(bad[i].bytes, bad[i].size), path_of, NULL,
						 &states),
			      "%s", bad[i].why);
	slot_states_free(&states);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("slots");
	TCase *coding = tcase_create("coding"), *sources = tcase_create("sources");

	tcase_add_loop_test(coding, variants_agree, 0, 60);
	tcase_add_loop_test(coding, encoded_and_decoded, 0, 60);
	tcase_add_loop_test(coding, skipped, 0, 32);
	tcase_add_test(coding, skipped_too_far);
	tcase_add_test(coding, lengths_of_residuals);
	tcase_add_test(coding, whole_lines);
	tcase_add_test(coding, no_memory);
	tcase_add_test(coding, no_slots);
	tcase_add_test(sources, study_finds_sources);
	tcase_add_test(sources, study_spares_predicted_slots);
	tcase_add_test(sources, sources_column);
	tcase_add_test(sources, reps_are_spared);
	tcase_add_test(sources, bad_sources);
	tcase_add_test(sources, ids_do_not_wrap);
	suite_add_tcase(suite, coding);
	suite_add_tcase(suite, sources);
	return run_suite(suite);
}
