/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/samples.h"

#include "cli/common/checked.h"
#include "traceformat/tracesamples.h"

int samples_use(struct tf_reader *reader, struct use *use, struct tf_error *error)
{
	struct tf_samples *samples;
	struct tf_sample sample;
	int status = tf_samples_open(reader, &samples, error);

	if (status < 0)
		return status;
	while ((status = tf_samples_next(samples, &sample, error)) > 0)
		if (sample.kind == TF_SAMPLES_MAPPING && sample.mapping < tf_n_mappings(reader))
			use->mappings[sample.mapping] = true;
	tf_samples_close(samples);
	return status;
}

static int add_samplers(struct dictionary *d, struct tf_error *error)
{
	int status = 0;

	for (uint32_t i = 0; i < tf_n_samplers(d->reader) && status == 0; i++)
		status = tf_writer_add_sampler(d->writer, tf_sampler(d->reader, i), NULL, error);
	return status;
}

static int add_sample(struct dictionary *d, const struct event_rules *rules,
		      const struct tf_sample *old, struct tf_error *error)
{
	struct tf_sample sample = *old;

	sample.fields &= TF_SAMPLE_ALL_FIELDS & ~(unsigned)TF_SAMPLE_PHYSICAL_ADDRESS;
	sample.time_ns = shown_time(rules, old->time_ns);
	if (sample.kind == TF_SAMPLES_NAME)
		sample.name = name_thread(d->names, old->name,
					  old->thread == TF_NONE ? 0 : old->thread + 1);
	if (sample.kind == TF_SAMPLES_MAPPING) {
		if (old->mapping >= tf_n_mappings(d->reader) ||
		    !d->new_mappings[old->mapping].count)
			return 0;
		sample.mapping = d->new_mappings[old->mapping].first;
	}
	return sample.kind <= TF_SAMPLES_NAME ? tf_writer_add_sample(d->writer, &sample, error) : 0;
}

int samples_write(struct dictionary *d, const struct event_rules *rules, struct tf_error *error)
{
	struct tf_samples *samples;
	struct tf_sample sample;
	int status = add_samplers(d, error);

	if (status == 0)
		status = tf_samples_open(d->reader, &samples, error);
	if (status < 0)
		return status;
	while ((status = tf_samples_next(samples, &sample, error)) > 0) {
		status = add_sample(d, rules, &sample, error);
		if (status < 0)
			break;
	}
	tf_samples_close(samples);
	return status;
}
