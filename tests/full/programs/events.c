/* flags: -static */
/* SPDX-License-Identifier: MIT */
/* Waits for descriptors of all kinds: timerfd, eventfd, signalfd, pidfd, inotify and epoll, edge-triggered and
 * one-shot, by one thread and by several; barriers between threads (membarrier); a ring of io_uring. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include "say.h"

static long done(long result)
{
	return result < 0 ? -errno : result;
}

static void timers(void)
{
	struct itimerspec once = { .it_value = { 0, 3000000 } },
			  often = { { 0, 1000000 }, { 0, 1000000 } }, is;
	uint64_t count = 0, sum = 0;
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	struct pollfd wait = { fd, POLLIN, 0 };

	say("timer: early %ld\n", done(read(fd, &count, 8)));
	timerfd_settime(fd, 0, &once, NULL);
	say(" poll %d", poll(&wait, 1, -1));
	say(" read %ld count %lu", done(read(fd, &count, 8)), (unsigned long)count);
	say(" again %ld\n", done(read(fd, &count, 8)));
	timerfd_settime(fd, 0, &often, NULL);
	fcntl(fd, F_SETFL, 0);
	while (sum < 20 && read(fd, &count, 8) == 8)
		sum += count;
	say(" often %d", sum >= 20);
	memset(&is, 0, sizeof(is));
	timerfd_settime(fd, 0, &is, NULL);
	timerfd_gettime(fd, &is);
	say(" off %ld %ld\n", is.it_value.tv_nsec, done(write(fd, &count, 8)));
	close(fd);
}

static void *add(void *arg)
{
	uint64_t one = 1;

	for (int i = 0; i < 50; i++)
		if (write((int)(intptr_t)arg, &one, 8) != 8)
			return NULL;
	return NULL;
}

static void counters(void)
{
	int fd = eventfd(5, EFD_NONBLOCK | EFD_SEMAPHORE), sums = eventfd(0, 0);
	uint64_t value = 0, sum = 0, most = UINT64_MAX - 1;
	pthread_t threads[2];

	for (int i = 0; i < 6; i++) {
		long n = done(read(fd, &value, 8));

		say("%s %ld %lu", i ? "" : "event:", n, (unsigned long)value);
	}
	say(" most %ld", done(write(fd, &most, 8)));
	say(" more %ld", done(write(fd, &most, 8)));
	most = UINT64_MAX;
	say(" bad %ld short %ld\n", done(write(fd, &most, 8)), done(write(fd, &most, 4)));
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, (void *)(intptr_t)sums);
	while (sum < 100 && read(sums, &value, 8) == 8)
		sum += value;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	say(" sum %lu\n", (unsigned long)sum);
	close(fd);
	close(sums);
}

static void edges(void)
{
	int ends[2], set = epoll_create1(EPOLL_CLOEXEC), n;
	struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data.u32 = 7 }, got[4];
	char bytes[8];

	if (pipe2(ends, O_NONBLOCK))
		return;
	epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event);
	say("edges: empty %d", epoll_wait(set, got, 4, 0));
	n = (int)write(ends[1], "abc", 3);
	say(" new %d", epoll_wait(set, got, 4, -1));
	say(" %u %x", got[0].data.u32, got[0].events);
	say(" old %d", epoll_wait(set, got, 4, 0));
	n += (int)write(ends[1], "d", 1);
	say(" newer %d", epoll_wait(set, got, 4, 0));
	say(" read %ld", done(read(ends[0], bytes, 8)));
	say(" none %ld\n", done(read(ends[0], bytes, 8)));
	event.events = EPOLLIN | EPOLLONESHOT;
	epoll_ctl(set, EPOLL_CTL_MOD, ends[0], &event);
	n += (int)write(ends[1], "e", 1);
	say(" once %d", epoll_wait(set, got, 4, 0));
	say(" twice %d", epoll_wait(set, got, 4, 1));
	epoll_ctl(set, EPOLL_CTL_MOD, ends[0], &event);
	say(" armed %d", epoll_wait(set, got, 4, 0));
	close(ends[1]);
	epoll_ctl(set, EPOLL_CTL_MOD, ends[0], &event);
	n += epoll_wait(set, got, 4, 0);
	say(" closed %x %d", got[0].events, n);
	say(" self %ld twice %ld\n", done(epoll_ctl(set, EPOLL_CTL_ADD, set, &event)),
	    done(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event)));
	close(set);
	close(ends[0]);
}

static int shared_set, shared_ends[2];
static unsigned taken;

/* The event belongs to a single thread at a time, which empties the pipe and arms the event again. */
static void *take(void *arg)
{
	struct epoll_event got;
	char bytes[16];
	ssize_t n;

	(void)arg;
	while (epoll_wait(shared_set, &got, 1, -1) == 1) {
		while ((n = read(shared_ends[0], bytes, sizeof(bytes))) > 0)
			taken += (unsigned)n;
		got.events = EPOLLIN | EPOLLET | EPOLLONESHOT;
		epoll_ctl(shared_set, EPOLL_CTL_MOD, shared_ends[0], &got);
		if (n == 0)
			break; /* the next thread sees the end, too */
	}
	return NULL;
}

