/* SPDX-License-Identifier: MIT */
#include "cli/common/trace_input.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/http_file.h"
#include "cli/common/stage.h"

/* ---- ranges ---------------------------------------------------------------------------------- */

enum { N_WINDOWS = 6, LEAST_WINDOW = 64 << 10, MOST_WINDOW = 8 << 20 };

/* Bytes that have been read. */
struct window {
	char *bytes;
	uint64_t offset;
	size_t size;
	uint64_t used; /* when, in reads */
};

struct ranges {
	pthread_mutex_t lock;
	struct http_file *file;
	struct window windows[N_WINDOWS];
	struct window *last; /* that was read */
	uint64_t reads;
};

static struct window *find_window(struct ranges *r, uint64_t offset)
{
	for (unsigned i = 0; i < N_WINDOWS; i++) {
		struct window *w = &r->windows[i];

		if (w->size && offset >= w->offset && offset - w->offset < w->size)
			return w;
	}
	return NULL;
}

static struct window *oldest_window(struct ranges *r)
{
	struct window *oldest = &r->windows[0];

	for (unsigned i = 1; i < N_WINDOWS; i++)
		if (r->windows[i].used < oldest->used)
			oldest = &r->windows[i];
	return oldest;
}

/*
 * Reads a window that begins at an offset, or ends with the file. Windows that follow each other
 * get larger, because their reader goes on; but not in small files, of which too much would be
 * read.
 */
static struct window *read_window(struct ranges *r, uint64_t offset, struct tf_error *error)
{
	uint64_t end = http_size(r->file);
	size_t most = end / 32 < MOST_WINDOW ? (size_t)(end / 32) : MOST_WINDOW;
	bool goes_on = r->last && offset == r->last->offset + r->last->size;
	size_t size = goes_on ? 2 * r->last->size : LEAST_WINDOW;
	struct window *w = oldest_window(r);

	size = size > most ? most : size;
	size = size < LEAST_WINDOW ? LEAST_WINDOW : size;
	if (end - offset < size)
		size = (size_t)(end - offset);
	if (!goes_on && size < LEAST_WINDOW && end >= LEAST_WINDOW) {
		size = LEAST_WINDOW;
		offset = end - size;
	}
	free(w->bytes);
	*w = (struct window){ .bytes = checked(malloc(size)), .offset = offset };
	r->last = NULL;
	if (http_read(r->file, w->bytes, size, offset, error) < 0)
		return NULL;
	w->size = size;
	r->last = w;
	return w;
}

static int64_t read_ranges(void *opaque, void *to, size_t size, uint64_t offset,
			   struct tf_error *error)
{
	struct ranges *r = opaque;
	struct window *w;
	int64_t n = 0;

	if (offset >= http_size(r->file) || !size)
		return 0;
	pthread_mutex_lock(&r->lock);
	w = find_window(r, offset);
	if (!w)
		w = read_window(r, offset, error);
	if (w) {
		size_t from = (size_t)(offset - w->offset);

		w->used = ++r->reads;
		n = (int64_t)(size < w->size - from ? size : w->size - from);
		memcpy(to, w->bytes + from, (size_t)n);
	}
	pthread_mutex_unlock(&r->lock);
	return w ? n : -1;
}

static void close_ranges(void *opaque)
{
	struct ranges *r = opaque;

	for (unsigned i = 0; i < N_WINDOWS; i++)
		free(r->windows[i].bytes);
	http_close(r->file);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

/* ---- copies ---------------------------------------------------------------------------------- */

struct copy {
	int fd;
	char *name;
};

static int64_t read_copy(void *opaque, void *to, size_t size, uint64_t offset,
			 struct tf_error *error)
{
	const struct copy *copy = opaque;
	ssize_t n;

	do
		n = pread(copy->fd, to, size, (off_t)offset);
	while (n < 0 && errno == EINTR);
	if (n < 0 && error) {
		*error = (struct tf_error){ .status = TF_E_IO, .section = TF_NONE };
		snprintf(error->text, sizeof(error->text), "%s: its copy: %s", copy->name,
			 strerror(errno));
	}
	return n;
}

static void close_copy(void *opaque)
{
	struct copy *copy = opaque;

	close(copy->fd);
	free(copy->name);
	free(copy);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Makes a source of the file, which becomes the source's. */
static struct tf_source ranges_of(struct http_file *file)
{
	struct ranges *r = checked_array(1, sizeof(*r));

	pthread_mutex_init(&r->lock, NULL);
	r->file = file;
	return (struct tf_source){ r, read_ranges, close_ranges, http_size(file) };
}

static struct tf_source copy_of(int fd, const char *name, uint64_t size)
{
	struct copy *copy = checked_array(1, sizeof(*copy));

	*copy = (struct copy){ fd, checked_copy(name) };
	return (struct tf_source){ copy, read_copy, close_copy, size };
}

int open_trace_input(const char *path, enum trace_use use, struct tf_reader **reader,
		     struct tf_error *error)
{
	struct http_file *file = NULL;
	struct tf_source source;
	char *shown;
	int status, fd;

	if (!is_url(path))
		return tf_open(path, reader, error);
	status = http_open(path, &file, error);
	if (status < 0)
		return status;
	shown = shown_url(path);
	if (use == TRACE_PARTS) {
		source = ranges_of(file);
	} else {
		fd = stage_file(file, path, error);
		source = copy_of(fd, shown, http_size(file));
		http_close(file);
		if (fd < 0) {
			close_copy(source.opaque);
			free(shown);
			return TF_E_IO;
		}
	}
	status = tf_open_source(&source, shown, reader, error);
	free(shown);
	return status;
}
