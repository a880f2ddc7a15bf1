/* SPDX-License-Identifier: MIT */
/* Writes small traces of all kinds into a folder: make_seeds FOLDER. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/scratch.h"
#include "tests/unit/random.h"
#include "tests/unit/traces/modelled_trace.h"
#include "tests/unit/traces/random/play.h"

enum { N_SEEDS = 40, MODELLED_EXECS = 1000, SOURCED_EXECS = 300, SOURCED_CHUNK = 300 };

/* Writes a repacked trace, which has modeled columns. */
static int write_modelled(const char *folder, struct tf_error *error)
{
	FILE *plain = scratch_stream();
	struct tf_reader *reader = NULL;
	char path[4096];
	int status;

	snprintf(path, sizeof(path), "%s/seed-modelled", folder);
	status = modelled_trace_write(fileno(plain), MODELLED_EXECS, error);
	if (status == 0)
		status = tf_open_fd(fileno(plain), "plain", &reader, error);
	if (status == 0)
		status = tf_repack(reader, path, error);
	tf_close(reader);
	fclose(plain);
	return status;
}

/* Writes chunks whose slots have sources: each slot is the one before plus a constant. */
static int write_sourced_chunks(struct tf_writer *w, struct tf_error *error)
{
	uint64_t record[1 + MODELLED_SLOTS], state = 1;
	uint32_t exits[MODELLED_PATHS];
	struct tf_stream *stream;
	int64_t used = 0;
	int status = modelled_dictionary(w, exits, error);

	if (status == 0)
		status = tf_stream_open(w, 0, &stream, error);
	if (status < 0)
		return status;
	for (unsigned i = 0; i < SOURCED_EXECS && used >= 0; i++) {
		uint64_t place = 0x600000 + (random_u64(&state) & 0xfff8);

		record[0] = tf_record_head(random_below(&state, MODELLED_PATHS), MODELLED_SLOTS);
		for (unsigned k = 0; k < MODELLED_SLOTS; k++)
			record[1 + k] = place + 64 * k;
		used = tf_stream_records(stream, record, 1 + MODELLED_SLOTS, exits, MODELLED_PATHS,
					 error);
	}
	status = tf_stream_close(stream, error);
	return used < 0 ? (int)used : status;
}

static int write_sourced(const char *folder, struct tf_error *error)
{
	struct tf_writer_options options = {
		.size = sizeof(options),
		.chunk_instructions = SOURCED_CHUNK,
	};
	struct tf_writer *w;
	char path[4096];
	int status;

	snprintf(path, sizeof(path), "%s/seed-sourced", folder);
	status = tf_writer_create(path, &options, &w, error);
	if (status < 0)
		return status;
	status = write_sourced_chunks(w, error);
	if (status == 0)
		status = tf_writer_finish(w, 0, "exit", error);
	tf_writer_free(w);
	return status;
}

int main(int argc, char **argv)
{
	struct tf_error failure;

	if (argc != 2)
		return 2;
	if (write_modelled(argv[1], &failure) < 0 || write_sourced(argv[1], &failure) < 0) {
		fprintf(stderr, "%s\n", failure.text);
		return 1;
	}
	for (unsigned i = 0; i < N_SEEDS; i++) {
		struct random_options options = {
			.seed = i,
			.n_processes = 1 + i % 2,
			.n_threads = 1 + i % 3,
			.n_modules = i % 3,
			.n_symbols = 3,
			.n_blocks = 1 + i % 7,
			.n_paths = 1 + i % 5,
			.n_execs = 1 + i,
			.max_insns = 1 + i % 5,
			.events = i % 4 * 10,
			.identity = i % 8 == 7,
			.chunk_instructions = 20 + 10 * i,
		};
		struct random_trace *t = random_trace_new(&options);
		struct tf_error error;
		char path[4096];
		int fd;

		snprintf(path, sizeof(path), "%s/seed-%u", argv[1], i);
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
		if (fd < 0 || random_trace_write(t, fd, i % 5 != 4, &error) < 0) {
			perror(path);
			return 1;
		}
		close(fd);
		random_trace_free(t);
	}
	return 0;
}
