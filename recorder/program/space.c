/* SPDX-License-Identifier: MIT */
#include "recorder/program/space.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "recorder/core/output.h"
#include "recorder/elf/elf_file.h"
#include "recorder/program/file_servers.h"
#include "traceformat/common/array.h"

struct space *space_new(void)
{
	struct space *space = calloc(1, sizeof(*space));

	if (space)
		space->users = 1;
	return space;
}

struct space *space_copy(const struct space *from)
{
	struct space *space = space_new();

	for (size_t i = 0; space && i < from->count; i++)
		if (!space_add(space, &from->mappings[i])) {
			space_release(space);
			return NULL;
		}
	if (space) {
		memcpy(space->former, from->former, sizeof(space->former));
		space->n_former = from->n_former;
		space->code_changes = from->code_changes;
		space->code_added = from->code_added;
		space->undumpable = from->undumpable;
		space->only_root = from->only_root;
		space->moved_start = from->moved_start;
		space->moved_end = from->moved_end;
		space->exposed = from->exposed;
	}
	return space;
}

bool space_is_own(const struct mapping *m)
{
	return m->name && strncmp(m->name, SPACE_OWN, strlen(SPACE_OWN)) == 0;
}

static void record_move(struct space *space, const struct mapping *m)
{
	if (space_is_own(m))
		return;
	if (!space->moved_end || m->start < space->moved_start)
		space->moved_start = m->start;
	if (m->end > space->moved_end)
		space->moved_end = m->end;
}

bool space_is_stable(const struct mapping *m)
{
	return (m->protection & (PROT_EXEC | PROT_WRITE)) == PROT_EXEC && !m->shared && m->module &&
	       !m->exposed;
}

static void record_former(struct space *space, const struct mapping *m)
{
	enum { MOST = sizeof(space->former) / sizeof(space->former[0]) };

	if (m->module && m->protection & PROT_EXEC)
		space->former[space->n_former++ % MOST] = (struct former){
			m->start,
			m->end,
			m->bias,
			m->module,
		};
}

const struct former *space_former(const struct space *space, uint64_t address)
{
	enum { MOST = sizeof(space->former) / sizeof(space->former[0]) };

	for (unsigned i = 0; i < MOST && i < space->n_former; i++) {
		const struct former *f = &space->former[(space->n_former - 1 - i) % MOST];

		if (address >= f->start && address < f->end)
			return f;
	}
	return NULL;
}

/* Records that the mapping's code goes, or that its protection changes. */
static void record_change(struct space *space, const struct mapping *m)
{
	if (space_is_stable(m))
		space->code_changes++;
	else if (m->protection & PROT_EXEC)
		record_move(space, m);
}

struct space *space_share(struct space *space)
{
	space->users++;
	return space;
}

void space_release(struct space *space)
{
	if (!space || --space->users)
		return;
	if (space->translations)
		space->free_translations(space->translations);
	for (size_t i = 0; i < space->count; i++)
		free(space->mappings[i].name);
	free(space->mappings);
	if (space->code_pages)
		space->free_code_pages(space->code_pages);
	free(space);
}

