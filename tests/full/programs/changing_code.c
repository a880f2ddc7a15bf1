/* flags: -static */
/* SPDX-License-Identifier: MIT */
/* Changes code in every way that memory can be written or remapped. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include "say.h"

typedef uint32_t function(void);
enum { PAGE = 4096, ALL = PROT_READ | PROT_WRITE | PROT_EXEC };

static uint8_t *mapped(size_t size, int protection)
{
	return mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* mov $value, %eax; ret */
static void put(uint8_t *at, uint32_t value)
{
	*at = 0xb8;
	memcpy(at + 1, &value, 4);
	at[5] = 0xc3;
}

static uint32_t call(const void *at)
{
	return ((function *)(uintptr_t)at)();
}

static void by_stores(void)
{
	uint8_t *code = mapped(2 * PAGE, ALL);
	uint32_t sum = 0;

	for (uint32_t i = 0; i < 2000; i++) {
		put(code, i);
		sum = sum * 3 + call(code);
	}
	for (uint32_t i = 0; i < 200; i++) { /* across the border of two pages */
		put(code + PAGE - 3, i);
		sum = sum * 3 + call(code + PAGE - 3);
		code[PAGE] = (uint8_t)(i * 7);
		sum = sum * 3 + call(code + PAGE - 3);
	}
	say("stores %u\n", sum);
}

/* The next instruction of the same block: movb $value, next+1; next: mov $0, %al; ret */
static void in_the_same_block(void)
{
	static const uint8_t text[] = { 0x31, 0xc0, 0x40, 0x88, 0x3d, 1, 0, 0, 0, 0xb0, 0, 0xc3 };
	uint8_t *code = mapped(PAGE, ALL);
	uint32_t sum = 0;

	memcpy(code, text, sizeof(text));
	for (uint32_t i = 0; i < 500; i++)
		sum = sum * 5 + ((uint32_t(*)(uint32_t))(uintptr_t)code)(i / 3);
	say("same block %u\n", sum);
}

