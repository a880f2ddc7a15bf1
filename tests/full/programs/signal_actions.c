/* flags: -static */
/* SPDX-License-Identifier: MIT */
/* Uses actions of signals with their flags, masks, stacks, queues and siginfo. Handlers edit their
 * contexts. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include "say.h"

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

static char other_stack[65536];
static volatile int depth, calls;

static void act(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	sigaction(number, &action, NULL);
}

static void nests(int number, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	calls++;
	say("depth %d\n", ++depth);
	if (calls < 4)
		raise(number);
	say("back at %d\n", depth--);
}

static void where(int number, siginfo_t *info, void *context)
{
	const ucontext_t *c = context;
	stack_t now;
	char here;

	(void)info;
	sigaltstack(NULL, &now);
	say("signal %d on the %s stack, flags %x, frame's %x\n", number,
	    &here >= other_stack && &here < other_stack + sizeof(other_stack) ? "other" : "usual",
	    (unsigned)now.ss_flags, (unsigned)c->uc_stack.ss_flags);
}

static const char *by(const siginfo_t *info)
{
	return info->si_pid == getpid() ? "me" : info->si_pid ? "another" : "nobody";
}

static void tells(int number, siginfo_t *info, void *context)
{
	(void)context;
	say("signal %d code %d value %d by %s, user %d\n",
	    number - (number >= SIGRTMIN ? SIGRTMIN : 0), info->si_code,
	    info->si_code == SI_QUEUE || info->si_code == SI_TIMER ? info->si_value.sival_int : 0,
	    info->si_code == SI_TIMER ? "a timer" : by(info),
	    info->si_code != SI_TIMER && info->si_uid == getuid());
}

static void tell(const char *what, int result)
{
	say("%s %d %d\n", what, result, errno);
}

static void flags(void)
{
	const stack_t other = { .ss_sp = other_stack, .ss_size = sizeof(other_stack) };
	stack_t disarming = other, off = { .ss_flags = SS_DISABLE };
	struct sigaction is;

	act(SIGUSR1, nests, SA_NODEFER);
	raise(SIGUSR1);
	calls = 0;
	act(SIGUSR1, nests, 0);
	raise(SIGUSR1);
	act(SIGUSR2, where, SA_RESETHAND);
	raise(SIGUSR2);
	sigaction(SIGUSR2, NULL, &is);
	say("reset: %d\n", is.sa_handler == SIG_DFL);
	act(SIGUSR2, where, SA_ONSTACK);
	raise(SIGUSR2);
	sigaltstack(&other, NULL);
	raise(SIGUSR2);
	disarming.ss_flags = (int)SS_AUTODISARM;
	sigaltstack(&disarming, NULL);
	raise(SIGUSR2);
	raise(SIGUSR2);
	sigaltstack(&off, NULL);
	raise(SIGUSR2);
	disarming.ss_size = 100;
	say("too small: %d\n", sigaltstack(&disarming, NULL) ? errno : 0);
}

static void queues(void)
{
	sigset_t set, pending;
	struct timespec no_time = { 0, 0 };
	siginfo_t info;
	int fd;

	sigemptyset(&set);
	for (int i = 0; i < 4; i++) {
		act(SIGRTMIN + i, tells, 0);
		sigaddset(&set, SIGRTMIN + i);
	}
	sigaddset(&set, SIGUSR1);
	act(SIGUSR1, tells, 0);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 8; i++)
		sigqueue(getpid(), SIGRTMIN + 3 - i % 4, (union sigval){ .sival_int = i });
	kill(getpid(), SIGUSR1);
	syscall(SYS_tgkill, getpid(), getpid(), SIGUSR1);
	sigpending(&pending);
	say("pending %d %d\n", sigismember(&pending, SIGUSR1), sigismember(&pending, SIGRTMIN + 2));
	say("taken %d", sigwaitinfo(&set, &info));
	say(" code %d\n", info.si_code);
	fd = signalfd(-1, &set, SFD_NONBLOCK);
	for (int i = 0; i < 3; i++) {
		struct signalfd_siginfo read_info;

		if (read(fd, &read_info, sizeof(read_info)) == sizeof(read_info))
			say("read %d value %d\n", (int)read_info.ssi_signo - SIGRTMIN,
			    read_info.ssi_int);
	}
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	tell("timed", sigtimedwait(&set, &info, &no_time));
	syscall(SYS_tgkill, getpid(), getpid(), SIGRTMIN);
	raise(SIGUSR1);
}

static void waits(void)
{
	sigset_t set, none;
	timer_t timer;
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGRTMIN + 1,
				  .sigev_value.sival_int = 42 };
	struct itimerspec soon = { .it_value = { 0, 3000000 } };

	sigemptyset(&none);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &soon, NULL);
	tell("suspended", sigsuspend(&none));
	timer_settime(timer, 0, &soon, NULL);
	tell("ppoll", ppoll(NULL, 0, NULL, &none));
	timer_settime(timer, 0, &soon, NULL);
	tell("pselect", pselect(0, NULL, NULL, NULL, NULL, &none));
	timer_delete(timer);
}

static void changes(int number, siginfo_t *info, void *context)
{
	ucontext_t *c = context;

	(void)number;
	(void)info;
	sigaddset(&c->uc_sigmask, SIGUSR2);
	c->uc_mcontext.gregs[REG_RBX] = 0x777;
	c->uc_mcontext.gregs[REG_R13] += 1;
	c->uc_mcontext.fpregs->_xmm[7].element[1] = 0x4444;
	c->uc_mcontext.gregs[REG_EFL] ^= 0x40;
}

static void contexts(void)
{
	uint64_t rbx = 0, r13 = 0, x = 0;
	uint8_t zero = 0;
	sigset_t now;

	act(SIGUSR1, changes, 0);
	for (int i = 0; i < 3; i++) {
		__asm__ volatile(
			"xor %%ebx, %%ebx\n\tmov %4, %%r13\n\tpxor %%xmm7, %%xmm7\n\tmov %5, %%eax\n\tmov %6, %%edi\n\tmov %7, %%esi\n\t"
			"syscall\n\tcmp %%ebx, %%ebx\n\t.rept 3\n\tnop\n\t.endr\n\tmov %%rbx, %0\n\tmov %%r13, %1\n\tmovq %%xmm7, %2\n\tsete %3"
			: "=&m"(rbx), "=&m"(r13), "=&m"(x), "=&m"(zero)
			: "r"((uint64_t)i * 10), "i"(SYS_kill), "r"(getpid()), "i"(SIGUSR1)
			: "rax", "rbx", "rcx", "rdi", "rsi", "r11", "r13", "xmm7", "cc", "memory");
	}
	sigprocmask(SIG_SETMASK, NULL, &now);
	say("context %lx %lu %lx %d, masked %d\n", (unsigned long)rbx, (unsigned long)r13,
	    (unsigned long)x, zero, sigismember(&now, SIGUSR2));
}

static void ignored(void)
{
	static const int numbers[] = { SIGCHLD, SIGURG, SIGWINCH, SIGCONT };
	struct sigaction action = { .sa_handler = SIG_IGN };

	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		raise(numbers[i]);
	for (int number = 1; number < 65; number++)
		if (number != SIGKILL && number != SIGSTOP && number != 32 && number != 33 &&
		    sigaction(number, &action, NULL))
			say("not ignored: %d\n", number);
	for (int number = 1; number < 65; number++)
		if (number != SIGKILL && number != SIGSTOP && number != 32 && number != 33)
			raise(number);
	say("kill %d stop %d zero %d\n", sigaction(SIGKILL, &action, NULL),
	    sigaction(SIGSTOP, &action, NULL), sigaction(0, &action, NULL));
}

int main(void)
{
	flags();
	queues();
	waits();
	contexts();
	ignored();
	signal(SIGTERM, SIG_DFL);
	raise(SIGTERM);
	return 1;
}
