/* SPDX-License-Identifier: MIT */
/* Changes the state that prctl(2) and arch_prctl(2) hold: of the process's memory (PR_SET_MM), names, the signal of
 * its parent's death, orphans, capabilities, timers and the processor. */
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/auxvec.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "say.h"

static long done(long result)
{
	return result < 0 ? -errno : result;
}

static void show(const char *path)
{
	char text[256] = "";
	int fd = open(path, O_RDONLY);
	ssize_t size = read(fd, text, sizeof(text) - 1);

	for (ssize_t i = 0; i + 1 < size; i++)
		if (text[i] < ' ')
			text[i] = text[i] ? '/' : ' ';
	say(" %s: %s\n", path, text);
	close(fd);
}

static void in_child(const char *what, void (*run)(void))
{
	int status;
	pid_t pid;

	say("%s\n", what);
	pid = fork();
	if (!pid) {
		run();
		_exit(3);
	}
	waitpid(pid, &status, 0);
	say(" status %x\n", status);
}

static void memory(void)
{
	static char arguments[] = "new\0arguments", variables[] = "A=1\0B=2";
	char *here = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open("/bin/true", O_RDONLY), size = 0;
	unsigned long auxv[44] = { AT_PAGESZ, 4096, AT_NULL, 0 };
	uintptr_t end = (uintptr_t)sbrk(0);

	memcpy(here, arguments, sizeof(arguments));
	memcpy(here + 4096, variables, sizeof(variables));
	say(" size %ld %d\n", done(prctl(PR_SET_MM, 14 /* MAP_SIZE */, &size, 0, 0)), size);
	say(" arg %ld", done(prctl(PR_SET_MM, PR_SET_MM_ARG_START, here, 0, 0)));
	say(" %ld", done(prctl(PR_SET_MM, PR_SET_MM_ARG_END, here + sizeof(arguments), 0, 0)));
	say(" %ld\n", done(prctl(PR_SET_MM, PR_SET_MM_ARG_START, here, 0, 0)));
	say(" env %ld", done(prctl(PR_SET_MM, PR_SET_MM_ENV_START, here + 4096, 0, 0)));
	say(" %ld\n",
	    done(prctl(PR_SET_MM, PR_SET_MM_ENV_END, here + 4096 + sizeof(variables), 0, 0)));
	say(" auxv %ld\n",
	    done(prctl(PR_SET_MM, PR_SET_MM_AUXV, auxv, sizeof(unsigned long) * 4, 0)));
	say(" code %ld", done(prctl(PR_SET_MM, PR_SET_MM_START_CODE, memory, 0, 0)));
	say(" data %ld", done(prctl(PR_SET_MM, PR_SET_MM_START_DATA, arguments, 0, 0)));
	say(" stack %ld\n", done(prctl(PR_SET_MM, PR_SET_MM_START_STACK, here + 65000, 0, 0)));
	say(" exe, in use %ld\n", done(prctl(PR_SET_MM, PR_SET_MM_EXE_FILE, fd, 0, 0)));
	say(" brk %ld", done(prctl(PR_SET_MM, PR_SET_MM_BRK, end + 8192, 0, 0)));
	say(" %ld\n", (long)((uintptr_t)syscall(SYS_brk, 0) - end));
	say(" start %ld", done(prctl(PR_SET_MM, PR_SET_MM_START_BRK, end, 0, 0)));
	say(" below %ld\n", done(prctl(PR_SET_MM, PR_SET_MM_BRK, 4096, 0, 0)));
	show("/proc/self/cmdline");
	show("/proc/self/environ");
}

static void whole_map(void)
{
	struct prctl_mm_map map;
	char stat[4096] = "", *at;
	uintptr_t values[64] = { 0 };
	int fd = open("/proc/self/stat", O_RDONLY);
	char *arguments = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0);

	if (read(fd, stat, sizeof(stat) - 1) < 0)
		return;
	at = strrchr(stat, ')') + 2;
	for (unsigned i = 3; *at && i < 64; i++) {
		values[i] = strtoul(at, &at, 10);
		at += *at == ' ';
		if (i == 3)
			at = strchr(at, ' ') + 1;
	}
	strcpy(arguments, "by a map");
	memset(&map, 0, sizeof(map));
	map.start_code = values[26], map.end_code = values[27], map.start_stack = values[28];
	map.start_data = values[45], map.end_data = values[46], map.start_brk = values[47];
	map.brk = (uintptr_t)sbrk(0), map.arg_start = (uintptr_t)arguments;
	map.arg_end = (uintptr_t)arguments + 9, map.env_start = values[50],
	map.env_end = values[51];
	map.exe_fd = (uint32_t)-1;
	say(" map %ld\n", done(prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof(map), 0)));
	show("/proc/self/cmdline");
}