static void by_system_calls(void)
{
	uint8_t *code = mapped(PAGE, ALL), text[6];
	int ends[2], memory = open("/proc/self/mem", O_RDWR), pair[2];
	struct iovec from = { text, 6 }, to = { code, 6 };
	uint32_t sum = 0;

	if (pipe(ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return;
	put(code, 1);
	for (uint32_t i = 0; i < 40; i++) {
		sum = sum * 3 + call(code);
		put(text, i + 1000);
		if (write(ends[1], text, 6) != 6 || read(ends[0], code, 6) != 6)
			return;
		sum = sum * 3 + call(code);
		put(text, i + 2000);
		if (process_vm_writev(getpid(), &from, 1, &to, 1, 0) != 6)
			return;
		sum = sum * 3 + call(code);
		put(text, i + 3000);
		if (pwrite(memory, text, 6, (off_t)(uintptr_t)code) != 6)
			return;
		sum = sum * 3 + call(code);
		put(text, i + 4000);
		if (send(pair[0], text, 6, 0) != 6 || recv(pair[1], code, 6, 0) != 6)
			return;
	}
	say("system calls %u\n", sum + call(code));
	close(memory);
}

static void by_another_mapping(void)
{
	int fd = memfd_create("code", 0);
	uint8_t *write_side, *code, text[6];
	uint32_t sum = 0;

	if (ftruncate(fd, 2 * PAGE))
		return;
	write_side = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	code = mmap(NULL, 2 * PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	for (uint32_t i = 0; i < 300; i++) {
		put(write_side + i % 2 * (PAGE - 2), i);
		sum = sum * 3 + call(code + i % 2 * (PAGE - 2));
	}
	for (uint32_t i = 0; i < 50; i++) {
		put(text, i);
		if (pwrite(fd, text, 6, 64) != 6)
			return;
		sum = sum * 3 + call(code + 64);
	}
	say("two mappings %u\n", sum);
}

static void by_protection(void)
{
	uint8_t *code = mapped(PAGE, PROT_READ | PROT_WRITE);
	uint32_t sum = 0;

	for (uint32_t i = 0; i < 100; i++) {
		mprotect(code, PAGE, PROT_READ | PROT_WRITE);
		put(code + i % 3, i);
		mprotect(code, PAGE, PROT_READ | PROT_EXEC);
		sum = sum * 3 + call(code + i % 3);
	}
	say("protections %u\n", sum);
}

static void by_mapping(void)
{
	uint8_t *place = mapped(4 * PAGE, ALL), *moved = mapped(4 * PAGE, ALL), *code;
	uint32_t sum = 0;

	for (uint32_t i = 0; i < 30; i++) {
		code = mmap(place, PAGE, ALL, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		put(code, i);
		sum = sum * 3 + call(code);
		code = mremap(code, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, moved);
		sum = sum * 3 + call(code);
		put(code, i + 500);
		sum = sum * 3 + call(code);
		munmap(code, PAGE);
	}
	say("mappings %u\n", sum);
}

static void by_advice(void)
{
	int fd = memfd_create("file", 0);
	uint8_t text[PAGE] = { 0 }, *code;
	uint32_t sum = 0;

	put(text, 77);
	if (write(fd, text, PAGE) != PAGE)
		return;
	code = mmap(NULL, PAGE, ALL, MAP_PRIVATE, fd, 0);
	for (uint32_t i = 0; i < 30; i++) {
		sum = sum * 3 + call(code);
		put(code, i);
		sum = sum * 3 + call(code);
		madvise(code, PAGE, MADV_DONTNEED); /* what the file has is there again */
	}
	say("advice %u\n", sum + call(code));
}

static void on_odd_places(void)
{
	uint8_t on_stack[64] __attribute__((aligned(64))), *heap;
	uint32_t sum = 0;

	heap = sbrk(2 * PAGE);
	heap = (uint8_t *)(((uintptr_t)heap + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
	mprotect(heap, PAGE, ALL);
	mprotect((void *)((uintptr_t)on_stack & ~(uintptr_t)(PAGE - 1)), PAGE, ALL);
	for (uint32_t i = 0; i < 50; i++) {
		put(on_stack, i);
		put(heap, i * 3);
		sum = sum * 3 + call(on_stack) + call(heap);
	}
	say("stack and heap %u\n", sum);
}

static void by_string_and_vector(void)
{
	uint8_t *code = mapped(PAGE, ALL), text[64] __attribute__((aligned(64))) = { 0 };
	uint32_t sum = 0;

	for (uint32_t i = 0; i < 60; i++) {
		const uint8_t *from = text;
		uint8_t *to = code;
		uint64_t n = 6;

		put(text, i);
		__asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(n)::"memory");
		sum = sum * 3 + call(code);
		put(text, i + 100);
		__asm__ volatile("movaps (%0), %%xmm0\n\tmovntdq %%xmm0, (%1)\n\tsfence" ::"r"(
					 text),
				 "r"(code)
				 : "xmm0", "memory");
		sum = sum * 3 + call(code);
		__asm__ volatile("lock addl $1, 1(%0)" ::"r"(code) : "memory");
		sum = sum * 3 + call(code);
	}
	say("strings and vectors %u\n", sum);
}

static uint8_t *handled;

static void on_signal(int number)
{
	(void)number;
	put(handled, call(handled) + 1);
}

static void on_write(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	mprotect((void *)((uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1)), PAGE, ALL);
}

static void by_handlers(void)
{
	struct sigaction action = { .sa_sigaction = on_write, .sa_flags = SA_SIGINFO };
	uint32_t sum = 0;

	handled = mapped(PAGE, ALL);
	put(handled, 5);
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 50; i++) {
		raise(SIGUSR1);
		sum = sum * 3 + call(handled);
	}
	sigaction(SIGSEGV, &action, NULL);
	for (uint32_t i = 0; i < 50; i++) {
		mprotect(handled, PAGE, PROT_READ | PROT_EXEC);
		sum = sum * 3 + call(handled);
		put(handled, i);
		sum = sum * 3 + call(handled);
	}
	say("handlers %u\n", sum);
}

static sigjmp_buf back;

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	siglongjmp(back, info->si_code);
}

static void that_ends(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	uint8_t *code = mapped(2 * PAGE, ALL);
	int why;

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	memset(code + PAGE - 64, 0x90, 64); /* runs into the next page */
	put(code + PAGE, 9);
	say("runs on %u\n", call(code + PAGE - 64));
	mprotect(code + PAGE, PAGE, PROT_READ);
	why = sigsetjmp(back, 1);
	say("runs into data: %d\n", why ?: (int)call(code + PAGE - 64));
	munmap(code + PAGE, PAGE);
	why = sigsetjmp(back, 1);
	say("runs into nothing: %d\n", why ?: (int)call(code + PAGE - 64));
	munmap(code, PAGE);
	why = sigsetjmp(back, 1);
	say("gone: %d\n", why ?: (int)call(code + PAGE - 64));
}

int main(void)
{
	by_stores();
	in_the_same_block();
	by_system_calls();
	by_another_mapping();
	by_protection();
	by_mapping();
	by_advice();
	on_odd_places();
	by_string_and_vector();
	by_handlers();
	that_ends();
	return 0;
}
