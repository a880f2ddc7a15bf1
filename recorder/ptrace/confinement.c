/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/confinement.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "recorder/core/loop.h"
#include "recorder/core/refusals.h"
#include "recorder/core/task.h"
#include "recorder/ptrace/altered_syscalls.h"
#include "recorder/ptrace/filter_program.h"
#include "recorder/ptrace/remote.h"

enum request { OTHER, FILTER, STRICT, UNKNOWN };

static enum request mode_requested(uint64_t mode)
{
	return mode == SECCOMP_MODE_FILTER ? FILTER : mode == SECCOMP_MODE_STRICT ? STRICT : OTHER;
}

static enum request operation(uint64_t operation, uint64_t flags, uint64_t args)
{
	if (operation == SECCOMP_SET_MODE_FILTER)
		return FILTER;
	return operation == SECCOMP_SET_MODE_STRICT && !flags && !args ? STRICT : OTHER;
}

/* Returns true if the call is made by int 0x80, as in 32-bit programs. */
static bool is_int80(const struct task *t)
{
	static const uint8_t int80[SYSCALL_BYTES] = { 0xcd, 0x80 };
	uint8_t code[SYSCALL_BYTES];

	return task_read_code(t, t->regs.rip, code, sizeof(code)) == sizeof(code) &&
	       !memcmp(code, int80, sizeof(code));
}

static enum request requested_by_int80(const struct user_regs_struct *r)
{
	enum { I386_PRCTL = 172, I386_SECCOMP = 354 };
	uint32_t number = (uint32_t)r->rax, first = (uint32_t)r->rbx;

	return (number == I386_PRCTL && first == PR_SET_SECCOMP) ||
			       (number == I386_SECCOMP && first <= SECCOMP_SET_MODE_FILTER)
		       ? UNKNOWN
		       : OTHER;
}

/* Returns the kind of confinement that the call sets. */
static enum request requested(const struct task *t)
{
	const struct user_regs_struct *r = &t->regs;
	enum request by_int80 = requested_by_int80(r), native = OTHER;

	if ((uint32_t)r->rax == SYS_prctl && (uint32_t)r->rdi == PR_SET_SECCOMP)
		native = mode_requested(r->rsi);
	else if ((uint32_t)r->rax == SYS_seccomp)
		native = operation((uint32_t)r->rdi, (uint32_t)r->rsi, r->rdx);
	if (native == OTHER && by_int80 == OTHER)
		return OTHER;
	return is_int80(t) ? by_int80 : native;
}

/* ---- filters ---- */

/* Reads the filter that the call installs. Returns its length; 0 if the kernel will refuse it. */
static size_t read_filter(const struct task *t, struct sock_filter *filter)
{
	struct sock_fprog program;
	size_t size;

	if (task_read(t, t->regs.rdx, &program, sizeof(program)) < sizeof(program))
		return 0;
	size = program.len * sizeof(*filter);
	if (!program.len || program.len > BPF_MAXINSNS ||
	    task_read(t, (uint64_t)(uintptr_t)program.filter, filter, size) < size)
		return 0;
	return program.len;
}

/* Puts the filter into new memory in the program. */
static bool place_filter(struct task *t, const struct sock_filter *filter, size_t n)
{
	struct confinement *c = &t->limits.confinement;
	struct sock_fprog program = { .len = (unsigned short)n };
	size_t bytes = n * sizeof(*filter);
	int64_t at;

	c->size = sizeof(program) + bytes;
	at = remote_syscall(t, SYS_mmap,
			    (uint64_t[6]){ 0, c->size, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX });
	if (at < 0 && at > -4096)
		return false;
	c->at = (uint64_t)at;
	program.filter = (struct sock_filter *)(uintptr_t)(c->at + sizeof(program));
	return task_write(t, c->at, &program, sizeof(program)) &&
	       task_write(t, c->at + sizeof(program), filter, bytes);
}

static bool is_of(const struct task *t, const void *process)
{
	return t->process == process;
}

/*
 * Keeps all tasks of the process from making calls in the recorder's code: a filter may inspect
 * the code that is there already, and may become that of all threads.
 */
static int keep_calls_out(struct task *t)
{
	struct process *p = t->process;

	if (p->confined)
		return 0;
	p->confined = true;
	return p->n_tasks > 1 ? synchronize_others(t->session, t, is_of, p) : 0;
}

