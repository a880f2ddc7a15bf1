/* SPDX-License-Identifier: MIT */
/*
 * reencode - times the encoding of records as a recorder writes them: the executions of a trace's
 * first thread, up to the given number, are made records again and are appended to a new trace, in
 * one thread, while another one compresses. Events and partial executions are left out.
 *
 * Prints the records, their slots, and, as the least of all rounds, the nanoseconds of CPU time
 * that a record takes to encode and to compress.
 *
 * usage: reencode TRACE [RECORDS [ROUNDS [TARGET]]]
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "traceformat/rewrite/stream_source.h"
#include "traceformat/writer/writer.h"

struct bench {
	struct tf_reader *r;
	struct tf_error error;
	uint64_t *records;
	size_t size, n, n_slots; /* u64 in records; records; their slots */
	struct recipe_registers registers;
	uint32_t *exits; /* exit ids by key: their own */
};

static void must(struct bench *b, int status)
{
	if (status < 0)
		errx(1, "%s", b->error.text);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void add(struct bench *b, const struct execution *e)
{
	uint64_t *at = &b->records[b->size];

	*at = tf_record_head(e->id, e->n_slots);
	memcpy(at + 1, e->slots, e->n_slots * sizeof(*at));
	b->size += 1 + e->n_slots;
	b->n_slots += e->n_slots;
	b->n++;
}

static void read_records(struct bench *b, size_t most)
{
	struct stream_source source = { .r = b->r };
	size_t room = 0;
	int step;

	while (b->n < most && (step = stream_source_next(&source, &b->error)) > STREAM_END) {
		if (step == STREAM_CHUNK && !b->n)
			b->registers = source.registers;
		if (step != STREAM_EXECUTION || left_inside(&source.execution))
			continue;
		if (b->size + 1 + TF_MAX_PATH_SLOTS > room) {
			room = room * 2 + (1 << 20);
			b->records = realloc(b->records, room * sizeof(*b->records));
			if (!b->records)
				errx(1, "out of memory");
		}
		add(b, &source.execution);
	}
	stream_source_free(&source);
}

static void copy_dictionary(struct bench *b, struct tf_writer *w)
{
	uint32_t path = 0;

	for (uint32_t i = 0; tf_module(b->r, i); i++)
		must(b, tf_writer_add_module(w, tf_module(b->r, i), NULL, &b->error));
	must(b, tf_writer_add_process(w, tf_process(b->r, 0), NULL, &b->error));
	must(b, tf_writer_add_thread(w, tf_thread(b->r, 0), NULL, &b->error));
	for (uint32_t i = 0; i < tf_n_blocks(b->r); i++)
		must(b, tf_writer_add_block(w, tf_block(b->r, i), NULL, &b->error));
	for (uint32_t i = 0; i < b->r->exits.count; i++) {
		const struct compiled_path *p = b->r->exits.at[i].path;

		b->exits[i] = i;
		if (p->path.id != path)
			continue;
		must(b, tf_writer_add_path(w, &p->path, NULL, NULL, &b->error));
		path++;
	}
}

/* Encodes all records, and sets the seconds of CPU time that this and compressing have taken. */
static void encode(struct bench *b, const char *target, double *encoding, double *compressing)
{
	static const uint8_t uuid[16];
	struct tf_writer_options options = { .size = sizeof(options),
					     .level = 1,
					     .created_ns = UINT64_MAX,
					     .uuid = uuid,
					     .threads = 1 };
	struct tf_writer *w;
	struct tf_stream *s;
	double began;

	must(b, tf_writer_create(target, &options, &w, &b->error));
	copy_dictionary(b, w);
	must(b, tf_stream_open(w, 0, &s, &b->error));
	tf_stream_registers(s, b->registers.rsp, b->registers.segment[1], b->registers.segment[2]);
	began = seconds();
	for (size_t at = 0; at < b->size;) {
		int64_t used = tf_stream_records(s, b->records + at, b->size - at, b->exits,
						 b->r->exits.count, &b->error);

		must(b, used < 0 ? (int)used : 0);
		if (!used)
			errx(1, "the writer refuses a record");
		at += (size_t)used;
	}
	must(b, tf_stream_flush(s, &b->error));
	*encoding = seconds() - began;
	must(b, tf_stream_close(s, &b->error));
	must(b, tf_writer_finish(w, 0, "exit", &b->error));
	*compressing = tf_writer_compressing(w);
	tf_writer_free(w);
}

int main(int argc, char **argv)
{
	size_t most = argc > 2 ? strtoull(argv[2], NULL, 10) : 5000000;
	int rounds = argc > 3 ? atoi(argv[3]) : 5;
	const char *target = argc > 4 ? argv[4] : "/dev/null";
	double encoding = 1e9, compressing = 1e9;
	struct bench b = { 0 };

	if (argc < 2)
		errx(2, "usage: reencode TRACE [RECORDS [ROUNDS [TARGET]]]");
	must(&b, tf_open(argv[1], &b.r, &b.error));
	must(&b, tf_load(b.r, &b.error));
	b.exits = calloc(b.r->exits.count + 1, sizeof(*b.exits));
	if (!b.exits)
		errx(1, "out of memory");
	read_records(&b, most);
	for (int i = 0; i < rounds; i++) {
		double e, c;

		encode(&b, target, &e, &c);
		encoding = e < encoding ? e : encoding;
		compressing = c < compressing ? c : compressing;
	}
	printf("%zu records, %.1f slots each: %.1f ns encoding, %.1f ns compressing\n", b.n,
	       (double)b.n_slots / (double)b.n, encoding / (double)b.n * 1e9,
	       compressing / (double)b.n * 1e9);
	tf_close(b.r);
	free(b.exits);
	free(b.records);
	return 0;
}
