/* SPDX-License-Identifier: MIT */
/*
 * Code that is written while the program runs, as argv[1] has it, and must do what was written last.
 * Prints what its functions returned, summed up; the output depends on nothing else.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, IMMEDIATE = 1, READERS = 3 };

typedef unsigned (*function)(unsigned);

/* mov $value, %eax; ret */
static const uint8_t constant[] = { 0xb8, 0, 0, 0, 0, 0xc3 };

/* A constant that it is called with, and writes into its own next instruction:
 * mov %edi, 1(%rip); mov $0, %eax; ret */
static const uint8_t own_next[] = { 0x89, 0x3d, 1, 0, 0, 0, 0xb8, 0, 0, 0, 0, 0xc3 };

/* xor %eax, %eax; again: add $value, %eax; test $1, %dil; jz even; add $1, %eax;
 * even: dec %edi; jnz again; ret */
static const uint8_t loop[] = { 0x31, 0xc0, 0x05, 0, 0, 0, 0, 0x40, 0xf6, 0xc7, 1, 0x74, 3,
				0x83, 0xc0, 1, 0xff, 0xcf, 0x75, 0xee, 0xc3 };
enum { LOOP_IMMEDIATE = 3 };

static void *map(void *at, int protection, int flags, int fd)
{
	void *pages = mmap(at, PAGE, protection, flags, fd, 0);

	if (pages == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return pages;
}

static uint8_t *map_anonymous(int protection)
{
	return map(NULL, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static function as_function(uint8_t *code)
{
	return (function)(uintptr_t)code;
}

static void write_constant(uint8_t *to, unsigned value)
{
	memcpy(to, constant, sizeof(constant));
	memcpy(to + IMMEDIATE, &value, sizeof(value));
}

static unsigned writable(void)
{
	uint8_t *code = map_anonymous(PROT_READ | PROT_WRITE | PROT_EXEC);
	unsigned sum = 0;

	for (unsigned i = 0; i < 40; i++) {
		write_constant(code, i % 4 < 2 ? i : i % 2);	/* some come again */
		sum = sum * 3 + as_function(code)(0);
	}
	return sum;
}

static unsigned own(void)
{
	uint8_t *code = map_anonymous(PROT_READ | PROT_WRITE | PROT_EXEC);
	unsigned sum = 0;

	memcpy(code, own_next, sizeof(own_next));
	for (unsigned i = 0; i < 10; i++)
		sum = sum * 3 + as_function(code)(i);
	return sum;
}

/* Maps code twice: one mapping is written, the other executed. */
static unsigned twice(void)
{
	int fd = memfd_create("code", 0);
	unsigned sum = 0;
	uint8_t *code, *to;

	if (fd < 0 || ftruncate(fd, PAGE) < 0)
		exit(1);
	to = map(NULL, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	code = map(NULL, PROT_READ | PROT_EXEC, MAP_SHARED, fd);
	for (unsigned i = 0; i < 20; i++) {
		write_constant(to, i);
		sum = sum * 3 + as_function(code)(0);
	}
	return sum;
}

static sigjmp_buf back;

static void on_fault(int signal)
{
	siglongjmp(back, signal);
}

/* Protects code except during writes; execution without permission faults. */
static unsigned protected(void)
{
	uint8_t *code = map_anonymous(PROT_READ | PROT_WRITE);
	unsigned sum = 0;

	signal(SIGSEGV, on_fault);
	for (unsigned i = 0; i < 20; i++) {
		mprotect(code, PAGE, PROT_READ | PROT_WRITE);
		if (sigsetjmp(back, 1) == 0)
			sum += as_function(code)(0);
		else
			sum += 100;
		if (i % 3)
			write_constant(code, i);
		mprotect(code, PAGE, PROT_READ | PROT_EXEC);
		sum = sum * 3 + (i ? as_function(code)(0) : 0);
	}
	return sum;
}

/* Maps other pages in the same place. */
static unsigned mapped_over(void)
{
	uint8_t *code = map_anonymous(PROT_READ | PROT_WRITE | PROT_EXEC);
	unsigned sum = 0;

	for (unsigned i = 0; i < 10; i++) {
		write_constant(code, i);
		sum = sum * 3 + as_function(code)(0);
		if (i % 2)
			munmap(code, PAGE);
		map(code, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1);
	}
	return sum;
}

/* Lets the kernel write the code. */
static unsigned by_read(void)
{
	uint8_t *code = map_anonymous(PROT_READ | PROT_WRITE | PROT_EXEC), text[sizeof(constant)];
	unsigned sum = 0;
	int ends[2];

	if (pipe(ends) < 0)
		exit(1);
	for (unsigned i = 0; i < 10; i++) {
		write_constant(text, i);
		if (write(ends[1], text, sizeof(text)) != sizeof(text) ||
		    read(ends[0], code, sizeof(text)) != sizeof(text))
			exit(1);
		sum = sum * 3 + as_function(code)(0);
	}
	return sum;
}

/* Writes other code in a child, in the same place. */
static unsigned forked(void)
{
	uint8_t *code = map_anonymous(PROT_READ | PROT_WRITE | PROT_EXEC);
	unsigned sum = 0;
	sigset_t child;
	int status;

	sigemptyset(&child);	/* its signal would come at a place that chance decides */
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	write_constant(code, 5);
	for (unsigned i = 0; i < 4; i++) {
		sum += as_function(code)(0);
		if (fork() == 0) {
			unsigned before = as_function(code)(0);

			write_constant(code, 10 * i);
			_exit((int)(before + as_function(code)(0)));
		}
		wait(&status);
		sum = sum * 3 + (unsigned)WEXITSTATUS(status);
	}
	return sum;
}

/* Runs often enough for superblocks to be extended. */
static unsigned often(void)
{
	uint8_t *code = map_anonymous(PROT_READ | PROT_WRITE | PROT_EXEC);
	unsigned sum = 0;

	memcpy(code, loop, sizeof(loop));
	for (unsigned i = 0; i < 12; i++) {
		unsigned value = i % 5;

		memcpy(code + LOOP_IMMEDIATE, &value, sizeof(value));
		sum = sum * 3 + as_function(code)(300000);
	}
	return sum;
}

/* Code that threads run, of which no thread sees an older version after a newer one. */
static uint8_t *shared_code;
static const unsigned last = 3000;

static void *follow(void *unused)
{
	unsigned before = 0, is;

	do {
		is = as_function(shared_code)(0);
		if (is < before || is > last) {
			printf("%u behind %u\n", is, before);
			exit(1);
		}
		before = is;
	} while (is != last);
	return unused;
}

static unsigned threads(void)
{
	pthread_t readers[READERS];
	uint8_t *pages = map_anonymous(PROT_READ | PROT_WRITE | PROT_EXEC);

	shared_code = pages + 7;	/* the immediate is aligned: one store writes it */
	write_constant(shared_code, 0);
	for (unsigned i = 0; i < READERS; i++)
		pthread_create(&readers[i], NULL, follow, NULL);
	for (unsigned i = 1; i <= last; i++)
		__atomic_store_n((uint32_t *)(shared_code + IMMEDIATE), i, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < READERS; i++)
		pthread_join(readers[i], NULL);
	return as_function(shared_code)(0);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		unsigned (*run)(void);
	} ways[] = {
		{ "writable", writable }, { "own", own }, { "twice", twice },
		{ "protected", protected }, { "mapped-over", mapped_over }, { "read", by_read },
		{ "forked", forked }, { "often", often }, { "threads", threads },
	};

	for (unsigned i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (argc > 1 && strcmp(argv[1], ways[i].name) == 0)
			printf("%s: %u\n", argv[1], ways[i].run());
	return 0;
}