static void shared_edges(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET | EPOLLONESHOT };
	pthread_t threads[3];
	int written = 0;

	shared_set = epoll_create1(0);
	if (pipe(shared_ends))
		return;
	fcntl(shared_ends[0], F_SETFL, O_NONBLOCK);
	epoll_ctl(shared_set, EPOLL_CTL_ADD, shared_ends[0], &event);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, take, NULL);
	for (int i = 0; i < 300; i++)
		written += (int)write(shared_ends[1], "x", 1);
	close(shared_ends[1]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	say("shared edges: %d %u\n", written, taken);
}

static void signals(void)
{
	struct signalfd_siginfo info;
	sigset_t set;
	int fd;
	pid_t pid;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK);
	say("signals: none %ld", done(read(fd, &info, sizeof(info))));
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGUSR1);
	sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 8 });
	sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 9 });
	fcntl(fd, F_SETFL, 0);
	for (int i = 0; i < 3; i++) {
		long n = done(read(fd, &info, sizeof(info)));

		say(" %ld %u code %d value %d self %d", n, info.ssi_signo, info.ssi_code,
		    info.ssi_int, info.ssi_pid == (uint32_t)getpid());
	}
	pid = fork();
	if (!pid)
		_exit(6);
	say("\n %ld", done(read(fd, &info, sizeof(info))));
	say(" child %d code %d status %d\n", info.ssi_pid == (uint32_t)pid, info.ssi_code,
	    info.ssi_status);
	waitpid(pid, NULL, 0);
	close(fd);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void processes(void)
{
	int ends[2], fd;
	struct pollfd wait;
	siginfo_t info = { 0 };
	pid_t pid;
	char byte = 0;

	if (pipe(ends))
		return;
	pid = fork();
	if (!pid) {
		close(ends[1]);
		_exit(read(ends[0], &byte, 1) == 0 ? 12 : 1);
	}
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	wait = (struct pollfd){ fd, POLLIN, 0 };
	say("pidfd: alive %d", poll(&wait, 1, 0));
	say(" signal 0 %ld", done(syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0)));
	close(ends[1]);
	say(" ended %d", poll(&wait, 1, -1));
	say(" wait %ld", done(waitid(P_PIDFD, (id_t)fd, &info, WEXITED)));
	say(" status %d gone %ld", info.si_status,
	    done(syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0)));
	close(fd);
	fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	say(" of itself %ld", done(read((int)syscall(SYS_pidfd_getfd, fd, ends[0], 0), &byte, 1)));
	say(" not open %ld\n", done(syscall(SYS_pidfd_getfd, fd, 1000, 0)));
	close(fd);
	close(ends[0]);
}

static void watches(void)
{
	char events[512], *at = events;
	int fd = inotify_init1(IN_NONBLOCK), file;
	ssize_t size;

	mkdir("watched", 0700);
	say("watch %ld:",
	    done(inotify_add_watch(fd, "watched", IN_CREATE | IN_DELETE | IN_CLOSE_WRITE)));
	file = open("watched/x", O_CREAT | O_WRONLY, 0600);
	close(file);
	unlink("watched/x");
	size = read(fd, events, sizeof(events));
	while (at < events + size) {
		struct inotify_event *e = (struct inotify_event *)at;

		say(" %x %s", e->mask, e->len ? e->name : "");
		at += sizeof(*e) + e->len;
	}
	say("\n");
	rmdir("watched");
	close(fd);
}

static volatile int turns;

static void *turn(void *arg)
{
	(void)arg;
	while (!turns)
		;
	return NULL;
}