static void *named(void *arg)
{
	char name[17] = "";

	(void)arg;
	say(" set %ld\n", done(prctl(PR_SET_NAME, "a name that is too long", 0, 0, 0)));
	prctl(PR_GET_NAME, name, 0, 0, 0);
	say(" get %s\n", name);
	show("/proc/thread-self/comm");
	return NULL;
}

static void names(void)
{
	pthread_t thread;
	char *memory = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	show("/proc/self/comm");
	pthread_create(&thread, NULL, named, NULL);
	pthread_join(thread, NULL);
	show("/proc/self/comm");
	say(" lost %ld\n", done(prctl(PR_SET_NAME, 8, 0, 0, 0)));
	say(" vma %ld", done(prctl(0x53564d41, 0, memory, 4096, "mine")));
	say(" bad %ld\n", done(prctl(0x53564d41, 0, memory, 4096, "[]")));
	prctl(PR_SET_NAME, "changed", 0, 0, 0);
	execl("/bin/cat", "cat", "/proc/self/comm", NULL);
}

static void death(void)
{
	int signal = -1, pipe_ends[2];
	char c;

	say(" set %ld", done(prctl(PR_SET_PDEATHSIG, SIGUSR1, 0, 0, 0)));
	say(" get %ld", done(prctl(PR_GET_PDEATHSIG, &signal, 0, 0, 0)));
	say(" %d bad %ld\n", signal, done(prctl(PR_SET_PDEATHSIG, 100, 0, 0, 0)));
	if (pipe(pipe_ends))
		return;
	if (!fork()) {
		sigset_t usr1;
		pid_t grandchild;

		sigemptyset(&usr1);
		sigaddset(&usr1, SIGUSR1);
		sigprocmask(SIG_BLOCK, &usr1, NULL);
		grandchild = fork();
		if (!grandchild) {
			int got = 0;

			prctl(PR_GET_PDEATHSIG, &got, 0, 0, 0);
			say(" inherited %d\n", got);
			prctl(PR_SET_PDEATHSIG, SIGUSR1, 0, 0, 0);
			if (write(pipe_ends[1], "x", 1) != 1)
				_exit(1);
			sigwait(&usr1, &got);
			say(" died: %d\n", got == SIGUSR1);
			_exit(0);
		}
		if (read(pipe_ends[0], &c, 1) != 1)
			_exit(1);
		_exit(0);
	}
	close(pipe_ends[1]);
	wait(NULL);
	while (read(pipe_ends[0], &c, 1) > 0)
		;
}

static void subreaper(void)
{
	int is = -1, status = 0;
	pid_t pid, orphan;
	int ends[2];

	say(" set %ld", done(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)));
	prctl(PR_GET_CHILD_SUBREAPER, &is, 0, 0, 0);
	say(" get %d\n", is);
	if (pipe(ends))
		return;
	pid = fork();
	if (!pid) {
		orphan = fork();
		if (orphan)
			_exit(write(ends[1], &orphan, sizeof(orphan)) < 0);
		usleep(20000);
		_exit(9);
	}
	waitpid(pid, &status, 0);
	say(" child %x", status);
	if (read(ends[0], &orphan, sizeof(orphan)) < 0)
		return;
	say(" orphan %d", waitpid(orphan, &status, 0) == orphan);
	say(" %x, none left %ld\n", status, done(waitpid(-1, &status, 0)));
}

