/* flags: -pthread */
/* SPDX-License-Identifier: MIT */
/*
 * Unmaps, protects, maps over or moves every range of its memory that it does not know, like a
 * checkpoint restorer or a program that wants all memory for itself. The argument is the first letter
 * of the action; g: unmaps the gaps between the ranges that it knows; t: unmaps while another thread
 * computes. With a second argument, a seccomp filter that allows everything is installed first.
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

struct range {
	unsigned long start, end;
};

static struct range ranges[256];
static unsigned n_ranges;
static volatile int done;

static void find_unknown(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], protection[8];
	struct range r;

	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %7s", &r.start, &r.end, protection) == 3 &&
		    strstr(line, "/memfd:") && n_ranges < 256)
			ranges[n_ranges++] = r;
	fclose(maps);
}

static void find_gaps(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long last = 0x10000;
	char line[512];
	struct range r;

	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx", &r.start, &r.end) == 2 && !strstr(line, "/memfd:")) {
			if (r.start > last && r.end <= 0x7fffffffffff && n_ranges < 256)
				ranges[n_ranges++] = (struct range){ last, r.start };
			last = r.end;
		}
	fclose(maps);
}

static void change(const struct range *r, char how)
{
	void *at = (void *)r->start;
	size_t size = r->end - r->start;

	switch (how) {
	case 'p': mprotect(at, size, PROT_NONE); break;
	case 'o': mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED |
		       MAP_NORESERVE, -1, 0); break;
	case 'm': mremap(at, size, size, MREMAP_MAYMOVE | MREMAP_FIXED,
			 mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)); break;
	case 'd': madvise(at, size, MADV_DONTNEED); break;
	case 'l': mlock(at, 4096); break;
	default: munmap(at, size);
	}
}

static unsigned compute(unsigned n)
{
	unsigned sum = 1;

	for (unsigned i = 0; i < n; i++)
		sum = sum * 3 + (i ^ sum >> 5);
	return sum;
}

static void *computes(void *argument)
{
	unsigned *sum = argument;

	for (unsigned i = 0; i < 200; i++)
		*sum += compute(10000 + i);
	return NULL;
}

static void install_filter(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 1, &allow };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		puts("no filter");
}

int main(int argc, char **argv)
{
	char how = argc > 1 ? argv[1][0] : 'u';
	unsigned other = 0, sum = 0;
	pthread_t thread;

	if (argc > 2)
		install_filter();
	if (how == 't')
		pthread_create(&thread, NULL, computes, &other);
	for (int round = 0; round < 3; round++) {
		n_ranges = 0;
		if (how == 'g')
			find_gaps();
		else
			find_unknown();
		for (unsigned i = 0; i < n_ranges; i++)
			change(&ranges[i], how);
		sum += compute(20000);
	}
	if (how == 't')
		pthread_join(thread, NULL);
	printf("%u %u\n", sum, other);
	return 0;
}
