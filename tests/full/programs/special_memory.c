/* flags: -static -fno-stack-protector */
/* SPDX-License-Identifier: MIT */
/* Uses memory that the kernel hides from all others (memfd_secret), seals memory (mseal), grows a mapping
 * downwards, maps pages of a file in another order, and lets children lose pages. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "say.h"

static long done(long result)
{
	return result < 0 ? -errno : result;
}

static void handler(int signal)
{
	(void)signal;
}

static int add(int n)
{
	volatile int local[20];

	for (int i = 0; i < 20; i++)
		local[i] = n + i;
	return n ? local[n % 20] + add(n - 1) : 0;
}

static void on_stack(unsigned char *top)
{
	int sum;

	__asm__ volatile(
		"mov %%rsp, %%rbx; mov %1, %%rsp; mov $50, %%edi; call *%2; mov $1, %%edi; mov %%rbx, %%rsp"
		: "=a"(sum)
		: "r"(top), "r"(add)
		: "rbx", "rdi", "rsi", "rcx", "rdx", "r8", "r9", "r10", "r11", "memory", "cc");
	say("on it %d\n", sum);
}

static void secret(void)
{
	int fd = (int)syscall(447 /* memfd_secret */, 0);
	unsigned char *code;
	stack_t stack = { 0 };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	say("secret %d\n", fd < 0 ? -errno : 0);
	if (fd < 0 || ftruncate(fd, 65536))
		return;
	code = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	say("mapped %d\n", code != MAP_FAILED);
	if (code == MAP_FAILED)
		return;
	/* a path and a stack of a handler in secret memory */
	strcpy((char *)code + 128, "/proc/self/comm");
	say("access %ld\n", done(access((char *)code + 128, 4)));
	stack.ss_sp = code + 16384;
	stack.ss_size = 32768;
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 3; i++)
		raise(SIGUSR1);
	say("handled\n");
	/* the stack of the program */
	on_stack(code + 16384 + 32768);
	munmap(code, 65536);
}

static void sealed(void)
{
	char *at = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);

	memcpy(at, "\xb8\x07\0\0\0\xc3", 6);
	say("seal %ld", done(syscall(462, at, 8192, 0)));
	say(" unmap %ld", done(munmap(at, 8192)));
	say(" protect %ld", done(mprotect(at, 4096, PROT_READ)));
	say(" runs %d\n", ((int (*)(void))(uintptr_t)at)());
}

static void grows(void)
{
	char *at = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *low;

	munmap(at, 1 << 20);
	low = mmap(at + (1 << 19), 4096, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED, -1, 0);
	for (int i = 0; i < 20; i++)
		low[-4096 * i] = (char)i;
	say("grown %d\n", low[-4096 * 19]);
}

static void reordered(void)
{
	int fd = memfd_create("pages", 0);
	unsigned char *at;
	int sum = 0;

	if (ftruncate(fd, 8192))
		return;
	at = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, fd, 0);
	memcpy(at, "\xb8\x01\0\0\0\xc3", 6);
	memcpy(at + 4096, "\xb8\x02\0\0\0\xc3", 6);
	for (int i = 0; i < 10; i++)
		sum += ((int (*)(void))(uintptr_t)at)();
	say("before %d", sum);
	say(" remap %ld", done(syscall(SYS_remap_file_pages, at, 4096, 0, 1, 0)));
	for (int i = 0; i < 10; i++)
		sum += ((int (*)(void))(uintptr_t)at)();
	say(" after %d", sum);
	say(" hole %ld", done(fallocate(fd, 3, 4096, 4096)));
	say(" %d\n", at[0]);
}

static void forgotten(void)
{
	char *at = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);
	int status, sum = 0;

	memcpy(at, "\xb8\x03\0\0\0\xc3", 6);
	for (int i = 0; i < 10; i++)
		sum += ((int (*)(void))(uintptr_t)at)();
	say("wipe %ld", done(madvise(at, 4096, MADV_WIPEONFORK)));
	if (!fork()) {
		memcpy(at + 4096, "\xb8\x04\0\0\0\xc3", 6);
		sum += at[0] + ((int (*)(void))(uintptr_t)(at + 4096))();
		_exit(sum);
	}
	wait(&status);
	say(" child %x", status);
	if (!fork())
		((void (*)(void))(uintptr_t)at)();
	wait(&status);
	say(" wiped %x", status);
	say(" free %ld", done(madvise(at, 8192, MADV_DONTNEED)));
	say(" %d\n", at[0]);
}

int main(void)
{
	secret();
	sealed();
	grows();
	reordered();
	forgotten();
	return 0;
}
