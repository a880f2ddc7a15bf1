/* SPDX-License-Identifier: MIT */
/* Trace files in memory, for tests. */
#ifndef TRACE_FILE_H
#define TRACE_FILE_H

#include <check.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/traces/random/play.h"
#include "tests/unit/traces/trace_truth.h"

/* Options of a small trace with a bit of everything. */
static inline struct random_options small_options(uint64_t seed)
{
	return (struct random_options){
		.seed = seed,
		.n_processes = 2,
		.n_threads = 3,
		.n_modules = 2,
		.n_symbols = 6,
		.n_blocks = 20,
		.n_paths = 25,
		.n_execs = 300,
		.max_insns = 6,
		.events = 20,
		.chunk_instructions = 400,
	};
}

static inline int new_file(void)
{
	int fd = memfd_create("test.trace", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	return fd;
}

/* Returns a descriptor of the trace's file. */
static inline int file_of_trace(const struct random_trace *t, bool finish)
{
	struct tf_error error = { .text = "" };
	int fd = new_file(), status = random_trace_write(t, fd, finish, &error);

	ck_assert_msg(status == 0, "%s", error.text);
	return fd;
}

static inline size_t file_size(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);

	ck_assert_int_ge(size, 0);
	return (size_t)size;
}

static inline void write_at(int fd, const void *bytes, size_t size, size_t offset)
{
	ck_assert_int_eq(pwrite(fd, bytes, size, (off_t)offset), (ssize_t)size);
}

static inline void read_at(int fd, void *bytes, size_t size, size_t offset)
{
	ck_assert_int_eq(pread(fd, bytes, size, (off_t)offset), (ssize_t)size);
}

static inline struct tf_reader *open_file(int fd)
{
	struct tf_reader *reader = NULL;
	struct tf_error error = { .text = "" };

	ck_assert_msg(tf_open_fd(fd, "test.trace", &reader, &error) == 0, "%s", error.text);
	return reader;
}

/* A random trace in a file, and a reader of it. */
struct open_trace {
	struct random_trace *trace;
	int fd;
	struct tf_reader *reader;
};

static inline struct open_trace open_random_trace(const struct random_options *options)
{
	struct open_trace t = { .trace = random_trace_new(options) };

	t.fd = file_of_trace(t.trace, true);
	t.reader = open_file(t.fd);
	return t;
}

static inline void close_random_trace(struct open_trace *t)
{
	tf_close(t->reader);
	close(t->fd);
	random_trace_free(t->trace);
}

/* Returns "/proc/self/fd/N", for functions that take a path. */
static inline const char *file_path(int fd)
{
	static char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

static inline void print_fault(void *opaque, const struct tf_error *error)
{
	(void)opaque;
	fprintf(stderr, "%s\n", error->text);
}

static inline void ignore_fault(void *opaque, const struct tf_error *error)
{
	(void)opaque;
	(void)error;
}

#endif
