/* SPDX-License-Identifier: MIT */
#include "recorder/sampling/rings.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "traceformat/common/array.h"

static bool add_ring(struct rings *r, const struct sample_spec *spec, pid_t tid, int cpu)
{
	if (!RESERVE(*r, r->count + 1)) {
		errno = ENOMEM;
		return false;
	}
	if (!ring_open(&r->at[r->count], spec, tid, cpu))
		return false;
	r->count++;
	return true;
}

/* Opens the event on each CPU: an inherited event cannot have one buffer for all CPUs. */
static bool open_thread(struct rings *r, const struct sample_spec *spec, pid_t tid)
{
	size_t before = r->count;
	long n_cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (int cpu = 0; cpu < n_cpus; cpu++)
		if (!add_ring(r, spec, tid, cpu) && errno != ENODEV) /* ENODEV: the CPU is off */
			return errno == ESRCH;
	return r->count > before;
}

static bool open_threads(struct rings *r, const struct sample_spec *spec, pid_t pid)
{
	char path[64];
	struct dirent *entry;
	bool good = true;
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	threads = opendir(path);
	if (!threads)
		return false;
	while (good && (entry = readdir(threads)))
		if (atoi(entry->d_name) > 0)
			good = open_thread(r, spec, (pid_t)atoi(entry->d_name));
	closedir(threads);
	return good && r->count;
}

bool rings_open(struct rings *r, const struct sample_spec *spec, pid_t pid, bool running)
{
	if (spec->everyone)
		return open_thread(r, spec, -1);
	return running ? open_threads(r, spec, pid) : open_thread(r, spec, pid);
}

void rings_stop(const struct rings *r)
{
	for (size_t i = 0; i < r->count; i++)
		ioctl(r->at[i].fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
}

void rings_free(struct rings *r)
{
	for (size_t i = 0; i < r->count; i++)
		ring_close(&r->at[i]);
	free(r->at);
	*r = (struct rings){ 0 };
}

void rings_set_period(const struct rings *r, uint64_t period)
{
	for (size_t i = 0; i < r->count; i++)
		ioctl(r->at[i].fd, PERF_EVENT_IOC_PERIOD, &period);
}

int rings_drain(struct rings *r, int (*take)(void *opaque, const uint8_t *record, size_t size),
		void *opaque)
{
	int status = 0;

	for (size_t i = 0; i < r->count && status == 0; i++)
		status = ring_drain(&r->at[i], take, opaque);
	return status;
}
