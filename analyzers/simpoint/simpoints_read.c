/* SPDX-License-Identifier: MIT */
/* Reads vectors and the other files of the input, and projects the vectors. */
#include "analyzers/simpoint/simpoints.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyzers/simpoint/bb_line.h"
#include "analyzers/simpoint/matrix_file.h"
#include "analyzers/simpoint/sign_projection.h"
#include "cli/common/command.h"
#include "cli/common/input_file.h"
#include "cli/common/loss.h"
#include "cli/common/quantity.h"
#include "cli/common/unpack.h"
#include "cli/common/trace_input.h"

enum { DEFAULT_INTERVAL = 100000000, FEW_INTERVALS = 20000 };
static const double large_matrix = 4e9 / sizeof(double); /* values */

/*
 * Returns true if vectors are recorded, and the options ask for nothing that SimPoint 3.2's way of
 * working needs. Then the vectors are projected as they are read.
 */
static bool reads_run(const struct simpoints *s)
{
	static const enum simpoint_file others[] = {
		SAVE_VECTORS,           SAVE_VECTORS_BINARY, SAVE_PROJECTION,
		SAVE_PROJECTION_BINARY, LOAD_PROJECTION,     LOAD_PROJECTION_BINARY,
		LOAD_INITIAL,           LOAD_INITIAL_LABELS, LOAD_VECTOR_WEIGHTS,
		SAVE_INITIAL,
	};
	const struct simpoint_options *o = &s->o;

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (o->files[others[i]])
			return false;
	return s->recorded && !o->as_simpoint && !o->bbv_options && !o->save_all && !o->n_vectors &&
	       (!o->dim_given || (o->dim && o->dim <= SIGN_PROJECTION_MAX_DIM));
}

static bool open_trace(struct simpoints *s)
{
	struct tf_error error;
	struct tf_info info;

	if (open_trace_input(s->o.input, TRACE_WHOLE, &s->reader, &error) < 0 ||
	    tf_load(s->reader, &error) < 0 || tf_get_info(s->reader, &info, &error) < 0) {
		command_error("%s", error.text);
		return false;
	}
	uuid_text(info.uuid, s->uuid);
	s->origin = origin_of_trace(s->reader, info.uuid);
	note_loss(s->o.input, &info);
	if (!info.consistent)
		return false;
	if (!check_thread(s->o.input, s->o.thread, info.n_threads)) {
		s->status = EXIT_UNSUITABLE;
		return false;
	}
	s->recorded = intervals_recorded(s->reader);
	s->all_threads = reads_run(s) && info.n_threads > 1 && !s->o.thread_given;
	if (s->o.thread_vectors_given && info.n_threads > 1 && !s->all_threads) {
		command_error("%s: --thread-vectors is for vectors of all threads, as trace-record "
			      "--vectors records them, without --thread and without options of "
			      "SimPoint 3.2",
			      s->o.input);
		s->status = EXIT_UNSUITABLE;
		return false;
	}
	if (info.n_threads > 1 && !s->all_threads && !s->o.mark)
		command_note("%s has %" PRIu32 " threads: points of thread %" PRIu64, s->o.input,
			     info.n_threads, s->o.thread);
	return true;
}

/* Returns true if the thread is as long as an interval, else false after a message. */
static bool check_length(const struct simpoints *s, uint64_t interval)
{
	char executed[COUNT_SIZE], size[COUNT_SIZE];
	struct tf_totals totals;
	struct tf_error error;

	if (s->intervals.n)
		return true;
	if (s->all_threads)
		command_error("%s: the program has no whole interval of %s instructions; record "
			      "it again with a smaller --interval",
			      s->o.input, format_count(interval, size));
	else if (s->recorded)
		command_error("%s: thread %" PRIu64 " has no whole interval of %s instructions; "
			      "record it again with a smaller --interval",
			      s->o.input, s->o.thread, format_count(interval, size));
	else if (tf_get_thread_totals(s->reader, (uint32_t)s->o.thread, &totals, &error) < 0)
		command_error("%s", error.text);
	else
		command_error("%s: thread %" PRIu64 " executed %s instructions, fewer than an "
			      "interval of %s has; use a smaller --interval",
			      s->o.input, s->o.thread, format_count(totals.instructions, executed),
			      format_count(interval, size));
	return false;
}

