/* flags: -static */
/* SPDX-License-Identifier: MIT */
/* Reads and writes its own memory by the kernel: process_vm_readv, /proc/self/mem and descriptors; changes its own
 * code so; a child traces its parent, and a thread tries to trace another; reads its files in /proc. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include "say.h"

static long done(long result)
{
	return result < 0 ? -errno : result;
}

/* Code that returns a number; its bytes may be changed. */
int number(void);
extern unsigned char number_code[];
__asm__(".globl number, number_code\n.p2align 12\nnumber_code:\nnumber: mov $1, %eax\nret\n.p2align 12\n");

static int add_numbers(void)
{
	int sum = 0;

	for (int i = 0; i < 100; i++)
		sum += number();
	return sum;
}

static void memory(void)
{
	char text[] = "some text", copy[16] = "";
	struct iovec from = { text, sizeof(text) }, to = { copy, sizeof(copy) },
		     both[2] = { from, { NULL, 10 } };
	struct iovec code = { number_code, 6 };
	int fd = open("/proc/self/mem", O_RDWR);
	unsigned char bytes[6];
	pid_t self = getpid();

	say("read %ld %s", done(process_vm_readv(self, &to, 1, &from, 1, 0)), copy);
	say(" partly %ld", done(process_vm_readv(self, &to, 1, both, 2, 0)));
	say(" none %ld", done(process_vm_readv(self, &to, 1, both + 1, 1, 0)));
	say(" flags %ld\n", done(process_vm_readv(self, &to, 1, &from, 1, 1)));
	to = (struct iovec){ bytes, 6 };
	say("code %ld", done(process_vm_readv(self, &to, 1, &code, 1, 0)));
	say(" same %d", !memcmp(bytes, number_code, 6));
	say(" write %ld", done(process_vm_writev(self, &to, 1, &code, 1, 0)));
	say(" by mem %ld", done(pread(fd, bytes, 6, (off_t)(uintptr_t)number_code)));
	say(" same %d\n", !memcmp(bytes, number_code, 6));
	for (int i = 2; i < 5; i++) {
		bytes[1] = (unsigned char)i;
		say("sum %d", add_numbers());
		say(" change %ld\n", done(pwrite(fd, bytes, 6, (off_t)(uintptr_t)number_code)));
	}
	mprotect(number_code, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
	for (int i = 5; i < 8; i++) {
		bytes[1] = (unsigned char)i;
		say("sum %d", add_numbers());
		say(" change %ld\n", done(process_vm_writev(self, &to, 1, &code, 1, 0)));
	}
	close(fd);
	say("sum %d\n", add_numbers());
}

/* Code from a file and from a pipe, over code that has been executed. */
static void by_reading(void)
{
	unsigned char bytes[6] = { 0xb8, 0, 0, 0, 0, 0xc3 };
	int fd = memfd_create("code", 0), ends[2];
	struct iovec halves[2] = { { number_code, 3 }, { number_code + 3, 3 } };

	if (pipe(ends))
		return;
	for (int i = 8; i < 11; i++) {
		bytes[1] = (unsigned char)i;
		say("file %ld", done(pwrite(fd, bytes, 6, 0)));
		say(" %ld", done(preadv(fd, halves, 2, 0)));
		say(" sum %d", add_numbers());
		bytes[1] = (unsigned char)(i + 10);
		say(" pipe %ld", done(write(ends[1], bytes, 6)));
		say(" %ld", done(read(ends[0], number_code, 6)));
		say(" sum %d\n", add_numbers());
	}
	close(ends[0]);
	close(ends[1]);
	close(fd);
}

static void of_a_child(void)
{
	static volatile int told[2];
	int ends[2], status;
	struct iovec from = { (void *)told, 8 }, code = { number_code, 6 };
	unsigned char bytes[6] = { 0xb8, 40, 0, 0, 0, 0xc3 };
	int seen[2] = { 0 };
	struct iovec to = { seen, 8 };
	pid_t pid;
	char byte;

	if (pipe(ends))
		return;
	say("child's: sum before %d\n", add_numbers());
	pid = fork();
	if (!pid) {
		told[0] = 77;
		told[1] = add_numbers();
		if (write(1, "", 0) || write(ends[1], "x", 1) != 1)
			_exit(1);
		raise(SIGSTOP);
		_exit(add_numbers() % 251);
	}
	if (read(ends[0], &byte, 1) != 1)
		return;
	waitpid(pid, &status, WUNTRACED);
	say("stopped %x", status);
	say(" read %ld", done(process_vm_readv(pid, &to, 1, &from, 1, 0)));
	say(" %d %d", seen[0], seen[1]);
	to = (struct iovec){ bytes, 6 };
	say(" write %ld\n", done(process_vm_writev(pid, &to, 1, &code, 1, 0)));
	kill(pid, SIGCONT);
	waitpid(pid, &status, 0);
	say("status %x sum %d\n", status, add_numbers());
}

static volatile pid_t other;
static volatile int over;

static void *wait_here(void *arg)
{
	(void)arg;
	other = (pid_t)syscall(SYS_gettid);
	while (!over)
		usleep(100);
	return NULL;
}

static void of_threads(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_here, NULL);
	while (!other)
		usleep(100);
	say("trace a thread %ld", done(ptrace(PTRACE_ATTACH, other, NULL, NULL)));
	say(" seize %ld", done(ptrace(PTRACE_SEIZE, other, NULL, NULL)));
	say(" itself %ld", done(ptrace(PTRACE_ATTACH, getpid(), NULL, NULL)));
	say(" peek %ld", done(ptrace(PTRACE_CONT, other, NULL, NULL)));
	say(" init %d\n", ptrace(PTRACE_CONT, 0, NULL, NULL) < 0);
	over = 1;
	pthread_join(thread, NULL);
}

