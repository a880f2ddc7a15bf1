/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/shadow_stack.h"
#include "recorder/ptrace/syscall_answer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FEATURES "x86_Thread_features:"

/* True if the kernel knows of them, on whatever processor. */
static bool are_known(void)
{
	enum { STATUS = 0x5005 };
	uint64_t features;

	return syscall(SYS_arch_prctl, STATUS, &features) == 0;
}

/* The answer is the kernel's for a processor without them. */
void shadow_stack_entering(struct task *t)
{
	enum { ENABLE = 0x5001 };
	const struct syscall_state *c = &t->syscall;

	if (c->number == SYS_arch_prctl && c->args[0] == ENABLE && are_known())
		syscall_answer(t, -EOPNOTSUPP);
}

bool shadow_stack_is_told(const char *line)
{
	return strncmp(line, FEATURES, strlen(FEATURES)) == 0 && strstr(line, "shstk");
}

int shadow_stack_look(const struct task *t)
{
	char path[64], line[256];
	bool told = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)t->tid);
	file = fopen(path, "re");
	while (file && !told && fgets(line, sizeof(line), file))
		told = shadow_stack_is_told(line);
	if (file)
		fclose(file);
	return told ? session_fail(
			      t->session, TF_E_ARGUMENT,
			      "thread %d has a shadow stack, with which it cannot be recorded; "
			      "start the program with "
			      "GLIBC_TUNABLES=glibc.cpu.x86_shstk=off, or by trace-record",
			      (int)t->tid)
		    : 0;
}
