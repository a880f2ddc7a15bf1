/* SPDX-License-Identifier: MIT */
#include "recorder/core/task.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

struct task *task_find(struct session *s, pid_t tid)
{
	FOR_EACH_TASK (s, t)
		if (t->tid == tid)
			return t;
	return NULL;
}

struct task *task_add(struct session *s, pid_t tid)
{
	struct task *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->session = s;
	t->tid = tid;
	s->tasks.count++;
	if (s->tasks.current) {
		t->next = s->tasks.current->next;
		s->tasks.current->next = t;
	} else {
		t->next = t;
		s->tasks.current = t;
	}
	return t;
}

void task_remove(struct task *t)
{
	struct session *s = t->session;
	struct task *before = t;

	while (before->next != t)
		before = before->next;
	before->next = t->next;
	s->tasks.count--;
	s->tasks.n_ended -= t->life.ended;
	if (s->tasks.current == t) /* the next task is then behind the current one */
		s->tasks.current = before == t ? NULL : before;
	free(t->remote.late);
	free(t);
}

static bool alive(struct task *t, long result)
{
	if (result >= 0)
		return true;
	t->state = TASK_DYING;
	return false;
}

bool task_read_regs(struct task *t)
{
	return alive(t, ptrace(PTRACE_GETREGS, t->tid, NULL, &t->regs));
}

/*
 * The kernel refuses a segment base in its own half of the addresses, which a program can load
 * nevertheless (wrfsbase). The bases then stay as they are, except that of gs if it can be
 * written.
 */
static long write_all_but_bases(struct task *t)
{
	const size_t gs_base = offsetof(struct user_regs_struct, gs_base);
	struct iovec others = { &t->regs, offsetof(struct user_regs_struct, fs_base) };

	if (ptrace(PTRACE_SETREGSET, t->tid, (void *)(uintptr_t)NT_PRSTATUS, &others) < 0)
		return -1;
	ptrace(PTRACE_POKEUSER, t->tid, (void *)gs_base, (void *)(uintptr_t)t->regs.gs_base);
	return 0;
}

bool task_write_regs(struct task *t)
{
	long status;

	/* The tid of a TASK_DYING task may belong to the thread that called exec. */
	if (t->state == TASK_DYING)
		return false;
	status = ptrace(PTRACE_SETREGS, t->tid, NULL, &t->regs);
	if (status < 0 && errno == EIO)
		status = write_all_but_bases(t);
	return alive(t, status);
}

void task_isa_registers(const struct task *t, struct isa_registers *r)
{
	const struct user_regs_struct *u = &t->regs;
	const uint64_t general[16] = { u->rax, u->rcx, u->rdx, u->rbx, u->rsp, u->rbp,
				       u->rsi, u->rdi, u->r8,  u->r9,  u->r10, u->r11,
				       u->r12, u->r13, u->r14, u->r15 };

	memcpy(r->general, general, sizeof(general));
	r->rip = u->rip;
	r->rflags = u->eflags;
	r->fs_base = u->fs_base;
	r->gs_base = u->gs_base;
}

bool task_is_there(struct task *t)
{
	const size_t any = offsetof(struct user_regs_struct, rip);

	if (t->state == TASK_DYING)
		return false;
	errno = 0;
	ptrace(PTRACE_PEEKUSER, t->tid, (void *)any, NULL);
	return alive(t, -errno);
}

bool task_resume(struct task *t, int request, enum task_state state)
{
	int signal = t->signals.number;

	if (t->state == TASK_DYING)
		return false;
	t->signals.number = 0;
	t->signals.left_stop = false;
	t->state = state;
	t->session->tasks.resumes++;
	t->watched.resumes++;
	return alive(t, ptrace(request, t->tid, NULL, (long)signal));
}

int task_fail(const struct task *t, enum tf_status status, const char *why)
{
	uint8_t code[TF_MAX_INSN_BYTES];
	char text[3 * sizeof(code) + 1] = " unreadable";
	size_t n = task_read_code(t, t->regs.rip, code, sizeof(code));

	for (size_t i = 0; i < n; i++)
		sprintf(text + 3 * i, " %02x", code[i]);
	return session_fail(t->session, status, "process %d, at %#llx with the bytes%s: %s",
			    (int)t->process->pid, (unsigned long long)t->regs.rip, text, why);
}

bool task_read_info(const struct task *t, siginfo_t *info)
{
	return ptrace(PTRACE_GETSIGINFO, t->tid, NULL, info) >= 0;
}

bool task_read_mask(const struct task *t, uint64_t *mask)
{
	return ptrace(PTRACE_GETSIGMASK, t->tid, (void *)sizeof(*mask), mask) >= 0;
}

bool task_write_mask(const struct task *t, uint64_t mask)
{
	return t->state != TASK_DYING &&
	       ptrace(PTRACE_SETSIGMASK, t->tid, (void *)sizeof(mask), &mask) >= 0;
}

