/* SPDX-License-Identifier: MIT */
/*
 * Each sample is placed while the module or translation that it is in still exists. The thread
 * that reads samples may look at processes and translations only while the session waits
 * (sampling_wait_begins()). Before a process or translation goes, all buffers are read
 * (sampling_place()).
 */
#include "recorder/sampling/sampling.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include "recorder/core/backend.h"
#include "recorder/core/output.h"
#include "recorder/samples/sink.h"
#include "recorder/sampling/members.h"
#include "recorder/sampling/probe.h"
#include "recorder/sampling/queue.h"
#include "recorder/sampling/request.h"
#include "recorder/sampling/rings.h"
#include "traceformat/tracesamples.h"

enum { ROUND_MS = 100 };

struct sampling {
	struct session *session;
	struct sample_request request;
	struct perf_events events; /* exactly one */
	struct members members;
	struct rings rings;
	struct queue queue;
	uint64_t round;               /* when the last round of reading began, ns */
	pthread_mutex_t session_lock; /* guards the session while places are found; taken first */
	pthread_mutex_t lock;         /* guards rings, queue and sink */
	struct sample_sink *sink;
	pthread_t thread;
	bool has_thread;
	int wake;              /* an eventfd that ends the thread */
	struct tf_error error; /* the thread's error; status 0: none */
};

int sampling_prepare(struct session *s)
{
	struct sampling *p;

	if (!s->options->sample)
		return 0;
	s->sampling = p = calloc(1, sizeof(*p));
	if (!p)
		return session_fail(s, TF_E_MEMORY, "out of memory");
	p->session = s;
	p->wake = -1;
	pthread_mutex_init(&p->lock, NULL);
	pthread_mutex_init(&p->session_lock, NULL);
	return sample_request_read(s, &p->request);
}

/* ---- reading ----------------------------------------------------------------------------- */

static int enqueue(void *opaque, const uint8_t *bytes, size_t size)
{
	struct sampling *p = opaque;
	struct perf_record record;

	if (!perf_record_parse(&p->events, bytes, size, &record))
		return 0;
	return queue_add(&p->queue, record.time, bytes, size) ? 0 : TF_E_MEMORY;
}

static const struct process *find_process(const struct session *s, uint32_t pid)
{
	const struct process *p = s->processes.first;

	while (p && p->pid != (pid_t)pid)
		p = p->next;
	return p;
}

static struct program_place find_place(void *opaque, const uint8_t *bytes, size_t size)
{
	const struct sampling *p = opaque;
	const struct process *process = NULL;
	struct perf_record record;
	struct perf_sample sample;

	perf_record_parse(&p->events, bytes, size, &record);
	if (record.type == PERF_RECORD_SAMPLE && perf_sample_parse(&p->events, &record, &sample) &&
	    sample.sample.mode != TF_MODE_KERNEL)
		process = find_process(p->session, sample.pid);
	return process ? p->session->backend->origin(process, sample.sample.ip)
		       : (struct program_place){ 0 };
}

static int deliver(void *opaque, const uint8_t *bytes, size_t size,
		   const struct program_place *place)
{
	struct sampling *p = opaque;
	struct perf_record record;

	perf_record_parse(&p->events, bytes, size, &record);
	return members_take(&p->members, &p->events, &record)
		       ? sample_sink_record(p->sink, &record, place, &p->error)
		       : 0;
}

static void keep_failure(struct sampling *p, int status)
{
	if (status < 0 && !p->error.status)
		p->error = (struct tf_error){ .status = TF_E_MEMORY, .text = "out of memory" };
}

static bool has_places(const struct session *s)
{
	return !s->options->only_samples && s->backend->origin;
}

/* Reads all buffers once. */
static void drain(struct sampling *p)
{
	pthread_mutex_lock(&p->lock);
	keep_failure(p, rings_drain(&p->rings, enqueue, p));
	pthread_mutex_unlock(&p->lock);
}

/* Finds the places of samples, while the session is held. */
static void find_places(struct sampling *p)
{
	drain(p);
	pthread_mutex_lock(&p->lock);
	queue_place(&p->queue, find_place, p);
	pthread_mutex_unlock(&p->lock);
}

