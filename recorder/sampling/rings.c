/* SPDX-License-Identifier: MIT */
#include "recorder/sampling/rings.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "traceformat/common/array.h"

/* ---- one buffer ---- */

enum { LARGEST_PAGES = 128, SMALLEST_PAGES = 2, PAGE_BYTES = 4096, MAX_RECORD = 1 << 16 };

/* Maps the largest buffer that the kernel's limit on locked memory allows. */
static bool map_buffer(struct ring *ring)
{
	for (size_t pages = LARGEST_PAGES; pages >= SMALLEST_PAGES; pages /= 2) {
		void *at = mmap(NULL, (pages + 1) * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
				ring->fd, 0);

		if (at != MAP_FAILED) {
			ring->page = at;
			ring->size = pages * PAGE_BYTES;
			return true;
		}
		if (errno != EPERM && errno != ENOMEM)
			return false;
	}
	return false;
}

static int open_event(const struct perf_event_attr *attr, pid_t tid, int cpu, int leader)
{
	return (int)syscall(SYS_perf_event_open, attr, tid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

static void close_events(const struct ring *ring)
{
	if (ring->fd >= 0)
		close(ring->fd);
	if (ring->leader >= 0)
		close(ring->leader);
}

bool ring_open(struct ring *ring, const struct sample_spec *spec, pid_t tid, int cpu)
{
	int error;

	*ring = (struct ring){ .fd = -1, .leader = -1 };
	if (spec->leader.size)
		ring->leader = open_event(&spec->leader, tid, cpu, -1);
	if (!spec->leader.size || ring->leader >= 0)
		ring->fd = open_event(&spec->attr, tid, cpu, ring->leader);
	if (ring->fd >= 0 && map_buffer(ring))
		return true;
	error = errno;
	close_events(ring);
	errno = error;
	return false;
}

void ring_close(struct ring *ring)
{
	munmap(ring->page, ring->size + PAGE_BYTES);
	close_events(ring);
}

/* Returns the record at a position. A record that wraps around is put together in `copy`. */
static const uint8_t *record_at(const struct ring *ring, uint64_t at, uint8_t *copy, size_t *size)
{
	const uint8_t *buffer = (const uint8_t *)ring->page + PAGE_BYTES;
	size_t offset = at & (ring->size - 1), first;

	*size = get_le16(buffer + offset + 6); /* heads are aligned, and never run over the end */
	first = ring->size - offset;
	if (*size <= first)
		return buffer + offset;
	memcpy(copy, buffer + offset, first);
	memcpy(copy + first, buffer, *size - first);
	return copy;
}

int ring_drain(struct ring *ring, int (*take)(void *opaque, const uint8_t *record, size_t size),
	       void *opaque)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	uint8_t copy[MAX_RECORD];
	int status = 0;

	while (tail != head && status >= 0) {
		size_t size;
		const uint8_t *record = record_at(ring, tail, copy, &size);

		if (!size)
			break;
		status = take(opaque, record, size);
		tail += size;
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
	return status < 0 ? status : 0;
}

/* ---- all buffers ---- */

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
