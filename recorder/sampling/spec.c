/* SPDX-License-Identifier: MIT */
#include "recorder/sampling/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/samples/pmu.h"

enum { IBS_UNIT = 16 }; /* periods of IBS are multiples of 16 */
enum {
	PLACES = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
		 PERF_SAMPLE_PERIOD
};
enum {
	DATA = PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT_STRUCT |
	       PERF_SAMPLE_PHYS_ADDR
};

/* The known events. Their periods are in ns, faults, ops, fetches and loads, in this order. */
static const struct known_event {
	const char *name, *pmu;
	uint64_t period, least, most, unit;
	uint64_t fields; /* PERF_SAMPLE_* */
	bool has_ldlat, has_l3missonly;
} known_events[] = {
	{ "cpu-clock", "software", 1000000, 1000, UINT32_MAX, 1, PLACES, false, false },
	{ "page-faults", "software", 1, 1, UINT32_MAX, 1, PLACES | PERF_SAMPLE_ADDR, false, false },
	{ "ibs_op", "ibs_op", 100000, 0x90, 0x7fffff0, IBS_UNIT, PLACES | DATA | PERF_SAMPLE_RAW,
	  true, true },
	{ "ibs_fetch", "ibs_fetch", 100000, 0x10, 0xffff0, IBS_UNIT, PLACES | PERF_SAMPLE_RAW,
	  false, true },
	{ "mem-loads", "cpu", 10007, 1, UINT32_MAX, 1, PLACES | DATA, true, false },
};
enum { N_KNOWN = sizeof(known_events) / sizeof(*known_events) };

static const struct known_event *find_event(const char *name, size_t length)
{
	for (size_t i = 0; i < N_KNOWN; i++)
		if (strlen(known_events[i].name) == length &&
		    !memcmp(known_events[i].name, name, length))
			return &known_events[i];
	return NULL;
}

/* Returns N of a term "NAME=N", or UINT64_MAX for other terms. */
static uint64_t number_of(const char *term, const char *name)
{
	size_t length = strlen(name);
	char *end;
	uint64_t n;

	if (strncmp(term, name, length) || term[length] != '=' || term[length + 1] == '-')
		return UINT64_MAX;
	n = strtoull(term + length + 1, &end, 0);
	return *end || !term[length + 1] ? UINT64_MAX : n;
}

static bool take_period(const struct known_event *event, uint64_t period, struct sample_spec *spec,
			char *message, size_t size)
{
	if (period < event->least || period > event->most || period % event->unit) {
		snprintf(message, size, "a period of %s is a multiple of %llu from %llu to %llu",
			 event->name, (unsigned long long)event->unit,
			 (unsigned long long)event->least, (unsigned long long)event->most);
		return false;
	}
	spec->attr.sample_period = period;
	return true;
}

static bool take_term(const struct known_event *event, const char *term, struct sample_spec *spec,
		      char *message, size_t size)
{
	uint64_t period = number_of(term, "period"), latency = number_of(term, "ldlat");

	if (period != UINT64_MAX)
		return take_period(event, period, spec, message, size);
	if (latency != UINT64_MAX && event->has_ldlat) {
		spec->latency = latency;
		return true;
	}
	if (!strcmp(term, "rand")) {
		spec->vary = true;
		return true;
	}
	if (!strcmp(term, "callchain")) {
		spec->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
		spec->attr.exclude_callchain_kernel = 1;
		return true;
	}
	if (!strcmp(term, "l3missonly") && event->has_l3missonly) {
		spec->only_l3_misses = true;
		return true;
	}
	snprintf(message, size, "%s: '%s' is none of period=N, rand, callchain%s%s", event->name,
		 term, event->has_ldlat ? ", ldlat=N" : "",
		 event->has_l3missonly ? ", l3missonly" : "");
	return false;
}

bool sample_spec_parse(const char *text, struct sample_spec *spec, char *message, size_t size)
{
	const struct known_event *event = find_event(text, strcspn(text, ","));
	char terms[256], *term, *rest = NULL;

	*spec = (struct sample_spec){ 0 };
	if (!event) {
		snprintf(
			message, size,
			"'%s': one of cpu-clock, page-faults, ibs_op, ibs_fetch and mem-loads is expected",
			text);
		return false;
	}
	spec->event = event->name;
	spec->pmu = event->pmu;
	spec->attr.sample_period = event->period;
	spec->attr.sample_type = event->fields;
	if (snprintf(terms, sizeof(terms), "%s", text + strlen(event->name)) >=
	    (int)sizeof(terms)) {
		snprintf(message, size, "'%s' is too long", text);
		return false;
	}
	for (term = strtok_r(terms, ",", &rest); term; term = strtok_r(NULL, ",", &rest))
		if (!take_term(event, term, spec, message, size))
			return false;
	return true;
}

