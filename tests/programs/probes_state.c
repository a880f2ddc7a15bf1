/* SPDX-License-Identifier: MIT */
/*
 * Prints what a program can see of its own state: in /proc, in registers, of signals and memory. Runs code that
 * is written past all protection, or by the kernel.
 * usage: probes_state proc|registers|segments|cpuid|signals|memory|patch|ring
 */
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <cpuid.h>
#include <fcntl.h>
#include <immintrin.h>
#include <linux/io_uring.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>

#include "probe.h"

/* ---- /proc ---- */

/* Prints a file, or those of its lines that begin with one of the names. */
static void show(const char *path, const char *const *names)
{
	FILE *file = fopen(path, "r");
	char line[4096];

	if (!file)
		say("%s: error %d", path, errno);
	while (file && fgets(line, sizeof(line), file)) {
		const char *const *name = names;

		line[strcspn(line, "\n")] = 0;
		while (name && *name && strncmp(line, *name, strlen(*name)) != 0)
			name++;
		if (!name || *name)
			say("%s: %s", path, line);
	}
	if (file)
		fclose(file);
}

static void show_status(void)
{
	static const char *const names[] = {
		"Name:", "Umask:", "Uid:", "Gid:", "Groups:", "Threads:", "SigPnd:",
		"ShdPnd:", "SigBlk:", "SigIgn:", "SigCgt:", "Cap", "NoNewPrivs:", "Seccomp",
		"Specul", "Cpus_allowed", "Mems_allowed", "x86_", "CoreDumping:", "THP_", "VmLck:",
		NULL };

	show("/proc/self/status", names);
}

/* Fields of stat by number that depend neither on time and place nor on what else uses the terminal. */
static void show_stat(void)
{
	static const unsigned fields[] = { 3, 7, 18, 19, 20, 38, 40, 41, 44 };
	char text[2048] = "", *at;
	FILE *file = fopen("/proc/self/stat", "r");
	unsigned number = 3;

	if (!file || !fgets(text, sizeof(text), file))
		return;
	fclose(file);
	for (at = strtok(strrchr(text, ')') + 1, " "); at; at = strtok(NULL, " "), number++)
		for (unsigned i = 0; i < sizeof(fields) / sizeof(*fields); i++)
			if (fields[i] == number)
				say("stat %u: %s", number, at);
}

static void show_memory(void)
{
	static volatile long value = 5;
	int file = open("/proc/self/mem", O_RDWR);
	long word = 0;
	uint64_t page = 0;

	say("read %zd", pread(file, &word, sizeof(word), (off_t)(uintptr_t)&value));
	say("is %ld", word++);
	say("written %zd", pwrite(file, &word, sizeof(word), (off_t)(uintptr_t)&value));
	say("is %ld", value);
	close(file);
	file = open("/proc/self/pagemap", O_RDONLY);
	say("page %zd", pread(file, &page, sizeof(page), (off_t)((uintptr_t)&value / 4096 * 8)));
	say("present %d, of a file %d", (int)(page >> 63), (int)(page >> 61 & 1));
	close(file);
}

static void proc(void)
{
	static const char *const files[] = {
		"comm", "wchan", "limits", "oom_score_adj", "coredump_filter", "cgroup", "timerslack_ns",
		"loginuid", "setgroups", "uid_map", "stack", "attr/current" };
	char path[256] = "";
	cpu_set_t cpus = { 0 };
	struct rlimit limit;

	show_status();
	show_stat();
	for (unsigned i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "/proc/self/%s", files[i]);
		show(path, NULL);
	}
	memset(path, 0, sizeof(path));
	say("program %d", readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	say("%s", strrchr(path, '/'));
	show_memory();
	say("nice %d, policy %d", getpriority(PRIO_PROCESS, 0), sched_getscheduler(0));
	say("cpus %ld", syscall(SYS_sched_getaffinity, 0, sizeof(cpus), &cpus));
	say("cpus %d", CPU_COUNT(&cpus));
	for (int i = 0; i < 64; i++)
		if (fcntl(i, F_GETFD) >= 0)
			say("descriptor %d", i);
	for (int i = 0; i < 16; i++)
		if (getrlimit((__rlimit_resource_t)i, &limit) == 0)
			say("limit %d: %lx %lx", i, limit.rlim_cur, limit.rlim_max);
}

