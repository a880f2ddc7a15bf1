/* SPDX-License-Identifier: MIT */
/*
 * The memory is a memory file that the task creates by a remote call. The recorder opens the file
 * through /proc/PID/fd and maps it, the task maps it by another remote call, and closes it. A
 * second process maps the same file through the recorder's descriptor.
 *
 * A place must be within reach of the program's code by 32-bit displacements, and must not be one
 * that the kernel or the program takes next. Heap and stack grow, and mmap without an address goes
 * below the lowest library; so a place lies in the room that is left for the stack, or else far
 * from the mappings around it.
 */
#include "recorder/translate/cache/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recorder/core/task.h"
#include "recorder/program/space.h"
#include "recorder/ptrace/remote.h"

enum { RED_ZONE = 128, PAGE_BYTES = 4096 };

static const uint64_t reach = UINT64_C(5) << 28; /* 1.25 GiB */
static const uint64_t margin = UINT64_C(2) << 20;
static const uint64_t far_off = UINT64_C(1) << 29;
static const uint64_t lowest = UINT64_C(1) << 20, highest = UINT64_C(0x7ffffffff000);

/* ---- places ---- */

static bool reaches(uint64_t near, uint64_t place, size_t size)
{
	uint64_t end = place + size;
	uint64_t up = end > near ? end - near : 0, down = near > place ? near - place : 0;

	return up < reach && down < reach;
}

static uint64_t stack_limit(const struct task *t)
{
	static const uint64_t least = UINT64_C(8) << 20;
	struct rlimit limit;

	if (prlimit(t->tid, RLIMIT_STACK, NULL, &limit) < 0 || limit.rlim_cur > highest)
		return highest;
	return limit.rlim_cur > least ? limit.rlim_cur : least;
}

/* A gap between two mappings, [start, end), and the mapping above it. */
struct gap {
	uint64_t start, end;
	const struct mapping *above;
};

/* Returns a place above the libraries, where the kernel leaves room for the stack, but below where
 * the stack may grow. */
static uint64_t under_stack(const struct task *t, const struct gap *g, size_t size)
{
	uint64_t limit = stack_limit(t) + margin;

	if (!g->above || strcmp(g->above->name, "[stack]") != 0 || g->above->end < limit)
		return 0;
	return g->start + margin + size <= g->above->end - limit ? g->start + margin : 0;
}

/* Returns a place far below the mapping above the gap, but within reach if possible. */
static uint64_t below(const struct gap *g, uint64_t near, size_t size)
{
	uint64_t least = near > reach ? near - reach + margin : 0;
	uint64_t place = g->end - margin - size;

	if (place - g->start <= far_off || place < least)
		return place;
	return place - far_off > least ? place - far_off : least;
}

/* Returns the part of the gap below the addresses that MAP_32BIT uses, which are few, if it has
 * room. */
static struct gap before_low_area(const struct gap *g, size_t size)
{
	static const uint64_t low_area = UINT64_C(1) << 30;
	struct gap part = *g;

	if (g->end > low_area && g->start + size + 2 * margin <= low_area)
		part.end = low_area;
	return part;
}

/* Returns a place far from the mappings around the gap. */
static uint64_t in_the_open(const struct gap *whole, uint64_t near, size_t size)
{
	const struct gap part = before_low_area(whole, size), *g = &part;
	uint64_t place;

	if (g->end - g->start < size + 2 * margin)
		return 0;
	if (g->end <= near)
		return below(g, near, size);
	place = near + reach - size - margin;
	if (place < g->start + margin)
		return g->start + margin;
	return place + size + margin > g->end ? g->end - margin - size : place;
}

uint64_t shared_place(const struct task *t, uint64_t near, size_t size)
{
	const struct space *space = t->process->space;
	struct gap g = { .start = lowest };
	uint64_t found = 0;

	for (size_t i = 0; i <= space->count; i++) {
		const struct mapping *m = i < space->count ? &space->mappings[i] : NULL;
		uint64_t place;

		g.end = m && m->start < highest ? m->start : highest;
		g.above = m;
		if (g.end > g.start) {
			place = under_stack(t, &g, size) & -(uint64_t)PAGE_BYTES;
			if (place && reaches(near, place, size))
				return place;
			place = in_the_open(&g, near, size) & -(uint64_t)PAGE_BYTES;
			if (!found && place && reaches(near, place, size))
				found = place;
		}
		if (!m || m->start >= highest)
			break;
		g.start = m->end;
	}
	return found;
}

uint64_t shared_place_apart(const struct task *t, size_t size)
{
	/* The place is below where the kernel puts position-independent programs. All sanitizers
	 * take such addresses for a program's own, and have neither tables nor a heap there. */
	static const uint64_t first = UINT64_C(0x550000000000), end = UINT64_C(0x555000000000);
	const struct space *space = t->process->space;
	uint64_t place = first;

	for (size_t i = 0; i < space->count && space->mappings[i].start < place + size; i++)
		if (space->mappings[i].end > place)
			place = space->mappings[i].end;
	return place + size <= end ? place : 0;
}

/* ---- mapping ---- */

enum { NAME_BYTES = 48 };

/* Makes the task do a system call with a name, which is on the task's stack during the call. */
static int64_t syscall_with_name(struct task *t, uint64_t number, const char name[NAME_BYTES],
				 uint64_t flags)
{
	uint64_t at = (t->regs.rsp - RED_ZONE - NAME_BYTES) & ~(uint64_t)15;
	char saved[NAME_BYTES];
	int64_t result;

	if (task_read(t, at, saved, sizeof(saved)) < sizeof(saved) ||
	    !task_write(t, at, name, NAME_BYTES))
		return -EFAULT;
	result = remote_syscall(t, number, (uint64_t[6]){ at, flags });
	task_write(t, at, saved, sizeof(saved));
	return result;
}

