/* SPDX-License-Identifier: MIT */
/*
 * Prints the answers to all settings and queries of a process about itself, and starts processes in every
 * way: prctl, personality, clone.
 * usage: probes_process options|set|memory_map|orphan|executable|personality|clone|clone3|untraced
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "probe.h"

enum { SET_MDWE = 65, GET_MDWE, SET_MERGE, GET_MERGE, SET_FLUSHER = 57, GET_FLUSHER };
enum { SCHED_CORE = 62, SET_VMA = 0x53564d41, SET_PTRACER = 0x59616d61 };

/* ---- prctl ---- */

static int option;

static void ask_option(void)
{
	long room[4] = { 0 };
	long zeros = result(syscall(SYS_prctl, option, 0, 0, 0, 0));
	long pointer = result(syscall(SYS_prctl, option, room, 0, 0, 0));

	/* Greater values are sizes and addresses. */
	say("option %d: %ld, %ld", option, zeros > 4096 ? 4096 : zeros,
	    pointer > 4096 ? 4096 : pointer);
}

static void options(void)
{
	enum { MOST = 82, AUXV = 0x41555856 };

	for (option = 0; option < MOST; option++)
		if (option != PR_SET_DUMPABLE)
			apart("option", ask_option);
	say("auxv %ld", outcome(syscall(SYS_prctl, AUXV, (long[128]){ 0 }, 1024, 0, 0)));
}

/* Sets an option, and asks for the value. */
static void set_one(const char *name, int set, long value, int get)
{
	long done = result(syscall(SYS_prctl, set, value, 0, 0, 0));

	say("%s: %ld, %ld", name, done, result(syscall(SYS_prctl, get, 0, 0, 0, 0)));
}

static void set(void)
{
	char name[32] = "", comm[32] = "";
	int file;

	say("name %ld", result(prctl(PR_SET_NAME, "a (name) )", 0, 0, 0)));
	prctl(PR_GET_NAME, name);
	file = open("/proc/self/comm", O_RDONLY);
	say("name %s, %s, %zd", name, comm, read(file, comm, sizeof(comm) - 1));
	close(file);
	set_one("slack", PR_SET_TIMERSLACK, 12345, PR_GET_TIMERSLACK);
	set_one("pages", PR_SET_THP_DISABLE, 1, PR_GET_THP_DISABLE);
	set_one("capabilities", PR_SET_KEEPCAPS, 1, PR_GET_KEEPCAPS);
	set_one("bits", PR_SET_SECUREBITS, 1 << 4, PR_GET_SECUREBITS);
	set_one("merge", SET_MERGE, 1, GET_MERGE);
	set_one("flusher", SET_FLUSHER, 1, GET_FLUSHER);
	set_one("privileges", PR_SET_NO_NEW_PRIVS, 1, PR_GET_NO_NEW_PRIVS);
	say("ambient %ld", result(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)));
	say("bounding %ld", result(prctl(PR_CAPBSET_DROP, 7)));
	say("ptracer %ld", result(prctl(SET_PTRACER, -1L)));
	say("core %ld", result(prctl(SCHED_CORE, 1, 0, 0, 0)));
	say("machine checks %ld", result(prctl(PR_MCE_KILL, 1, 1, 0, 0)));
	for (unsigned long what = 0; what < 3; what++) {
		say("speculation %ld", result(prctl(PR_GET_SPECULATION_CTRL, what, 0, 0, 0)));
		say("speculation %ld", result(prctl(PR_SET_SPECULATION_CTRL, what, 4, 0, 0)));
	}
}

