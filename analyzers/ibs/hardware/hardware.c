/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/hardware/hardware.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/ibs/hardware/callers.h"
#include "analyzers/ibs/packet/data_source.h"
#include "analyzers/ibs/packet/decode.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/sample_places.h"
#include "cli/common/samples.h"

enum { LAST_CLASSIC_FAMILY = 0x16 };
enum { OPS = IBS_KIND_OP, FETCHES = IBS_KIND_FETCH, NEITHER = IBS_N_KINDS };

struct source {
	const struct tf_sampler *sampler;
	unsigned kind; /* enum ibs_kind; NEITHER: not a sampler of IBS */
	uint64_t samples;
	bool wanted;
};

struct hardware {
	struct tf_reader *reader;
	const struct ibs_hardware_options *options;
	uint32_t thread; /* the thread whose samples are wanted; TF_MERGED: all */
	struct ibs_views *views;
	struct sample_places *places;
	struct ibs_callers *callers;
	struct ibs_cpu cpu;
	struct source *sources; /* by sampler */
	uint32_t n_sources;
	uint64_t samples, others, of_other_threads, overhead, lost, throttled, not_samples, damaged;
	uint64_t least_period, most_period;
};

/* ---- sources ----------------------------------------------------------------------------- */

static unsigned kind_of(const struct tf_sampler *sampler)
{
	return !sampler                             ? NEITHER
	       : !strcmp(sampler->pmu, "ibs_op")    ? OPS
	       : !strcmp(sampler->pmu, "ibs_fetch") ? FETCHES
						    : NEITHER;
}

static void no_record(struct hardware *h, const struct tf_sample *sample)
{
	(void)h;
	(void)sample;
}

/* Calls take for each record that can be read. Returns 0, or a negative status with *error. */
static int each_record(struct hardware *h,
		       void (*take)(struct hardware *h, const struct tf_sample *sample),
		       struct tf_error *error)
{
	struct tf_samples *samples;
	struct tf_sample sample;
	int status, result = tf_samples_open(h->reader, &samples, error);

	if (result < 0)
		return result;
	while ((status = tf_samples_next(samples, &sample, error)) != 0)
		if (status > 0)
			take(h, &sample);
		else
			result = status;
	tf_samples_close(samples);
	return result;
}

bool ibs_hardware_check(struct tf_reader *reader)
{
	struct hardware h = { .reader = reader };
	struct tf_error error;
	int status = each_record(&h, no_record, &error);

	if (status < 0)
		command_error("%s", error.text);
	return status == 0;
}

static void count_sample(struct hardware *h, const struct tf_sample *sample)
{
	if (sample->kind == TF_SAMPLE && sample->sampler < h->n_sources)
		h->sources[sample->sampler].samples++;
}

/* Marks the first sampler of a kind that has samples. Returns false if there is none. */
static bool want_kind(struct hardware *h, unsigned kind)
{
	for (uint32_t i = 0; i < h->n_sources; i++)
		if (h->sources[i].kind == kind && h->sources[i].samples)
			return h->sources[i].wanted = true;
	return false;
}

static void want_most(struct hardware *h)
{
	struct source *most = NULL;

	for (uint32_t i = 0; i < h->n_sources; i++)
		if (!most || h->sources[i].samples > most->samples)
			most = &h->sources[i];
	if (most)
		most->wanted = true;
}

static int find_sources(struct hardware *h)
{
	uint64_t sampler = h->options->sampler;
	bool ops, fetches;
	struct tf_error error;

	h->n_sources = tf_n_samplers(h->reader);
	if (!h->n_sources) {
		command_error("the trace has no samples of hardware; trace-record --sample and "
			      "trace-import make traces that have");
		return EXIT_UNSUITABLE;
	}
	if (sampler > h->n_sources ||
	    (sampler && !tf_sampler(h->reader, (uint32_t)(sampler - 1)))) {
		command_error("the trace has no sampler %" PRIu64 "; trace-info --samples lists "
			      "them",
			      sampler - 1);
		return EXIT_FAILED;
	}
	h->sources = checked_array(h->n_sources, sizeof(*h->sources));
	for (uint32_t i = 0; i < h->n_sources; i++) {
		h->sources[i].sampler = tf_sampler(h->reader, i);
		h->sources[i].kind = kind_of(h->sources[i].sampler);
	}
	each_record(h, count_sample, &error);
	if (sampler) {
		h->sources[sampler - 1].wanted = true;
		return 0;
	}
	ops = want_kind(h, OPS);
	fetches = want_kind(h, FETCHES);
	if (!ops && !fetches)
		want_most(h);
	return 0;
}

