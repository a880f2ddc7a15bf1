/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * thread-signals HOW: signals of programs with several threads; what it prints is the same each time.
 *
 *	send		to certain threads, with handlers on stacks of their own, while others compute
 *	fault		each thread repairs its own faults in a handler, all at the same time
 *	restart		reads that go on behind a handler, and some that do not
 *	modify		signals to handlers that another thread sets and takes away meanwhile
 *	stop		is stopped as a whole and goes on
 *	end		ends while others compute; likewise kill, by SIGKILL, and abort
 *	exec		a thread that is not the first executes another program meanwhile
 *	fork		threads have children while others compute
 *	queue		to the process, while all block them; the first thread that unblocks them receives them
 *	queue-thread	to a thread that blocks them, while others do not
 *	among-masked	to itself, with a handler, while another thread blocks them and reads its mask
 */
#define _GNU_SOURCE /* pthread_sigqueue */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, SIGNALS = 50, FAULTS = 40, RAISED = 1000, STACK = 64 << 10 };

static __thread volatile sig_atomic_t received;
static __thread char *own_stack;
static atomic_ulong total, on_stack, computed;
static atomic_bool done;
static pthread_barrier_t barrier;

static void handler(int signal, siginfo_t *info, void *context)
{
	char here;

	(void)signal;
	(void)info;
	(void)context;
	received++;
	total++;
	on_stack += &here >= own_stack && &here < own_stack + STACK;
}

static void handle(int signal, int flags)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	sigaction(signal, &action, NULL);
}

static void *compute(void *argument)
{
	unsigned long x = (unsigned long)argument;

	while (!done) {
		for (unsigned i = 0; i < 1000; i++)
			x = x * 6364136223846793005u + 1;
		computed += x & 1;
	}
	return NULL;
}

static void *receive(void *argument)
{
	stack_t stack = { .ss_size = STACK };

	(void)argument;
	own_stack = stack.ss_sp = malloc(STACK);
	sigaltstack(&stack, NULL);
	pthread_barrier_wait(&barrier);
	while (received < SIGNALS)
		compute(NULL), sched_yield();
	return NULL;
}

static void send_signals(void)
{
	pthread_t threads[THREADS];
	static int sent[THREADS];

	handle(SIGUSR1, SA_ONSTACK);
	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	done = true;	/* compute() returns at once */
	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, receive, NULL);
	pthread_barrier_wait(&barrier);
	/* Wait for each signal: of two that are pending one is lost. */
	for (unsigned n = 0; n < SIGNALS; n++)
		for (unsigned i = 0; i < THREADS; i++) {
			unsigned long before = total;

			sent[i] += pthread_kill(threads[i], SIGUSR1) == 0;
			while (total == before)
				sched_yield();
		}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("send %lu %lu %d\n", total, on_stack, sent[0]);
}

static __thread sigjmp_buf back;
static __thread char *page;

static void repair(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	if ((char *)info->si_addr != page + 8)
		siglongjmp(back, 1);
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
	total++;
}

static void *fault(void *argument)
{
	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (unsigned i = 0; i < FAULTS; i++) {
		mprotect(page, 4096, PROT_NONE);
		page[8] = (char)i;
		if (sigsetjmp(back, 1) == 0)
			*(volatile int *)argument = 1;
		else
			on_stack++;
	}
	return NULL;
}

static void faults(void)
{
	struct sigaction action = { .sa_sigaction = repair, .sa_flags = SA_SIGINFO };
	pthread_t threads[THREADS];

	sigaction(SIGSEGV, &action, NULL);
	for (unsigned long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, fault, (void *)(i * 8));
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("fault %lu %lu\n", total, on_stack);
}

static void *modify(void *argument)
{
	while (!done) {
		handle(SIGUSR1, 0);
		signal(SIGUSR1, SIG_IGN);
	}
	return argument;
}

static void modified(void)
{
	pthread_t thread;
	int sent = 0;

	signal(SIGUSR1, SIG_IGN);
	pthread_create(&thread, NULL, modify, NULL);
	while (sent < RAISED)
		sent += raise(SIGUSR1) == 0;
	done = true;
	pthread_join(thread, NULL);
	printf("modify %d\n", sent);
}

static int ends[2];
static atomic_int result;

static void *read_one(void *argument)
{
	char c;

	(void)argument;
	result = 2;
	result = read(ends[0], &c, 1) == 1 ? c : errno == EINTR ? 'i' : 'e';
	return NULL;
}

static void pause_ms(long ms)
{
	struct timespec t = { .tv_nsec = ms * 1000000 };

	while (nanosleep(&t, &t) < 0)
		;
}