static void memory_map(void)
{
	static char arguments[] = "other arguments";
	char line[512] = "", *brk = sbrk(0);
	unsigned size = 0, named = 0;
	FILE *maps;
	int file;

	say("size %ld", result(prctl(PR_SET_MM, PR_SET_MM_MAP_SIZE, &size, 0, 0)));
	say("size %u", size);
	say("start %ld", result(prctl(PR_SET_MM, PR_SET_MM_ARG_START, arguments, 0, 0)));
	say("end %ld", result(prctl(PR_SET_MM, PR_SET_MM_ARG_END, arguments + sizeof(arguments), 0, 0)));
	file = open("/proc/self/cmdline", O_RDONLY);
	say("command %ld", result(read(file, line, sizeof(line) - 1) > 0));
	close(file);
	say("brk %d", sbrk(65536) == brk);
	say("brk %ld", result(prctl(PR_SET_MM, PR_SET_MM_BRK, brk + 4096, 0, 0)));
	say("brk %ld", (long)((char *)syscall(SYS_brk, brk + 8192) - brk));
	brk[8191] = 1;
	brk = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	say("area %ld", result(prctl(SET_VMA, 0, brk, 4096, "an area")));
	maps = fopen("/proc/self/maps", "r");
	while (fgets(line, sizeof(line), maps))
		named += strstr(line, "an area") != NULL;
	fclose(maps);
	say("named %u", named);
}

static volatile sig_atomic_t got;

static void on_signal(int signal)
{
	got = signal;
}

/* Waits for the end of its parent, and looks for the signal and for the new parent. */
static void grandchild(pid_t reaper, int write_end)
{
	int signal = 0;

	prctl(PR_SET_PDEATHSIG, SIGUSR1);
	prctl(PR_GET_PDEATHSIG, &signal);
	if (write(write_end, "x", 1) != 1)
		_exit(1);
	while (!got)
		usleep(1000);
	_exit(signal == SIGUSR1 && got == SIGUSR1 && getppid() == reaper ? 3 : 4);
}

static void orphan(void)
{
	int ends[2], status;
	pid_t self = getpid(), child;
	char byte;

	if (pipe(ends) < 0)
		return;
	signal(SIGUSR1, on_signal);
	say("reaper %ld", result(prctl(PR_SET_CHILD_SUBREAPER, 1)));
	child = fork();
	if (child == 0) {
		if (fork() == 0)
			grandchild(self, ends[1]);
		_exit(read(ends[0], &byte, 1) == 1 ? 2 : 4);
	}
	waitpid(child, &status, 0);
	say("child %#x", (unsigned)status);
	waitpid(-1, &status, 0);
	say("orphan %#x", (unsigned)status);
}

/* ---- what may be executed ---- */

static volatile long sum;

static void compute(void)
{
	for (long i = 0; i < 3000; i++)
		sum += i & 3 ? i : 2 * i;
}

static void execute(void)
{
	execl("/bin/echo", "echo", "executed", NULL);
	_exit(9);
}

/* No memory may be writable and executable any more. */
static void executable(void)
{
	enum { BOTH = PROT_READ | PROT_WRITE | PROT_EXEC, INHERITED = 1, NOT_INHERITED = 3 };
	void *area;

	say("forbid %ld", result(prctl(SET_MDWE, NOT_INHERITED, 0, 0, 0)));
	say("forbidden %ld", result(prctl(GET_MDWE, 0, 0, 0, 0)));
	area = mmap(NULL, 4096, BOTH, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	say("map %ld", outcome((long)area));
	area = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	say("protect %ld", result(mprotect(area, 4096, PROT_READ | PROT_EXEC)));
	apart("child", compute);
	apart("program", execute);
	compute();
	say("sum %ld", sum);
}

/* ---- personality ---- */

static unsigned long wanted;

/* Addresses are not random while recorded, which trace-record(1) documents. */
static unsigned told(unsigned long persona)
{
	return (unsigned)personality(persona) & ~(unsigned)ADDR_NO_RANDOMIZE;
}

static void layout(void)
{
	enum { REGION = 44 };
	unsigned char present;
	char *first = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *next = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *low = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	say("stack %lx mapped %lx, downwards %d, low %d, page 0 %d", (long)&present >> REGION,
	    (long)first >> REGION, next < first, (uintptr_t)low < UINT32_MAX,
	    mincore(NULL, 4096, &present) == 0);
	say("personality %x", told(0xffffffff));
	compute();
	say("sum %ld", sum);
}

static void take_personality(void)
{
	say("personality %lx: was %x", wanted, told(wanted));
	say("is %x", told(0xffffffff));
	execl("/proc/self/exe", "probes", "layout", NULL);
	_exit(9);
}

static void personalities(void)
{
	static const unsigned long all[] = { PER_LINUX32 | UNAME26,
					     ADDR_NO_RANDOMIZE | STICKY_TIMEOUTS,
					     MMAP_PAGE_ZERO | ADDR_LIMIT_3GB,
					     ADDR_COMPAT_LAYOUT | ADDR_LIMIT_32BIT,
					     READ_IMPLIES_EXEC | SHORT_INODE | WHOLE_SECONDS };

	for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++) {
		wanted = all[i];
		apart("program", take_personality);
	}
}