static void barriers(void)
{
	static const int commands[] = { MEMBARRIER_CMD_GLOBAL,
					MEMBARRIER_CMD_PRIVATE_EXPEDITED,
					MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED,
					MEMBARRIER_CMD_PRIVATE_EXPEDITED,
					MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE,
					MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE,
					MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED,
					MEMBARRIER_CMD_GLOBAL_EXPEDITED,
					1 << 20 };
	pthread_t thread;

	say("barriers: known %lx", done(syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0)));
	pthread_create(&thread, NULL, turn, NULL);
	for (unsigned i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		say(" %ld", done(syscall(SYS_membarrier, commands[i], 0, 0)));
	turns = 1;
	pthread_join(thread, NULL);
	say("\n");
}

struct ring {
	int fd;
	char *submitted, *completed;
	struct io_uring_sqe *entries;
	struct io_uring_params p;
};

static unsigned *field(char *ring, unsigned offset)
{
	return (unsigned *)(ring + offset);
}

static void submit(struct ring *r, const struct io_uring_sqe *entry)
{
	unsigned tail = *field(r->submitted, r->p.sq_off.tail);
	unsigned index = tail & *field(r->submitted, r->p.sq_off.ring_mask);

	r->entries[index] = *entry;
	field(r->submitted, r->p.sq_off.array)[index] = index;
	__atomic_store_n(field(r->submitted, r->p.sq_off.tail), tail + 1, __ATOMIC_RELEASE);
}

static void complete(struct ring *r, unsigned n)
{
	unsigned head;
	struct io_uring_cqe *entries = (struct io_uring_cqe *)(r->completed + r->p.cq_off.cqes);

	say(" enter %ld", done(syscall(SYS_io_uring_enter, r->fd, n, n,
				       IORING_ENTER_GETEVENTS | IORING_ENTER_SQ_WAKEUP, NULL, 0)));
	head = *field(r->completed, r->p.cq_off.head);
	for (; head != __atomic_load_n(field(r->completed, r->p.cq_off.tail), __ATOMIC_ACQUIRE);
	     head++) {
		struct io_uring_cqe *e =
			&entries[head & *field(r->completed, r->p.cq_off.ring_mask)];

		say(" %lu: %d", (unsigned long)e->user_data, e->res);
	}
	__atomic_store_n(field(r->completed, r->p.cq_off.head), head, __ATOMIC_RELEASE);
}

static void rings(unsigned flags)
{
	struct ring r = { .p = { .flags = flags } };
	struct __kernel_timespec brief = { 0, 1000000 };
	char text[] = "by a ring\n", back[16] = "";
	int ends[2];

	r.fd = (int)syscall(SYS_io_uring_setup, 8, &r.p);
	say("ring: %d", r.fd < 0 ? -errno : 0);
	if (r.fd < 0 || pipe(ends)) {
		say("\n");
		return;
	}
	r.submitted = mmap(NULL, r.p.sq_off.array + r.p.sq_entries * 4, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_POPULATE, r.fd, IORING_OFF_SQ_RING);
	r.completed = mmap(NULL, r.p.cq_off.cqes + r.p.cq_entries * sizeof(struct io_uring_cqe),
			   PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, r.fd,
			   IORING_OFF_CQ_RING);
	r.entries = mmap(NULL, r.p.sq_entries * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_POPULATE, r.fd, IORING_OFF_SQES);
	submit(&r, &(struct io_uring_sqe){ .opcode = IORING_OP_NOP, .user_data = 1 });
	complete(&r, 1);
	submit(&r, &(struct io_uring_sqe){ .opcode = IORING_OP_WRITE,
					   .fd = ends[1],
					   .addr = (uintptr_t)text,
					   .len = 10,
					   .user_data = 2,
					   .off = (uint64_t)-1 });
	complete(&r, 1);
	submit(&r, &(struct io_uring_sqe){ .opcode = IORING_OP_READ,
					   .fd = ends[0],
					   .addr = (uintptr_t)back,
					   .len = 15,
					   .user_data = 3,
					   .off = (uint64_t)-1 });
	complete(&r, 1);
	submit(&r, &(struct io_uring_sqe){ .opcode = IORING_OP_TIMEOUT,
					   .addr = (uintptr_t)&brief,
					   .len = 1,
					   .user_data = 4 });
	complete(&r, 1);
	submit(&r, &(struct io_uring_sqe){ .opcode = IORING_OP_READ,
					   .fd = ends[0],
					   .addr = 8,
					   .len = 15,
					   .user_data = 5,
					   .off = (uint64_t)-1 });
	close(ends[1]);
	complete(&r, 1);
	say(" %s", back);
	close(ends[0]);
	close(r.fd);
}

int main(void)
{
	timers();
	counters();
	edges();
	shared_edges();
	signals();
	processes();
	watches();
	barriers();
	rings(0);
	rings(IORING_SETUP_SQPOLL);
	return 0;
}