/* ---- registers ---- */

static volatile sig_atomic_t got;

static void on_signal(int signal)
{
	got = signal;
}

/* Control words outlive whatever the recorder does meanwhile. */
static void registers(void)
{
	static const uint16_t words[] = { 0x37f, 0x27f, 0x0c7f };
	static const unsigned masks[] = { 0x1f80, 0x7f80, 0xffc0 };
	uint16_t word = 0;
	double sum = 0;

	signal(SIGUSR1, on_signal);
	for (unsigned i = 0; i < 3; i++) {
		_mm_setcsr(masks[i]);
		__asm__ volatile("fldcw %0" : : "m"(words[i]));
		raise(SIGUSR1);
		for (int j = 0; j < 2000; j++)
			sum += 1.0 / (j + 1);
		getppid();
		usleep(10);
		__asm__ volatile("fnstcw %0" : "=m"(word));
		say("x87 %#x, mxcsr %#x", word, _mm_getcsr() & ~0x3fu);
	}
	_mm_setcsr(masks[0]);
	__asm__ volatile("fldcw %0" : : "m"(words[0]));
	say("sum %.6f", sum);
}

static uint64_t gs_word(void)
{
	uint64_t word;

	__asm__ volatile("mov %%gs:16, %0" : "=r"(word));
	return word;
}

static void arch_options(void)
{
	enum { SHADOW_ENABLE = 0x5001, SHADOW_DISABLE, SHADOW_LOCK, SHADOW_STATUS = 0x5005 };
	static const int asks[] = { ARCH_GET_CPUID, 0x1021, 0x1022, 0x1024, 0x4001, 0x4003, SHADOW_STATUS };
	uint64_t value;

	for (unsigned i = 0; i < sizeof(asks) / sizeof(*asks); i++) {
		value = 0;
		say("option %#x: %ld", (unsigned)asks[i], result(syscall(SYS_arch_prctl, asks[i], &value)));
		say("is %lx", value);
	}
	say("cpuid %ld", result(syscall(SYS_arch_prctl, ARCH_SET_CPUID, 1)));
	say("lock %ld", result(syscall(SYS_arch_prctl, SHADOW_LOCK, 0)));
	say("disable %ld", result(syscall(SYS_arch_prctl, SHADOW_DISABLE, 1)));
	say("vdso %ld", outcome(syscall(SYS_arch_prctl, 0x2003, 0)));
}

static void in_child(void)
{
	say("gs %lu", gs_word());
}

static void segments(void)
{
	enum { USER_DS = 0x2b, HAS_BASES = 2 };
	static uint64_t area[64];
	uint64_t base = 0;
	uint16_t selectors[4];
	long limit = -1;

	arch_options();
	area[2] = 77;
	say("set %ld", result(syscall(SYS_arch_prctl, ARCH_SET_GS, area)));
	say("gs %lu", gs_word());
	say("get %ld", result(syscall(SYS_arch_prctl, ARCH_GET_GS, &base)));
	say("is %d", base == (uintptr_t)area);
	say("kernel's %ld", result(syscall(SYS_arch_prctl, ARCH_SET_GS, -4096L)));
	say("kernel's %ld", result(syscall(SYS_arch_prctl, ARCH_SET_FS, INT64_MIN)));
	say("get %ld", result(syscall(SYS_arch_prctl, ARCH_GET_FS, &base)));
	say("is %d", base == (uintptr_t)__builtin_thread_pointer());
	apart("child", in_child);
	__asm__ volatile("mov %0, %%ds; mov %0, %%es" : : "r"(USER_DS));
	__asm__ volatile("mov %%cs, %0; mov %%ss, %1; mov %%ds, %2; mov %%gs, %3"
			 : "=r"(selectors[0]), "=r"(selectors[1]), "=r"(selectors[2]), "=r"(selectors[3]));
	say("selectors %x %x %x %x", selectors[0], selectors[1], selectors[2], selectors[3]);
	__asm__ volatile("lsl %1, %0" : "+r"(limit) : "r"(0x7bL) : "cc");
	say("limit %d", limit >= 0);
	if (!(getauxval(AT_HWCAP2) & HAS_BASES))
		return;
	__asm__ volatile("rdgsbase %0" : "=r"(base));
	say("base %d", base == (uintptr_t)area);
	__asm__ volatile("wrgsbase %1; rdgsbase %0" : "=r"(base) : "r"(UINT64_C(0x123456789a)));
	say("base %lx", base);
	say("get %ld", result(syscall(SYS_arch_prctl, ARCH_GET_GS, &base)));
	say("base %lx", base);
}

