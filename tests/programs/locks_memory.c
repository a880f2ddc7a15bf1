/* SPDX-License-Identifier: MIT */
/*
 * Locks all of its memory, under a limit that only the program itself fits into, and says how much
 * is locked.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LIMIT = 8 << 20, ROOM = 1 << 20, NOBODY = 65534 };

/* Returns true if some memory is locked. */
static int is_locked(void)
{
	char line[256];
	long kilobytes = 0;
	FILE *status = fopen("/proc/self/status", "r");

	while (status && fgets(line, sizeof(line), status))
		sscanf(line, "VmLck: %ld", &kilobytes);
	if (status)
		fclose(status);
	return kilobytes > 0;
}

static void lock(int flags)
{
	int result = mlockall(flags);
	int error = result ? errno : 0;

	printf("mlockall %x: %d, errno %d, locked %d\n", flags, result, error, is_locked());
}

int main(void)
{
	const struct rlimit limit = { LIMIT, LIMIT };
	char *room;

	setrlimit(RLIMIT_MEMLOCK, &limit);
	if (geteuid() == 0 && setuid(NOBODY)) /* root may lock any amount */
		return 1;
	lock(MCL_CURRENT);
	munlockall();
	lock(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT);
	munlockall();
	lock(MCL_CURRENT | MCL_FUTURE);
	room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	printf("mmap: %d\n", room != MAP_FAILED);
	munlockall();
	printf("locked %d\n", is_locked());
	mmap(NULL, LIMIT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	lock(MCL_CURRENT);
	lock(MCL_CURRENT << 8);
	return 0;
}
