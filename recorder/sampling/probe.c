/* SPDX-License-Identifier: MIT */
/*
 * A kernel that refuses an event does not say which of its fields it refuses. So the recorder tries
 * the event without some fields, beginning with those that matter least. Without the kernel's
 * filter (swfilt, Linux 6.14), IBS also samples the kernel. Before Linux 6.2, IBS samples not the
 * threads of a process but everything that runs on a CPU.
 */
#include "recorder/sampling/probe.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "recorder/samples/pmu.h"
#include "recorder/sampling/rings.h"

enum ask {
	ASK_INHERIT_THREAD = 1,   /* the kernel leaves out processes that the program starts */
	ASK_PHYSICAL_ADDRESS = 2, /* only for privileged users */
	ASK_WEIGHTS = 4,          /* three weights in each sample instead of one */
	ASK_THREADS = 8,          /* the threads of a process, not all that runs on a CPU */
	ASK_ALL = 15,
};

static void ask_without(struct sample_spec *spec, unsigned left_out)
{
	struct perf_event_attr *attr = &spec->attr;

	if (left_out & ASK_INHERIT_THREAD)
		attr->inherit_thread = 0;
	if (left_out & ASK_PHYSICAL_ADDRESS)
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_PHYS_ADDR;
	if (left_out & ASK_WEIGHTS && attr->sample_type & PERF_SAMPLE_WEIGHT_STRUCT)
		attr->sample_type ^= PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_WEIGHT;
	if (left_out & ASK_THREADS) {
		spec->everyone = true;
		attr->inherit = attr->inherit_thread = spec->leader.inherit = 0;
	}
}

static bool is_forbidden(int error)
{
	return error == EACCES || error == EPERM;
}

int sample_probe(struct sample_spec *spec, int (*try)(const struct sample_spec *spec))
{
	const struct sample_spec asked = *spec;
	int error = 0;

	for (unsigned left_out = 0; left_out <= ASK_ALL; left_out++) {
		struct sample_spec less = asked;
		int status;

		ask_without(&less, left_out);
		status = try(&less);
		if (!status) {
			*spec = less;
			return 0;
		}
		/* an error that names a setting is more useful than one about a missing feature */
		if (!error || (is_forbidden(status) && !is_forbidden(error))) {
			*spec = less;
			error = status;
		}
	}
	return error;
}

int sample_try(const struct sample_spec *spec)
{
	int cpu = sched_getcpu();
	struct ring ring;

	if (!ring_open(&ring, spec, spec->everyone ? -1 : 0, cpu < 0 ? 0 : cpu))
		return errno;
	ring_close(&ring);
	return 0;
}

/* Returns the value of perf_event_paranoid that allows the event. */
static const char *limit_for(const struct sample_spec *spec)
{
	return spec->everyone ? "0" : spec->attr.exclude_kernel ? "2" : "1";
}

void sample_explain(const struct sample_spec *spec, int error, char *message, size_t size)
{
	static const char paranoid_path[] = "/proc/sys/kernel/perf_event_paranoid";
	char paranoid[32] = "?";

	if (is_forbidden(error)) {
		pmu_read_line(paranoid_path, paranoid, sizeof(paranoid));
		snprintf(message, size,
			 "%s may not be sampled: %s; %s is %s and must be at most %s, unless the "
			 "recorder has CAP_PERFMON; in a container, the seccomp profile must allow "
			 "perf_event_open",
			 spec->event, strerror(error), paranoid_path, paranoid, limit_for(spec));
	} else {
		snprintf(message, size, "%s cannot be sampled here: perf_event_open: %s%s",
			 spec->event, strerror(error),
			 error == EBUSY ? "; another program samples it"
			 : error == EMFILE
				 ? "; each CPU and thread needs an open file: raise ulimit -n"
				 : "");
	}
}