static int before_filter(struct task *t)
{
	struct sock_filter filter[BPF_MAXINSNS], open[BPF_MAXINSNS];
	size_t n = read_filter(t, filter);

	if (!n)
		return 0;
	if (keep_calls_out(t) < 0)
		return -1;
	n = filter_program_open(filter, n, open);
	t->limits.confinement.seals = !n || !place_filter(t, open, n);
	return 0;
}

/* ---- strict mode ---- */

static long seccomp_mode(const struct task *t)
{
	return refusals_status(t->tid, "Seccomp");
}

static bool strict_allows(uint64_t number)
{
	return number == SYS_read || number == SYS_write || number == SYS_exit ||
	       number == SYS_rt_sigreturn;
}

void confinement_leave(struct task *t)
{
	struct confinement *c = &t->limits.confinement;

	if (!c->strict || c->sealed || t->state == TASK_DYING)
		return;
	remote_syscall(t, SYS_prctl, (uint64_t[6]){ PR_SET_SECCOMP, SECCOMP_MODE_STRICT });
	c->sealed = true;
}

void confinement_child(struct task *child, const struct task *parent)
{
	child->limits.confinement.sealed = parent->limits.confinement.sealed;
	child->limits.confinement.filters = parent->limits.confinement.filters;
}

/* ---- a system call ---- */

int confinement_before(struct task *t)
{
	struct confinement *c = &t->limits.confinement;

	c->at = c->size = 0;
	c->seals = c->answers = false;
	/* a call that strict mode does not allow: the kernel ends the task, as it would natively */
	if (c->strict && (is_int80(t) || !strict_allows(t->regs.rax)))
		confinement_leave(t);
	if (c->strict)
		return 0;
	switch (requested(t)) {
	case FILTER: return before_filter(t);
	case STRICT:
		c->answers = seccomp_mode(t) == SECCOMP_MODE_DISABLED;
		return c->answers ? keep_calls_out(t) : 0;
	case UNKNOWN: c->seals = true; return keep_calls_out(t);
	default: return 0;
	}
}

void confinement_entering(struct task *t)
{
	const struct confinement *c = &t->limits.confinement;

	if (c->answers)
		t->regs.orig_rax = UINT64_MAX;
	else if (c->at && !c->seals)
		t->regs.rdx = c->at;
	else
		return;
	task_write_regs(t);
}

static void seal(struct task *t)
{
	struct task *other = t;

	do {
		if (other->process == t->process)
			other->limits.confinement.sealed = true;
		other = other->next;
	} while (other != t);
}

int confinement_refuse(const struct task *t)
{
	return task_fail(t, TF_E_ARGUMENT,
			 "the program is confined by a seccomp filter that only "
			 "root (CAP_SYS_ADMIN) may suspend for what the recorder has to do: it has "
			 "been installed while the program ran natively, by int 0x80, or is longer "
			 "than 4092 instructions");
}

int confinement_leaving(struct task *t)
{
	struct confinement *c = &t->limits.confinement;
	bool sealed = c->seals && (int64_t)t->regs.rax >= 0;

	if (c->answers) {
		t->regs.rax = 0;
		c->strict = true;
	}
	if (c->at && !c->seals)
		t->regs.rdx = t->syscall.args[2];
	if (c->answers || (c->at && !c->seals))
		task_write_regs(t);
	if (sealed)
		seal(t);
	if (c->at && (!sealed || remote_is_allowed(t)))
		remote_syscall(t, SYS_munmap, (uint64_t[6]){ c->at, c->size });
	c->at = 0;
	c->answers = c->seals = false;
	return sealed && !remote_is_allowed(t) ? confinement_refuse(t) : 0;
}

/* ---- what has run natively ---- */

static long count_filters(const struct task *t)
{
	return refusals_status(t->tid, "Seccomp_filters");
}

void confinement_pause(struct task *t)
{
	confinement_leave(t);
	t->limits.confinement.filters = t->process->confined ? count_filters(t) : 0;
}

bool confinement_look(struct task *t)
{
	struct confinement *c = &t->limits.confinement;

	if (refusals_is_confined(t->tid)) {
		t->process->confined = true;
		c->sealed |= seccomp_mode(t) == SECCOMP_MODE_STRICT ||
			     count_filters(t) != c->filters;
	}
	return remote_is_allowed(t);
}