/* Keeps to one CPU, as a computer may have CPUs of several kinds. */
static void stay(void)
{
	cpu_set_t cpus;
	size_t cpu = 0;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) < 0)
		return;
	while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &cpus))
		cpu++;
	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

/* All but transactions, which are hidden; and what depends on the CPU. */
static void cpuid(void)
{
	static const unsigned leaves[] = { 0, 1, 2, 4, 5, 6, 7, 9, 0xa, 0xd, 0x14, 0x15, 0x16, 0x19,
					   0x40000000, 0x40000001, 0x80000000, 0x80000001,
					   0x80000002, 0x80000005, 0x80000006, 0x80000007,
					   0x80000008, 0x8000001d, 0x80000021, 0xc0000000,
					   0x12345678, 0xffffffff };
	unsigned a, b, c, d;

	stay();
	for (unsigned i = 0; i < 3 * sizeof(leaves) / sizeof(*leaves); i++) {
		__cpuid_count(leaves[i / 3], i % 3, a, b, c, d);
		if (leaves[i / 3] == 1)
			b &= 0xffffff;
		if (leaves[i / 3] == 7 && i % 3 == 0) {
			b &= ~(1u << 4 | 1u << 11);
			d &= ~(1u << 11 | 1u << 13);
		}
		say("%x.%u: %x %x %x %x", leaves[i / 3], i % 3, a, b, c, d);
	}
	__asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	say("xcr0 %x %x", a, d);
}

/* ---- signals ---- */

static char other_stack[65536];

static void look_at_stack(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *c = context;
	stack_t now;
	int local;

	sigaltstack(NULL, &now);
	say("signal %d, code %d, on the other stack %d", signal, info->si_code,
	    (uintptr_t)&local - (uintptr_t)other_stack < sizeof(other_stack));
	say("flags %x, %x, %lx", (unsigned)now.ss_flags, (unsigned)c->uc_stack.ss_flags, c->uc_flags);
}

static void stacks(void)
{
	struct sigaction action = { .sa_sigaction = look_at_stack, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t stack = { .ss_sp = other_stack, .ss_size = sizeof(other_stack),
			  .ss_flags = (int)(1u << 31) };	/* SS_AUTODISARM */

	say("disarmed %ld", result(sigaltstack(&stack, NULL)));
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	raise(SIGUSR1);
	sigaltstack(NULL, &stack);
	say("after %x", (unsigned)stack.ss_flags);
	stack.ss_flags = 0;
	sigaltstack(&stack, NULL);
	raise(SIGUSR1);
	action.sa_flags = SA_SIGINFO | SA_RESETHAND | SA_NODEFER;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	sigaction(SIGUSR1, NULL, &action);
	say("reset %d, flags %x", action.sa_handler == SIG_DFL, (unsigned)action.sa_flags);
}

static void barriers(void)
{
	static const int commands[] = {
		MEMBARRIER_CMD_QUERY, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED,
		MEMBARRIER_CMD_PRIVATE_EXPEDITED, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE,
		MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 512 };	/* what is registered */

	for (unsigned i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		say("barrier %ld", result(syscall(SYS_membarrier, commands[i], 0, 0)));
}

static void signals(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2 };
	struct itimerspec soon = { .it_value.tv_nsec = 1000000 };
	struct timespec now = { 0, 0 };
	struct sigaction action;
	siginfo_t info;
	sigset_t set;
	size_t size;
	void *head;
	int timer, first, second;

	stacks();
	barriers();
	signal(SIGUSR2, on_signal);
	for (int i = 1; i < 65; i++)
		if (sigaction(i, NULL, &action) == 0 && (action.sa_handler != SIG_DFL || action.sa_flags))
			say("action %d: %d %x", i, action.sa_handler == SIG_IGN, (unsigned)action.sa_flags);
	say("robust %ld", result(syscall(SYS_get_robust_list, 0, &head, &size)));
	say("size %zu", size);
	say("timer %ld", result(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer)));
	syscall(SYS_timer_settime, timer, 0, &soon, NULL);
	while (!got)
		;
	say("got %d", (int)got);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGTRAP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR2);
	raise(SIGTRAP);
	first = sigtimedwait(&set, &info, &now);
	second = sigtimedwait(&set, &info, &now);
	say("waited for %d, %d", first, second);
}

