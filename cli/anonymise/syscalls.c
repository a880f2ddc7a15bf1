/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/syscalls.h"

#include <stddef.h>
#include <sys/syscall.h>

#define A VALUE_POINTER
#define L VALUE_LENGTH
#define N VALUE_PLAIN
#define P VALUE_PROCESS
#define T VALUE_THREAD
#define U VALUE_UNKNOWN

/* The plain numbers of other calls, such as lengths of reads, tell about files and messages. */
static const struct syscall_values calls[] = {
	{ SYS_mmap, { A, L, N, N }, A },
	{ SYS_mprotect, { A, L, N }, U },
	{ SYS_munmap, { A, L }, U },
	{ SYS_brk, { A }, A },
	{ SYS_mremap, { A, L, L, N, A }, A },
	{ SYS_madvise, { A, L, N }, U },
	{ SYS_shmat, { U }, A },
	{ SYS_futex, { A, N }, U },
	{ SYS_clone, { N }, T },
	{ SYS_clone3, { U }, T },
	{ SYS_fork, { U }, P },
	{ SYS_vfork, { U }, P },
	{ SYS_getpid, { U }, P },
	{ SYS_getppid, { U }, P },
	{ SYS_getpgrp, { U }, P },
	{ SYS_setsid, { U }, P },
	{ SYS_gettid, { U }, T },
	{ SYS_set_tid_address, { U }, T },
	{ SYS_wait4, { P }, P },
	{ SYS_kill, { P }, U },
	{ SYS_tkill, { T }, U },
	{ SYS_tgkill, { P, T }, U },
	{ SYS_getpgid, { P }, P },
	{ SYS_getsid, { P }, P },
	{ SYS_setpgid, { P, P }, U },
};

const struct syscall_values *syscall_values(uint64_t number)
{
	static const struct syscall_values unknown = { 0 };

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].number == number)
			return &calls[i];
	return &unknown;
}
