/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/isa/stepped.h"

void stepped_map(uint64_t address, size_t size, int protection)
{
	void *memory = mmap((void *)address, size, protection,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	ck_assert_msg(memory == (void *)address, "mmap: %s", strerror(errno));
}

void stepped_begin(struct stepped *s, void (*prepare)(void))
{
	struct iovec xstate = { s->xstate, sizeof(s->xstate) };
	int status;

	s->pid = fork();
	ck_assert_int_ge(s->pid, 0);
	if (s->pid == 0) {
		if (prepare)
			prepare();
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(s->pid, &status, 0), s->pid);
	ck_assert_msg(WIFSTOPPED(status), "the child cannot be traced");
	ptrace(PTRACE_SETOPTIONS, s->pid, NULL, PTRACE_O_EXITKILL);
	ptrace(PTRACE_GETREGS, s->pid, NULL, &s->initial);
	ptrace(PTRACE_GETREGSET, s->pid, NT_X86_XSTATE, &xstate);
	s->xstate_size = xstate.iov_len;
}

int stepped_step(struct stepped *s, struct user_regs_struct *regs)
{
	struct iovec xstate = { s->xstate, s->xstate_size };
	int status;

	ck_assert_int_eq(ptrace(PTRACE_SETREGS, s->pid, NULL, regs), 0);
	ck_assert_int_eq(ptrace(PTRACE_SETREGSET, s->pid, NT_X86_XSTATE, &xstate), 0);
	ck_assert_int_eq(ptrace(PTRACE_SINGLESTEP, s->pid, NULL, NULL), 0);
	ck_assert_int_eq(waitpid(s->pid, &status, 0), s->pid);
	ck_assert_msg(WIFSTOPPED(status), "the child is gone, status %x", status);
	ptrace(PTRACE_GETREGS, s->pid, NULL, regs);
	return WSTOPSIG(status);
}

void stepped_read_xstate(const struct stepped *s, uint8_t *image)
{
	struct iovec xstate = { image, XSTATE_MAX };

	ptrace(PTRACE_GETREGSET, s->pid, NT_X86_XSTATE, &xstate);
}

void stepped_end(struct stepped *s)
{
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
}
