/* SPDX-License-Identifier: MIT */
/*
 * The memory of a traced thread. Another thread may have to provide a page when it is read, as with
 * userfaultfd(2), and that thread may be one that the recorder has stopped. Through /proc/PID/mem
 * such a page cannot be read, while process_vm_readv(2) waits for it.
 */
#include "recorder/core/task.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096 };

/* Returns a file descriptor of the process's memory, or -1. */
static int memory_file(const struct task *t)
{
	struct process *p = t->process;
	char path[64];

	if (!p)
		return -1;
	if (!p->memory.opened) {
		snprintf(path, sizeof(path), "/proc/%d/mem", (int)t->tid);
		p->memory.fd = open(path, O_RDWR | O_CLOEXEC);
		p->memory.opened = p->memory.fd >= 0;
	}
	return p->memory.fd;
}

void task_memory_close(struct process *p)
{
	if (p->memory.opened)
		close(p->memory.fd);
	p->memory = (struct process_memory){ 0 };
}

/* Reads the aligned words that hold the bytes, past any protection. */
static size_t peek(const struct task *t, uint64_t address, uint8_t *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		uint64_t at = (address + done) & ~(uint64_t)7;
		size_t skip = (address + done) & 7;
		long word;

		errno = 0;
		word = ptrace(PTRACE_PEEKTEXT, t->tid, (void *)at, NULL);
		if (errno)
			break;
		for (; skip < 8 && done < size; skip++)
			bytes[done++] = (uint8_t)((uint64_t)word >> skip * 8);
	}
	return done;
}

/* Reads without the memory file, as too many files may be open. */
static size_t read_without_file(const struct task *t, uint64_t address, void *bytes, size_t size)
{
	size_t first = PAGE_BYTES - address % PAGE_BYTES;
	struct iovec local = { bytes, size }, remote[2] = { { (void *)address, size } };
	int count = 1;
	ssize_t n;

	if (first < size) {
		remote[0].iov_len = first;
		remote[1] = (struct iovec){ (void *)(address + first), size - first };
		count = 2;
	}
	n = process_vm_readv(t->tid, &local, 1, remote, (unsigned long)count, 0);
	/* The kernel lets only the tracer read a process of another user. */
	if (n < 0 && errno == EPERM)
		return peek(t, address, bytes, size);
	return n < 0 ? 0 : (size_t)n;
}

/* Returns how many bytes can be read without waiting for a file system. */
static size_t present(const struct task *t, uint64_t address, size_t size)
{
	const struct process *p = t->process;

	return p && p->memory.present ? p->memory.present(t, address, size) : size;
}

static size_t read_present(const struct task *t, uint64_t address, void *bytes, size_t size)
{
	int fd = memory_file(t);
	ssize_t n;

	if (fd < 0)
		return read_without_file(t, address, bytes, size);
	n = pread(fd, bytes, size, (off_t)address);
	return n < 0 ? 0 : (size_t)n;
}

size_t task_read(const struct task *t, uint64_t address, void *bytes, size_t size)
{
	return read_present(t, address, bytes, present(t, address, size));
}

size_t task_read_code(const struct task *t, uint64_t address, void *bytes, size_t size)
{
	size_t n;

	size = present(t, address, size);
	n = read_present(t, address, bytes, size);
	return n < size ? n + peek(t, address + n, (uint8_t *)bytes + n, size - n) : n;
}

/* Writes the bytes that the protection allows and returns their number. */
static size_t write_allowed(const struct task *t, uint64_t address, const void *bytes, size_t size)
{
	struct iovec local = { (void *)bytes, size }, remote = { (void *)address, size };
	int fd = memory_file(t);
	ssize_t n = fd < 0 ? process_vm_writev(t->tid, &local, 1, &remote, 1, 0)
			   : pwrite(fd, bytes, size, (off_t)address);

	return n < 0 ? 0 : (size_t)n;
}

bool task_write(const struct task *t, uint64_t address, const void *bytes, size_t size)
{
	const uint8_t *from = bytes;

	if (present(t, address, size) < size)
		return false;
	for (size_t done = write_allowed(t, address, bytes, size); done < size;) {
		uint64_t at = (address + done) & ~(uint64_t)7;
		size_t skip = (address + done) & 7;
		uint8_t word[8];

		if (peek(t, at, word, 8) < 8)
			return false;
		for (; skip < 8 && done < size; skip++)
			word[skip] = from[done++];
		if (ptrace(PTRACE_POKETEXT, t->tid, (void *)at, *(long *)word) < 0)
			return false;
	}
	return true;
}