/* Tries for a while to hold the session: meanwhile buffers may become full. */
static bool hold_session(struct sampling *p)
{
	enum { PATIENCE_NS = 10000000 };
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += PATIENCE_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	return pthread_mutex_timedlock(&p->session_lock, &until) == 0;
}

/* Reads all buffers, and hands on the records from before the last round, which are complete. */
static int read_round(struct sampling *p, bool last)
{
	uint64_t begin = session_now_ns();

	drain(p);
	if (has_places(p->session)) {
		while (!hold_session(p))
			drain(p);
		find_places(p);
		pthread_mutex_unlock(&p->session_lock);
	}
	pthread_mutex_lock(&p->lock);
	if (!p->error.status)
		keep_failure(p, queue_take(&p->queue, last ? UINT64_MAX : p->round, deliver, p));
	pthread_mutex_unlock(&p->lock);
	p->round = begin;
	return p->error.status;
}

void sampling_wait_begins(struct session *s)
{
	if (s->sampling && s->sampling->has_thread)
		pthread_mutex_unlock(&s->sampling->session_lock);
}

void sampling_wait_ends(struct session *s)
{
	if (s->sampling && s->sampling->has_thread)
		pthread_mutex_lock(&s->sampling->session_lock);
}

void sampling_place(struct session *s)
{
	if (s->sampling && s->sampling->has_thread && has_places(s))
		find_places(s->sampling);
}

/* Sets another period, of 7/8 to 9/8 of the requested one. */
static void vary_period(struct sampling *p)
{
	uint64_t period = p->request.spec.attr.sample_period, random = 0;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return;
	period += random % (period / 4 + 1) - period / 8;
	period -= period % 16;
	if (period)
		rings_set_period(&p->rings, period);
}

static void *read_buffers(void *opaque)
{
	struct sampling *p = opaque;
	size_t n = p->rings.count;
	struct pollfd *fds = calloc(n + 1, sizeof(*fds));
	int status = fds ? 0 : TF_E_MEMORY;

	for (size_t i = 0; fds && i < n; i++)
		fds[i + 1] = (struct pollfd){ .fd = p->rings.at[i].fd, .events = POLLIN };
	if (fds)
		fds[0] = (struct pollfd){ .fd = p->wake, .events = POLLIN };
	while (status == 0 && !(fds[0].revents & POLLIN)) {
		poll(fds, n + 1, ROUND_MS);
		for (size_t i = 0; i < n; i++)
			if (fds[i + 1].revents & (POLLHUP | POLLERR)) /* its threads have ended */
				fds[i + 1].fd = -1;
		if (p->request.spec.vary)
			vary_period(p);
		status = read_round(p, false);
	}
	free(fds);
	return NULL;
}

/* ---- from beginning to end --------------------------------------------------------------- */

static const char *pmu_of(const void *opaque, uint32_t type)
{
	const struct sampling *p = opaque;

	(void)type;
	return p->request.spec.pmu;
}

static int make_sink(struct sampling *p)
{
	const struct perf_event_attr *attr = &p->request.spec.attr;
	struct perf_event *event = perf_events_add(&p->events, (const uint8_t *)attr,
						   sizeof(*attr));

	p->sink = event ? sample_sink_new(output_writer(p->session->output), &p->events, true)
			: NULL;
	if (!p->sink)
		return output_memory(p->session->output);
	free(event->name);
	event->name = strdup(sample_request_event(p->session, &p->request));
	if (!event->name || perf_events_check(&p->events))
		return output_memory(p->session->output);
	if (sample_sink_add_events(p->sink, pmu_of, p, &p->error) < 0)
		return session_fail(p->session, p->error.status, "%s", p->error.text);
	return sample_request_write(p->session, &p->request);
}

int sampling_add_thread(struct session *s, const struct task *t)
{
	struct sampling *p = s->sampling;
	struct tf_error error;
	int status;

	if (!p || !p->sink)
		return 0;
	pthread_mutex_lock(&p->lock);
	status = sample_sink_add_thread(p->sink, (uint32_t)t->process->pid, t->process->index,
					(uint32_t)t->tid, t->trace.thread, &error);
	pthread_mutex_unlock(&p->lock);
	return status < 0 ? session_fail(s, error.status, "%s", error.text) : 0;
}

