/* flags: -static */
/* SPDX-License-Identifier: MIT */
/* Sets each flag of personality(2) and executes itself with it: the flag is kept, and has its effect on mappings,
 * uname, page zero and timeouts. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include "say.h"

struct place {
	const char *name;
	const void *address;
};

/* Prints the protections at the places, in the order of their addresses. */
static void print_protections(const struct place *places, unsigned n)
{
	static char maps[65536];
	int fd = open("/proc/self/maps", O_RDONLY);
	ssize_t size = 0, got;
	char *line = maps, *next, *end;

	while ((got = read(fd, maps + size, sizeof(maps) - 1 - (size_t)size)) > 0)
		size += got;
	close(fd);
	maps[size] = 0;
	for (; (next = strchr(line, '\n')); line = next + 1) {
		uintptr_t from = strtoul(line, &end, 16), to = strtoul(end + 1, &end, 16);

		for (unsigned i = 0; i < n; i++)
			if ((uintptr_t)places[i].address >= from &&
			    (uintptr_t)places[i].address < to)
				say("  %s %.4s\n", places[i].name, end + 1);
	}
}

static int executable(const void *address)
{
	const unsigned char *code = address;

	return ((int (*)(void))(uintptr_t)code)();
}

static const unsigned char returns_7[] = { 0xb8, 7, 0, 0, 0, 0xc3 };
static unsigned char data[4096] __attribute__((aligned(4096)));

static void look(void)
{
	struct timeval wait = { 0, 20000 };
	struct utsname name;
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				   -1, 0);
	unsigned char *changed = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char resident;
	int local;

	memcpy(page, returns_7, sizeof(returns_7));
	mprotect(changed, 4096, PROT_READ | PROT_WRITE);
	memcpy(changed, returns_7, sizeof(returns_7));
	memcpy(data, returns_7, sizeof(returns_7));
	struct place places[] = { { "mapped", page },  { "protected", changed }, { "data", data },
				  { "stack", &local }, { "heap", sbrk(0) - 1 },  { "zero", NULL } };

	print_protections(places, 6);
	if (personality(0xffffffff) & READ_IMPLIES_EXEC)
		say("  runs %d %d\n", executable(page), executable(changed));
	say("  below the stack %d, upwards %d\n", (uintptr_t)page < (uintptr_t)&local,
	    (uintptr_t)page < (uintptr_t)changed);
	uname(&name);
	say("  release 2.6 %d\n", !strncmp(name.release, "2.6.", 4));
	select(0, NULL, NULL, NULL, &wait);
	say("  time left %d\n", wait.tv_usec != 0);
	if (personality(0xffffffff) & MMAP_PAGE_ZERO && !mincore(NULL, 4096, &resident))
		say("  zero %d\n", *(volatile int *)NULL);
	munmap(page, 4096);
	munmap(changed, 8192);
}

int main(int argc, char **argv __attribute__((unused)))
{
	static const struct {
		const char *name;
		int flag;
	} flags[] = {
		{ "ADDR_NO_RANDOMIZE", ADDR_NO_RANDOMIZE },
		{ "READ_IMPLIES_EXEC", READ_IMPLIES_EXEC },
		{ "ADDR_COMPAT_LAYOUT", ADDR_COMPAT_LAYOUT },
		{ "MMAP_PAGE_ZERO", MMAP_PAGE_ZERO },
		{ "STICKY_TIMEOUTS", STICKY_TIMEOUTS },
		{ "UNAME26", UNAME26 },
		{ "ADDR_LIMIT_3GB", ADDR_LIMIT_3GB },
		{ "ADDR_LIMIT_32BIT", ADDR_LIMIT_32BIT },
		{ "PER_BSD", PER_BSD },
		{ "PER_SVR4", PER_SVR4 },
		{ "all", 0x07f00000 & ~MMAP_PAGE_ZERO },
	};
	if (argc > 1) {
		say(" executed: %x\n", personality(0xffffffff) & ~ADDR_NO_RANDOMIZE);
		look();
		return 0;
	}
	for (unsigned i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		int status;
		pid_t pid = fork();

		if (!pid) {
			int before = personality(0xffffffff);
			int was = personality((unsigned)(before | flags[i].flag));

			say("%s\n was %d, is %x\n", flags[i].name, was == before,
			    personality(0xffffffff) & ~ADDR_NO_RANDOMIZE);
			look();
			execl("/proc/self/exe", "personalities", "again", NULL);
			_exit(errno);
		}
		waitpid(pid, &status, 0);
		say(" status %x\n", status);
	}
	return 0;
}
