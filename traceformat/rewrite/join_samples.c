/* SPDX-License-Identifier: MIT */
/* The samples of a joined trace: those of all parts, merged by time. */
#include <stdlib.h>

#include "traceformat/common/error.h"
#include "traceformat/rewrite/join.h"

/* The samples of a part. */
struct sample_source {
	struct tf_samples *samples;
	struct tf_sample next;
	bool has_next;
};

static int advance(struct sample_source *s, struct tf_error *error)
{
	int more = tf_samples_next(s->samples, &s->next, error);

	s->has_next = more > 0;
	return more < 0 ? more : 0;
}

static int replace(const struct join_part *p, const uint32_t *indices, size_t count,
		   const char *what, uint32_t *index, struct tf_error *error)
{
	if (*index == TF_NONE)
		return 0;
	if (*index >= count || indices[*index] == TF_NONE)
		return join_lost(p, what, *index, error);
	*index = indices[*index];
	return 0;
}

static int add_sample(struct join *j, const struct join_part *p, struct tf_sample sample,
		      struct tf_error *error)
{
	const struct tf_reader *r = p->r;
	int status = replace(p, p->samplers, r->samplers.count, "sampler", &sample.sampler, error);

	if (status == 0)
		status = replace(p, p->threads, r->threads.count, "thread", &sample.thread, error);
	if (status == 0 && sample.kind == TF_SAMPLES_MAPPING)
		status = replace(p, p->mappings, r->mappings.count, "mapping", &sample.mapping,
				 error);
	return status < 0 ? status : tf_writer_add_sample(j->w, &sample, error);
}

/* Returns the source whose next sample is the earliest, or NULL at the end. */
static struct sample_source *choose(struct sample_source *sources, size_t n)
{
	struct sample_source *best = NULL;

	for (size_t i = 0; i < n; i++)
		if (sources[i].has_next && (!best || sources[i].next.time_ns < best->next.time_ns))
			best = &sources[i];
	return best;
}

int join_samples(struct join *j, struct tf_error *error)
{
	struct sample_source *sources = calloc(j->n, sizeof(*sources)), *s;
	int status = sources ? 0 : fail_memory(error);

	for (size_t i = 0; i < j->n && status == 0; i++) {
		status = tf_samples_open(j->parts[i].r, &sources[i].samples, error);
		if (status == 0)
			status = advance(&sources[i], error);
	}
	while (status == 0 && (s = choose(sources, j->n))) {
		status = add_sample(j, &j->parts[s - sources], s->next, error);
		if (status == 0)
			status = advance(s, error);
	}
	for (size_t i = 0; sources && i < j->n; i++)
		tf_samples_close(sources[i].samples);
	free(sources);
	return status;
}
