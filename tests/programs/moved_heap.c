/* SPDX-License-Identifier: MIT */
/*
 * Moves its heap to another place by PR_SET_MM_MAP, as a checkpoint restorer does, lets the heap grow
 * there, and prints where it grows. Prints nothing if the kernel refuses.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, ROOM = 64 * PAGE };

/* Reads the numbers of /proc/self/stat; numbers[i] is field i + 4 of proc(5). */
static void read_stat(uint64_t numbers[48])
{
	char text[2048] = "", *at;
	int fd = open("/proc/self/stat", O_RDONLY);

	if (read(fd, text, sizeof(text) - 1) < 0)
		exit(1);
	close(fd);
	at = strrchr(text, ')') + 4;
	for (unsigned i = 0; i < 48; i++)
		numbers[i] = strtoull(at, &at, 10);
}

int main(void)
{
	uint64_t stat[48];
	char *heap = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = heap + PAGE;
	struct prctl_mm_map map;

	/* The heap's first page stays, and the heap grows into the rest. */
	munmap(end, ROOM - PAGE);
	read_stat(stat);
	map = (struct prctl_mm_map){
		.start_code = stat[26 - 4], .end_code = stat[27 - 4],
		.start_stack = stat[28 - 4], .start_data = stat[45 - 4],
		.end_data = stat[46 - 4], .start_brk = (uintptr_t)heap,
		.brk = (uintptr_t)end, .arg_start = stat[48 - 4],
		.arg_end = stat[49 - 4], .env_start = stat[50 - 4],
		.env_end = stat[51 - 4], .exe_fd = (uint32_t)-1,
	};
	if (prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof(map), 0))
		return 0;
	if (syscall(SYS_brk, end + 2 * PAGE) != (long)(uintptr_t)(end + 2 * PAGE))
		return 1;
	end[0] = end[2 * PAGE - 1] = 1;
	printf("%#lx\n", (unsigned long)(uintptr_t)end);
	return 0;
}