/* Adds the tasks that are already threads of the trace. */
static int record_tasks(struct session *s)
{
	const struct task *t = s->tasks.current;
	int status = 0;

	if (!t)
		return 0;
	do {
		if (t->trace.stream)
			status = sampling_add_thread(s, t);
		t = t->next;
	} while (status == 0 && t != s->tasks.current);
	return status;
}

/*
 * Adds what no record of the kernel reports: the mappings of a running process and, if only samples
 * are recorded, its first thread.
 */
static int record_process(struct sampling *p, pid_t pid)
{
	const struct record_options *o = p->session->options;
	uint32_t thread;
	int status = 0;

	if (o->only_samples)
		status = sample_sink_thread(p->sink, (uint32_t)pid, (uint32_t)pid, &thread,
					    &p->error);
	if (status == 0 && o->pid)
		status = sample_sink_add_threads(p->sink, pid, session_now_ns(), &p->error);
	if (status == 0 && o->pid)
		status = sample_sink_add_mappings(p->sink, pid, session_now_ns(), &p->error);
	return status;
}

/* Opens the event for the process. If that fails, the recording goes on without samples. */
static int open_events(struct session *s, pid_t pid)
{
	struct sampling *p = s->sampling;
	struct perf_event_attr *attr = &p->request.spec.attr;
	bool begins = !s->options->pid && !p->request.spec.everyone;
	char why[SAMPLE_MESSAGE];

	attr->enable_on_exec = attr->disabled = begins;
	p->request.spec.leader.enable_on_exec = p->request.spec.leader.disabled = begins;
	if (rings_open(&p->rings, &p->request.spec, pid, s->options->pid))
		return 0;
	sample_explain(&p->request.spec, errno, why, sizeof(why));
	rings_free(&p->rings);
	return sample_request_give_up(s, &p->request, why);
}

/*
 * Starts the thread with all signals blocked: signals are for the thread that waits for the
 * program.
 */
static bool start_thread(struct sampling *p)
{
	sigset_t all, before;
	int status;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	status = pthread_create(&p->thread, NULL, read_buffers, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return status == 0;
}

int sampling_begin(struct session *s, pid_t pid)
{
	struct sampling *p = s->sampling;

	if (!p)
		return 0;
	if (!p->request.none && open_events(s, pid) < 0)
		return -1;
	if (p->request.none)
		return sample_request_write(s, &p->request);
	p->members.first = (uint32_t)pid;
	p->members.follow = s->options->follow;
	if (s->options->pid && !members_add(&p->members, (uint32_t)pid))
		return output_memory(s->output);
	if (make_sink(p) < 0 || record_tasks(s) < 0)
		return -1;
	if (record_process(p, pid) < 0)
		return session_fail(s, p->error.status, "%s", p->error.text);
	p->wake = eventfd(0, EFD_CLOEXEC);
	p->has_thread = p->wake >= 0 && start_thread(p);
	sampling_wait_ends(s);
	return p->has_thread ? 0 : session_fail(s, TF_E_IO, "cannot start a thread");
}

int sampling_end(struct session *s)
{
	struct sampling *p = s->sampling;

	if (!p || !p->has_thread)
		return 0;
	sampling_wait_begins(s);
	p->has_thread = false;
	if (eventfd_write(p->wake, 1) < 0)
		return session_fail(s, TF_E_IO, "eventfd: %s", strerror(errno));
	pthread_join(p->thread, NULL);
	rings_stop(&p->rings);
	if (!p->error.status && read_round(p, true) == 0)
		sample_sink_finish(p->sink, &p->error);
	if (p->error.status)
		return session_fail(s, p->error.status, "samples: %s", p->error.text);
	return 0;
}

void sampling_counts(const struct session *s, uint64_t *samples, uint64_t *lost)
{
	const struct sampling *p = s->sampling;

	*samples = p && p->sink ? sample_sink_counts(p->sink)->samples : 0;
	*lost = p && p->sink ? sample_sink_counts(p->sink)->lost : 0;
}

void sampling_free(struct sampling *p)
{
	if (!p)
		return;
	rings_free(&p->rings);
	members_free(&p->members);
	if (p->wake >= 0)
		close(p->wake);
	sample_sink_free(p->sink);
	perf_events_free(&p->events);
	queue_free(&p->queue);
	pthread_mutex_destroy(&p->lock);
	pthread_mutex_destroy(&p->session_lock);
	free(p);
}
