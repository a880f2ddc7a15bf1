/* SPDX-License-Identifier: MIT */
/*
 * Changes mappings of code by system calls that fail halfway, or that only some kernels make, and
 * executes that code.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 4, ALL = PROT_READ | PROT_WRITE | PROT_EXEC };

static sigjmp_buf back;

static void on_fault(int signal)
{
	siglongjmp(back, signal);
}

/* Returns what the function at the beginning of a page returns, or minus the signal. */
static int execute(const char *page)
{
	int (*function)(void);
	int signal = sigsetjmp(back, 1);

	memcpy(&function, &page, sizeof(function));
	return signal ? -signal : function();
}

/* Maps pages, each with a function that returns the page's number. */
static char *new_pages(void)
{
	char *pages = mmap(NULL, PAGES * PAGE, ALL, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < PAGES; i++)
		memcpy(pages + i * PAGE, (char[]){ '\xb8', (char)i, 0, 0, 0, '\xc3' }, 6);
	return pages;
}

static void show(const char *name, const char *pages, int failed)
{
	printf("%s: %d", name, failed);
	for (int i = 0; i < PAGES; i++)
		printf(" %d", execute(pages + i * PAGE));
	printf("\n");
}

int main(void)
{
	char *pages, *other;
	int pipes[2];

	signal(SIGSEGV, on_fault);
	signal(SIGBUS, on_fault);

	pages = new_pages();
	show("before", pages, 0);
	munmap(pages + 2 * PAGE, PAGE);
	errno = 0;
	mprotect(pages, PAGES * PAGE, PROT_READ);
	show("mprotect over a hole", pages, errno);
	mprotect(pages, 2 * PAGE, PROT_READ | PROT_EXEC);
	show("protected again", pages, 0);

	pages = new_pages();
	show("before", pages, 0);
	errno = pipe(pipes);
	mmap(pages + PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, pipes[0], 0);
	show("mmap of a pipe", pages, errno);

	pages = new_pages();
	other = new_pages();
	show("before", other, 0);
	munmap(pages + 2 * PAGE, PAGE);
	errno = 0;
	mremap(pages, PAGES * PAGE, PAGES * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, other);
	show("mremap of a hole", other, errno);

	pages = new_pages();
	other = new_pages();
	show("before", other, 0);
	mprotect(pages + PAGE, PAGE, PROT_READ);
	errno = 0;
	mremap(pages, PAGES * PAGE, PAGES * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, other);
	show("mremap of several", other, errno);
	return 0;
}
