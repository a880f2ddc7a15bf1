/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/signal_rate.h"

#include <sys/resource.h>
#include <sys/syscall.h>

#include "recorder/core/backend.h"
#include "recorder/core/task.h"
#include "recorder/ptrace/schedule.h"
#include "recorder/core/interrupts.h"
#include "recorder/ptrace/traps.h"

/* MANY exceeds the number of standard signals, as sigprocmask may release all of them at once. */
enum { MANY = 64, FIRST_REAL_TIME = 32 };

/*
 * A signal comes right behind another one if less than this time is between them, or less than the
 * first one has taken.
 */
static const double close_seconds = 1e-3;

/* Returns the least time that a task runs between two signals: some hundred instructions. */
static double least_seconds(const struct session *s)
{
	return s->backend->parallel ? 3e-4 : 1e-2;
}

/*
 * Returns the least progress of a task between two signals. Stepping counts instructions: so many
 * are enough for the dynamic linker to look up a function. A handler that leaves by siglongjmp()
 * makes the program begin such a look-up anew each time.
 */
static uint64_t least_progress(const struct session *s)
{
	return s->backend->parallel ? 1 : 2000;
}

/*
 * Returns the signals that instructions may raise, blocked or not, and those that stop or end a
 * task. Filters and syscall user dispatch raise SIGSYS, which ends a program that blocks it.
 */
static uint64_t never_blocked(void)
{
	return signal_bit(SIGTRAP) | signal_bit(SIGSEGV) | signal_bit(SIGBUS) | signal_bit(SIGILL) |
	       signal_bit(SIGFPE) | signal_bit(SIGSYS) | signal_bit(SIGKILL) | signal_bit(SIGSTOP) |
	       signal_bit(SIGCONT);
}

static bool is_raised(const siginfo_t *info)
{
	return info->si_code > 0 && info->si_signo < FIRST_REAL_TIME &&
	       never_blocked() & signal_bit(info->si_signo);
}

/*
 * Returns how many signals may come in a row. Real-time signals are queued, up to a limit, and
 * natively all of them arrive before the program goes on. A timer queues none.
 */
static uint64_t limit(const siginfo_t *info)
{
	struct rlimit pending;

	if (info->si_signo < FIRST_REAL_TIME || info->si_code == SI_TIMER)
		return MANY;
	if (getrlimit(RLIMIT_SIGPENDING, &pending) < 0 || pending.rlim_max > UINT32_MAX)
		return UINT32_MAX;
	return MANY + pending.rlim_max;
}

/* Returns the task's progress, with what it has executed by now. */
static uint64_t progress(struct task *t)
{
	const struct backend *b = t->session->backend;

	if (t->state == TASK_RUNNING && b->count_progress)
		b->count_progress(t);
	return t->progress;
}

void signal_rate_arrived(struct task *t)
{
	struct signal_rate *r = &t->signals.rate;
	double between;

	signal_rate_end(t);
	if (is_raised(&t->signals.info))
		return;
	r->arrived = session_now();
	between = r->arrived - r->last;
	r->row = between < close_seconds || between < r->run || progress(t) == r->progress
			 ? r->row + 1
			 : 0;
	r->is_high = r->row >= MANY && r->row >= limit(&t->signals.info);
}

static void begin(struct task *t)
{
	uint64_t mask;

	if (!task_read_mask(t, &mask))
		return;
	t->signals.rate.blocked = ~mask & ~never_blocked();
	task_write_mask(t, mask | t->signals.rate.blocked);
	ticks_soon();
}

/* Lets the task run for as long as the signal has taken. */
void signal_rate_goes_on(struct task *t)
{
	struct signal_rate *r = &t->signals.rate;
	double least = least_seconds(t->session);

	r->last = session_now();
	r->progress = progress(t);
	r->run = r->last - r->arrived > least ? r->last - r->arrived : least;
	if (r->is_high)
		begin(t);
}

bool signal_rate_is_limited(const struct task *t)
{
	return t->signals.rate.blocked;
}

/* The progress counts, too: other programs may have had the CPU all the time. */
bool signal_rate_is_over(struct task *t, double now)
{
	return t->signals.rate.blocked && now - t->signals.rate.last >= t->signals.rate.run &&
	       progress(t) - t->signals.rate.progress >= least_progress(t->session);
}

void signal_rate_end(struct task *t)
{
	uint64_t mask;

	if (t->signals.rate.blocked && task_read_mask(t, &mask))
		task_write_mask(t, mask & ~t->signals.rate.blocked);
	if (t->signals.rate.blocked)
		t->signals.rate.last = session_now();
	t->signals.rate.blocked = 0;
}

/*
 * Returns true if the task sends a signal to itself, which natively arrives before the task goes
 * on.
 */
static bool sends_to_itself(const struct task *t)
{
	int first = (int)t->syscall.args[0], second = (int)t->syscall.args[1];

	switch (t->syscall.number) {
	case SYS_kill: return first <= 0 || first == (int)t->process->pid;
	case SYS_rt_sigqueueinfo: return first == (int)t->process->pid;
	case SYS_tkill: return first == (int)t->tid;
	case SYS_tgkill:
	case SYS_rt_tgsigqueueinfo: return second == (int)t->tid;
	case SYS_pidfd_send_signal: return true;
	default: return false;
	}
}

/*
 * Returns true for calls that neither wait nor report signals: they are made with signals blocked.
 */
static bool returns_at_once(uint64_t number)
{
	static const uint16_t numbers[] = {
		SYS_getpid, SYS_gettid,    SYS_getppid,       SYS_getuid,       SYS_geteuid,
		SYS_getgid, SYS_getegid,   SYS_clock_gettime, SYS_gettimeofday, SYS_time,
		SYS_times,  SYS_getrusage, SYS_sched_yield,   SYS_getcpu,       SYS_mmap,
		SYS_munmap, SYS_mprotect,  SYS_mremap,        SYS_brk,          SYS_madvise,
		SYS_fstat,  SYS_lseek,     SYS_setitimer,     SYS_timer_settime
	};

	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (numbers[i] == number)
			return true;
	return false;
}

void signal_rate_syscall(struct task *t)
{
	if (returns_at_once(t->syscall.number))
		return;
	signal_rate_end(t);
	if (!sends_to_itself(t))
		return;
	t->signals.rate.row = 0;
	t->signals.rate.is_high = false;
}
