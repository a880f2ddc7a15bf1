/* SPDX-License-Identifier: MIT */
/* Threads wait for robust and priority-inheriting mutexes, barriers, conditions and read-write
 * locks, and are cancelled. One thread is made by clone without the C library, with thread-local
 * storage of its own. The first thread ends before the others, and another one calls exec. */
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "say.h"

static pthread_mutex_t mutex;
static pthread_barrier_t barrier;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static volatile int shared, serial, turn;
static _Atomic int total;

static void *dies_with_lock(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&mutex);
	return NULL;
}

static void robust(void)
{
	pthread_mutexattr_t attributes;
	pthread_t thread;
	int result;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&mutex, &attributes);
	pthread_create(&thread, NULL, dies_with_lock, NULL);
	pthread_join(thread, NULL);
	result = pthread_mutex_lock(&mutex);
	say("robust %d %d\n", result == EOWNERDEAD, pthread_mutex_consistent(&mutex));
	pthread_mutex_unlock(&mutex);
	say("again %d\n", pthread_mutex_lock(&mutex));
	pthread_mutex_unlock(&mutex);
}

static void *counts(void *arg)
{
	int n = (int)(intptr_t)arg;

	for (int i = 0; i < n; i++) {
		pthread_mutex_lock(&mutex);
		shared++;
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void inheriting(void)
{
	pthread_mutexattr_t attributes;
	pthread_t threads[4];

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&mutex, &attributes);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, counts, (void *)200);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	say("priority inheriting %d\n", shared);
}

static void *meets(void *arg)
{
	int me = (int)(intptr_t)arg;

	for (int i = 0; i < 20; i++) {
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			serial++;
		pthread_mutex_lock(&plain);
		while (turn % 3 != me)
			pthread_cond_wait(&condition, &plain);
		turn++;
		pthread_cond_broadcast(&condition);
		pthread_mutex_unlock(&plain);
		pthread_rwlock_rdlock(&rwlock);
		total += shared > 0;
		pthread_rwlock_unlock(&rwlock);
		pthread_rwlock_wrlock(&rwlock);
		shared++;
		pthread_rwlock_unlock(&rwlock);
		sem_post(&semaphore);
		sched_yield();
	}
	return NULL;
}

static void together(void)
{
	pthread_t threads[3];

	sem_init(&semaphore, 0, 0);
	pthread_barrier_init(&barrier, NULL, 3);
	for (intptr_t i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, meets, (void *)i);
	for (int i = 0; i < 60; i++)
		sem_wait(&semaphore);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	say("serial %d turns %d read %d written %d\n", serial, turn, total, shared);
}

static void cleans(void *arg)
{
	*(int *)arg += 1;
}

static void *sleeps(void *arg)
{
	pthread_cleanup_push(cleans, arg);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return NULL;
}

static void *spins(void *arg)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_cleanup_push(cleans, arg);
	for (;;)
		__asm__ volatile("pause");
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancelled(void)
{
	pthread_t a, b;
	int cleaned = 0, also = 0;
	void *result;

	pthread_create(&a, NULL, sleeps, &cleaned);
	pthread_create(&b, NULL, spins, &also);
	pthread_cancel(a);
	pthread_join(a, &result);
	say("cancelled %d, cleaned %d\n", result == PTHREAD_CANCELED, cleaned);
	usleep(20000);
	pthread_cancel(b);
	pthread_join(b, &result);
	say("cancelled %d, at most once cleaned %d\n", result == PTHREAD_CANCELED, also <= 1);
}

static uint8_t bare_stack[65536], bare_storage[256] __attribute__((aligned(64)));
static volatile int cleared = 1, seen;

/* Uses nothing of the C library, whose thread-local storage is not this thread's. */
__attribute__((noreturn, optimize("no-stack-protector"))) static void bare(void)
{
	uint64_t x;

	__asm__ volatile("syscall"
			 : "=a"(x)
			 : "0"(SYS_arch_prctl), "D"(ARCH_SET_FS), "S"(bare_storage)
			 : "rcx", "r11", "memory");
	__asm__ volatile("movq $41, %%fs:16\n\tincq %%fs:16\n\tmov %%fs:16, %0"
			 : "=r"(x)::"memory");
	seen = (int)x;
	for (;;)
		__asm__ volatile("syscall"
				 : "=a"(x)
				 : "0"(SYS_exit), "D"(0)
				 : "rcx", "r11", "memory");
}

static void by_clone(void)
{
	const unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
				    CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
	uint64_t *top = (uint64_t *)(bare_stack + sizeof(bare_stack)) - 2;
	long tid;
	register const volatile int *clear __asm__("r10") = &cleared;

	top[0] = (uint64_t)bare;
	__asm__ volatile("syscall\n\ttest %%rax, %%rax\n\tjnz 1f\n\tret\n1:"
			 : "=a"(tid)
			 : "0"(SYS_clone), "D"(flags), "S"(top), "d"(0), "r"(clear)
			 : "rcx", "r11", "memory", "cc");
	while (cleared)
		syscall(SYS_futex, &cleared, FUTEX_WAIT, 1, NULL, NULL, 0);
	say("clone %d, storage %d\n", tid > 0, seen);
}

static void *executes(void *arg)
{
	char *const *arguments = arg;

	usleep(10000);
	execv(arguments[0], arguments);
	return NULL;
}

static void *goes_on(void *arg)
{
	usleep(30000);
	say("the first one has ended\n");
	if (arg) {
		pthread_t thread;

		pthread_create(&thread, NULL, executes, arg);
		pthread_join(thread, NULL);
	}
	exit(5);
}

static void *waits(void *arg)
{
	for (;;)
		pause();
	return arg;
}

int main(int argc, char **argv)
{
	char *arguments[] = { argv[0], "again", NULL };
	pthread_t thread;

	if (argc > 1) {
		say("executed again, thread %d\n", (int)syscall(SYS_gettid) - getpid());
		pthread_create(&thread, NULL, goes_on, NULL);
		pthread_exit(NULL);
	}
	robust();
	inheriting();
	together();
	cancelled();
	by_clone();
	pthread_create(&thread, NULL, waits, NULL);
	pthread_create(&thread, NULL, goes_on, arguments);
	pthread_exit(NULL);
}
