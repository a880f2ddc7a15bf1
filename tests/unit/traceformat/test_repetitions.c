/* SPDX-License-Identifier: MIT */
/*
 * Repetition counts whose slots are stored as those of other paths: TF_REPETITIONS and TF_EXTENTS
 * must decode both paths. The format allows such slots, but the writer avoids them to spare the reader work.
 * The wrapper below disables the avoidance.
 */
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/synthetic.h"
#include "tests/unit/traces/trace_file.h"
#include "traceformat/codings/slot_sources.h"

enum {
	TURNS = 30000,
	TURNS_AT_ONCE = 1000,
	CHUNK_INSTRUCTIONS = 20000, /* studied from the middle on */
	PC_LOAD = 0x1000,
	PC_REP = 0x2000,
};

/* Replaces slot_sources_spare_reps (see the Makefile). */
void __wrap_slot_sources_spare_reps(struct slot_sources *sources, path_lookup *lookup,
				    const void *opaque, uint32_t n_paths);
void __wrap_slot_sources_spare_reps(struct slot_sources *sources, path_lookup *lookup,
				    const void *opaque, uint32_t n_paths)
{
	(void)sources;
	(void)lookup;
	(void)opaque;
	(void)n_paths;
}

static uint64_t count_of_turn(unsigned turn)
{
	uint64_t state = turn;

	return random_u64(&state) % 100000 + 1;
}

/* A path loads from an address; the next path repeats as often as the address says. */
static void write_trace(struct synthetic *s)
{
	struct tf_writer_options options = {
		.size = sizeof(options),
		.chunk_instructions = CHUNK_INSTRUCTIONS,
	};
	struct synthetic_code load, rep;
	uint32_t thread;

	synthetic_begin(s, &options);
	thread = synthetic_thread(s, synthetic_process(s, 1));
	load = synthetic_code(s, PC_LOAD, BYTES("\x48\x8b\x03\xeb\xfe")); /* mov (%rbx), %rax */
	rep = synthetic_code(s, PC_REP, BYTES("\xf3\xaa\xeb\xfc"));       /* rep stosb */
	ck_assert_uint_eq(rep.n_values, 4);
	for (unsigned turn = 0; turn < TURNS; turn += TURNS_AT_ONCE) {
		const uint32_t exits[] = { load.taken, rep.taken };
		uint64_t records[TURNS_AT_ONCE][7];

		for (unsigned i = 0; i < TURNS_AT_ONCE; i++) {
			uint64_t n = count_of_turn(turn + i);

			memcpy(records[i],
			       (uint64_t[]){ tf_record_head(0, 1), n, tf_record_head(1, 4), 0x7000,
					     n, n, 0 },
			       sizeof(records[i]));
		}
		synthetic_ok(s, tf_stream_records(s->streams[thread], records[0],
						  sizeof(records) / sizeof(uint64_t), exits, 2,
						  &s->error));
	}
	synthetic_end(s);
}

static void note_sources(void *opaque, unsigned id, unsigned coding, uint64_t stored, uint64_t raw)
{
	uint64_t *bytes = opaque;

	(void)coding;
	(void)stored;
	if (!strcmp(tf_column_name(id), "slot-sources"))
		*bytes += raw;
}

static uint64_t bytes_of_sources(struct tf_reader *reader)
{
	struct tf_section_info info;
	uint64_t bytes = 0;

	for (uint32_t i = 0; tf_section(reader, i, &info); i++)
		ck_assert_int_eq(tf_section_columns(reader, i, note_sources, &bytes, NULL), 0);
	return bytes;
}

START_TEST(from_other_paths)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_reader *reader;
	struct tf_cursor *cursor;
	struct tf_item item;
	struct synthetic s;
	unsigned turn = 0, wrong = 0;

	write_trace(&s);
	synthetic_ok(&s, tf_open(s.path, &reader, &s.error));
	ck_assert_uint_gt(bytes_of_sources(reader), 0);
	options.view = TF_VIEW_PATHS;
	options.columns = _i ? TF_EXTENTS : TF_REPETITIONS;
	synthetic_ok(&s, tf_cursor_open(reader, &options, &cursor, &s.error));
	while (tf_next(cursor, &item, &s.error) > 0) {
		const uint64_t *extras = item.repetitions, *extents = item.values;

		for (size_t i = 0; i < item.count; i++) {
			struct tf_exit_info exit;

			tf_exit(reader, item.paths[i].exit, &exit);
			if (tf_block(reader, exit.path->blocks[0])->pc != PC_REP)
				continue;
			if (_i)
				wrong += *extents++ != count_of_turn(turn);
			else
				wrong += extras[0] != count_of_turn(turn) || extras[1] != extras[0];
			extras += _i ? 0 : 3;
			turn++;
		}
	}
	ck_assert_uint_eq(turn, TURNS);
	ck_assert_uint_eq(wrong, 0);
	tf_cursor_close(cursor);
	tf_close(reader);
	synthetic_remove(&s);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("repetitions");
	TCase *tests = tcase_create("repetitions");

	tcase_add_loop_test(tests, from_other_paths, 0, 2);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
