/* SPDX-License-Identifier: MIT */
/* Writes small traces of all kinds into a folder: make_seeds FOLDER. */
#include <fcntl.h>
#include <unistd.h>

#include "tests/unit/modelled_trace.h"

enum { N_SEEDS = 40, MODELLED_EXECS = 1000 };

/* A repacked trace, which has modelled columns. */
static int write_modelled(const char *folder, struct tf_error *error)
{
	FILE *plain = tmpfile();
	struct tf_reader *reader = NULL;
	char path[4096];
	int status;

	if (!plain)
		return TF_E_IO;
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

int main(int argc, char **argv)
{
	struct tf_error failure;

	if (argc != 2)
		return 2;
	if (write_modelled(argv[1], &failure) < 0) {
		fprintf(stderr, "%s\n", failure.text);
		return 1;
	}
	for (unsigned i = 0; i < N_SEEDS; i++) {
		struct random_options options = {
			.seed = i, .n_processes = 1 + i % 2, .n_threads = 1 + i % 3, .n_modules = i % 3,
			.n_symbols = 3, .n_blocks = 1 + i % 7, .n_paths = 1 + i % 5, .n_execs = 1 + i,
			.max_insns = 1 + i % 5, .events = i % 4 * 10, .identity = i % 8 == 7,
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
