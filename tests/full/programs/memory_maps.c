/* SPDX-License-Identifier: MIT */
/* Maps, moves, protects, grows, shares and releases memory; prints results that show each step. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "say.h"

enum { PAGE = 4096 };
static sigjmp_buf back;
static char other_stack[65536];

static void leaves(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	siglongjmp(back, info->si_code);
}

static uint8_t *mapped(size_t size, int flags)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

static uint64_t sum_of(const uint8_t *at, size_t size)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < size; i++)
		sum = sum * 31 + at[i];
	return sum;
}

static void moved(void)
{
	uint8_t *a = mapped(4 * PAGE, 0), *b = mapped(8 * PAGE, 0), *c;
	unsigned char there[8];

	for (int i = 0; i < 4 * PAGE; i++)
		a[i] = (uint8_t)(i * 3 + i / 256);
	c = mremap(a, 4 * PAGE, 6 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, b + PAGE);
	say("moved %d, sum %lx\n", c == b + PAGE, (unsigned long)sum_of(c, 6 * PAGE));
	c = mremap(c, 6 * PAGE, 2 * PAGE, 0);
	say("shrunk %d, behind it %d\n", c == b + PAGE,
	    mincore(c + 2 * PAGE, PAGE, there) < 0 && errno == ENOMEM);
	madvise(c, PAGE, MADV_DONTNEED);
	say("given back %d %d\n", c[0], c[PAGE]);
	say("taken: %d\n",
	    mmap(c, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) ==
			    MAP_FAILED &&
		    errno == EEXIST);
	a = mmap(NULL, (size_t)1 << 40, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		 0);
	say("reserved %d\n", a != MAP_FAILED);
	mprotect(a + ((size_t)1 << 39), PAGE, PROT_READ | PROT_WRITE);
	a[((size_t)1 << 39) + 5] = 9;
	say("in the middle %d\n", a[((size_t)1 << 39) + 5]);
	say("unmapped %d\n", munmap(a, (size_t)1 << 40));
}

static int deep(int n)
{
	volatile char room[1000];

	room[n % 1000] = 1;
	return n ? deep(n - 1) + room[n % 1000] : 0;
}

static int endless(volatile int n)
{
	volatile char room[5000];

	room[0] = (char)n;
	return n == -1 ? 0 : endless(n + 1) + room[0];
}

static void stacks(void)
{
	struct sigaction action = { .sa_sigaction = leaves, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	const stack_t other = { .ss_sp = other_stack, .ss_size = sizeof(other_stack) };
	uint8_t *down;
	int why;

	say("deep %d\n", deep(5000));
	sigaltstack(&other, NULL);
	sigaction(SIGSEGV, &action, NULL);
	why = sigsetjmp(back, 1);
	say("too deep: %d\n", why ?: endless(0));
	down = mmap(NULL, 600 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(down, 600 * PAGE);
	down = mmap(down + 599 * PAGE, PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED, -1, 0);
	why = sigsetjmp(back, 1);
	if (!why)
		for (int i = 0; i < 100; i++)
			down[-i * PAGE] = (uint8_t)i;
	say("grown downwards %d: %d\n", why, why ? 0 : down[-99 * PAGE]);
}

static void heaps(void)
{
	uint8_t *begin = sbrk(0), *end;
	uint64_t sum = 0;

	sbrk(10 * PAGE);
	begin[9 * PAGE] = 4;
	sbrk(-5 * PAGE);
	sbrk(5 * PAGE);
	end = sbrk(0);
	say("heap %d, zero again %d\n", (int)((end - begin) / PAGE), begin[9 * PAGE]);
	for (int i = 0; i < 300; i++) {
		uint8_t *p = malloc((size_t)1 << i % 18), *q = calloc(1, 1000);

		p[0] = (uint8_t)i;
		sum += p[0] + q[999];
		p = realloc(p, 5000);
		sum += p[0];
		free(p);
		free(q);
	}
	say("allocated %lu\n", (unsigned long)sum);
}

static void shared(void)
{
	volatile uint32_t *word = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int id = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0600),
	    fd = memfd_create("shared", MFD_ALLOW_SEALING), status;
	volatile uint8_t *segment = shmat(id, NULL, 0), *file;
	uint8_t *private = mapped(PAGE, 0);
	pid_t pid;

	if (ftruncate(fd, PAGE))
		return;
	file = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	private[0] = 1;
	madvise(private + 0, PAGE, MADV_WIPEONFORK);
	pid = fork();
	if (!pid) {
		for (int i = 0; i < 1000; i++)
			__sync_fetch_and_add(word, 1);
		segment[9] = 3;
		file[8] = 4;
		_exit(private[0]);
	}
	for (int i = 0; i < 1000; i++)
		__sync_fetch_and_add(word, 1);
	waitpid(pid, &status, 0);
	say("shared %u %d %d, wiped %d\n", *word, segment[9], file[8], WEXITSTATUS(status));
	munmap((void *)(uintptr_t)file, PAGE);
	say("sealed %d, ", fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK));
	say("refused %d %d\n", write(fd, "x", 1) < 0 ? errno : 0, ftruncate(fd, 0) < 0 ? errno : 0);
	shmdt((void *)(uintptr_t)segment);
	shmctl(id, IPC_RMID, NULL);
}

static void advised(void)
{
	size_t size = (size_t)8 << 20;
	uint8_t *at = mapped(size, 0);
	uint64_t sum = 0;
	unsigned char there[2];

	madvise(at, size, MADV_HUGEPAGE);
	for (size_t i = 0; i < size; i += 4096)
		at[i] = (uint8_t)(i >> 12);
	mprotect(at + (2 << 20), PAGE, PROT_READ);
	madvise(at + (4 << 20), 2 << 20, MADV_DONTNEED);
	for (size_t i = 0; i < size; i += 4096)
		sum += at[i];
	say("huge pages %lu, locked %d, there %d\n", (unsigned long)sum, mlock(at, PAGE),
	    mincore(at, PAGE, there) == 0 && there[0] & 1);
	munlock(at, PAGE);
	say("populated %d\n", mapped(16 * PAGE, MAP_POPULATE)[5 * PAGE]);
}

static void from_files(void)
{
	int fd = memfd_create("file", 0);
	uint8_t *a, *b;
	char letter;

	for (int i = 0; i < 3 * PAGE; i++) {
		letter = (char)(i % 251);
		if (i % PAGE < 16 && pwrite(fd, &letter, 1, i) != 1)
			return;
	}
	a = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, PAGE);
	b = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, PAGE);
	a[3] = 77;
	b[4] = 88;
	b[3] = 99;
	if (pread(fd, &letter, 1, PAGE + 4) != 1)
		return;
	say("private %d %d, shared %d, file %d\n", a[3], a[4], b[3], letter);
	say("synced %d %d\n", msync(b, PAGE, MS_SYNC), msync(a + 100 * PAGE, 0, MS_ASYNC));
	syscall(SYS_remap_file_pages, b, PAGE, 0, 2, 0);
	say("remapped %d %d\n", b[1], b[3]);
}

static void limited(void)
{
	struct rlimit limit = { (rlim_t)64 << 20, (rlim_t)64 << 20 };
	pid_t pid = fork();
	int status;

	if (!pid) {
		setrlimit(RLIMIT_DATA, &limit);
		_exit((malloc((size_t)1 << 28) == NULL) + 2 * (malloc(1 << 20) != NULL));
	}
	waitpid(pid, &status, 0);
	say("limited %d\n", WEXITSTATUS(status));
}

int main(void)
{
	moved();
	stacks();
	heaps();
	shared();
	advised();
	from_files();
	limited();
	return 0;
}
