/* SPDX-License-Identifier: MIT */
/* Files and folders of tests, in the folder that TMPDIR names, or in /tmp. A failure ends the test. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Room for a path that the functions below make. */
typedef char scratch_path[PATH_MAX];

static inline void scratch_fail(const char *path)
{
	perror(path);
	abort();
}

/* Writes the pattern of a new name that begins with `name`, as mkstemp(3) takes it. */
static inline void scratch_pattern(scratch_path path, const char *name)
{
	const char *folder = getenv("TMPDIR");

	snprintf(path, sizeof(scratch_path), "%s/%s.XXXXXX", folder && *folder ? folder : "/tmp",
		 name);
}

/* Makes a file and writes its path. Returns its descriptor, which the caller closes. */
static inline int scratch_file(scratch_path path, const char *name)
{
	int fd;

	scratch_pattern(path, name);
	fd = mkstemp(path);
	if (fd < 0)
		scratch_fail(path);
	return fd;
}

/* Makes a folder and writes its path. */
static inline void scratch_folder(scratch_path path, const char *name)
{
	scratch_pattern(path, name);
	if (!mkdtemp(path))
		scratch_fail(path);
}

/* Returns an empty stream without a name, in memory. The caller closes it. */
static inline FILE *scratch_stream(void)
{
	int fd = memfd_create("stream", MFD_CLOEXEC);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "w+");

	if (!stream)
		scratch_fail("stream");
	return stream;
}

#endif