static bool read_trace(struct simpoints *s)
{
	const struct simpoint_options *o = &s->o;
	uint32_t thread = (uint32_t)o->thread;
	uint64_t interval;

	if (!open_trace(s))
		return false;
	if (o->mark)
		return simpoints_read_parallel(s);
	interval = o->interval ? o->interval : s->recorded ? s->recorded : DEFAULT_INTERVAL;
	if (s->recorded)
		s->o.counter = COUNTER_EXACT;
	if (s->recorded && interval % s->recorded) {
		command_error("%s has vectors of %" PRIu64 " instructions; --interval must be a "
			      "multiple of that",
			      o->input, s->recorded);
		s->status = EXIT_UNSUITABLE;
		return false;
	}
	s->rows.interval_size = interval;
	if (reads_run(s))
		return simpoints_read_run(s, interval / s->recorded) && check_length(s, interval);
	if (!intervals_find(s->reader, o->input, thread, interval, o->counter, &s->intervals) ||
	    !check_length(s, interval) ||
	    !trace_vectors(s->reader, o->input, thread, interval, o->counter, o->bbv_options,
			   o->jobs, &s->rows, &s->names))
		return false;
	s->rows.interval_size = interval;
	if (s->rows.n == s->intervals.n)
		return true;
	command_error("%s: %" PRIu64 " intervals were found, but %zu vectors%s", o->input,
		      s->intervals.n, s->rows.n,
		      o->bbv_options ? "; does --bbv go with --counter?" : "");
	return false;
}

static void refuse_no_vectors(const struct simpoints *s)
{
	char size[COUNT_SIZE];

	if (s->rows.interval_size)
		command_error("%s: has no vectors, as the program was shorter than an interval of "
			      "%s instructions; make them with smaller intervals",
			      s->o.input, format_count(s->rows.interval_size, size));
	else
		command_error("%s: is neither a trace nor vectors: it has no vectors (lines that "
			      "begin with T:)",
			      s->o.input);
}

