/* flags: -static */
/* SPDX-License-Identifier: MIT */
/* Moves the kernel's code in its memory (vDSO) with its data, calls that code there, and asks for new code
 * (ARCH_MAP_VDSO_64), as restorers of checkpoints do. Signals go on working. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

static volatile int handled;

static void handler(int signal)
{
	handled += signal == SIGUSR1;
}

/* Returns the offset of a function in the vDSO, or 0. */
static uint64_t find(const char *image, const char *name)
{
	const Elf64_Ehdr *elf = (const void *)image;
	const Elf64_Shdr *s = (const void *)(image + elf->e_shoff);

	for (unsigned i = 0; i < elf->e_shnum; i++) {
		const Elf64_Sym *symbols = (const void *)(image + s[i].sh_offset);
		const char *names = image + s[s[i].sh_link].sh_offset;

		if (s[i].sh_type != SHT_DYNSYM)
			continue;
		for (unsigned k = 0; k < s[i].sh_size / sizeof(*symbols); k++)
			if (!strcmp(names + symbols[k].st_name, name))
				return symbols[k].st_value;
	}
	return 0;
}

static struct range {
	uintptr_t start, end;
} data_ranges[8];

/* Finds the vDSO and the ranges of data before it. */
static void ranges(uintptr_t *data, uintptr_t *code, uintptr_t *end)
{
	static char maps[65536];
	int fd = open("/proc/self/maps", O_RDONLY);
	ssize_t size = 0, n;
	char *line = maps, *next, *rest;
	unsigned n_ranges = 0;

	*data = *code = *end = 0;
	memset(maps, 0, sizeof(maps));
	while ((n = read(fd, maps + size, sizeof(maps) - 1 - (size_t)size)) > 0)
		size += n;
	close(fd);
	for (; (next = strchr(line, '\n')); line = next + 1) {
		uintptr_t from = strtoul(line, &rest, 16), to = strtoul(rest + 1, &rest, 16);

		*next = 0;
		if (strstr(rest, "[vvar") && n_ranges < 7) {
			*data = n_ranges ? *data : from;
			data_ranges[n_ranges++] = (struct range){ from, to };
		}
		if (strstr(rest, "[vdso]")) {
			*code = from;
			*end = to;
		}
	}
}

static void use(const char *what, uintptr_t at, uint64_t get, uint64_t clock)
{
	unsigned cpu = 9999;
	struct timespec now = { 0 };
	long status = 0;

	for (int i = 0; i < 50; i++) {
		status |= ((long (*)(unsigned *, unsigned *, void *))(at + get))(&cpu, NULL, NULL);
		status |= ((long (*)(clockid_t, struct timespec *))(at + clock))(CLOCK_MONOTONIC, &now);
	}
	raise(SIGUSR1);
	printf("%s: %ld cpu %d time %d handled %d\n", what, status, cpu < 9999, now.tv_sec > 0, handled);
}

int main(void)
{
	uintptr_t data, code, end, place;
	uint64_t get, clock;
	struct sigaction action = { .sa_handler = handler };
	long status;

	ranges(&data, &code, &end);
	if (!data || !code || code < data)
		return 0;
	get = find((const char *)code, "__vdso_getcpu");
	clock = find((const char *)code, "__vdso_clock_gettime");
	if (!get || !clock)
		return 0;
	sigaction(SIGUSR1, &action, NULL);
	use("before", code, get, clock);
	place = (uintptr_t)mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap((void *)place, 1 << 20);
	for (const struct range *r = data_ranges; r->end; r++)
		if (mremap((void *)r->start, r->end - r->start, r->end - r->start,
			   MREMAP_MAYMOVE | MREMAP_FIXED, place + (r->start - data)) == MAP_FAILED)
			printf("not moved: %d\n", errno);
	printf("moved %d\n", mremap((void *)code, end - code, end - code, MREMAP_MAYMOVE | MREMAP_FIXED,
				 place + (code - data)) != MAP_FAILED);
	use("moved", place + (code - data), get, clock);
	munmap((void *)place, end - data);
	status = syscall(SYS_arch_prctl, 0x2003, place + (1 << 20));
	printf("new %d\n", status < 0 ? -errno : status > 0);
	ranges(&data, &code, &end);
	printf("there %d\n", code != 0);
	if (code)
		use("new", code, get, clock);
	return 0;
}
