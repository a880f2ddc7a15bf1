/* SPDX-License-Identifier: MIT */
/*
 * holes [wait]: maps a file in memory that consists of holes, and shared memory without a file; then executes code
 * in another page of each. Prints how many blocks the file has, and which pages are in memory. With wait,
 * prints its process id, and waits for a line of input once all is mapped.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 4, CODE = 2 };

static char *map(int flags, int fd)
{
	return mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED | flags, fd, 0);
}

static void execute(char *at)
{
	static const unsigned char back = 0xc3;

	at[CODE * PAGE] = (char)back;
	((void (*)(void))(unsigned long)(at + CODE * PAGE))();
}

/* Prints 1 for each page in memory. */
static void print_pages(const char *name, char *at)
{
	unsigned char present[PAGES];

	if (mincore(at, PAGES * PAGE, present))
		return;
	printf("%s ", name);
	for (int i = 0; i < PAGES; i++)
		putchar('0' + (present[i] & 1));
	putchar('\n');
}

int main(int argc, char **argv)
{
	int fd = memfd_create("holes", MFD_CLOEXEC);
	char *file, *memory;
	struct stat st;

	if (fd < 0 || ftruncate(fd, PAGES * PAGE))
		return 1;
	file = map(0, fd);
	memory = map(MAP_ANONYMOUS, -1);
	if (file == MAP_FAILED || memory == MAP_FAILED)
		return 2;
	if (argc > 1 && !strcmp(argv[1], "wait")) {
		printf("%d\n", getpid());
		fflush(stdout);
		getchar();
	}
	execute(file);
	execute(memory);
	if (fstat(fd, &st))
		return 3;
	printf("%ld blocks\n", (long)st.st_blocks);
	print_pages("file", file);
	print_pages("memory", memory);
	return 0;
}