/* ---- clone ---- */

enum { THREAD = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM };

static char stack[65536] __attribute__((aligned(64)));
static volatile int ran;

static int run_child(void *value)
{
	compute();
	ran += (int)(long)value;
	syscall(SYS_exit_group, 5);
	return 0;
}

static int run_thread(void *value)
{
	compute();
	ran += (int)(long)value;
	syscall(SYS_exit, 7);
	return 0;
}

static void try_clone(const char *name, unsigned long flags)
{
	volatile int child_tid = 1, parent_tid = 0;
	int (*start)(void *) = flags & CLONE_THREAD ? run_thread : run_child;
	int status = -1;
	long child;

	ran = 0;
	child = clone(start, stack + sizeof(stack) - 64, (int)flags, (void *)5L, &parent_tid,
		      __builtin_thread_pointer(), &child_tid);
	if (child < 0) {
		say("%s: error %d", name, errno);
		return;
	}
	if (flags & CLONE_THREAD) {
		while (child_tid)
			sched_yield();
		say("%s: ran %d, told %d", name, ran, parent_tid == child);
		return;
	}
	say("%s: waited %d, told %d", name, waitpid((pid_t)child, &status, __WALL) == child,
	    parent_tid == child);
	say("%s: status %#x, ran %d, tid %d", name, (unsigned)status, ran,
	    child_tid == child ? 2 : child_tid);
}

static void clones(void)
{
	static const struct {
		const char *name;
		unsigned long flags;
	} all[] = {
		{ "plain", SIGCHLD },
		{ "no signal", 0 },
		{ "another signal", SIGURG },
		{ "traced", SIGCHLD | CLONE_PTRACE },
		{ "untraced", SIGCHLD | CLONE_UNTRACED },
		{ "vfork", SIGCHLD | CLONE_VFORK },
		{ "memory", SIGCHLD | CLONE_VM },
		{ "memory vfork", SIGCHLD | CLONE_VM | CLONE_VFORK },
		{ "memory handlers", SIGCHLD | CLONE_VM | CLONE_SIGHAND },
		{ "memory untraced", SIGCHLD | CLONE_VM | CLONE_UNTRACED },
		{ "memory vfork untraced", SIGCHLD | CLONE_VM | CLONE_VFORK | CLONE_UNTRACED },
		{ "files", SIGCHLD | CLONE_FILES | CLONE_FS | CLONE_IO },
		{ "tids", SIGCHLD | CLONE_CHILD_SETTID | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID },
		{ "memory tids", SIGCHLD | CLONE_VM | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID },
		{ "thread without handlers", CLONE_VM | CLONE_THREAD },
		{ "handlers without memory", SIGCHLD | CLONE_SIGHAND },
		{ "namespace with folders", SIGCHLD | CLONE_NEWNS | CLONE_FS },
		{ "thread", THREAD | CLONE_CHILD_CLEARTID },
		{ "thread tids", THREAD | CLONE_CHILD_CLEARTID | CLONE_PARENT_SETTID },
		{ "thread storage", THREAD | CLONE_CHILD_CLEARTID | CLONE_SETTLS },
		{ "thread untraced", THREAD | CLONE_CHILD_CLEARTID | CLONE_UNTRACED },
		{ "thread vfork", THREAD | CLONE_CHILD_CLEARTID | CLONE_VFORK },
		{ "thread namespace", THREAD | CLONE_CHILD_CLEARTID | CLONE_NEWPID },
		{ "names", SIGCHLD | CLONE_NEWUTS | CLONE_NEWIPC },
		{ "users", SIGCHLD | CLONE_NEWUSER },
		{ "users and pids", SIGCHLD | CLONE_NEWUSER | CLONE_NEWPID },
		{ "pidfd", SIGCHLD | CLONE_PIDFD },
		{ "sibling", SIGCHLD | CLONE_PARENT },
		{ "contradiction", SIGCHLD | CLONE_DETACHED | CLONE_PIDFD },
	};

	for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)
		try_clone(all[i].name, all[i].flags);
}

