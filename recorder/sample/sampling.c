/* SPDX-License-Identifier: MIT */
#include "recorder/sample/sampling.h"

#include <cpuid.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "recorder/backend.h"
#include "recorder/output.h"
#include "recorder/sample/pmu.h"
#include "recorder/sample/queue.h"
#include "recorder/sample/ring.h"
#include "recorder/sample/sink.h"
#include "recorder/sample/spec.h"

enum { ROUND_MS = 100 };

struct sampling {
	struct session *session;
	struct sample_spec spec;
	struct perf_events events;	/* one */
	struct ring *rings;
	size_t n_rings, room;
	struct queue queue;
	uint64_t round;			/* when the round before has begun, ns */
	pthread_mutex_t lock;		/* of sink */
	struct sample_sink *sink;
	pthread_t thread;
	bool has_thread;
	int wake;			/* an eventfd that ends the thread */
	struct tf_error error;		/* of the thread, status 0: none */
};

/* ---- whether it can be done -------------------------------------------------------------- */

static int refuse(struct session *s, const struct sample_spec *spec, int error)
{
	static const char paranoid_path[] = "/proc/sys/kernel/perf_event_paranoid";
	char paranoid[32] = "?";

	pmu_read_line(paranoid_path, paranoid, sizeof(paranoid));
	if (error != EACCES && error != EPERM)
		return session_fail(s, TF_E_ARGUMENT, "%s cannot be sampled here: %s%s", spec->event,
				    strerror(error), error == EBUSY ? "; another program samples it" :
				    "; cpu-clock can be sampled anywhere");
	return session_fail(s, TF_E_ARGUMENT, "%s may not be sampled: %s; %s is %s, and 2 or less allows "
			    "it for programs of one's own (IBS: -1), as does CAP_PERFMON; in a container "
			    "its seccomp profile must allow perf_event_open", spec->event,
			    strerror(error), paranoid_path, paranoid);
}

/* Asks for less of what a kernel or processor does not have. False: there is nothing left. */
static bool ask_for_less(struct sample_spec *spec)
{
	struct perf_event_attr *attr = &spec->attr;

	if (attr->sample_type & PERF_SAMPLE_PHYS_ADDR) {
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_PHYS_ADDR;
	} else if (attr->sample_type & PERF_SAMPLE_WEIGHT_STRUCT) {
		attr->sample_type ^= PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_WEIGHT;
	} else if (attr->exclude_kernel && !strncmp(spec->event, "ibs", 3) &&
		   !spec->excludes_kernel_in_software) {
		attr->exclude_kernel = attr->exclude_hv = 0;
	} else {
		return false;
	}
	return true;
}

/* Opens the event for ourselves, which nobody executes meanwhile. */
static int try_event(struct session *s, struct sample_spec *spec)
{
	struct ring ring;

	while (!ring_open(&ring, &spec->attr, 0, -1) && errno != EINVAL)
		if (!ask_for_less(spec))
			return refuse(s, spec, errno);
	return 0;
}

int sampling_prepare(struct session *s)
{
	struct sampling *p;
	char message[256];

	if (!s->options->sample)
		return 0;
	s->sampling = p = calloc(1, sizeof(*p));
	if (!p)
		return session_fail(s, TF_E_MEMORY, "out of memory");
	p->session = s;
	p->wake = -1;
	pthread_mutex_init(&p->lock, NULL);
	if (!sample_spec_parse(s->options->sample, &p->spec, message, sizeof(message)) ||
	    !sample_spec_resolve(&p->spec, message, sizeof(message)))
		return session_fail(s, TF_E_ARGUMENT, "%s", message);
	if (!s->options->only_samples && s->backend->parallel)
		session_warn(s, "the program is sampled as it runs while it is recorded: in "
				"translated code; --only-samples samples its own");
	return try_event(s, &p->spec);
}

/* ---- events ------------------------------------------------------------------------------ */

static bool add_ring(struct sampling *p, pid_t tid, int cpu)
{
	if (p->n_rings == p->room) {
		size_t room = p->room ? 2 * p->room : 16;
		struct ring *grown = reallocarray(p->rings, room, sizeof(*grown));

		if (!grown) {
			errno = ENOMEM;
			return false;
		}
		p->rings = grown;
		p->room = room;
	}
	if (!ring_open(&p->rings[p->n_rings], &p->spec.attr, tid, cpu))
		return false;
	p->n_rings++;
	return true;
}

