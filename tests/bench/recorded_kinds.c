/* SPDX-License-Identifier: MIT */
/*
 * recorded_kinds - writes a vector run of N intervals of 40 kinds. Each kind executes PAIRS of BLOCKS
 * blocks, of its own choice, and each interval executes them with a little noise. Prints the kind
 * of each interval.
 *
 * usage: recorded_kinds N BLOCKS PAIRS TARGET
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include "traceformat/tracesamples.h"
#include "traceformat/tracewriter.h"

enum { KINDS = 40 };

static struct tf_error error;

static void check(int status)
{
	if (status < 0)
		errx(1, "%s", error.text);
}

static uint64_t random_number(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

/* Adds a block "nop" with a path of its own. Returns the exit at its end. */
static uint32_t add_block(struct tf_writer *writer, uint32_t i)
{
	static const uint8_t code[] = { 0x90 };
	static const struct tf_insn insn = { .offset = 0, .length = 1 };
	static const struct tf_exit leave = { .n_blocks = 1 };
	const struct tf_block block = {
		.module = 0,
		.pc = 0x400000 + 16 * (uint64_t)i,
		.module_offset = 16 * (uint64_t)i,
		.end = TF_END_NONE,
		.n_insns = 1,
		.code_size = sizeof(code),
		.code = code,
		.insns = &insn,
	};
	struct tf_path path = { .n_blocks = 1, .n_insns = 1, .n_exits = 1, .exits = &leave };
	uint32_t id, first_exit;

	check(tf_writer_add_block(writer, &block, &id, &error));
	path.blocks = &id;
	check(tf_writer_add_path(writer, &path, NULL, &first_exit, &error));
	return first_exit;
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Chooses the exits of a kind: one of each part, so that none comes twice. */
static uint32_t *choose_exits(const uint32_t *exits, uint32_t n_blocks, uint32_t n_pairs)
{
	uint32_t *chosen = calloc(n_pairs, sizeof(*chosen)), part = n_blocks / n_pairs;

	for (uint32_t i = 0; chosen && i < n_pairs; i++)
		chosen[i] = exits[i * part + (uint32_t)(random_number() % part)];
	if (!chosen)
		err(1, NULL);
	qsort(chosen, n_pairs, sizeof(*chosen), by_value);
	return chosen;
}

static void add_interval(struct tf_writer *writer, uint64_t number, const uint32_t *exits,
			 uint32_t n_pairs, struct tf_vector_count *counts)
{
	struct tf_vector vector = { .interval = number, .n_counts = n_pairs, .counts = counts };

	for (uint32_t i = 0; i < n_pairs; i++) {
		counts[i] = (struct tf_vector_count){ exits[i], 1, 200 + random_number() % 16 };
		vector.instructions += counts[i].times;
	}
	check(tf_writer_add_vector(writer, &vector, &error));
}

static void add_intervals(struct tf_writer *writer, uint64_t n, const uint32_t *exits,
			  uint32_t n_blocks, uint32_t n_pairs)
{
	struct tf_vector_count *counts = calloc(n_pairs, sizeof(*counts));
	uint32_t *kinds[KINDS];

	if (!counts)
		err(1, NULL);
	for (unsigned k = 0; k < KINDS; k++)
		kinds[k] = choose_exits(exits, n_blocks, n_pairs);
	for (uint64_t i = 0; i < n; i++) {
		unsigned kind = (unsigned)(random_number() >> 32) % KINDS;

		add_interval(writer, i, kinds[kind], n_pairs, counts);
		printf("%u\n", kind);
	}
	for (unsigned k = 0; k < KINDS; k++)
		free(kinds[k]);
	free(counts);
}

int main(int argc, char **argv)
{
	struct tf_writer_options options = { .size = sizeof(options) };
	struct tf_writer *writer;
	uint32_t n_blocks = argc == 5 ? (uint32_t)strtoul(argv[2], NULL, 0) : 0;
	uint32_t n_pairs = argc == 5 ? (uint32_t)strtoul(argv[3], NULL, 0) : 0;
	uint32_t *exits = calloc(n_blocks + 1ul, sizeof(*exits));
	char interval[32];

	if (!n_pairs || n_pairs > n_blocks || !exits)
		errx(2, "usage: recorded_kinds N BLOCKS PAIRS TARGET");
	check(tf_writer_create(argv[4], &options, &writer, &error));
	check(tf_writer_add_module(writer, &(struct tf_module){ .path = "/bin/kinds" }, NULL,
				   &error));
	check(tf_writer_add_process(writer, &(struct tf_process){ .pid = 7, .parent = TF_NONE },
				    NULL, &error));
	check(tf_writer_add_thread(writer, &(struct tf_thread){ .tid = 7 }, NULL, &error));
	snprintf(interval, sizeof(interval), "%u", 208 * n_pairs);
	check(tf_writer_meta(writer, "vectors.interval", interval, &error));
	for (uint32_t i = 0; i < n_blocks; i++)
		exits[i] = add_block(writer, i);
	add_intervals(writer, strtoull(argv[1], NULL, 0), exits, n_blocks, n_pairs);
	check(tf_writer_finish(writer, 0, "exit", &error));
	tf_writer_free(writer);
	free(exits);
	return 0;
}
