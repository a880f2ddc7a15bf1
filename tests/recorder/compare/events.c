/* SPDX-License-Identifier: MIT */
/* Compares events, without the fields that differ between any two runs. */
#include <string.h>
#include <sys/syscall.h>

#include "cli/common/event_fields.h"
#include "tests/recorder/compare/compare.h"

/* Returns whether the numbers are equal, or are the pids or tids of the same process or thread. */
static bool same_number(const struct side *a, uint64_t va, const struct side *b, uint64_t vb)
{
	const struct tf_process *pa, *pb;
	const struct tf_thread *ta, *tb;

	if (va == vb)
		return true;
	for (uint32_t i = 0; (pa = tf_process(a->reader, i)) && (pb = tf_process(b->reader, i));
	     i++)
		if ((va == pa->pid && vb == pb->pid) || (-va == pa->pid && -vb == pb->pid))
			return true;
	for (uint32_t i = 0; (ta = tf_thread(a->reader, i)) && (tb = tf_thread(b->reader, i)); i++)
		if (va == ta->tid && vb == tb->tid)
			return true;
	return false;
}

/* Registers beyond a call's arguments hold leftover values, which may be random. */
static unsigned count_arguments(uint64_t number)
{
	switch (number) {
	case SYS_getpid:
	case SYS_getppid:
	case SYS_gettid:
	case SYS_getuid:
	case SYS_geteuid:
	case SYS_getgid:
	case SYS_getegid:
	case SYS_rt_sigreturn:
	case SYS_sched_yield:
	case SYS_fork:
	case SYS_vfork: return 0;
	case SYS_close:
	case SYS_brk:
	case SYS_exit:
	case SYS_exit_group:
	case SYS_uname:
	case SYS_set_tid_address: return 1;
	case SYS_access:
	case SYS_munmap:
	case SYS_fstat:
	case SYS_getcwd:
	case SYS_stat:
	case SYS_lstat:
	case SYS_clone3: return 2;
	case SYS_read:
	case SYS_write:
	case SYS_open:
	case SYS_mprotect:
	case SYS_lseek:
	case SYS_getrandom:
	case SYS_ioctl:
	case SYS_fcntl:
	case SYS_execve: return 3;
	case SYS_openat:
	case SYS_rt_sigaction:
	case SYS_rt_sigprocmask:
	case SYS_newfstatat:
	case SYS_pread64:
	case SYS_prlimit64: return 4;
	}
	return 6;
}

/* Calls whose results are numbers of processes that are not recorded, or times. */
static bool has_own_result(uint64_t number)
{
	switch (number) {
	case SYS_getppid:
	case SYS_fork:
	case SYS_vfork:
	case SYS_clone:
	case SYS_clone3:
	case SYS_wait4:
	case SYS_time:
	case SYS_times: return true;
	}
	return false;
}

static bool same_syscall(const struct side *a, const struct tf_event *ea, const struct side *b,
			 const struct tf_event *eb)
{
	uint64_t number = ea->syscall.number;
	unsigned n = count_arguments(number);

	if (number != eb->syscall.number)
		return false;
	/* The process that the call waits for or signals may not be recorded. */
	for (unsigned i = number == SYS_wait4 || number == SYS_kill; i < n; i++)
		if (!same_number(a, ea->syscall.args[i], b, eb->syscall.args[i]))
			return false;
	return true;
}

static bool same_result(const struct side *a, const struct tf_event *ea, const struct side *b,
			const struct tf_event *eb)
{
	int64_t ra = ea->syscall_result.result, rb = eb->syscall_result.result;

	if (ea->syscall_result.number != eb->syscall_result.number)
		return false;
	if (has_own_result(ea->syscall_result.number) && ra > 0 && rb > 0)
		return true;
	return same_number(a, (uint64_t)ra, b, (uint64_t)rb);
}

/* Fields that differ between any two runs, or that are indices into the dictionary. */
static bool is_own_field(const char *name)
{
	static const char *const own[] = { "time_ns", "pid", "tid", "index", "module" };

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (strcmp(name, own[i]) == 0)
			return true;
	return false;
}

static bool same_field(const struct event_field *a, const struct event_field *b)
{
	if (strcmp(a->name, b->name) != 0 || a->type != b->type)
		return false;
	if (is_own_field(a->name))
		return true;
	switch (a->type) {
	case EVENT_STRING: return strcmp(a->string, b->string) == 0;
	case EVENT_HEX_LIST:
		return a->count == b->count &&
		       memcmp(a->list, b->list, a->count * sizeof(uint64_t)) == 0;
	case EVENT_BYTES: return a->count == b->count && memcmp(a->list, b->list, a->count) == 0;
	default: return a->number == b->number;
	}
}

bool same_event(const struct side *a, const struct side *b)
{
	const struct tf_event *ea = a->item.event, *eb = b->item.event;
	struct event_field fa[EVENT_MAX_FIELDS], fb[EVENT_MAX_FIELDS];
	size_t n;

	if (ea->kind != eb->kind)
		return false;
	if (ea->kind == TF_EVENT_SYSCALL)
		return same_syscall(a, ea, b, eb);
	if (ea->kind == TF_EVENT_SYSCALL_RESULT)
		return same_result(a, ea, b, eb);
	n = event_fields(a->reader, ea, fa);
	if (n != event_fields(b->reader, eb, fb))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!same_field(&fa[i], &fb[i]))
			return false;
	return true;
}