/* An event that what the thread starts inherits has a buffer on each CPU, not one for all. */
static bool open_thread(struct sampling *p, pid_t tid)
{
	size_t before = p->n_rings;
	long n_cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (int cpu = 0; cpu < n_cpus; cpu++)
		if (!add_ring(p, tid, cpu) && errno != ENODEV)	/* ENODEV: it is off */
			return errno == ESRCH;
	return p->n_rings > before;
}

static bool open_threads(struct sampling *p, pid_t pid)
{
	char path[64];
	struct dirent *entry;
	bool good = true;
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	threads = opendir(path);
	if (!threads)
		return false;
	while (good && (entry = readdir(threads)))
		if (atoi(entry->d_name) > 0)
			good = open_thread(p, (pid_t)atoi(entry->d_name));
	closedir(threads);
	return good && p->n_rings;
}

/* ---- reading ----------------------------------------------------------------------------- */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int enqueue(void *opaque, const uint8_t *bytes, size_t size)
{
	struct sampling *p = opaque;
	struct perf_record record;

	if (!perf_record_parse(&p->events, bytes, size, &record))
		return 0;
	return queue_add(&p->queue, record.time, bytes, size) ? 0 : TF_E_MEMORY;
}

static int deliver(void *opaque, const uint8_t *bytes, size_t size)
{
	struct sampling *p = opaque;
	struct perf_record record;

	perf_record_parse(&p->events, bytes, size, &record);
	return sample_sink_record(p->sink, &record, &p->error);
}

/* Reads all buffers once; what is older than the round before is complete. */
static int read_round(struct sampling *p, bool last)
{
	uint64_t begin = now_ns();
	int status = 0;

	for (size_t i = 0; i < p->n_rings && status == 0; i++)
		status = ring_drain(&p->rings[i], enqueue, p);
	pthread_mutex_lock(&p->lock);
	if (status == 0)
		status = queue_take(&p->queue, last ? UINT64_MAX : p->round, deliver, p);
	pthread_mutex_unlock(&p->lock);
	if (status < 0 && !p->error.status)
		p->error = (struct tf_error){ .status = TF_E_MEMORY, .text = "out of memory" };
	p->round = begin;
	return status;
}

/* Another period, of 7/8 to 9/8 of what was asked for. */
static void vary_period(struct sampling *p)
{
	uint64_t period = p->spec.attr.sample_period, random = 0;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return;
	period += random % (period / 4 + 1) - period / 8;
	period -= period % 16;
	for (size_t i = 0; period && i < p->n_rings; i++)
		ioctl(p->rings[i].fd, PERF_EVENT_IOC_PERIOD, &period);
}

static void *read_buffers(void *opaque)
{
	struct sampling *p = opaque;
	struct pollfd *fds = calloc(p->n_rings + 1, sizeof(*fds));
	int status = fds ? 0 : TF_E_MEMORY;

	for (size_t i = 0; fds && i < p->n_rings; i++)
		fds[i + 1] = (struct pollfd){ .fd = p->rings[i].fd, .events = POLLIN };
	if (fds)
		fds[0] = (struct pollfd){ .fd = p->wake, .events = POLLIN };
	while (status == 0 && !(fds[0].revents & POLLIN)) {
		poll(fds, p->n_rings + 1, ROUND_MS);
		for (size_t i = 0; i < p->n_rings; i++)
			if (fds[i + 1].revents & (POLLHUP | POLLERR))	/* its threads have ended */
				fds[i + 1].fd = -1;
		if (p->spec.vary)
			vary_period(p);
		status = read_round(p, false);
	}
	free(fds);
	return NULL;
}

/* ---- from beginning to end --------------------------------------------------------------- */

/* As perf writes it: "AuthenticAMD,25,17,1". */
static void name_cpu(char *text, size_t size)
{
	unsigned eax = 0, ebx, ecx, edx, family, model, vendor[4] = { 0 };

	__get_cpuid(0, &eax, &vendor[0], &vendor[2], &vendor[1]);
	__get_cpuid(1, &eax, &ebx, &ecx, &edx);
	family = eax >> 8 & 15;
	model = eax >> 4 & 15;
	if (family == 6 || family == 15)
		model |= eax >> 12 & 0xf0;
	if (family == 15)
		family += eax >> 20 & 0xff;
	snprintf(text, size, "%s,%u,%u,%u", (const char *)vendor, family, model, eax & 15);
}

