/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/simpoints.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyzers/simpoint/matrix_file.h"
#include "cli/common/command.h"
#include "cli/common/loss.h"
#include "cli/common/open_input.h"
#include "cli/common/quantity.h"

enum { DEFAULT_INTERVAL = 100000000 };
static const double large_matrix = 4e9 / sizeof(double);	/* values */

static bool open_trace(struct simpoints *s)
{
	struct tf_error error;
	struct tf_info info;

	if (tf_open(s->o.input, &s->reader, &error) < 0 || tf_load(s->reader, &error) < 0 ||
	    tf_get_info(s->reader, &info, &error) < 0) {
		command_error("%s", error.text);
		return false;
	}
	uuid_text(info.uuid, s->uuid);
	s->origin = origin_of_trace(s->reader, info.uuid);
	note_loss(s->o.input, &info);
	if (!check_thread(s->o.input, s->o.thread, info.n_threads)) {
		s->status = EXIT_UNSUITABLE;
		return false;
	}
	if (info.n_threads > 1)
		command_note("%s has %" PRIu32 " threads: points of thread %" PRIu64, s->o.input,
			     info.n_threads, s->o.thread);
	return true;
}

/* Whether the thread is as long as an interval. */
static bool check_length(const struct simpoints *s, uint64_t interval)
{
	char executed[COUNT_SIZE], size[COUNT_SIZE];
	struct tf_totals totals;
	struct tf_error error;

	if (s->intervals.n)
		return true;
	if (tf_get_thread_totals(s->reader, (uint32_t)s->o.thread, &totals, &error) < 0)
		command_error("%s", error.text);
	else
		command_error("%s: thread %" PRIu64 " executed %s instructions, fewer than an "
			      "interval of %s has; use a smaller --interval", s->o.input,
			      s->o.thread, format_count(totals.instructions, executed),
			      format_count(interval, size));
	return false;
}

static bool read_trace(struct simpoints *s)
{
	const struct simpoint_options *o = &s->o;
	uint64_t interval = o->interval ? o->interval : DEFAULT_INTERVAL;
	uint32_t thread = (uint32_t)o->thread;

	if (!open_trace(s) ||
	    !intervals_find(s->reader, thread, interval, o->counter, &s->intervals) ||
	    !check_length(s, interval) ||
	    !trace_vectors(s->reader, o->input, thread, interval, o->counter, o->bbv_options,
			   (unsigned)o->jobs, &s->rows, &s->names))
		return false;
	s->rows.interval_size = interval;
	if (s->rows.n == s->intervals.n)
		return true;
	command_error("%s: %zu intervals were found, but %zu vectors%s", o->input, s->intervals.n,
		      s->rows.n, o->bbv_options ? "; does --bbv go with --counter?" : "");
	return false;
}

static void refuse_no_vectors(const struct simpoints *s)
{
	char size[COUNT_SIZE];

	if (s->rows.interval_size)
		command_error("%s: has no vectors, as the program was shorter than an interval of "
			      "%s instructions; make them with smaller intervals", s->o.input,
			      format_count(s->rows.interval_size, size));
	else
		command_error("%s: is neither a trace nor vectors: it has no vectors, that is, no "
			      "lines that begin with T:", s->o.input);
}

static bool read_vectors(struct simpoints *s)
{
	const struct simpoint_options *o = &s->o;

	if (is_trace(o->input))
		return read_trace(s);
	if (!bb_read(o->input, o->as_simpoint, (unsigned)o->jobs, &s->rows))
		return false;
	if (s->rows.n == 0) {
		refuse_no_vectors(s);
		return false;
	}
	if (o->interval)
		s->rows.interval_size = o->interval;
	return !o->pc_file || pc_names_read(o->pc_file, &s->names);
}

static bool check_vectors(struct simpoints *s)
{
	const struct simpoint_options *o = &s->o;

	if (s->rows.n_dims == 0) {
		command_error("%s: all vectors are empty", o->input);
		return false;
	}
	if (o->n_vectors && (o->n_vectors != s->rows.n || o->n_dims < s->rows.n_dims)) {
		command_error("%s: has %zu vectors of %" PRIu32
			      " dimensions, not of -numFVs and -FVDim",
			      o->input, s->rows.n, s->rows.n_dims);
		return false;
	}
	return true;
}

/* Draws or loads the projection. */
static bool get_projection(struct simpoints *s)
{
	const struct simpoint_options *o = &s->o;
	bool binary = o->files[LOAD_PROJECTION_BINARY];
	const char *path = binary ? o->files[LOAD_PROJECTION_BINARY] : o->files[LOAD_PROJECTION];
	struct points matrix;

	if (!path) {
		projection_draw(&s->projection, s->rows.n_dims, (unsigned)o->dim,
				(uint32_t)o->seed_projection);
		return true;
	}
	if (!matrix_read(path, binary, &matrix))
		return false;
	s->projection = (struct projection){ (uint32_t)matrix.n, matrix.dim, matrix.at };
	free(matrix.weights);
	if (matrix.n >= s->rows.n_dims)
		return true;
	command_error("%s: has rows for %zu ids, but there are %" PRIu32, path, matrix.n,
		      s->rows.n_dims);
	return false;
}

static bool load_weights(const char *path, struct points *points)
{
	FILE *file = open_input(path);
	double sum = 0, extra;
	size_t n = 0;
	bool good;

	if (!file) {
		command_error("%s: %m", path);
		return false;
	}
	while (n < points->n && fscanf(file, "%lf", &points->weights[n]) == 1 &&
	       points->weights[n] >= 0 && isfinite(points->weights[n]))
		sum += points->weights[n++];
	good = n == points->n && fscanf(file, "%lf", &extra) != 1 && sum > 0;
	fclose(file);
	if (!good)
		command_error("%s: is not a list of %zu weights", path, points->n);
	for (size_t i = 0; i < n && good; i++)
		points->weights[i] /= sum;
	return good;
}

/* From the input to points with weights. */
bool simpoints_read(struct simpoints *s)
{
	const struct simpoint_options *o = &s->o;
	bool binary = o->files[LOAD_VECTORS_BINARY];
	const char *path = binary ? o->files[LOAD_VECTORS_BINARY] : o->files[LOAD_VECTORS];

	if (path) {
		if (!matrix_read(path, binary, &s->points))
			return false;
	} else {
		if (!read_vectors(s) || !check_vectors(s))
			return false;
		if (!o->dim && (double)s->rows.n * s->rows.n_dims > large_matrix) {
			command_error("%s: %zu vectors of %" PRIu32
				      " dimensions do not fit into memory without a "
				      "projection; use -dim",
				      o->input, s->rows.n, s->rows.n_dims);
			return false;
		}
		if (o->dim && !get_projection(s))
			return false;
		project(&s->rows, o->dim ? &s->projection : NULL, (unsigned)o->jobs, &s->points);
		if (!o->fixed_length)
			weigh_by_sums(&s->rows, &s->points);
	}
	return !o->files[LOAD_VECTOR_WEIGHTS] ||
	       load_weights(o->files[LOAD_VECTOR_WEIGHTS], &s->points);
}