/* ---- memory and code ---- */

typedef long (*function)(long);

/* lea N(%rdi), %rax; ret */
static void write_code(uint8_t *at, uint8_t n)
{
	memcpy(at, (uint8_t[]){ 0x48, 0x8d, 0x47, n, 0xc3 }, 5);
}

static long call_often(const uint8_t *code)
{
	long sum = 0;

	for (long i = 0; i < 500; i++)
		sum += ((function)(uintptr_t)code)(i);
	return sum;
}

static void secret_memory(void)
{
	enum { SECRET = 447 };
	long file = syscall(SECRET, 0);
	uint8_t *area;
	long sum = 0;

	say("secret %ld", outcome(file));
	if (file < 0 || ftruncate((int)file, 8192) < 0)
		return;
	area = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, (int)file, 0);
	say("mapped %ld", outcome((long)area));
	if (area == MAP_FAILED)
		return;
	memset(area, 3, 8192);
	for (unsigned i = 0; i < 8192; i++)
		sum += area[i];
	say("sum %ld", sum);
	write_code(area, 7);
	if (mprotect(area, 8192, PROT_READ | PROT_EXEC) == 0)
		say("code %ld", call_often(area));
}

static void memory(void)
{
	enum { SEAL = 462, GUARD = 102, DROPPABLE = 8 };
	uint8_t *code = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *area = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	secret_memory();
	say("key %ld", outcome(pkey_alloc(0, 0)));
	write_code(code, 7);
	say("seal %ld", result(syscall(SEAL, code, 8192, 0)));
	say("code %ld", call_often(code));
	write_code(code, 9);
	say("code %ld", call_often(code));
	say("unmap %ld", result(munmap(code, 8192)));
	say("protect %ld", result(mprotect(code, 8192, PROT_READ)));
	say("lock %ld", result(mlock2(area, 4096, 1)));
	say("unlock %ld", result(munlock(area, 4096)));
	say("guard %ld", result(madvise(area, 4096, GUARD)));
	say("twice %ld", outcome((long)mremap(area, 0, 4096, MREMAP_MAYMOVE)));
	say("droppable %ld", outcome((long)mmap(NULL, 4096, PROT_READ, DROPPABLE | MAP_ANONYMOUS, -1, 0)));
	say("no code %ld", outcome(memfd_create("x", 8)));
}

/* In a page of its own: 1. */
__asm__(".pushsection .text\n.balign 4096\n"
	"patched: mov $1, %eax\n ret\n.balign 4096\n.popsection\n");
extern uint8_t patched[];

static long call_patched(void)
{
	long sum = 0;

	for (int i = 0; i < 500; i++)
		sum += ((int (*)(void))(uintptr_t)patched)();
	return sum;
}