/* The program's structure stays as it is, in both processes. */
static void try_clone3(const char *name, uint64_t flags, uint64_t exit_signal, pid_t set_tid)
{
	int pidfd = -1, status = 0;
	struct clone_args args = { .flags = flags, .exit_signal = exit_signal }, before;
	long child;

	if (flags & CLONE_PIDFD)
		args.pidfd = (uintptr_t)&pidfd;
	if (set_tid) {
		args.set_tid = (uintptr_t)&set_tid;
		args.set_tid_size = 1;
	}
	before = args;
	child = syscall(SYS_clone3, &args, sizeof(args));
	if (child == 0)
		syscall(SYS_exit_group, memcmp(&args, &before, sizeof(args)) ? 77 : 6);
	if (child < 0) {
		say("%s: error %d", name, errno);
		return;
	}
	say("%s: waited %d", name, waitpid((pid_t)child, &status, __WALL) == child);
	say("%s: status %#x, pidfd %d, same %d", name, (unsigned)status, pidfd >= 0,
	    !memcmp(&args, &before, sizeof(args)));
	if (pidfd >= 0)
		close(pidfd);
}

static void clone3s(void)
{
	int status;
	pid_t child;

	try_clone3("plain", 0, SIGCHLD, 0);
	try_clone3("no signal", 0, 0, 0);
	try_clone3("pidfd", CLONE_PIDFD, SIGCHLD, 0);
	try_clone3("pidfd untraced", CLONE_PIDFD | CLONE_UNTRACED, SIGCHLD, 0);
	try_clone3("untraced", CLONE_UNTRACED, SIGCHLD, 0);
	try_clone3("vfork", CLONE_VFORK, SIGCHLD, 0);
	try_clone3("vfork untraced", CLONE_VFORK | CLONE_UNTRACED, SIGCHLD, 0);
	try_clone3("used tid", 0, SIGCHLD, 1);
	try_clone3("handlers cleared", CLONE_CLEAR_SIGHAND, SIGCHLD, 0);
	try_clone3("handlers", CLONE_SIGHAND, SIGCHLD, 0);
	try_clone3("signal 200", 0, 200, 0);
	try_clone3("detached", CLONE_DETACHED, SIGCHLD, 0);
	say("small %ld", result(syscall(SYS_clone3, &(struct clone_args){ 0 }, 8)));
	say("nowhere %ld", result(syscall(SYS_clone3, NULL, 64)));
	child = vfork();
	if (child == 0)
		_exit(4);
	waitpid(child, &status, 0);
	say("vfork %#x", (unsigned)status);
	say("unshare %ld", result(unshare(CLONE_FILES)));
	say("unshare %ld", result(unshare(CLONE_VM)));
	say("unshare %ld", result(unshare(CLONE_THREAD | CLONE_SIGHAND)));
}

/* Starts one child each by clone and clone3; registers and memory must be as they were. */
static void untraced(void)
{
	long flags = CLONE_UNTRACED | SIGCHLD, child, argument;
	int status;

	__asm__ volatile("xor %%r10d, %%r10d; xor %%r8d, %%r8d; syscall; mov %%rdi, %1"
			 : "=a"(child), "=r"(argument)
			 : "0"((long)SYS_clone), "D"(flags), "S"(0L), "d"(0L)
			 : "rcx", "r8", "r10", "r11", "memory");
	if (child == 0)
		_exit(argument == flags ? 3 : 4);
	waitpid((pid_t)child, &status, 0);
	say("status %#x, same %d", (unsigned)status, argument == flags);
	try_clone3("clone3", CLONE_UNTRACED, SIGCHLD, 0);
}

int main(int argc, char **argv)
{
	static const struct probe probes[] = {
		{ "options", options },       { "set", set },
		{ "memory_map", memory_map }, { "orphan", orphan },
		{ "executable", executable }, { "personality", personalities },
		{ "layout", layout },         { "clone", clones },
		{ "clone3", clone3s },        { "untraced", untraced },
	};

	return argc > 1 ? run_probes(probes, sizeof(probes) / sizeof(*probes), argv + 1) : 2;
}
