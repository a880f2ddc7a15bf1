/* SPDX-License-Identifier: MIT */
#include "recorder/program/file_servers.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "recorder/core/bounded.h"
#include "recorder/core/task.h"

/* ---- which file systems ---- */

static bool is_served(const char *type)
{
	static const char *const types[] = { "fuse", "fuseblk",  "nfs",    "nfs4",
					     "cifs", "smb3",     "9p",     "afs",
					     "ceph", "virtiofs", "lustre", "autofs" };

	for (unsigned i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(type, types[i]))
			return true;
	return !strncmp(type, "fuse.", strlen("fuse."));
}

/* Reads device and type from a line of /proc/PID/mountinfo. */
static bool parse_mount(const char *line, dev_t *device, char type[64])
{
	const char *behind = strstr(line, " - ");
	unsigned device_major, device_minor;

	if (!behind || sscanf(line, "%*d %*d %u:%u", &device_major, &device_minor) != 2 ||
	    sscanf(behind, " - %63s", type) != 1)
		return false;
	*device = makedev(device_major, device_minor);
	return true;
}

bool file_servers_have(const struct task *t, dev_t device)
{
	char path[64], line[2 * PATH_MAX], type[64];
	bool found = false, served = false;
	dev_t mounted;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/mountinfo", (int)t->tid);
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file))
		if (parse_mount(line, &mounted, type) && mounted == device) {
			found = true;
			served = is_served(type);
		}
	if (file)
		fclose(file);
	return served;
}

/* ---- files ---- */

struct copying {
	char path[PATH_MAX];
	int copy;
};

static bool copy_all(int from, int to)
{
	struct stat st;
	off_t size;

	if (fstat(from, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	for (size = st.st_size; size > 0;) {
		ssize_t n = sendfile(to, from, NULL, (size_t)size);

		if (n <= 0)
			return false;
		size -= n;
	}
	return true;
}

static void copy(void *state)
{
	struct copying *c = state;
	int file = open(c->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	c->copy = file < 0 ? -1 : memfd_create("copy", MFD_CLOEXEC);
	if (c->copy >= 0 && !copy_all(file, c->copy)) {
		close(c->copy);
		c->copy = -1;
	}
	if (file >= 0)
		close(file);
}

int file_servers_copy(const char *path, bool *late)
{
	struct copying c = { .copy = -1 };

	snprintf(c.path, sizeof(c.path), "%s", path);
	*late = !bounded_run(copy, &c, sizeof(c));
	return *late ? -1 : c.copy;
}
