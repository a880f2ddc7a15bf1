/* SPDX-License-Identifier: MIT */
/* Tests that packed states are unpacked as they were, and that a translation's record has as many
 * slots and places before an instruction as the translation was made with. */
#include <check.h>
#include <string.h>

#include "recorder/translate/emit/translation.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"

enum { STATES = 200, ROUNDS = 200 };

static uint64_t seed = 1;

/* Changes some bytes of a state: all are equally likely to differ from those of the state before. */
static struct state successor(struct state state)
{
	uint8_t bytes[sizeof(state)];

	memcpy(bytes, &state, sizeof(state));
	for (size_t i = 0; i < sizeof(bytes); i++)
		if (random_chance(&seed, 10))
			bytes[i] = (uint8_t)random_below(&seed, 256);
	memcpy(&state, bytes, sizeof(state));
	return state;
}

START_TEST(states_are_unpacked_as_they_were)
{
	static struct state states[STATES];
	static uint8_t packed[STATES * STATE_MOST_BYTES];

	for (unsigned round = 0; round < ROUNDS; round++) {
		const uint8_t *at = packed;
		struct state state = { 0 };
		size_t n_bytes;

		for (unsigned i = 0; i < STATES; i++)
			states[i] = successor(i ? states[i - 1] : state);
		n_bytes = states_pack(states, STATES, packed);
		for (unsigned i = 0; i < STATES; i++) {
			at = states_next(at, &state);
			ck_assert_mem_eq(&state, &states[i], sizeof(state));
		}
		ck_assert_ptr_eq(at, packed + n_bytes);
	}
}
END_TEST

/* Each place has a slot. */
START_TEST(equal_numbers_are_stored_once)
{
	uint16_t reached[] = { 0, 1, 3 };
	struct translation t = { .n_insns = 2, .n_slots = 3, .reached = reached };

	for (unsigned i = 0; i <= t.n_insns; i++) {
		ck_assert_uint_eq(translation_places_before(&t, i), reached[i]);
		ck_assert_uint_eq(translation_slots_before(&t, i), reached[i]);
	}
}
END_TEST

/* The first of three places is hidden. */
START_TEST(hidden_places_have_no_slots)
{
	uint16_t reached[] = { 0, 2, 3, 0, 1, 2 }, places[] = { 1, 2 };
	struct translation t = { .n_insns = 2, .n_slots = 2, .reached = reached, .places = places };

	for (unsigned i = 0; i <= t.n_insns; i++) {
		ck_assert_uint_eq(translation_places_before(&t, i), reached[i]);
		ck_assert_uint_eq(translation_slots_before(&t, i), reached[i + 3]);
	}
}
END_TEST

START_TEST(all_places_may_be_hidden)
{
	uint16_t reached[] = { 0, 2, 3 };
	struct translation t = { .n_insns = 2, .reached = reached };

	for (unsigned i = 0; i <= t.n_insns; i++) {
		ck_assert_uint_eq(translation_places_before(&t, i), reached[i]);
		ck_assert_uint_eq(translation_slots_before(&t, i), 0);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("states");
	TCase *states = tcase_create("states");

	tcase_add_test(states, states_are_unpacked_as_they_were);
	tcase_add_test(states, equal_numbers_are_stored_once);
	tcase_add_test(states, hidden_places_have_no_slots);
	tcase_add_test(states, all_places_may_be_hidden);
	suite_add_tcase(suite, states);
	return run_suite(suite);
}