void task_keep_end(struct task *t, int status)
{
	t->session->tasks.n_ended += !t->life.ended;
	t->life.ended = true;
	t->life.end_status = status;
	t->state = TASK_DYING;
}

struct task *task_take_end(struct session *s, int *status)
{
	struct task *t = s->tasks.current;

	if (!s->tasks.n_ended)
		return NULL;
	while (!t->life.ended)
		t = t->next;
	t->life.ended = false;
	s->tasks.n_ended--;
	*status = t->life.end_status;
	return t;
}

/*
 * Reads the thread's line of /proc/PID/task/TID/stat into text. Returns the fields from the third
 * on, or NULL if the thread is gone.
 */
static const char *read_stat(const struct task *t, char *text, size_t size)
{
	char path[64], *at;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)t->tid, (int)t->tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	n = read(fd, text, size - 1);
	close(fd);
	text[n < 0 ? 0 : n] = 0;
	at = strrchr(text, ')'); /* the name before it may contain any character */
	return at && at[1] == ' ' ? at + 2 : NULL;
}

/* Returns a later field, given the third one; NULL if it is missing. */
static const char *stat_field(const char *at, int field)
{
	for (int i = 3; at && i < field; i++) {
		at = strchr(at, ' ');
		if (at)
			at++;
	}
	return at;
}

char task_kernel_state(const struct task *t, int *cpu)
{
	enum { CPU_FIELD = 39 };
	char text[1024];
	const char *state = read_stat(t, text, sizeof(text)), *at = stat_field(state, CPU_FIELD);

	if (!state || (cpu && !at))
		return 0;
	if (cpu)
		*cpu = atoi(at);
	return *state;
}

struct cpu_seconds task_cpu_seconds(const struct task *t)
{
	enum { USER_FIELD = 14 };
	char text[1024];
	const char *at = stat_field(read_stat(t, text, sizeof(text)), USER_FIELD);
	double ticks = (double)sysconf(_SC_CLK_TCK);
	unsigned long user, kernel;

	if (!at || sscanf(at, "%lu %lu", &user, &kernel) != 2)
		return (struct cpu_seconds){ 0, 0 };
	return (struct cpu_seconds){ (double)user / ticks, (double)(user + kernel) / ticks };
}

/* ---- signals ---- */

/* Takes a set from a line of /proc/PID/status, as "SigCgt:\t0000000000000001". */
static void take_set(const char *line, struct signal_sets *sets)
{
	const struct {
		const char *name;
		uint64_t *set;
	} lines[] = { { "SigPnd:", &sets->pending },
		      { "ShdPnd:", &sets->process_pending },
		      { "SigBlk:", &sets->blocked },
		      { "SigIgn:", &sets->ignored },
		      { "SigCgt:", &sets->caught } };

	for (unsigned i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (strncmp(line, lines[i].name, strlen(lines[i].name)) == 0)
			*lines[i].set = strtoull(line + strlen(lines[i].name), NULL, 16);
}

struct signal_sets signal_sets(const struct task *t)
{
	struct signal_sets sets = { 0 };
	char path[64], line[256], buffer[4096];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)t->tid, (int)t->tid);
	file = fopen(path, "re");
	if (!file)
		return sets;
	setvbuf(file, buffer, _IOFBF, sizeof(buffer)); /* the whole text is mostly smaller */
	while (fgets(line, sizeof(line), file))
		if (line[0] == 'S')
			take_set(line, &sets);
	fclose(file);
	return sets;
}

bool signals_raised(const struct task *t)
{
	const uint64_t raised = signal_bit(SIGTRAP) | signal_bit(SIGSEGV) | signal_bit(SIGBUS) |
				signal_bit(SIGILL) | signal_bit(SIGFPE);
	struct signal_sets sets = signal_sets(t);

	return raised & sets.pending & ~sets.blocked;
}

/* Returns the signals that the program does not catch and that neither end nor stop it. */
static uint64_t ignored(const struct signal_sets *sets)
{
	const uint64_t by_default = signal_bit(SIGCHLD) | signal_bit(SIGCONT) | signal_bit(SIGURG) |
				    signal_bit(SIGWINCH);

	return sets->ignored | (by_default & ~sets->caught);
}

enum signal_fate signal_fate(struct task *t, int signal)
{
	struct task_signals *known = &t->signals;

	if (!known->sets_read) {
		struct signal_sets sets = signal_sets(t);

		known->sets_read = true;
		known->caught = sets.caught;
		known->ignored = ignored(&sets);
	}
	if (known->caught & signal_bit(signal))
		return SIGNAL_CAUGHT;
	return known->ignored & signal_bit(signal) ? SIGNAL_IGNORED : SIGNAL_ACTS;
}

bool signals_wait(const struct task *t)
{
	struct signal_sets sets = signal_sets(t);

	return (sets.pending | sets.process_pending) & ~sets.blocked & ~ignored(&sets);
}