/* ---- packets ----------------------------------------------------------------------------- */

/* Fills a packet from a sample of another sampler than IBS: its place, and its access. */
static void fill_other(const struct tf_sample *sample, struct ibs_packet *p)
{
	uint64_t latency =
		sample->weight &
		UINT32_MAX; /* the lower half is the latency for PERF_SAMPLE_WEIGHT and ..._STRUCT */

	*p = (struct ibs_packet){ .kind = OPS };
	ibs_packet_set(p, IBS_RIP, sample->ip);
	if (sample->fields & TF_SAMPLE_DATA_SOURCE)
		ibs_packet_set_access(p, sample->data_source, latency);
	if (sample->fields & TF_SAMPLE_ADDRESS && sample->address)
		ibs_packet_set(p, IBS_LIN, sample->address);
	if (sample->fields & TF_SAMPLE_PHYSICAL_ADDRESS && sample->physical_address)
		ibs_packet_set(p, IBS_PHYS, sample->physical_address);
}

static enum ibs_decoded fill(const struct hardware *h, const struct source *source,
			     const struct tf_sample *sample, struct ibs_packet *p)
{
	enum ibs_decoded decoded;

	if (source->kind == NEITHER) {
		fill_other(sample, p);
		return IBS_DECODED;
	}
	if (source->sampler->origin == TF_SAMPLER_IBS_TOOLKIT)
		decoded = ibs_decode_toolkit(&h->cpu, source->sampler->caps, sample->raw,
					     sample->raw_size, p);
	else
		decoded = ibs_decode(&h->cpu, source->kind, sample->raw, sample->raw_size, p);
	if (decoded == IBS_DECODED)
		ibs_packet_restrict(p, &h->cpu);
	return decoded;
}

/*
 * Returns the pc of the op or fetch; if the op's address is not valid, the pc at which the kernel
 * noticed it.
 */
static uint64_t pc_of(const struct ibs_packet *p, const struct tf_sample *sample)
{
	uint64_t pc;

	if (sample->fields & TF_SAMPLE_PROGRAM_IP)
		return sample->program_ip;
	return ibs_packet_get(p, p->kind == OPS ? IBS_RIP : IBS_FETCH_LINEAR, &pc) ? pc
										   : sample->ip;
}

static void add_packet(struct hardware *h, const struct tf_sample *sample, struct ibs_packet *p)
{
	struct sample_place place;
	struct ibs_sample s = { .packet = p,
				.thread = sample->thread,
				.pc = pc_of(p, sample),
				.time_ns = sample->time_ns,
				.cpu = sample->cpu,
				.mode = sample_mode_name(sample->mode) };

	sample_places_find(h->places, sample->thread, sample->mode == TF_MODE_KERNEL, s.pc, &place);
	s.process = place.process;
	s.module = place.module;
	s.module_offset = place.module_offset;
	if (ibs_views_want_callers(h->views)) {
		s.comm = ibs_callers_thread(h->callers, sample->thread);
		s.stack = ibs_callers_stack(h->callers, sample, &place, s.pc);
	}
	p->thread = sample->thread;
	p->op = h->samples++;
	p->interval = sample->fields & TF_SAMPLE_PERIOD ? sample->period : 0;
	ibs_views_add(h->views, &s);
}

static void add_period(struct hardware *h, const struct tf_sample *sample)
{
	if (!(sample->fields & TF_SAMPLE_PERIOD))
		return;
	if (!h->most_period || sample->period < h->least_period)
		h->least_period = sample->period;
	if (sample->period > h->most_period)
		h->most_period = sample->period;
}

static void add_sample(struct hardware *h, const struct tf_sample *sample)
{
	const struct source *source = sample->sampler < h->n_sources ? &h->sources[sample->sampler]
								     : NULL;
	struct ibs_packet packet;
	enum ibs_decoded decoded;

	if (!source || !source->wanted) {
		h->others++;
		return;
	}
	if (h->thread != TF_MERGED && h->thread != sample->thread) {
		h->of_other_threads++;
		return;
	}
	if (sample->is_overhead && !h->options->overhead) {
		h->overhead++;
		return;
	}
	decoded = fill(h, source, sample, &packet);
	if (decoded == IBS_NOT_A_SAMPLE)
		h->not_samples++;
	else if (decoded == IBS_BAD_PAYLOAD)
		h->damaged++;
	else
		add_packet(h, sample, &packet);
	add_period(h, sample);
}