static int write_meta(struct session *s)
{
	char cpu[64];

	name_cpu(cpu, sizeof(cpu));
	if (output_meta(s->output, "sample.source", "perf_event_open") < 0 ||
	    output_meta(s->output, "sample.clock", "monotonic") < 0)
		return -1;
	return output_meta(s->output, "sample.cpuid", cpu);
}

static const char *pmu_of(const void *opaque, uint32_t type)
{
	const struct sampling *p = opaque;

	(void)type;
	return p->spec.pmu;
}

static int make_sink(struct sampling *p)
{
	const struct perf_event_attr *attr = &p->spec.attr;
	struct perf_event *event = perf_events_add(&p->events, (const uint8_t *)attr,
						   sizeof(*attr));

	p->sink = event ? sample_sink_new(output_writer(p->session->output), &p->events, true) :
			  NULL;
	if (!p->sink)
		return output_memory(p->session->output);
	free(event->name);
	event->name = strdup(p->session->options->sample);
	if (!event->name || perf_events_check(&p->events))
		return output_memory(p->session->output);
	if (sample_sink_add_events(p->sink, pmu_of, p, &p->error) < 0)
		return session_fail(p->session, p->error.status, "%s", p->error.text);
	return write_meta(p->session);
}

int sampling_tell(struct session *s, const struct task *t)
{
	struct sampling *p = s->sampling;
	struct tf_error error;
	int status;

	if (!p || !p->sink)
		return 0;
	pthread_mutex_lock(&p->lock);
	status = sample_sink_add_thread(p->sink, (uint32_t)t->process->pid, t->process->index,
					(uint32_t)t->tid, t->thread, &error);
	pthread_mutex_unlock(&p->lock);
	return status < 0 ? session_fail(s, error.status, "%s", error.text) : 0;
}

/* The tasks that are threads of the trace already. */
static int tell_of_tasks(struct session *s)
{
	const struct task *t = s->current;
	int status = 0;

	if (!t)
		return 0;
	do {
		if (t->stream)
			status = sampling_tell(s, t);
		t = t->next;
	} while (status == 0 && t != s->current);
	return status;
}

/* What no record will say: a running process has mappings; there is a first thread, which the
 * recorder would tell of itself. */
static int tell_of_process(struct sampling *p, pid_t pid)
{
	const struct record_options *o = p->session->options;
	uint32_t thread;
	int status = 0;

	if (o->only_samples)
		status = sample_sink_thread(p->sink, (uint32_t)pid, (uint32_t)pid, &thread,
					    &p->error);
	if (status == 0 && o->pid)
		status = sample_sink_add_mappings(p->sink, pid, now_ns(), &p->error);
	return status;
}

int sampling_begin(struct session *s, pid_t pid)
{
	struct sampling *p = s->sampling;

	if (!p)
		return 0;
	p->spec.attr.enable_on_exec = p->spec.attr.disabled = !s->options->pid;
	p->spec.attr.inherit_thread = !s->options->follow;
	if (make_sink(p) < 0)
		return -1;
	if (!(s->options->pid ? open_threads(p, pid) : open_thread(p, pid)))
		return refuse(s, &p->spec, errno);
	if (tell_of_tasks(s) < 0)
		return -1;
	if (tell_of_process(p, pid) < 0)
		return session_fail(s, p->error.status, "%s", p->error.text);
	p->wake = eventfd(0, EFD_CLOEXEC);
	p->has_thread = p->wake >= 0 && !pthread_create(&p->thread, NULL, read_buffers, p);
	return p->has_thread ? 0 : session_fail(s, TF_E_IO, "cannot start a thread");
}

int sampling_end(struct session *s)
{
	struct sampling *p = s->sampling;

	if (!p || !p->has_thread)
		return 0;
	p->has_thread = false;
	if (eventfd_write(p->wake, 1) < 0)
		return session_fail(s, TF_E_IO, "eventfd: %s", strerror(errno));
	pthread_join(p->thread, NULL);
	for (size_t i = 0; i < p->n_rings; i++)
		ioctl(p->rings[i].fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	if (!p->error.status)
		read_round(p, true);
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
	for (size_t i = 0; i < p->n_rings; i++)
		ring_close(&p->rings[i]);
	if (p->wake >= 0)
		close(p->wake);
	sample_sink_free(p->sink);
	perf_events_free(&p->events);
	queue_free(&p->queue);
	pthread_mutex_destroy(&p->lock);
	free(p->rings);
	free(p);
}
