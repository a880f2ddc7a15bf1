/* SPDX-License-Identifier: MIT */
#include "recorder/sampling/request.h"

#include <cpuid.h>
#include <stdio.h>
#include <string.h>

#include "recorder/core/output.h"
#include "recorder/samples/pmu.h"
#include "recorder/sampling/probe.h"

/* ---- the event -------------------------------------------------------------------------- */

/*
 * Parses the event and finds out how it can be sampled. Returns false with a message if it cannot.
 */
static bool find_event(const struct record_options *o, const char *text, struct sample_spec *spec,
		       char *message)
{
	int error;

	if (!sample_spec_parse(text, spec, message, SAMPLE_MESSAGE) ||
	    !sample_spec_resolve(spec, PMU_DEVICES, message, SAMPLE_MESSAGE))
		return false;
	spec->attr.inherit_thread = !o->follow;
	error = sample_probe(spec, sample_try);
	if (error)
		sample_explain(spec, error, message, SAMPLE_MESSAGE);
	return !error;
}

int sample_request_give_up(struct session *s, struct sample_request *r, const char *why)
{
	r->none = true;
	if (!r->refused)
		snprintf(r->refusal, sizeof(r->refusal), "%s", why);
	r->refused = true;
	if (s->options->only_samples)
		return session_fail(s, TF_E_ARGUMENT, "%s", why);
	session_warn(s, "%s; the recording has no samples", why);
	return 0;
}

/* Falls back to cpu-clock if the requested event cannot be sampled. */
static int fall_back(struct session *s, struct sample_request *r)
{
	static const char last_resort[] = "cpu-clock";
	char message[SAMPLE_MESSAGE];

	r->refused = true;
	if (find_event(s->options, last_resort, &r->spec, message)) {
		session_warn(s, "%s; %s is sampled in its place", r->refusal, last_resort);
		return 0;
	}
	if (strcmp(r->refusal, message))
		session_warn(s, "%s", r->refusal);
	return sample_request_give_up(s, r, message);
}

int sample_request_read(struct session *s, struct sample_request *r)
{
	return find_event(s->options, s->options->sample, &r->spec, r->refusal) ? 0
										: fall_back(s, r);
}

/* ---- metadata ------------------------------------------------------------------------ */

const char *sample_request_event(const struct session *s, const struct sample_request *r)
{
	return r->refused ? r->spec.event : s->options->sample;
}

/* Writes the processor's name as perf does: "AuthenticAMD,25,17,1". */
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

/* Writes the source of the samples. */
static int write_source(struct session *s)
{
	char cpu[64];

	name_cpu(cpu, sizeof(cpu));
	if (output_meta(s->output, "sample.source", "perf_event_open") < 0 ||
	    output_meta(s->output, "sample.clock", "monotonic") < 0)
		return -1;
	return output_meta(s->output, "sample.cpuid", cpu);
}

int sample_request_write(struct session *s, const struct sample_request *r)
{
	if (output_meta(s->output, "sample.asked", s->options->sample) < 0 ||
	    (r->refused && output_meta(s->output, "sample.refused", r->refusal) < 0))
		return -1;
	return r->none ? 0 : write_source(s);
}
