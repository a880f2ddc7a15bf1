/* SPDX-License-Identifier: MIT */
#include "tests/unit/recorder/traced_child.h"

#include <check.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/core/task.h"

enum { CHILD_STATUS = 42 };

/* Returns the address of a syscall instruction in the vdso, which the child has where the parent
 * has it. */
static uint64_t syscall_insn(void)
{
	enum { VDSO_BYTES = 4096 };
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
	const char *at = memmem(vdso, VDSO_BYTES, "\x0f\x05", 2);

	ck_assert_ptr_nonnull(at);
	return (uint64_t)at;
}

void traced_child_join(struct traced_child *c)
{
	pthread_mutex_init(&c->session.error.lock, NULL);
	c->task.session = c->process.session = &c->session;
	c->task.process = &c->process;
	c->process.n_tasks = 1;
	c->process.remote.syscall_pc = syscall_insn();
}

void traced_child_start(struct traced_child *c, void (*prepare)(void))
{
	struct task *t = &c->task;
	int status;

	memset(c, 0, sizeof(*c));
	t->tid = fork();
	ck_assert_int_ge(t->tid, 0);
	if (t->tid == 0) {
		if (prepare)
			prepare();
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(CHILD_STATUS);
	}
	ck_assert_int_eq(waitpid(t->tid, &status, 0), t->tid);
	ck_assert(WIFSTOPPED(status));
	ptrace(PTRACE_SETOPTIONS, t->tid, NULL, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD);
	traced_child_join(c);
	c->process.pid = t->tid;
	ck_assert(task_read_regs(t));
}

void traced_child_end(struct traced_child *c)
{
	int status;

	ck_assert_int_eq(ptrace(PTRACE_DETACH, c->task.tid, NULL, NULL), 0);
	ck_assert_int_eq(waitpid(c->task.tid, &status, 0), c->task.tid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == CHILD_STATUS);
	task_memory_close(&c->process);
}