/* Prints the fields of a file in /proc that are the same in each run. */
static void print_file(const char *path, const char *const *names)
{
	static char text[65536];
	int fd = open(path, O_RDONLY);
	ssize_t size = 0, n;

	while ((n = read(fd, text + size, sizeof(text) - 1 - (size_t)size)) > 0)
		size += n;
	close(fd);
	text[size > 0 ? size : 0] = 0;
	if (!names) {
		say("%s %s\n", path, text);
		return;
	}
	for (; *names; names++) {
		char *at = strstr(text, *names);

		if (at)
			say(" %.*s\n", (int)strcspn(at, "\n"), at);
	}
}

static void files(void)
{
	static const char *const status[] = { "Name:",
					      "State:",
					      "Ngid:",
					      "SigPnd:",
					      "ShdPnd:",
					      "SigBlk:",
					      "SigIgn:",
					      "SigCgt:",
					      "CapEff:",
					      "NoNewPrivs:",
					      "Seccomp:",
					      "Seccomp_filters:",
					      "CoreDumping:",
					      "THP_enabled:",
					      "x86_Thread_features:",
					      "Umask:",
					      NULL };
	static const char *const limits[] = { "Max stack size",
					      "Max open files",
					      "Max locked memory",
					      "Max address space",
					      "Max pending signals",
					      "Max core file size",
					      NULL };

	print_file("/proc/self/status", status);
	print_file("/proc/self/comm", NULL);
	print_file("/proc/self/oom_score_adj", NULL);
	print_file("/proc/self/coredump_filter", NULL);
	print_file("/proc/self/timers", NULL);
	print_file("/proc/self/timerslack_ns", NULL);
	print_file("/proc/self/loginuid", NULL);
	print_file("/proc/self/limits", limits);
	print_file("/proc/thread-self/children", NULL);
	print_file("/proc/self/wchan", NULL);
}

int main(void)
{
	memory();
	by_reading();
	of_a_child();
	of_threads();
	files();
	return 0;
}
