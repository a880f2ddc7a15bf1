/* SPDX-License-Identifier: MIT */
#include "recorder/translate/plan/call_table.h"

#include <sys/syscall.h>

static const uint16_t free_ones[] = {
	/* contents of files, pipes, sockets */
	SYS_read, SYS_write, SYS_pread64, SYS_pwrite64, SYS_readv, SYS_writev, SYS_preadv,
	SYS_pwritev, SYS_preadv2, SYS_pwritev2, SYS_lseek, SYS_sendfile, SYS_copy_file_range,
	SYS_fsync, SYS_fdatasync, SYS_ftruncate, SYS_truncate, SYS_fallocate, SYS_fadvise64,
	SYS_readahead, SYS_getdents, SYS_getdents64, SYS_ioctl,
	/* descriptors */
	SYS_close, SYS_dup, SYS_dup2, SYS_dup3, SYS_fcntl, SYS_flock, SYS_pipe, SYS_pipe2,
	SYS_eventfd2, SYS_epoll_create1, SYS_epoll_ctl, SYS_timerfd_create, SYS_timerfd_settime,
	SYS_timerfd_gettime,
	/* names */
	SYS_stat, SYS_fstat, SYS_lstat, SYS_newfstatat, SYS_statx, SYS_access, SYS_faccessat,
	SYS_faccessat2, SYS_statfs, SYS_fstatfs, SYS_readlink, SYS_readlinkat, SYS_getcwd,
	SYS_chdir, SYS_fchdir, SYS_rename, SYS_renameat, SYS_renameat2, SYS_mkdir, SYS_mkdirat,
	SYS_rmdir, SYS_link, SYS_linkat, SYS_unlink, SYS_unlinkat, SYS_symlink, SYS_symlinkat,
	SYS_chmod, SYS_fchmod, SYS_fchmodat, SYS_utimensat, SYS_umask,
	/* sockets */
	SYS_socket, SYS_socketpair, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_sendto,
	SYS_recvfrom, SYS_sendmsg, SYS_recvmsg, SYS_shutdown, SYS_getsockname, SYS_getpeername,
	SYS_setsockopt, SYS_getsockopt,
	/* time */
	SYS_sched_yield, SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_time, SYS_times,
	SYS_getrusage,
	/* ends of children */
	SYS_wait4, SYS_waitid,
	/* identity of the process and the machine */
	SYS_getpid, SYS_gettid, SYS_getppid, SYS_getpgrp, SYS_getpgid, SYS_getsid, SYS_getuid,
	SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getgroups, SYS_getresuid, SYS_getresgid,
	SYS_uname, SYS_sysinfo, SYS_getrlimit, SYS_prlimit64, SYS_getpriority, SYS_getcpu,
	SYS_getrandom, SYS_set_tid_address, SYS_set_robust_list,
	/* memory, without changes of mappings */
	SYS_madvise, SYS_mincore, SYS_msync, SYS_membarrier
};

/* Calls with a timeout. When they are interrupted, they continue with the rest of it. */
static const uint16_t timed[] = { SYS_epoll_wait, SYS_poll,      SYS_select,
				  SYS_futex,      SYS_nanosleep, SYS_clock_nanosleep };

static const uint16_t mapping[] = { SYS_brk,           SYS_munmap, SYS_mprotect,
				    SYS_pkey_mprotect, SYS_shmat,  SYS_shmdt };

static void fill(uint8_t *calls, size_t size, const uint16_t *numbers, unsigned n,
		 enum call_kind kind)
{
	for (unsigned i = 0; i < n; i++)
		if (numbers[i] < size)
			calls[numbers[i]] = (uint8_t)kind;
}

void call_table_fill(uint8_t *calls, size_t size)
{
	fill(calls, size, free_ones, sizeof(free_ones) / sizeof(*free_ones), CALL_FREE);
	fill(calls, size, timed, sizeof(timed) / sizeof(*timed), CALL_FREE);
	fill(calls, size, mapping, sizeof(mapping) / sizeof(*mapping), CALL_LOOKED_AT);
	fill(calls, size, (const uint16_t[]){ SYS_arch_prctl }, 1, CALL_FS);
	fill(calls, size, (const uint16_t[]){ SYS_mmap }, 1, CALL_UNFIXED);
	fill(calls, size, (const uint16_t[]){ SYS_openat }, 1, CALL_OPENAT);
}