static bool read_vectors(struct simpoints *s)
{
	const struct simpoint_options *o = &s->o;

	if (is_trace(o->input))
		return read_trace(s);
	if (!bb_read(o->input, o->as_simpoint, o->jobs, &s->rows))
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

/*
 * Returns true if the instructions of all intervals can be counted exactly, else false after a
 * message.
 */
static bool check_size(const struct simpoints *s)
{
	if ((double)s->rows.interval_size * (double)s->rows.n <= BB_MAX_COUNT)
		return true;
	command_error("%s: %zu intervals of %" PRIu64 " instructions are more than 2^53 "
		      "instructions",
		      s->o.input, s->rows.n, s->rows.interval_size);
	return false;
}

/* Tells of memory that the vectors need, if it is out of proportion to their file. */
static void tell_memory(const struct simpoints *s)
{
	const struct simpoint_options *o = &s->o;
	bool whole = o->files[SAVE_PROJECTION] || o->files[SAVE_PROJECTION_BINARY];
	double n = (double)s->rows.n, dim = o->dim ? (double)o->dim : s->rows.n_dims;
	double matrix = whole ? s->rows.n_dims : s->rows.n_numbers;
	double runs = o->ks.count ? (double)o->ks.count : 3 + log2((double)o->max_k);
	double points = n * (8 * dim + 64), labels = n * 4 * (double)o->n_seeds * runs;
	double bytes = points + labels + (o->dim ? matrix * 8 * dim : 0) +
		       8 * s->rows.n_numbers * (2.0 + (double)o->jobs);

	if (bytes > (256 << 20) + 100 * (double)s->rows.size)
		command_warning("%s: %.1f GiB of memory are needed for its %zu vectors of %" PRIu32
				" dimensions",
				o->input, bytes / (1 << 30), s->rows.n, s->rows.n_dims);
}

/* Draws or loads the projection. */
static bool get_projection(struct simpoints *s)
{
	const struct simpoint_options *o = &s->o;
	bool binary = o->files[LOAD_PROJECTION_BINARY];
	const char *path = binary ? o->files[LOAD_PROJECTION_BINARY] : o->files[LOAD_PROJECTION];
	struct points matrix;

	if (!path) {
		projection_draw(&s->projection, &s->rows,
				o->files[SAVE_PROJECTION] || o->files[SAVE_PROJECTION_BINARY],
				o->as_simpoint, (unsigned)o->dim, (uint32_t)o->seed_projection);
		return true;
	}
	if (!matrix_read(path, binary, &matrix))
		return false;
	s->projection = (struct projection){ (uint32_t)matrix.n, false, matrix.dim, matrix.at };
	free(matrix.weights);
	if (matrix.n >= s->rows.n_dims)
		return true;
	command_error("%s: has rows for %zu ids, but there are %" PRIu32, path, matrix.n,
		      s->rows.n_dims);
	return false;
}

static bool load_weights(const char *path, struct points *points)
{
	FILE *file = expect_file(path, "a list of weights", ACCEPT_COMPRESSED) ? unpack_text(path)
									       : NULL;
	double sum = 0;
	size_t n = 0;
	bool good;
	char extra;

	if (!file)
		return false;
	while (n < points->n && fscanf(file, "%lf", &points->weights[n]) == 1 &&
	       points->weights[n] >= 0 && isfinite(points->weights[n]))
		sum += points->weights[n++];
	good = n == points->n && fscanf(file, " %c", &extra) != 1 && sum > 0 && isfinite(sum);
	fclose(file);
	if (!good)
		command_error("%s: is not a list of %zu weights", path, points->n);
	for (size_t i = 0; i < n && good; i++)
		points->weights[i] /= sum;
	return good;
}

/*
 * Weighs points by the weights of their file, whose sum becomes 1; or equally, as SimPoint 3.2 does
 * by default.
 */
static bool weigh_loaded(const struct simpoint_options *o, const char *path, struct points *points)
{
	bool equally = o->fixed_length && (o->as_simpoint || o->fixed_length_given);
	double sum = 0;

	for (size_t i = 0; i < points->n; i++) {
		if (equally)
			points->weights[i] = 1.0 / (double)points->n;
		sum += points->weights[i];
	}
	if (sum == 0) {
		command_error("%s: the weights of its rows are all 0; use -fixedLength on", path);
		return false;
	}
	for (size_t i = 0; i < points->n && fabs(sum - 1) > 1e-6; i++)
		points->weights[i] /= sum;
	return true;
}

/* Makes points with weights of the input. */
bool simpoints_read(struct simpoints *s)
{
	const struct simpoint_options *o = &s->o;
	bool binary = o->files[LOAD_VECTORS_BINARY];
	const char *path = binary ? o->files[LOAD_VECTORS_BINARY] : o->files[LOAD_VECTORS];

	if (path) {
		if (!matrix_read(path, binary, &s->points) || !weigh_loaded(o, path, &s->points))
			return false;
	} else {
		if (!read_vectors(s) || !check_vectors(s) || !check_size(s))
			return false;
		if (!o->dim && (double)s->rows.n * s->rows.n_dims > large_matrix) {
			command_error("%s: %zu vectors of %" PRIu32
				      " dimensions do not fit into memory without a "
				      "projection; use -dim",
				      o->input, s->rows.n, s->rows.n_dims);
			return false;
		}
		if (s->run)
			return true;
		if (!s->reader)
			tell_memory(s);
		if (o->dim && !get_projection(s))
			return false;
		project(&s->rows, o->dim ? &s->projection : NULL, o->jobs, &s->points);
		if (!o->fixed_length)
			weigh_by_sums(&s->rows, &s->points);
		if (s->rows.n > FEW_INTERVALS && !o->as_simpoint && !o->save_all &&
		    !o->files[LOAD_INITIAL] && !o->files[LOAD_INITIAL_LABELS] &&
		    !o->files[LOAD_VECTOR_WEIGHTS] && o->dim)
			simpoints_take_many(s);
	}
	return !o->files[LOAD_VECTOR_WEIGHTS] ||
	       load_weights(o->files[LOAD_VECTOR_WEIGHTS], &s->points);
}