/* The constant is behind the opcode. */
static void patch(void)
{
	static const char *const ways[] = { "/proc/self/mem", "/proc/self/task/%d/mem" };
	struct iovec from = { "\7", 1 }, to = { patched + 1, 1 };
	char path[64], value;
	int file;

	say("sum %ld", call_patched());
	for (unsigned i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), ways[i % 2], (int)getpid());
		file = i < 2 ? open(path, O_RDWR) : open(path, O_WRONLY | O_CREAT, 0600);
		value = (char)(i + 2);
		say("written %ld", result(pwrite(file, &value, 1, (off_t)(uintptr_t)(patched + 1))));
		close(file);
		say("sum %ld", call_patched());
	}
	say("protect %ld", result(mprotect(patched, 4096, PROT_READ | PROT_WRITE | PROT_EXEC)));
	say("written %ld", result(process_vm_writev(getpid(), &from, 1, &to, 1, 0)));
	say("protect %ld", result(mprotect(patched, 4096, PROT_READ | PROT_EXEC)));
	say("sum %ld", call_patched());
}

/* ---- io_uring ---- */

struct ring {
	struct io_uring_params params;
	int file;
	char *submissions, *completions;
	struct io_uring_sqe *entries;
};

static void open_ring(struct ring *r, unsigned flags)
{
	enum { BOTH = PROT_READ | PROT_WRITE };

	r->params = (struct io_uring_params){ .flags = flags, .sq_thread_idle = 1000 };
	r->file = (int)syscall(SYS_io_uring_setup, 4, &r->params);
	if (r->file < 0)
		return;
	r->submissions = mmap(NULL, 4096, BOTH, MAP_SHARED, r->file, IORING_OFF_SQ_RING);
	r->completions = mmap(NULL, 4096, BOTH, MAP_SHARED, r->file, IORING_OFF_CQ_RING);
	r->entries = mmap(NULL, 4096, BOTH, MAP_SHARED, r->file, IORING_OFF_SQES);
}

/* Reads by the ring. Returns how many bytes. */
static int read_by_ring(struct ring *r, unsigned number, int file, void *to, unsigned size)
{
	unsigned wakeup = r->params.flags & IORING_SETUP_SQPOLL ? IORING_ENTER_SQ_WAKEUP : 0;
	unsigned *done = (unsigned *)(r->completions + r->params.cq_off.tail);
	struct io_uring_cqe *results = (void *)(r->completions + r->params.cq_off.cqes);

	r->entries[number] = (struct io_uring_sqe){ .opcode = IORING_OP_READ, .fd = file, .len = size,
						    .addr = (uintptr_t)to, .off = UINT64_MAX };
	((unsigned *)(r->submissions + r->params.sq_off.array))[number] = number;
	__atomic_store_n((unsigned *)(r->submissions + r->params.sq_off.tail), number + 1, __ATOMIC_RELEASE);
	syscall(SYS_io_uring_enter, r->file, 1, 1, IORING_ENTER_GETEVENTS | wakeup, NULL, 0);
	while (__atomic_load_n(done, __ATOMIC_ACQUIRE) <= number)
		sched_yield();
	return results[number].res;
}

/* The kernel writes data, and code. flags: with or without a thread of the kernel. */
static void use_ring(unsigned flags)
{
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t other[5];
	struct ring ring;
	char text[8] = "";
	int ends[2];

	open_ring(&ring, flags);
	say("ring %ld", outcome(ring.file < 0 ? -1 : 0));
	if (ring.file < 0 || pipe(ends) < 0)
		return;
	write_code(other, 9);
	if (write(ends[1], "data", 4) != 4)
		return;
	say("read %d", read_by_ring(&ring, 0, ends[0], text, 4));
	say("text %s", text);
	write_code(code, 7);
	say("code %ld", call_often(code));
	if (write(ends[1], other, sizeof(other)) != sizeof(other))
		return;
	say("read %d", read_by_ring(&ring, 1, ends[0], code, sizeof(other)));
	say("code %ld", call_often(code));
	close(ring.file);
}

static void ring(void)
{
	use_ring(0);
	use_ring(IORING_SETUP_SQPOLL);
}

int main(int argc, char **argv)
{
	static const struct probe probes[] = {
		{ "proc", proc }, { "registers", registers }, { "segments", segments },
		{ "cpuid", cpuid }, { "signals", signals }, { "memory", memory },
		{ "patch", patch }, { "ring", ring },
	};

	return argc > 1 ? run_probes(probes, sizeof(probes) / sizeof(*probes), argv + 1) : 2;
}
