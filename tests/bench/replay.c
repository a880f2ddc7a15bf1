/* SPDX-License-Identifier: MIT */
/*
 * replay - times reading a trace, on one core, in the ways that analyzers do:
 *
 *	addresses  block executions, every data address looked at
 *	blocks     block executions, counted per block
 *	paths      path executions, counted per exit
 *	copy       a loop that copies as many bytes as the addresses have: what the machine can do
 *
 * The ways take turns; the median of the rounds is printed, as one line of numbers: millions of
 * instructions, then M instructions/s by addresses, blocks, paths, then the ratio of the time of
 * addresses to that of copy.
 *
 * usage: replay TRACE [ROUNDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "traceformat/traceformat.h"

enum way { ADDRESSES, BLOCKS, PATHS, COPY, N_WAYS };
enum { MAX_ROUNDS = 99, COPY_BYTES = 1 << 20 };

static struct tf_error error;

static void must(int status)
{
	if (status >= 0)
		return;
	fprintf(stderr, "replay: %s\n", error.text);
	exit(1);
}

/* Keeps the compiler from dropping values that are not used. */
static volatile uint64_t sink;

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t sum_addresses(const struct tf_item *item, uint64_t *n_addresses)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < item->count; i++) {
		const struct tf_block *b = item->blocks[i].block;

		for (unsigned k = 0; k < b->n_operands; k++)
			sum += item->blocks[i].values[k];
		*n_addresses += b->n_operands;
	}
	return sum;
}

/* Replays the whole trace; returns its instructions. */
static uint64_t replay(struct tf_reader *r, enum way way, uint64_t *counts, uint64_t *n_addresses)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *c;
	struct tf_item item;
	uint64_t n = 0, sum = 0;
	int status;

	options.view = way == PATHS ? TF_VIEW_PATHS : TF_VIEW_BLOCKS;
	options.columns = way == ADDRESSES ? TF_ADDRESSES : 0;
	must(tf_cursor_open(r, &options, &c, &error));
	while ((status = tf_next(c, &item, &error)) > 0) {
		n += item.instructions;
		if (item.kind == TF_ITEM_PATHS)
			for (size_t i = 0; i < item.count; i++)
				counts[item.paths[i].exit]++;
		else if (item.kind == TF_ITEM_BLOCKS && way == BLOCKS)
			for (size_t i = 0; i < item.count; i++)
				counts[item.blocks[i].block->id]++;
		else if (item.kind == TF_ITEM_BLOCKS)
			sum += sum_addresses(&item, n_addresses);
	}
	must(status);
	tf_cursor_close(c);
	sink = sum;
	return n;
}

static void copy(uint64_t bytes)
{
	static char from[COPY_BYTES], to[COPY_BYTES];

	for (; bytes >= COPY_BYTES; bytes -= COPY_BYTES) {
		memcpy(to, from, COPY_BYTES);
		from[bytes / COPY_BYTES % COPY_BYTES] = (char)sink;
		__asm__ volatile("" : : "r"(to) : "memory");
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[2]) : 7;
	double times[N_WAYS][MAX_ROUNDS];
	uint64_t n = 0, n_addresses = 0, *counts;
	struct tf_reader *r;

	if (argc < 2 || rounds < 1 || rounds > MAX_ROUNDS) {
		fprintf(stderr, "usage: replay TRACE [ROUNDS]\n");
		return 2;
	}
	must(tf_open(argv[1], &r, &error));
	must(tf_load(r, &error));
	counts = calloc((size_t)tf_n_exits(r) + tf_n_blocks(r) + 1, sizeof(*counts));
	if (!counts)
		return 1;
	for (int i = 0; i < rounds; i++)
		for (int way = 0; way < N_WAYS; way++) {
			double start = seconds();

			if (way == ADDRESSES)
				n_addresses = 0;
			if (way == COPY)
				copy(n_addresses * sizeof(uint64_t));
			else
				n = replay(r, (enum way)way, counts, &n_addresses);
			times[way][i] = seconds() - start;
		}
	for (int way = 0; way < N_WAYS; way++)
		qsort(times[way], (size_t)rounds, sizeof(double), compare);
	printf("%.1f %.0f %.0f %.0f %.1f\n", (double)n * 1e-6,
	       (double)n * 1e-6 / times[ADDRESSES][rounds / 2],
	       (double)n * 1e-6 / times[BLOCKS][rounds / 2],
	       (double)n * 1e-6 / times[PATHS][rounds / 2],
	       times[ADDRESSES][rounds / 2] / times[COPY][rounds / 2]);
	free(counts);
	tf_close(r);
	return 0;
}