/* Makes the task create a memory file. */
static int64_t create_file(struct task *t)
{
	const char name[NAME_BYTES] = SPACE_OWN_FILE;

	return syscall_with_name(t, SYS_memfd_create, name, MFD_CLOEXEC);
}

/* Keeps the file open while there are many descriptors left. */
static void keep_file(struct shared *s, int fd, enum shared_children children)
{
	enum { MOST_KEPT = 512 };

	if (children == SHARED_INHERITED && fd < MOST_KEPT)
		s->fd = fd;
	else
		close(fd);
}

static int map_local(struct task *t, int64_t remote_fd, struct shared *s,
		     enum shared_children children)
{
	char filename[64];
	int fd, status = 0;

	snprintf(filename, sizeof(filename), "/proc/%d/fd/%d", (int)t->tid, (int)remote_fd);
	fd = open(filename, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	s->local = MAP_FAILED;
	if (ftruncate(fd, (off_t)s->size) == 0)
		s->local = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (s->local == MAP_FAILED) {
		status = -errno;
		close(fd);
	} else {
		keep_file(s, fd, children);
	}
	return status;
}

static int keep_from_children(struct task *t, uint64_t start, size_t size)
{
	return (int)remote_syscall(t, SYS_madvise, (uint64_t[6]){ start, size, MADV_DONTFORK });
}

static int map_remote(struct task *t, int64_t fd, const struct shared *s, int protection,
		      enum shared_children children)
{
	const struct mapping own = { .start = s->remote,
				     .end = s->remote + s->size,
				     .protection = (uint32_t)protection,
				     .shared = true,
				     .name = (char *)SPACE_OWN };
	int64_t at = remote_syscall(t, SYS_mmap,
				    (uint64_t[6]){ s->remote, s->size, (uint64_t)protection,
						   MAP_SHARED | MAP_FIXED_NOREPLACE, (uint64_t)fd,
						   0 });

	/* a child that is not followed needs none of this memory */
	if (at >= 0 && (children == SHARED_ALONE || !t->session->options->follow))
		at = keep_from_children(t, s->remote, s->size);
	if (at < 0)
		return (int)at;
	return space_add(t->process->space, &own) ? 0 : -ENOMEM;
}

int shared_map(struct task *t, struct shared *s, uint64_t place, size_t size, int protection,
	       enum shared_children children)
{
	int64_t fd = create_file(t);
	int status;

	if (fd < 0)
		return (int)fd;
	*s = (struct shared){ .remote = place, .size = size, .fd = -1 };
	status = map_local(t, fd, s, children);
	if (status == 0) {
		status = map_remote(t, fd, s, protection, children);
		if (status < 0)
			shared_unmap(s);
	}
	remote_syscall(t, SYS_close, (uint64_t[6]){ (uint64_t)fd });
	if (status < 0)
		*s = (struct shared){ 0 };
	return status;
}

int shared_map_there(struct task *t, const struct shared *s, int protection)
{
	char name[NAME_BYTES] = "";
	int64_t fd;
	int status;

	if (s->fd < 0)
		return -EBADF;
	snprintf(name, sizeof(name), "/proc/%d/fd/%d", (int)getpid(), s->fd);
	fd = syscall_with_name(t, SYS_open, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return (int)fd;
	status = map_remote(t, fd, s, protection, SHARED_INHERITED);
	remote_syscall(t, SYS_close, (uint64_t[6]){ (uint64_t)fd });
	return status;
}

int shared_again(struct task *t, uint64_t from, size_t size, uint64_t to,
		 enum shared_children children)
{
	/* An old size of 0 makes another mapping of the same pages. */
	int64_t at = remote_syscall(t, SYS_mremap,
				    (uint64_t[6]){ from, 0, size, MREMAP_MAYMOVE | MREMAP_FIXED,
						   to });

	if (at < 0 || children == SHARED_INHERITED)
		return at < 0 ? (int)at : 0;
	return keep_from_children(t, to, size);
}

int shared_guard(struct task *t, const struct shared *s, size_t offset, size_t size)
{
	return (int)remote_syscall(t, SYS_mprotect,
				   (uint64_t[6]){ s->remote + offset, size, PROT_NONE });
}

/* A kernel without MADV_POPULATE_WRITE provides each page when it is touched. */
void shared_provide(struct task *t, const struct shared *s, size_t offset, size_t size)
{
	remote_syscall(t, SYS_madvise,
		       (uint64_t[6]){ s->remote + offset, size, MADV_POPULATE_WRITE });
}

void shared_unmap_all(struct task *t)
{
	struct space *space = t->process->space;

	for (size_t i = 0; i < space->count;) {
		const struct mapping m = space->mappings[i];

		if (!space_is_own(&m)) {
			i++;
			continue;
		}
		remote_syscall(t, SYS_munmap, (uint64_t[6]){ m.start, m.end - m.start });
		if (!space_remove(space, m.start, m.end))
			i++;
	}
}

void shared_unmap(struct shared *s)
{
	if (s->size)
		munmap(s->local, s->size);
	if (s->size && s->fd >= 0)
		close(s->fd);
	*s = (struct shared){ 0 };
}
