/* SPDX-License-Identifier: MIT */
/* Unmaps its vdso, as Valgrind does, while its handler of a blocked SIGSEGV is there to be kept. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROUNDS = 3000000 };

static volatile int count;

static void handle(int signal)
{
	(void)signal;
	_exit(1);
}

static void unmap_vdso(void)
{
	uintptr_t vdso = getauxval(AT_SYSINFO_EHDR), start, end;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[256];

	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && start == vdso) {
			munmap((void *)start, end - start);
			break;
		}
	fclose(maps);
}

int main(void)
{
	struct sigaction action = { .sa_handler = handle }, now;
	sigset_t all;

	unmap_vdso();
	sigaction(SIGSEGV, &action, NULL);
	sigfillset(&all);
	for (int i = 0; i < 3; i++) {
		sigprocmask(SIG_BLOCK, &all, NULL);
		for (int k = 0; k < ROUNDS; k++)
			count += k;
		sigaction(SIGSEGV, NULL, &now);
		if (now.sa_handler != handle)
			puts("the handler is lost");
	}
	puts("done");
	return 0;
}