static void add_record(struct hardware *h, const struct tf_sample *sample)
{
	sample_places_follow(h->places, sample);
	ibs_callers_follow(h->callers, sample);
	if (sample->kind == TF_SAMPLE)
		add_sample(h, sample);
	else if (sample->kind == TF_SAMPLES_MAPPING)
		ibs_views_event(h->views, &(struct tf_event){ .kind = TF_EVENT_MAPPING,
							      .mapping.index = sample->mapping });
	h->lost += sample->lost;
	h->throttled += sample->kind == TF_SAMPLES_THROTTLED;
}

/* ---- the result -------------------------------------------------------------------------- */

/* Writes a text such as "ibs_op, ibs_fetch, AMD family 19h model 11h". */
static void name_hardware(const struct hardware *h, char *text, size_t size)
{
	int n = 0;

	for (uint32_t i = 0; i < h->n_sources && n < (int)size; i++)
		if (h->sources[i].wanted)
			n += snprintf(text + n, size - (size_t)n, "%s%s", n ? ", " : "",
				      h->sources[i].sampler->event[0] ? h->sources[i].sampler->event
								      : h->sources[i].sampler->pmu);
	if (n < (int)size && h->cpu.family)
		snprintf(text + n, size - (size_t)n, ", AMD family %Xh model %Xh", h->cpu.family,
			 h->cpu.model);
	else if (n < (int)size && tf_meta(h->reader, "sample.cpuid"))
		snprintf(text + n, size - (size_t)n, ", %s", tf_meta(h->reader, "sample.cpuid"));
}

static void report_hardware(struct hardware *h, struct report *r)
{
	const char *clock = tf_meta(h->reader, "sample.clock");
	char name[256] = "";

	name_hardware(h, name, sizeof(name));
	ibs_views_note(h->views, r, "hardware", name);
	if (clock)
		ibs_views_note(h->views, r, "clock", clock);
	report_u64(r, "period", "", h->least_period);
	if (h->most_period != h->least_period)
		report_u64(r, "longest_period", "", h->most_period);
	report_u64(r, "samples", "", h->samples - h->views->n_left_out);
	if (h->views->options->where.n_nodes)
		report_u64(r, "left_out", "samples", h->views->n_left_out);
	if (h->views->places.by_time)
		report_u64(r, "object_uncertain", "samples", h->views->n_uncertain);
	report_u64(r, "lost", "samples", h->lost);
	report_u64(r, "throttled", "times", h->throttled);
	report_u64(r, "not_valid", "samples", h->not_samples);
	report_u64(r, "not_decodable", "samples", h->damaged);
	report_u64(r, "of_other_events", "samples", h->others);
	if (h->thread != TF_MERGED)
		report_u64(r, "of_other_threads", "samples", h->of_other_threads);
	if (h->overhead)
		report_u64(r, "overhead", "samples", h->overhead);
}

/* Returns true for kernels before 5.10, which gave fetches wrong registers. */
static bool is_old_kernel(struct tf_reader *reader)
{
	const char *kernel = tf_meta(reader, "host.kernel");
	unsigned major, minor;

	return kernel && sscanf(kernel, "Linux %u.%u", &major, &minor) == 2 &&
	       (major < 5 || (major == 5 && minor < 10));
}

int ibs_hardware_add(struct tf_reader *reader, const struct ibs_hardware_options *options,
		     uint32_t thread, struct ibs_views *views, struct report *report)
{
	struct hardware h = {
		.reader = reader,
		.options = options,
		.thread = thread,
		.views = views,
	};
	struct tf_error error;
	int status = find_sources(&h);

	if (!ibs_cpu_parse(tf_meta(reader, "sample.cpuid"), &h.cpu))
		h.cpu = (struct ibs_cpu){ 0 };
	views->own_events = h.cpu.family && h.cpu.family <= LAST_CLASSIC_FAMILY ? IBS_CLASSIC
										: IBS_ZEN;
	h.cpu.old_fetch_payload = is_old_kernel(reader);
	if (status == 0) {
		h.places = sample_places_new(reader);
		h.callers = ibs_callers_new(reader, h.places, &views->places.names);
		each_record(&h, add_record, &error);
		report_hardware(&h, report);
		ibs_callers_free(h.callers);
		sample_places_free(h.places);
	}
	free(h.sources);
	return status;
}
