/* SPDX-License-Identifier: MIT */
/* tracer KIND: a program that traces another, and prints what it sees of it. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long word = 0x1122334455667788;

static int wait_for(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, __WALL);
	return status;
}

static int spin(volatile int *turns)
{
	for (;;)
		++*turns;
	return 0;
}

/* Prints whether the child's memory has its own code, and how many foreign mappings are there. */
static void look(pid_t pid)
{
	char path[64], line[512], code[64];
	struct iovec local = { code, sizeof(code) }, remote = { (void *)spin, sizeof(code) };
	int foreign = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "r");
	while (maps && fgets(line, sizeof(line), maps))
		foreign += strstr(line, "memfd:") != NULL;
	if (maps)
		fclose(maps);
	printf("foreign %d", foreign);
	printf(" word %lx", ptrace(PTRACE_PEEKDATA, pid, &word, NULL));
	printf(" code %d\n", process_vm_readv(pid, &local, 1, &remote, 1, 0) == sizeof(code) &&
			     !memcmp(code, (void *)spin, sizeof(code)));
}

static void step(pid_t pid, int steps)
{
	struct user_regs_struct regs;
	int trapped = 0, moved = 0;
	unsigned long long last = 0;

	for (int i = 0; i < steps; i++) {
		ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
		trapped += wait_for(pid) == (SIGTRAP << 8 | 0x7f);
		ptrace(PTRACE_GETREGS, pid, NULL, &regs);
		moved += regs.rip != last;
		last = regs.rip;
	}
	printf("steps %d moved %d\n", trapped, moved == steps);
}

static void end(pid_t pid)
{
	int status;

	ptrace(PTRACE_CONT, pid, NULL, NULL);
	status = wait_for(pid);
	printf("end %x\n", status);
}

static void me(void)
{
	pid_t pid = fork();

	if (!pid) {
		printf("traceme %ld\n", ptrace(PTRACE_TRACEME, 0, NULL, NULL));
		fflush(stdout);
		raise(SIGSTOP);
		_exit(7);
	}
	printf("stop %x\n", wait_for(pid));
	look(pid);
	step(pid, 20);
	end(pid);
}

static void executed(int vforks)
{
	pid_t pid = vforks ? vfork() : fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl("/proc/self/exe", "tracer", "child", NULL);
		_exit(1);
	}
	printf("exec %x\n", wait_for(pid));
	step(pid, 200);
	end(pid);
}

static void exec_(void)
{
	executed(0);
}

static void vfork_(void)
{
	executed(1);
	for (int i = 0; i < 3; i++)
		printf("goes on %d\n", i);
}

static void child(void)
{
	puts("child");
	exit(9);
}

static void *spin_thread(void *arg)
{
	spin(arg);
	return NULL;
}

/* Traces a child that runs, with threads, or waits in the kernel, and lets the child go again. */
static void attach(int seizes, int threads, int waits)
{
	int pipes[2];
	pid_t pid;
	char byte;

	if (pipe(pipes))
		return;
	pid = fork();
	if (!pid) {
		volatile int turns = 0;
		pthread_t thread;

		for (int i = 0; i < threads; i++)
			pthread_create(&thread, NULL, spin_thread, (void *)&turns);
		if (write(pipes[1], "", 1) != 1)
			_exit(1);
		if (waits)
			for (;;)
				pause();
		spin(&turns);
	}
	if (read(pipes[0], &byte, 1) != 1)
		return;
	usleep(1000);
	printf("attach %ld\n", ptrace(seizes ? PTRACE_SEIZE : PTRACE_ATTACH, pid, NULL, NULL));
	if (seizes)
		printf("interrupt %ld\n", ptrace(PTRACE_INTERRUPT, pid, NULL, NULL));
	printf("stop %x\n", wait_for(pid));
	look(pid);
	printf("detach %ld\n", ptrace(PTRACE_DETACH, pid, NULL, NULL));
	kill(pid, SIGKILL);
	printf("end %x\n", wait_for(pid));
}

static void attach_(void)
{
	attach(0, 0, 0);
	attach(0, 0, 1);
}

static void seize(void)
{
	attach(1, 0, 0);
	attach(1, 0, 1);
}

static void threads(void)
{
	attach(0, 2, 0);
	attach(1, 2, 1);
}

/* Traces a child that has stopped itself, like strace's. */
static void stopped(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		raise(SIGSTOP);
		_exit(8);
	}
	waitpid(pid, &status, WUNTRACED);
	printf("stopped %x\n", status);
	printf("seize %ld\n", ptrace(PTRACE_SEIZE, pid, NULL, NULL));
	printf("interrupt %ld\n", ptrace(PTRACE_INTERRUPT, pid, NULL, NULL));
	status = wait_for(pid);
	printf("stop %d\n", WIFSTOPPED(status));
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	kill(pid, SIGCONT);
	printf("end %x\n", wait_for(pid));
}

/* Lets a child trace its parent. */
static void parent(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		pid_t parent = getppid();

		printf("attach %ld\n", ptrace(PTRACE_ATTACH, parent, NULL, NULL));
		status = wait_for(parent);
		printf("stop %x\n", status);
		look(parent);
		fflush(stdout);
		ptrace(PTRACE_DETACH, parent, NULL, NULL);
		_exit(3);
	}
	status = wait_for(pid);
	printf("end %x\n", status);
}

/* Lets children trace their elder siblings, which have just begun. */
static void siblings(void)
{
	int seized = 0;

	for (int i = 0; i < 40; i++) {
		pid_t elder = fork(), younger = elder ? fork() : 0;

		if (!elder)
			for (;;)
				pause();
		if (!younger)
			_exit(ptrace(PTRACE_SEIZE, elder, NULL, NULL) != 0);
		seized += wait_for(younger) == 0;
		kill(elder, SIGKILL);
		wait_for(elder);
	}
	printf("seized %d\n", seized);
}

/* Tries to trace without a target, and without the right to. */
static void none(void)
{
	printf("attach %ld", ptrace(PTRACE_ATTACH, 1 << 30, NULL, NULL));
	printf(" %s\n", strerror(errno));
	printf("self %ld\n", ptrace(PTRACE_ATTACH, getpid(), NULL, NULL));
}

/* Finds out by ptrace whether the program is traced. */
static void first(void)
{
	printf("traceme %ld", ptrace(PTRACE_TRACEME, 0, NULL, NULL));
	printf(" again %ld\n", ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*run)(void); } kinds[] = {
		{ "me", me }, { "exec", exec_ }, { "vfork", vfork_ }, { "child", child },
		{ "attach", attach_ }, { "seize", seize }, { "threads", threads },
		{ "stopped", stopped }, { "parent", parent }, { "none", none }, { "first", first },
		{ "siblings", siblings },
	};

	alarm(300);
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (unsigned i = 0; argc > 1 && i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(argv[1], kinds[i].name))
			continue;
		kinds[i].run();
		return 0;
	}
	return 2;
}
