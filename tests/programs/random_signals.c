/* SPDX-License-Identifier: MIT */
/*
 * Does random things with signals, the same for the same seed, and prints what happens: masks,
 * actions, pending signals, handlers within handlers, faults. Each seed has a process of its own,
 * as a signal may end it.
 *
 * usage: random_signals FIRST LAST
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { ACTIONS = 150, DEEPEST = 2, MOST_HANDLED = 400 };

static const int numbers[] = { SIGTRAP, SIGSEGV, SIGBUS, SIGUSR1, SIGILL, SIGFPE, SIGSYS, SIGHUP };
enum { NUMBERS = sizeof(numbers) / sizeof(*numbers) };

static uint64_t state;
static volatile int depth, handled;

static unsigned below(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

/* Prints at once, since a signal may end the process. */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	char line[128];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (write(STDOUT_FILENO, line, (size_t)n) != n)
		_exit(99);
}

/* Returns a set as a number. */
static unsigned long number_of(const sigset_t *set)
{
	unsigned long bits;

	memcpy(&bits, set, sizeof(bits));
	return bits;
}

static sigset_t present_mask(void)
{
	sigset_t mask;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	return mask;
}

static sigset_t any_set(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (unsigned i = 0; i < NUMBERS; i++)
		if (!below(3))
			sigaddset(&set, numbers[i]);
	return set;
}

static void act(void);

/* Skips an instruction that faults; its length is in r8. */
static void on_signal(int signal, siginfo_t *info, void *opaque)
{
	ucontext_t *context = opaque;
	sigset_t inside = present_mask();
	bool raised = info->si_code > 0;

	say("  signal %d, code %d, mask %lx, in the handler %lx\n", signal, info->si_code,
	    number_of(&context->uc_sigmask), number_of(&inside));
	handled++;
	if (raised && (signal == SIGSEGV || signal == SIGILL))
		context->uc_mcontext.gregs[REG_RIP] += context->uc_mcontext.gregs[REG_R8];
	if (depth < DEEPEST && handled < MOST_HANDLED) {
		depth++;
		act();
		depth--;
	}
}

static bool is_handled(int signal)
{
	struct sigaction action;

	sigaction(signal, NULL, &action);
	return action.sa_sigaction == on_signal;
}

static void set_action(int signal)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	action.sa_flags |= below(4) ? 0 : SA_NODEFER;
	action.sa_mask = any_set();
	say("action %d: %d\n", signal, sigaction(signal, &action, NULL));
}

/* Raises a signal by an instruction, if that does not end the process. */
static void fault(int signal)
{
	sigset_t mask = present_mask();

	if (sigismember(&mask, signal) || !is_handled(signal))
		return;
	say("fault %d\n", signal);
	if (signal == SIGSEGV)
		__asm__ volatile("xor %%eax, %%eax\n\tmov $3, %%r8d\n\tmov (%%rax), %%rcx" ::
					 : "rax", "rcx", "r8", "memory", "cc");
	else if (signal == SIGILL)
		__asm__ volatile("mov $2, %%r8d\n\tud2" ::: "r8", "memory");
	else
		__asm__ volatile("int3" ::: "memory");
}

static void wait_for_any(void)
{
	const struct timespec none = { 0, 0 };
	sigset_t set = any_set();
	siginfo_t info;
	int signal = sigtimedwait(&set, &info, &none);

	say("wait: %d, %d\n", signal, signal > 0 ? info.si_code : errno);
}

/* Suspends the process only if a handler ends that. */
static void suspend(void)
{
	sigset_t mask = any_set(), pending;
	bool ends = false;

	sigpending(&pending);
	for (unsigned i = 0; i < NUMBERS; i++)
		ends |= sigismember(&pending, numbers[i]) && !sigismember(&mask, numbers[i]) &&
			is_handled(numbers[i]);
	if (ends)
		say("suspend: %d, %d\n", sigsuspend(&mask), errno);
}

static void read_signal(void)
{
	sigset_t set = any_set();
	struct signalfd_siginfo info = { 0 };
	int fd = signalfd(-1, &set, SFD_NONBLOCK);
	ssize_t n = read(fd, &info, sizeof(info));

	say("read: %zd, signal %u, code %d\n", n, info.ssi_signo, info.ssi_code);
	close(fd);
}

static void work(unsigned n)
{
	static volatile unsigned words[1 << 12];

	for (unsigned i = 0; i < n; i++)
		words[i % (1 << 12)] += i;
}

static void act(void)
{
	const union sigval value = { .sival_int = (int)below(100) };
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	int signal = numbers[below(NUMBERS)];
	sigset_t set = any_set();

	switch (below(16)) {
	case 0: say("block: %d\n", sigprocmask(SIG_BLOCK, &set, NULL)); break;
	case 1:
	case 2: say("unblock: %d\n", sigprocmask(SIG_UNBLOCK, &set, NULL)); break;
	case 3: say("set: %d\n", sigprocmask(SIG_SETMASK, &set, NULL)); break;
	case 4: say("raise %d: %d\n", signal, raise(signal)); break;
	case 5: say("kill %d: %d\n", signal, kill(getpid(), signal)); break;
	case 6: say("queue %d: %d\n", signal, sigqueue(getpid(), signal, value)); break;
	case 7: set_action(signal); break;
	case 8: say("ignore %d: %d\n", signal, sigaction(signal, &ignore, NULL)); break;
	case 9: fault(SIGSEGV); break;
	case 10: fault(SIGILL); break;
	case 11: fault(SIGTRAP); break;
	case 12: wait_for_any(); break;
	case 13: suspend(); break;
	case 14: read_signal(); break;
	default: sigpending(&set); say("pending %lx\n", number_of(&set)); work(below(6000));
	}
}

static void run(unsigned seed)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	state = seed * UINT64_C(7919) + 1;
	for (unsigned i = 0; i < NUMBERS; i++)
		sigaction(numbers[i], &action, NULL);
	for (unsigned i = 0; i < ACTIONS; i++)
		act();
}

int main(int argc, char **argv)
{
	unsigned first = argc > 2 ? (unsigned)atoi(argv[1]) : 1;
	unsigned last = argc > 2 ? (unsigned)atoi(argv[2]) : 1;

	for (unsigned seed = first; seed <= last; seed++) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			run(seed);
			_exit(0);
		}
		waitpid(child, &status, 0);
		say("seed %u: status %x\n", seed, (unsigned)status);
	}
	return 0;
}
