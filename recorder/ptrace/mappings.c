/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/mappings.h"

#include <asm/prctl.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "recorder/core/output.h"
#include "recorder/core/region.h"
#include "recorder/core/task.h"
#include "recorder/program/space.h"

enum { PAGE_BYTES = 4096, MAX_ERRNO = 4095 };

static uint64_t page_up(uint64_t v)
{
	return (v + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
}

static int write_change(struct task *t, enum tf_mapping_change change, const struct mapping *m)
{
	struct tf_mapping trace = {
		.change = change,
		.process = t->process->index,
		.module = m->module ? m->module->index : TF_NONE,
		.start = m->start,
		.size = m->end - m->start,
		.file_offset = m->file_offset,
		.protection = m->protection,
		.name = m->name ? m->name : "",
	};
	struct tf_event event = { .kind = TF_EVENT_MAPPING };

	/* no events are written after the end of the recording, which may be noticed late */
	if (trace.size == 0 || space_is_own(m) || region_is_over(t->session))
		return 0;
	if (output_add_mapping(t->session->output, &trace, &event.mapping.index) < 0)
		return -1;
	return output_event(t->session->output, t, &event);
}

/* Records that the program changes mappings in a range, which may include the recorder's. */
static void mark_own_lost(struct task *t, uint64_t start, uint64_t end)
{
	struct space *space = t->process->space;

	for (size_t i = 0; i < space->count && space->mappings[i].start < end; i++)
		if (space->mappings[i].end > start && space_is_own(&space->mappings[i]))
			space->own_lost = true;
}

static int map(struct task *t, const struct mapping *m)
{
	mark_own_lost(t, m->start, m->end);
	if (!space_add(t->process->space, m))
		return output_memory(t->session->output);
	return write_change(t, TF_MAP, m);
}

static int unmap(struct task *t, uint64_t start, uint64_t end)
{
	struct mapping m = { .start = start, .end = end };

	mark_own_lost(t, start, end);
	if (!space_remove(t->process->space, start, end))
		return output_memory(t->session->output);
	return write_change(t, TF_UNMAP, &m);
}

static int protect(struct task *t, uint64_t start, uint64_t end, uint32_t protection)
{
	struct mapping m = { .start = start, .end = end, .protection = protection };

	mark_own_lost(t, start, end);
	if (!space_protect(t->process->space, start, end, protection))
		return output_memory(t->session->output);
	return write_change(t, TF_PROTECT, &m);
}

/* ---- all of it ---- */

static bool same(const struct mapping *a, const struct mapping *b)
{
	return a->start == b->start && a->end == b->end && a->file_offset == b->file_offset &&
	       a->protection == b->protection && a->module == b->module &&
	       strcmp(a->name, b->name) == 0;
}

static int collect(struct task *t, const struct mapping *m, void *opaque)
{
	struct space *space = opaque;

	if (strcmp(m->name, "[heap]") == 0)
		t->process->brk = m->end;
	return space_add(space, m) ? 0 : output_memory(t->session->output);
}

static bool is_own_at(const struct space *now, uint64_t address)
{
	const struct mapping *is = space_find(now, address);

	return is && space_is_own(is);
}

/* Removes the parts of a mapping of the recorder that are no longer there. The kernel lists the
 * rest with other borders and protections: guard pages are not in the recorder's own list. */
static int remove_lost(struct task *t, const struct mapping *m, const struct space *now)
{
	for (uint64_t at = m->start, lost; at < m->end;) {
		lost = at;
		while (at < m->end && !is_own_at(now, at))
			at += PAGE_BYTES;
		if (at > lost && unmap(t, lost, at) < 0)
			return -1;
		if (at < m->end)
			at = space_find(now, at)->end;
	}
	return 0;
}

static int remove_old(struct task *t, const struct mapping *m, const struct space *now)
{
	const struct mapping *is = space_find(now, m->start);

	if (space_is_own(m))
		return remove_lost(t, m, now);
	return is && same(m, is) ? 0 : unmap(t, m->start, m->end);
}

static int replace(struct task *t, const struct space *old, const struct space *now)
{
	for (size_t i = 0; i < old->count; i++)
		if (remove_old(t, &old->mappings[i], now) < 0)
			return -1;
	for (size_t i = 0; i < now->count; i++) {
		const struct mapping *m = &now->mappings[i];
		const struct mapping *is = space_find(t->process->space, m->start);

		if (!space_is_own(m) && !(is && same(m, is)) && map(t, m) < 0)
			return -1;
	}
	return 0;
}

int mappings_sync(struct task *t)
{
	struct space *now = space_new(), *old = now ? space_copy(t->process->space) : NULL;
	int status = old ? space_read_maps(t, 0, UINT64_MAX, collect, now)
			 : output_memory(t->session->output);

	/* no mappings: the task has ended, but other threads of its process may go on */
	if (status == 0 && now->count)
		status = replace(t, old, now);
	space_release(now);
	space_release(old);
	return status;
}

int mappings_inherited(struct task *t)
{
	const struct space *space = t->process->space;

	for (size_t i = 0; i < space->count; i++)
		if (write_change(t, TF_MAP, &space->mappings[i]) < 0)
			return -1;
	return 0;
}

/* ---- system calls ---- */

/* Takes the part of a line of /proc/PID/maps that lies in *opaque, a struct mapping. */
struct wanted {
	uint64_t start, end; /* end 0: up to the end of the line */
};

static int take(struct task *t, const struct mapping *m, void *opaque)
{
	const struct wanted *w = opaque;
	struct mapping part = *m;

	part.file_offset += w->start - m->start;
	part.start = w->start;
	part.end = w->end && w->end < m->end ? w->end : m->end;
	return map(t, &part);
}

/* Reads mappings from /proc where the system call does not name the file. */
static int map_from_proc(struct task *t, uint64_t start, uint64_t end)
{
	struct wanted wanted = { start, end };

	return space_read_maps(t, start, start + 1, take, &wanted) < 0 ? -1 : 0;
}

static int after_mmap(struct task *t, const uint64_t *args, uint64_t address)
{
	struct mapping m = { .start = address,
			     .end = address + page_up(args[1]),
			     .protection = (uint32_t)args[2] & 7,
			     .shared = args[3] & MAP_SHARED,
			     .name = "" };

	if (args[3] & MAP_ANONYMOUS)
		return map(t, &m);
	return map_from_proc(t, m.start, m.end);
}

static int after_mremap(struct task *t, const uint64_t *args, uint64_t address)
{
	uint64_t old = args[0], old_size = page_up(args[1]), size = page_up(args[2]);
	bool stays = args[3] & MREMAP_DONTUNMAP || old_size == 0;
	const struct mapping *found = space_find(t->process->space, old);
	struct mapping m = { .protection = PROT_READ | PROT_WRITE, .name = "" };
	char *name;
	int status;

	/* since Linux 6.17 a call moves several mappings, with the holes between them */
	if (address != old && (!found || found->end - old < old_size))
		return mappings_sync(t);
	name = strdup(found ? found->name : "");
	if (!name)
		return output_memory(t->session->output);
	if (found) {
		m = *found;
		m.file_offset += old - found->start;
		m.bias += address - old;
	}
	m.name = name;
	m.start = address;
	m.end = address + size;
	if (address == old && size > old_size) {
		m.start = old + old_size;
		m.file_offset += old_size;
		status = map(t, &m);
	} else if (address == old) {
		status = unmap(t, old + size, old + old_size);
	} else {
		status = stays ? 0 : unmap(t, old, old + old_size);
		if (status == 0)
			status = map(t, &m);
	}
	free(name);
	return status;
}

static int after_brk(struct task *t, uint64_t end)
{
	uint64_t old = t->process->brk;
	struct mapping m = { .start = page_up(old),
			     .end = page_up(end),
			     .protection = PROT_READ | PROT_WRITE,
			     .name = "[heap]" };

	t->process->brk = end;
	if (!old || m.start == m.end)
		return 0;
	return m.end > m.start ? map(t, &m) : unmap(t, m.end, m.start);
}

/* A process that restores a checkpoint has its heap end elsewhere. The call maps nothing. */
static void after_set_memory(struct task *t, const uint64_t *args)
{
	struct prctl_mm_map map;

	if (args[1] == PR_SET_MM_BRK)
		t->process->brk = args[2];
	else if (args[1] == PR_SET_MM_MAP &&
		 task_read(t, args[2], &map, sizeof(map)) == sizeof(map))
		t->process->brk = map.brk;
}

static bool is_mapping(uint64_t number)
{
	static const uint64_t numbers[] = { SYS_mmap,   SYS_munmap, SYS_mprotect, SYS_pkey_mprotect,
					    SYS_mremap, SYS_brk,    SYS_shmat,    SYS_shmdt };

	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (numbers[i] == number)
			return true;
	return false;
}

/*
 * Returns true for a failed call that may have changed some mappings before it failed: mprotect()
 * changes those up to a hole, and the other calls remove what is at the new place.
 */
static bool may_have_changed(const struct syscall_state *c)
{
	switch (c->number) {
	case SYS_mprotect:
	case SYS_pkey_mprotect: return true;
	case SYS_mremap: return c->args[3] & MREMAP_FIXED;
	case SYS_mmap: return (c->args[3] & (MAP_FIXED | MAP_FIXED_NOREPLACE)) == MAP_FIXED;
	default: return false;
	}
}

int mappings_after_syscall(struct task *t)
{
	const uint64_t *args = t->syscall.args;
	uint64_t result = t->regs.rax;
	const struct mapping *m;

	if (result >= (uint64_t)-MAX_ERRNO)
		return may_have_changed(&t->syscall) ? mappings_sync(t) : 0;
	/* a filter or its supervisor may have answered the call with any result */
	if (t->process->confined && is_mapping(t->syscall.number))
		return mappings_sync(t);
	switch (t->syscall.number) {
	case SYS_mmap: return after_mmap(t, args, result);
	case SYS_munmap: return unmap(t, args[0], args[0] + page_up(args[1]));
	case SYS_mprotect:
	case SYS_pkey_mprotect:
		return protect(t, args[0], args[0] + page_up(args[1]), (uint32_t)args[2] & 7);
	case SYS_mremap: return after_mremap(t, args, result);
	case SYS_brk: return after_brk(t, result);
	case SYS_shmat: return map_from_proc(t, result, 0);
	case SYS_shmdt:
		m = space_find(t->process->space, args[0]);
		return m ? unmap(t, m->start, m->end) : 0;
	case SYS_prctl:
		if (args[0] == PR_SET_MM)
			after_set_memory(t, args);
		return 0;
	case SYS_arch_prctl:
		/* only the kernel knows where it has put its code and data */
		return args[0] >= ARCH_MAP_VDSO_X32 && args[0] <= ARCH_MAP_VDSO_64
			       ? mappings_sync(t)
			       : 0;
	default: return 0;
	}
}

/* ---- /proc/PID/mem ---- */

/* Returns true if the call may have opened a file for writing. */
static bool opens(const struct syscall_state *c)
{
	switch (c->number) {
	case SYS_open: return c->args[1] & O_ACCMODE;
	case SYS_openat: return c->args[2] & O_ACCMODE;
	case SYS_openat2:
	case SYS_creat:
	case SYS_open_by_handle_at: return true;
	default: return false;
	}
}

static bool is_memory(pid_t tid, int64_t descriptor)
{
	char link[64], name[PATH_MAX];
	struct statfs system;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/fd/%lld", (int)tid, (long long)descriptor);
	n = readlink(link, name, sizeof(name));
	return n > 4 && memcmp(name + n - 4, "/mem", 4) == 0 && statfs(link, &system) == 0 &&
	       system.f_type == PROC_SUPER_MAGIC;
}

void mappings_after_open(struct task *t, int64_t result)
{
	if (result < 0 || !opens(&t->syscall) || !is_memory(t->tid, result))
		return;
	for (struct process *p = t->session->processes.first; p; p = p->next)
		if (p->space)
			space_expose(p->space);
}
