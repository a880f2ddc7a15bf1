/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * For --from=target: registers an rseq area after target, as a thread does that glibc has begun to
 * create before it; with an argument, takes it back. Run it with
 * GLIBC_TUNABLES=glibc.pthread.rseq=0, so that glibc has none here.
 */
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
	uint32_t cpu_id_start, cpu_id;
	uint64_t rseq_cs;
	uint32_t flags, padding[3];
} __attribute__((aligned(32))) area;

__attribute__((noipa)) void target(void)
{
}

int main(int argc, char **argv)
{
	const uint32_t signature = 0x53053053;

	target();
	printf("rseq %ld\n", syscall(SYS_rseq, &area, sizeof(area), 0, signature));
	if (argc > 1)
		printf("unregister %ld\n", syscall(SYS_rseq, &area, sizeof(area), 1, signature));
	return 0;
}
