/* SPDX-License-Identifier: MIT */
/*
 * System calls that may wait for another thread or process, for a device or for time to pass, by
 * their manual pages.
 */
#include <stdlib.h>
#include <sys/syscall.h>

#include "cli/export/drmemtrace_file.h"

/* Ascending. Numbers that older headers lack are given as such. */
static const uint16_t blocking[] = {
	SYS_read,
	SYS_write,
	SYS_open,
	SYS_poll,
	SYS_ioctl,
	SYS_pread64,
	SYS_pwrite64,
	SYS_readv,
	SYS_writev,
	SYS_select,
	SYS_msync,
	SYS_pause,
	SYS_nanosleep,
	SYS_sendfile,
	SYS_connect,
	SYS_accept,
	SYS_sendto,
	SYS_recvfrom,
	SYS_sendmsg,
	SYS_recvmsg,
	SYS_vfork,
	SYS_wait4,
	SYS_semop,
	SYS_msgsnd,
	SYS_msgrcv,
	SYS_fcntl,
	SYS_flock,
	SYS_fsync,
	SYS_fdatasync,
	SYS_rt_sigtimedwait,
	SYS_rt_sigsuspend,
	SYS_sync,
	SYS_futex,
	SYS_io_getevents,
	SYS_semtimedop,
	SYS_clock_nanosleep,
	SYS_epoll_wait,
	SYS_mq_timedsend,
	SYS_mq_timedreceive,
	SYS_waitid,
	SYS_openat,
	SYS_pselect6,
	SYS_ppoll,
	SYS_splice,
	SYS_tee,
	SYS_sync_file_range,
	SYS_vmsplice,
	SYS_epoll_pwait,
	SYS_accept4,
	SYS_preadv,
	SYS_pwritev,
	SYS_recvmmsg,
	SYS_syncfs,
	SYS_sendmmsg,
	SYS_getrandom,
	SYS_copy_file_range,
	SYS_preadv2,
	SYS_pwritev2,
	333, /* io_pgetevents */
	426, /* io_uring_enter */
	437, /* openat2 */
	441, /* epoll_pwait2 */
	449, /* futex_waitv */
	455, /* futex_wait */
};

static int compare(const void *key, const void *item)
{
	const uint64_t *number = key;
	const uint16_t *other = item;

	return *number < *other ? -1 : *number > *other;
}

bool drmemtrace_may_block(uint64_t syscall)
{
	return bsearch(&syscall, blocking, sizeof(blocking) / sizeof(*blocking), sizeof(*blocking),
		       compare);
}
