/* SPDX-License-Identifier: MIT */
/*
 * Protection keys (pkeys(7)): keys on data, on code, and on all other memory; signals, system calls
 * and threads while a key denies access. Prints "no keys" where there are none.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "say.h"

enum { PAGE = 4096, DENY_ACCESS = 1, DENY_WRITE = 2, ROUNDS = 60 };

static uint8_t *data, *code;
static int data_key, code_key;
static volatile int faults, fault_code, fault_key;

static uint32_t read_keys(void)
{
	uint32_t keys, high;

	__asm__ volatile(".byte 0x0f, 0x01, 0xee" : "=a"(keys), "=d"(high) : "c"(0));
	return keys;
}

static void write_keys(uint32_t keys)
{
	__asm__ volatile(".byte 0x0f, 0x01, 0xef" : : "a"(keys), "c"(0), "d"(0) : "memory");
}

static void deny(int key, unsigned how)
{
	write_keys((read_keys() & ~(3u << 2 * key)) | how << 2 * key);
}

static uint8_t *page(int protection, int key)
{
	uint8_t *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	pkey_mprotect(p, PAGE, protection, key);
	return p;
}

/* The kernel starts a handler with its own keys, and restores the program's behind the handler: the page is opened
 * in all ways but that of the keys. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	faults = faults + 1;
	fault_code = info->si_code;
	fault_key = (int)info->si_pkey;
	pkey_mprotect(data, PAGE, PROT_READ | PROT_WRITE, 0);
}

static void data_is_denied(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		pkey_mprotect(data, PAGE, PROT_READ | PROT_WRITE, data_key);
		deny(data_key, i % 2 ? DENY_ACCESS : DENY_WRITE);
		data[i]++;
		deny(data_key, 0);
	}
	say("faults %d code %d key %d sum %d\n", faults, fault_code, fault_key == data_key,
	    data[5]);
}

static void calls_are_refused(void)
{
	int pipes[2], refused = 0, done = 0;

	pipe(pipes);
	pkey_mprotect(data, PAGE, PROT_READ | PROT_WRITE, data_key);
	for (int i = 0; i < ROUNDS; i++) {
		deny(data_key, i % 3 ? DENY_ACCESS : 0);
		if (write(pipes[1], data, 8) == 8)
			done++;
		else
			refused += errno == EFAULT;
	}
	deny(data_key, 0);
	say("refused %d done %d\n", refused, done);
}

/* Code whose bytes cannot be read, but executed; its versions add different numbers. */
static void code_is_denied(void)
{
	static const uint8_t add[] = { 0x48, 0x8d, 0x47, 0x05, 0xa8, 0x01, 0x74, 0x01, 0x90, 0xc3 };
	long (*f)(long) = (long (*)(long))(uintptr_t)code;
	long sum = 0;

	for (int version = 0; version < 4; version++) {
		deny(code_key, 0);
		memcpy(code, add, sizeof(add));
		code[3] = (uint8_t)(version * 3);
		deny(code_key, DENY_ACCESS);
		for (long i = 0; i < ROUNDS; i++)
			sum = f(sum);
	}
	say("sum %ld\n", sum);
}

/* The kernel has a key for memory that may only be executed. */
static void code_is_only_executable(void)
{
	static const uint8_t twice[] = { 0x48, 0x8d, 0x04, 0x3f, 0x48, 0x05, 1, 0, 0, 0, 0xc3 };
	uint8_t *only = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			     0);
	unsigned long sum = 0;

	memcpy(only, twice, sizeof(twice));
	mprotect(only, PAGE, PROT_EXEC);
	for (int i = 0; i < ROUNDS; i++)
		sum = ((unsigned long (*)(unsigned long))(uintptr_t)only)(sum) % 1000003;
	say("sum %lu\n", sum);
}

/* Branches, indirect jumps and system calls while key 0 is denied, and with it all other memory. */
static __attribute__((noinline)) long nothing_else(unsigned how, long rounds)
{
	long sum = 0;
	uint32_t keys = read_keys() | how;

	__asm__ volatile(
		"xor %%ecx, %%ecx; xor %%edx, %%edx; .byte 0x0f, 0x01, 0xef\n"
		"1: lea 3(%0, %1), %0; test $5, %0; jz 2f; inc %0\n"
		"2: lea 3f(%%rip), %%rcx; jmp *%%rcx\n"
		"4: ud2\n"
		"3: mov $110, %%eax; syscall; test %%rax, %%rax; jz 4b\n" /* getppid */
		"xor %%ecx, %%ecx; .byte 0x0f, 0x01, 0xee; lea (%0, %%rax), %0\n"
		"dec %1; jnz 1b\n"
		"xor %%eax, %%eax; xor %%ecx, %%ecx; xor %%edx, %%edx; .byte 0x0f, 0x01, 0xef"
		: "+r"(sum), "+r"(rounds), "+a"(keys)
		:
		: "rcx", "rdx", "r11", "cc", "memory");
	return sum;
}

static void all_is_denied(void)
{
	uint32_t before = read_keys();

	for (unsigned how = DENY_ACCESS; how <= (DENY_ACCESS | DENY_WRITE); how++) {
		say("denied %u: %ld\n", how, nothing_else(how, ROUNDS));
		write_keys(before);
	}
}

static void *thread(void *keys)
{
	*(uint32_t *)keys = read_keys();
	deny(data_key, 0);
	for (int i = 0; i < ROUNDS; i++)
		data[64 + i % 8] += (uint8_t)i;
	return NULL;
}

static void threads_inherit(void)
{
	uint32_t keys = 0;
	pthread_t other;

	deny(data_key, DENY_WRITE);
	pthread_create(&other, NULL, thread, &keys);
	pthread_join(other, NULL);
	say("inherited %u own %u sum %d\n", keys >> 2 * data_key & 3,
	    read_keys() >> 2 * data_key & 3, data[65]);
	deny(data_key, 0);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };

	data_key = pkey_alloc(0, 0);
	code_key = pkey_alloc(0, 0);
	if (data_key < 0 || code_key < 0) {
		say("no keys\n");
		return 0;
	}
	data = page(PROT_READ | PROT_WRITE, data_key);
	code = page(PROT_READ | PROT_WRITE | PROT_EXEC, code_key);
	sigaction(SIGSEGV, &action, NULL);
	data_is_denied();
	calls_are_refused();
	code_is_denied();
	code_is_only_executable();
	threads_inherit();
	all_is_denied();
	return 0;
}