static bool lacks(const struct sample_spec *spec, const char *why, char *message, size_t size)
{
	snprintf(message, size, "%s cannot be sampled here: %s", spec->event, why);
	return false;
}

/*
 * Completes an event of IBS. Ops are counted as they are dispatched (cnt_ctl), because the hardware
 * randomizes only such counts. Without the kernel's filter, samples of the kernel cannot be left
 * out, and the kernel refuses events that ask for that.
 */
static bool resolve_ibs(struct sample_spec *spec, const char *devices, char *message, size_t size)
{
	struct perf_event_attr *attr = &spec->attr;
	const char *pmu = spec->pmu;

	if (!pmu_type(devices, pmu, &attr->type))
		return lacks(spec,
			     "the kernel knows of no IBS, as this is not a processor of AMD, "
			     "a virtual machine without it, or it is turned off in the "
			     "firmware",
			     message, size);
	if (pmu_has_field(devices, pmu, "cnt_ctl") &&
	    !pmu_set_field(devices, pmu, "cnt_ctl", 1, attr))
		return lacks(spec, "its cnt_ctl cannot be set", message, size);
	if (spec->latency && !pmu_set_field(devices, pmu, "ldlat", spec->latency, attr))
		return lacks(spec, "it has no such ldlat", message, size);
	if (spec->only_l3_misses && !pmu_set_field(devices, pmu, "l3missonly", 1, attr))
		return lacks(spec, "it has no l3missonly, as Zen 4 and later do", message, size);
	if (spec->vary && pmu_set_field(devices, pmu, "rand_en", 1, attr))
		spec->vary = false;
	if (!pmu_set_field(devices, pmu, "swfilt", 1, attr))
		attr->exclude_kernel = attr->exclude_hv = 0;
	return true;
}

/* Completes mem-loads. Some Intel processors sample them only together with an auxiliary event. */
static bool resolve_loads(struct sample_spec *spec, const char *devices, char *message, size_t size)
{
	struct perf_event_attr *attr = &spec->attr;

	if (!pmu_type(devices, "cpu", &attr->type))
		spec->pmu = "cpu_core";
	if (!pmu_type(devices, spec->pmu, &attr->type) ||
	    !pmu_set_event(devices, spec->pmu, "mem-loads", attr))
		return lacks(spec,
			     "the kernel knows of no such event, as this is not a processor of "
			     "Intel, or a virtual machine without it",
			     message, size);
	if (spec->latency && !pmu_set_field(devices, spec->pmu, "ldlat", spec->latency, attr))
		return lacks(spec, "it has no such ldlat", message, size);
	attr->precise_ip = 2;
	if (!pmu_has_event(devices, spec->pmu, "mem-loads-aux"))
		return true;
	spec->leader = (struct perf_event_attr){
		.type = attr->type,
		.size = sizeof(spec->leader),
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.inherit = 1,
	};
	return pmu_set_event(devices, spec->pmu, "mem-loads-aux", &spec->leader) ||
	       lacks(spec, "its mem-loads-aux cannot be set", message, size);
}

bool sample_spec_resolve(struct sample_spec *spec, const char *devices, char *message, size_t size)
{
	struct perf_event_attr *attr = &spec->attr;

	attr->size = sizeof(*attr);
	attr->sample_id_all = 1;
	attr->mmap = attr->mmap2 = attr->mmap_data = attr->comm = attr->comm_exec = attr->task = 1;
	attr->inherit = 1;
	attr->exclude_kernel = attr->exclude_hv = 1;
	attr->use_clockid = 1;
	attr->clockid = 1; /* CLOCK_MONOTONIC, as events have */
	attr->watermark = 1;
	if (!strncmp(spec->event, "ibs", 3))
		return resolve_ibs(spec, devices, message, size);
	if (!strcmp(spec->event, "mem-loads"))
		return resolve_loads(spec, devices, message, size);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = strcmp(spec->event, "page-faults") ? PERF_COUNT_SW_CPU_CLOCK
							  : PERF_COUNT_SW_PAGE_FAULTS;
	return true;
}
