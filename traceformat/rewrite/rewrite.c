/* SPDX-License-Identifier: MIT */
#include "traceformat/rewrite/rewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traceformat/common/error.h"
#include "traceformat/reader/section_records.h"

int rewrite_open(const struct tf_reader *r, const char *to, struct tf_error *error)
{
	int fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, TF_FILE_MODE), status;
	struct stat source, target;
	bool is_file = r->fd >= 0;

	if (fd < 0)
		return fail(error, TF_E_IO, "%s: cannot create: %s", to, strerror(errno));
	if ((is_file && fstat(r->fd, &source) < 0) || fstat(fd, &target) < 0)
		status = fail(error, TF_E_IO, "%s: %s", to, strerror(errno));
	else if (is_file && source.st_dev == target.st_dev && source.st_ino == target.st_ino)
		status = fail(error, TF_E_ARGUMENT, "%s: is the trace itself; name another file",
			      to);
	else if (S_ISREG(target.st_mode) && ftruncate(fd, 0) < 0)
		status = fail(error, TF_E_IO, "%s: cannot empty it: %s", to, strerror(errno));
	else
		return fd;
	close(fd);
	return status;
}

void rewrite_close(int fd, const char *to, int status)
{
	struct stat opened, named;

	/* Do not remove the target of a link, such as /dev/stdout. */
	if (status < 0 && fstat(fd, &opened) == 0 && lstat(to, &named) == 0 &&
	    S_ISREG(named.st_mode) && opened.st_dev == named.st_dev &&
	    opened.st_ino == named.st_ino)
		unlink(to);
	close(fd);
}

int rewrite_add_threads(const struct tf_reader *r, struct tf_writer *w, struct tf_error *error)
{
	for (size_t i = 0; i < r->threads.count; i++) {
		if (!fixed_vector_next(&w->threads))
			return fail_memory(error);
		w->threads.count++;
	}
	return 0;
}

int rewrite_check_chunk(struct tf_reader *r, struct lane *lane, const struct section *s, size_t k,
			struct tf_totals *counted, struct tf_error *error)
{
	struct chunk head = { 0 };
	int status = section_check(r, s, error);

	if (status == 0)
		status = chunk_check(lane, s->thread, k, counted, error);
	if (status == 0)
		status = chunk_read(r, s, 0, &head, error);
	if (status == 0 && memcmp(counted, &head.totals, sizeof(*counted)))
		status = fail_section(r, s, error,
				      "its totals do not hold; use trace-repair first");
	chunk_free(&head);
	return status;
}

void rewrite_note_origin(const struct tf_reader *r, struct tf_writer *w, const char *key)
{
	char uuid[40];

	for (unsigned i = 0; i < 16; i++)
		snprintf(uuid + 2 * i, 3, "%02x", r->uuid[i]);
	tf_writer_meta(w, key, uuid, NULL);
}

int rewrite_finish(struct tf_reader *r, struct tf_writer *w, struct tf_error *error)
{
	struct tf_info info;

	if (tf_get_info(r, &info, NULL) == 0 && info.stop_reason[0])
		return tf_writer_finish(w, info.wait_status, info.stop_reason, error);
	return tf_writer_finish(w, -1, "unfinished", error);
}

int rewrite_check_whole(struct tf_reader *r, struct tf_error *error)
{
	struct tf_info info;
	int status = tf_load(r, error);

	if (status == 0)
		status = tf_get_info(r, &info, error);
	if (status == 0 && !info.complete)
		status = fail(error, TF_E_DAMAGED,
			      "%s: is unfinished or damaged; use trace-repair first", r->name);
	return status == 0 ? intervals_add_up(r, error) : status;
}