static void settings(void)
{
	static const struct {
		const char *name;
		int set, get;
		unsigned long value;
	} all[] = {
		{ "dumpable", PR_SET_DUMPABLE, PR_GET_DUMPABLE, 1 },
		{ "dumpable 2", PR_SET_DUMPABLE, PR_GET_DUMPABLE, 2 },
		{ "keepcaps", PR_SET_KEEPCAPS, PR_GET_KEEPCAPS, 1 },
		{ "timing", PR_SET_TIMING, PR_GET_TIMING, 0 },
		{ "timing 1", PR_SET_TIMING, PR_GET_TIMING, 1 },
		{ "slack", PR_SET_TIMERSLACK, PR_GET_TIMERSLACK, 12345 },
		{ "thp", PR_SET_THP_DISABLE, PR_GET_THP_DISABLE, 1 },
		{ "no_new_privs", PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS, 1 },
		{ "flusher", 57, 58, 1 },
		{ "merge", 67, 68, 1 },
		{ "fpemu", PR_SET_FPEMU, PR_GET_FPEMU, 1 },
		{ "endian", PR_SET_ENDIAN, PR_GET_ENDIAN, 0 },
		{ "unalign", PR_SET_UNALIGN, PR_GET_UNALIGN, 1 },
		{ "tagged", 55, 56, 1 },
		{ "mte", 59, 60, 0 },
		{ "mce", PR_MCE_KILL, PR_MCE_KILL_GET, 0 },
		{ "secure", PR_SET_SECUREBITS, PR_GET_SECUREBITS, 0 },
		{ "none", 9999, 9998, 0 },
	};
	for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++) {
		long set = done(prctl(all[i].set, all[i].value, 0, 0, 0));

		say(" %s %ld %ld\n", all[i].name, set, done(prctl(all[i].get, 0, 0, 0, 0)));
	}
	say(" speculation %ld\n", done(prctl(PR_GET_SPECULATION_CTRL, 0, 0, 0, 0)));
	say(" ambient %ld bounding %ld\n",
	    done(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)),
	    done(prctl(PR_CAPBSET_READ, 5, 0, 0, 0)));
	say(" tracer %ld\n", done(prctl(PR_SET_PTRACER, getppid(), 0, 0, 0)));
	say(" tsc %ld\n", done(prctl(PR_SET_TSC, 1, 0, 0, 0)));
}

static void addresses(void)
{
	unsigned long value = 0;
	int *clear_address = NULL;
	unsigned long auxv[64] = { 0 };
	long size;

	say(" fs %ld", done(syscall(SYS_arch_prctl, ARCH_GET_FS, &value)));
	say(" is %d", value == (unsigned long)pthread_self());
	say(" gs %ld", done(syscall(SYS_arch_prctl, ARCH_GET_GS, &value)));
	say(" set %ld", done(syscall(SYS_arch_prctl, ARCH_SET_GS, &value)));
	say(" get %ld", done(syscall(SYS_arch_prctl, ARCH_GET_GS, &value)));
	say(" %d\n", value == (unsigned long)&value);
	say(" bad fs %ld", done(syscall(SYS_arch_prctl, ARCH_SET_FS, 1ul << 63)));
	say(" kernel's %ld\n", done(syscall(SYS_arch_prctl, ARCH_SET_GS, ~0ul)));
	say(" cpuid %ld", done(syscall(SYS_arch_prctl, ARCH_GET_CPUID, 0)));
	say(" off %ld", done(syscall(SYS_arch_prctl, ARCH_SET_CPUID, 0)));
	say(" on %ld\n", done(syscall(SYS_arch_prctl, ARCH_SET_CPUID, 1)));
	say(" components %ld", done(syscall(SYS_arch_prctl, 0x1021, &value)));
	say(" %lx", value);
	say(" permission %ld", done(syscall(SYS_arch_prctl, 0x1022, &value)));
	say(" %lx request %ld\n", value, done(syscall(SYS_arch_prctl, 0x1023, 18)));
	say(" tags %ld %ld\n", done(syscall(SYS_arch_prctl, 0x4001, &value)),
	    done(syscall(SYS_arch_prctl, 0x4002, 6)));
	say(" tid address %ld", done(prctl(PR_GET_TID_ADDRESS, &clear_address, 0, 0, 0)));
	say(" %d\n", clear_address && *clear_address == (int)syscall(SYS_gettid));
	size = prctl(0x41555856 /* GET_AUXV */, auxv, sizeof(auxv), 0, 0);
	say(" auxv %ld", size);
	for (unsigned i = 0; i < 64 && size > 0; i += 2)
		if (auxv[i] == AT_PAGESZ || auxv[i] == AT_CLKTCK || auxv[i] == AT_SECURE ||
		    auxv[i] == AT_PHNUM)
			say(" %lu=%lu", auxv[i], auxv[i + 1]);
	say("\n");
}

int main(void)
{
	in_child("memory", memory);
	in_child("map", whole_map);
	in_child("names", names);
	in_child("death", death);
	in_child("subreaper", subreaper);
	in_child("settings", settings);
	in_child("addresses", addresses);
	return 0;
}