/* Returns the index of the first mapping that ends after the address. */
static size_t first_after(const struct space *space, uint64_t address)
{
	size_t low = 0, high = space->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (space->mappings[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct mapping *space_find(const struct space *space, uint64_t address)
{
	size_t i = first_after(space, address);

	return i < space->count && space->mappings[i].start <= address ? &space->mappings[i] : NULL;
}

bool space_allows(const struct space *space, uint64_t start, uint64_t end, uint32_t protection)
{
	while (start < end) {
		const struct mapping *m = space_find(space, start);

		if (!m || (m->protection & protection) != protection)
			return false;
		start = m->end;
	}
	return true;
}

static bool insert(struct space *space, size_t at, const struct mapping *m)
{
	char *name = strdup(m->name);

	if (!name)
		return false;
	if (!array_reserve(&space->mappings, &space->capacity, space->count + 1,
			   sizeof(*space->mappings))) {
		free(name);
		return false;
	}
	memmove(&space->mappings[at + 1], &space->mappings[at],
		(space->count - at) * sizeof(*space->mappings));
	space->mappings[at] = *m;
	space->mappings[at].name = name;
	space->count++;
	return true;
}

/* Splits the mapping at an address, if there is one. Returns false if memory is out. */
static bool split(struct space *space, uint64_t address)
{
	size_t i = first_after(space, address);
	struct mapping rest;

	if (i == space->count || space->mappings[i].start >= address)
		return true;
	rest = space->mappings[i];
	rest.file_offset += address - rest.start;
	rest.start = address;
	if (!insert(space, i + 1, &rest))
		return false;
	space->mappings[i].end = address;
	return true;
}

bool space_remove(struct space *space, uint64_t start, uint64_t end)
{
	size_t first, after;

	if (start >= end)
		return true;
	if (!split(space, start) || !split(space, end))
		return false;
	first = first_after(space, start);
	for (after = first; after < space->count && space->mappings[after].start < end; after++) {
		record_change(space, &space->mappings[after]);
		record_former(space, &space->mappings[after]);
		free(space->mappings[after].name);
	}
	if (after > first)
		memmove(&space->mappings[first], &space->mappings[after],
			(space->count - after) * sizeof(*space->mappings));
	space->count -= after - first;
	return true;
}

bool space_add(struct space *space, const struct mapping *mapping)
{
	struct mapping m = *mapping;

	m.exposed |= space->exposed;
	space->code_added += m.protection & PROT_EXEC && !space_is_own(&m);
	if (m.protection & PROT_EXEC && !space_is_stable(&m))
		record_move(space, &m);
	return m.start >= m.end || (space_remove(space, m.start, m.end) &&
				    insert(space, first_after(space, m.start), &m));
}

void space_expose(struct space *space)
{
	space->exposed = true;
	for (size_t i = 0; i < space->count; i++) {
		record_change(space, &space->mappings[i]);
		space->mappings[i].exposed = true;
	}
}

bool space_protect(struct space *space, uint64_t start, uint64_t end, uint32_t protection)
{
	if (start >= end)
		return true;
	if (!split(space, start) || !split(space, end))
		return false;
	for (size_t i = first_after(space, start);
	     i < space->count && space->mappings[i].start < end; i++) {
		struct mapping *m = &space->mappings[i];

		if (m->protection != protection)
			record_change(space, m);
		if (m->protection != protection && protection & PROT_EXEC)
			record_move(space, m);
		m->protection = protection;
	}
	return true;
}

/* ---- pages of files that a server provides ---- */

enum { PAGE_BYTES = 4096 };

static bool is_present(int pagemap, uint64_t address)
{
	static const uint64_t present = UINT64_C(1) << 63;
	uint64_t entry;

	return pread(pagemap, &entry, sizeof(entry),
		     (off_t)(address / PAGE_BYTES * sizeof(entry))) == sizeof(entry) &&
	       entry & present;
}

static bool is_server_backed(const struct task *t, uint64_t address)
{
	const struct mapping *m = space_find(t->process->space, address);

	return m && m->server_backed;
}

/*
 * Returns how many bytes of the task's memory at an address can be read without waiting for a
 * server.
 */
static size_t present_bytes(const struct task *t, uint64_t address, size_t size)
{
	uint64_t at = address, end = address + size;
	char path[64];
	int pagemap = -1;

	for (; at < end; at = (at / PAGE_BYTES + 1) * PAGE_BYTES) {
		if (!is_server_backed(t, at))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)t->tid);
		if (pagemap < 0)
			pagemap = open(path, O_RDONLY | O_CLOEXEC);
		if (pagemap < 0 || !is_present(pagemap, at))
			break;
	}
	if (pagemap >= 0)
		close(pagemap);
	return at < end ? (size_t)(at - address) : size;
}

/* ---- /proc/PID/maps ---- */

/* The file in a line of /proc/PID/maps. */
struct mapped_file {
	dev_t device;
	ino_t inode; /* 0: no file */
};

/* The device of the last line: neighboring lines mostly have the same one. */
struct looked_at {
	dev_t device;
	bool served;
};

static bool is_served(const struct task *t, const struct mapped_file *file, struct looked_at *last)
{
	if (last->device != file->device)
		*last = (struct looked_at){ file->device, file_servers_have(t, file->device) };
	return last->served;
}

static int find_served(struct task *t, struct mapping *m, const struct mapped_file *file,
		       const char *open_path)
{
	m->server_backed = true;
	t->process->memory.present = present_bytes;
	return modules_served_file(t->session, m->name, open_path,
				   &(struct stat){ .st_dev = file->device, .st_ino = file->inode },
				   &m->module);
}

/* Finds the module of a line of /proc/PID/maps. */
static int find_module(struct task *t, struct mapping *m, const struct mapped_file *file,
		       struct looked_at *last)
{
	struct session *s = t->session;
	char open_path[64];

	if (strcmp(m->name, "[vdso]") == 0) {
		if (modules_vdso(s, t, m->start, m->end, &m->module) < 0)
			return -1;
	} else if (file->inode && m->name[0] == '/') {
		/* the link leads to this file, even if its name now belongs to another one */
		snprintf(open_path, sizeof(open_path), "/proc/%d/map_files/%llx-%llx", (int)t->tid,
			 (unsigned long long)m->start, (unsigned long long)m->end);
		if (is_served(t, file, last)) {
			if (find_served(t, m, file, open_path) < 0)
				return -1;
		} else if (modules_file(s, m->name, open_path, &m->module) < 0) {
			return -1;
		}
		if (!m->module && !m->server_backed &&
		    modules_file(s, m->name, m->name, &m->module) < 0)
			return -1;
	}
	if (m->module)
		m->bias = module_bias(m->module, m->start, m->file_offset, m->protection);
	return 0;
}

static bool parse_line(char *line, struct mapping *m, struct mapped_file *file)
{
	unsigned long long start, end, offset, inode;
	unsigned device_major, device_minor;
	char protection[5];
	int name = 0;

	line[strcspn(line, "\n")] = 0;
	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, protection, &offset,
		   &device_major, &device_minor, &inode, &name) < 7)
		return false;
	*m = (struct mapping){
		.start = start,
		.end = end,
		.file_offset = offset,
		.protection = (protection[0] == 'r' ? PROT_READ : 0u) |
			      (protection[1] == 'w' ? PROT_WRITE : 0u) |
			      (protection[2] == 'x' ? PROT_EXEC : 0u),
		.shared = protection[3] == 's',
		.name = line + name,
	};
	*file = (struct mapped_file){ makedev(device_major, device_minor), inode };
	return true;
}

int space_read_maps(struct task *t, uint64_t start, uint64_t end,
		    int (*visit)(struct task *task, const struct mapping *mapping, void *opaque),
		    void *opaque)
{
	char path[64], *line = NULL;
	struct mapping m;
	size_t room = 0;
	struct looked_at last = { 0 };
	struct mapped_file mapped;
	int status = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)t->tid);
	file = fopen(path, "re");
	if (!file && (errno == ENOENT || errno == ESRCH))
		return 0;
	if (!file)
		return session_fail(t->session, TF_E_IO, "%s: %s", path, strerror(errno));
	while (status == 0 && getline(&line, &room, file) > 0) {
		if (!parse_line(line, &m, &mapped) || m.end <= start)
			continue;
		if (m.start >= end)
			break;
		status = find_module(t, &m, &mapped, &last);
		if (status == 0)
			status = visit(t, &m, opaque);
	}
	free(line);
	fclose(file);
	return status;
}