static void restart(int flags)
{
	pthread_t thread;

	handle(SIGUSR2, flags);
	result = total = 0;
	pthread_create(&thread, NULL, read_one, NULL);
	while (result != 2)
		sched_yield();
	/* Again, if the signal came before the read began: the next one ends the read. */
	do {
		pause_ms(300);
		pthread_kill(thread, SIGUSR2);
		while (!total)
			sched_yield();
	} while (!flags && result == 2);
	if (flags)
		(void)!write(ends[1], "x", 1);
	pthread_join(thread, NULL);
	printf("restart %c\n", result);
}

static void stop(void)
{
	int status, stops = 0;
	pid_t child = fork();

	if (child == 0) {
		pthread_t threads[THREADS];

		for (unsigned long i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, compute, (void *)i);
		for (int i = 0; i < 3; i++)
			raise(SIGSTOP);
		done = true;
		for (unsigned i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		_exit(7);
	}
	while (waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status)) {
		stops += WSTOPSIG(status) == SIGSTOP;
		kill(child, SIGCONT);
	}
	printf("stop %d %d\n", stops, WEXITSTATUS(status));
}

static void *execute(void *argument)
{
	execl("/bin/echo", "echo", (char *)argument, (char *)NULL);
	return NULL;
}

static void *have_children(void *argument)
{
	(void)argument;
	for (int i = 0; i < 5; i++) {
		int status = 0;
		pid_t child = fork();

		if (child == 0)
			_exit(i + 1);
		waitpid(child, &status, 0);
		total += WEXITSTATUS(status);
	}
	return NULL;
}

static void among_others(const char *how)
{
	pthread_t threads[THREADS], thread;

	for (unsigned long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, compute, (void *)i);
	while (!computed)
		sched_yield();
	printf("%s\n", how);
	fflush(stdout);
	if (strcmp(how, "end") == 0)
		exit(3);
	if (strcmp(how, "kill") == 0)
		kill(getpid(), SIGKILL);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "exec") == 0) {
		pthread_create(&thread, NULL, execute, (void *)how);
		pthread_join(thread, NULL);
	}
	for (int i = 0; i < 2; i++) {
		pthread_create(&threads[i], NULL, have_children, NULL);
		pthread_join(threads[i], NULL);
	}
	printf("children %lu\n", total);
	exit(0);
}

static const int queued[] = { SIGTRAP, SIGSEGV };

static void mask_queued(int how)
{
	sigset_t set;

	sigemptyset(&set);
	for (unsigned i = 0; i < 2; i++)
		sigaddset(&set, queued[i]);
	pthread_sigmask(how, &set, NULL);
}

static void *compute_masked(void *unblock)
{
	mask_queued(SIG_BLOCK);
	compute((void *)1);
	sched_yield();
	pthread_barrier_wait(&barrier);
	if (unblock)
		mask_queued(SIG_UNBLOCK);
	return (void *)(long)received;
}

/* The other thread has computed for a while, without a system call, when the signals come. */
static void queue(bool to_thread)
{
	const union sigval value = { .sival_int = 7 };
	void *there;
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	mask_queued(to_thread ? SIG_UNBLOCK : SIG_BLOCK);
	pthread_create(&thread, NULL, compute_masked, to_thread ? &barrier : NULL);
	while (computed < 1000)
		sched_yield();
	for (unsigned i = 0; i < 2; i++) {
		handle(queued[i], 0);
		if (to_thread)
			pthread_sigqueue(thread, queued[i], value);
		else
			sigqueue(getpid(), queued[i], value);
	}
	while (computed < 2000)
		sched_yield();
	done = true;
	pthread_barrier_wait(&barrier);
	mask_queued(SIG_UNBLOCK);
	pthread_join(thread, &there);
	printf("here %d there %ld\n", (int)received, (long)there);
}

static void *read_mask(void *argument)
{
	sigset_t set;

	mask_queued(SIG_BLOCK);
	for (; !done; computed++)
		pthread_sigmask(SIG_BLOCK, NULL, &set);
	return argument;
}

static void among_masked(void)
{
	pthread_t thread;

	handle(SIGTRAP, 0);
	pthread_create(&thread, NULL, read_mask, NULL);
	while (!computed)
		sched_yield();
	for (unsigned i = 0; i < RAISED; i++)
		raise(SIGTRAP);
	done = true;
	pthread_join(thread, NULL);
	printf("among masked %lu\n", total);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (strcmp(how, "send") == 0) {
		send_signals();
	} else if (strcmp(how, "fault") == 0) {
		faults();
	} else if (strcmp(how, "modify") == 0) {
		modified();
	} else if (strcmp(how, "restart") == 0) {
		(void)!pipe(ends);
		restart(SA_RESTART);
		restart(0);
	} else if (strcmp(how, "stop") == 0) {
		stop();
	} else if (strcmp(how, "among-masked") == 0) {
		among_masked();
	} else if (strncmp(how, "queue", 5) == 0) {
		queue(how[5]);
	} else {
		among_others(how);
	}
	return 0;
}
