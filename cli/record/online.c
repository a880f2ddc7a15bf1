/* SPDX-License-Identifier: MIT */
#include "cli/record/online.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/output_trace.h"
#include "cli/common/quantity.h"
#include "cli/common/save_file.h"
#include "cli/common/trace_meta.h"
#include "cli/record/online_plan.h"
#include "cli/record/slices.h"
#include "traceformat/tracewriter.h"

enum { PLAN, MISSING, LABELS, N_FILES };
static const char *const suffixes[N_FILES] = { ".json", ".missing.json", ".labels" };

struct recording {
	struct arguments *a;
	char *prefix, *windows, *files[N_FILES];
	struct record_result result;
	struct tf_reader *reader; /* of all that was recorded */
	struct tf_info info;
	uint64_t n_slices, instructions, bytes; /* of the slices */
};

/* ---- names ------------------------------------------------------------------------------- */

/* Checks that no file exists that may have to be written. Returns false after a message. */
static bool check_files(const struct recording *r)
{
	const struct record_options *o = &r->a->options;
	bool good = check_output_trace("", r->windows, o->force) == EXIT_DONE;

	for (unsigned i = 0; i < N_FILES && good; i++)
		good = check_output_trace("", r->files[i], o->force) == EXIT_DONE;
	for (uint32_t i = 0; i < ONLINE_MAX_K && good; i++) {
		char *slice = slice_name(r->prefix, i);

		good = check_output_trace("", slice, o->force) == EXIT_DONE;
		free(slice);
	}
	return good;
}

static bool name_files(struct recording *r)
{
	r->prefix = slice_prefix(r->a);
	if (!r->prefix)
		return false;
	r->windows = windows_name(r->prefix);
	for (unsigned i = 0; i < N_FILES; i++)
		r->files[i] = text_format("%s%s", r->prefix, suffixes[i]);
	return check_files(r);
}

/* ---- slices ------------------------------------------------------------------------------ */

static void describe(const struct recording *r, size_t i, struct slice_meta *meta)
{
	const struct record_clusters *clusters = &r->result.clusters;
	const struct record_cluster *c = &clusters->at[i];

	slice_meta_add(meta, "slice.first", "%" PRIu64, c->start - c->warmup);
	slice_meta_add(meta, "slice.parent-instructions", "%" PRIu64,
		       clusters->intervals[clusters->n_intervals - 1].end);
	slice_meta_add_point(meta,
			     &(struct slice_point){ .cluster = i,
						    .interval = c->slice,
						    .interval_size = r->a->options.online.interval,
						    .exact = true,
						    .weight = online_weight(clusters, c),
						    .multiplier = online_multiplier(c) });
	slice_meta_add(meta, "slice.filtered", "%" PRIu64, c->filtered_end - c->filtered_start);
}

static bool cut_slice(struct recording *r, size_t i)
{
	const struct record_cluster *c = &r->result.clusters.at[i];
	char *path = slice_name(r->prefix, i);
	struct slice_meta meta = { 0 };
	struct window_slice slice = {
		.first = c->step - c->warmup,
		.count = c->end - c->start + c->warmup,
		.warmup = c->warmup,
		.meta = &meta,
	};
	bool cut;

	describe(r, i, &meta);
	cut = slice_cut(r->a, r->reader, &slice, path, &r->bytes);
	r->n_slices++;
	r->instructions += slice.count;
	free(path);
	return cut;
}

static void remove_old(const struct recording *r, uint32_t i)
{
	char *path = slice_name(r->prefix, i);

	slice_remove_old(path);
	free(path);
}

static bool cut_slices(struct recording *r)
{
	const struct record_clusters *c = &r->result.clusters;
	struct tf_error error;

	if (tf_open(r->windows, &r->reader, &error) < 0 || tf_load(r->reader, &error) < 0 ||
	    tf_get_info(r->reader, &r->info, &error) < 0) {
		command_error("%s", error.text);
		return false;
	}
	for (uint32_t i = 0; i < ONLINE_MAX_K; i++)
		if (i >= c->n || c->at[i].slice == UINT64_MAX)
			remove_old(r, i);
		else if (!cut_slice(r, i))
			return false;
	return true;
}

/* ---- other results ----------------------------------------------------------------------- */

static bool save(const struct recording *r, unsigned file)
{
	char uuid[UUID_TEXT];
	struct online_results results = {
		.options = &r->a->options,
		.clusters = &r->result.clusters,
		.uuid = uuid_text(r->info.uuid, uuid),
		.windows = r->windows,
	};
	struct save_file *save = save_file_begin(r->files[file]);

	if (!save)
		return false;
	if (file == LABELS)
		online_write_labels(&results, save_file_stream(save));
	else
		online_write_plan(&results, file == MISSING, save_file_stream(save));
	return save_file_end(save) == EXIT_DONE;
}

static bool save_files(const struct recording *r)
{
	if (r->n_slices == r->result.clusters.n)
		unlink(r->files[MISSING]);
	else if (!save(r, MISSING))
		return false;
	return save(r, PLAN) && save(r, LABELS);
}

static void put_missing(const struct recording *r)
{
	const struct record_clusters *c = &r->result.clusters;
	char n[COUNT_SIZE];

	if (r->n_slices == c->n)
		command_note(c->n == 1 ? "the only cluster has a slice"
				       : "each of %zu clusters has a slice",
			     c->n);
	else
		command_note("%s of %zu clusters have a slice, and represent %.2f %% of the "
			     "program; --points=%s records the others in a second run",
			     format_count(r->n_slices, n), c->n, 100 * online_represented(c),
			     r->files[MISSING]);
}

static void put_summary(const struct recording *r)
{
	const struct record_clusters *c = &r->result.clusters;
	struct online_results results = { .options = &r->a->options, .clusters = c };
	double outside = online_outside(&results);
	char n[COUNT_SIZE], instructions[COUNT_SIZE], bytes[COUNT_SIZE];

	command_note("%s.*.trace: %s slice%s of %zu interval%s, %s instructions, %s bytes",
		     r->prefix, format_count(r->n_slices, n), r->n_slices == 1 ? "" : "s",
		     c->n_intervals, c->n_intervals == 1 ? "" : "s",
		     format_count(r->instructions, instructions), format_count(r->bytes, bytes));
	put_missing(r);
	if (outside > 0)
		command_note("%.2f %% of the program is farther than %g %% from its cluster, as "
			     "there are %zu clusters already; see --max-k, --radius and "
			     "--interval",
			     100 * outside, 100 * r->a->options.online.radius, c->n);
}

/* ---- recording --------------------------------------------------------------------------- */

static int record(struct recording *r)
{
	struct record_options *o = &r->a->options;

	o->output = r->windows;
	if (windows_record(r->a, &r->result) < 0)
		return r->result.exit_status;
	if (!cut_slices(r) || !save_files(r)) {
		command_error("all that was recorded is in %s", r->windows);
		return EXIT_NOT_RECORDED;
	}
	unlink(r->windows);
	if (!r->a->quiet)
		put_summary(r);
	return r->n_slices < r->result.clusters.n ? EXIT_MISSED : r->result.exit_status;
}

int online_record(struct arguments *a)
{
	struct recording r = { .a = a };
	int status = name_files(&r) ? record(&r) : EXIT_NOT_RECORDED;

	tf_close(r.reader);
	record_windows_free(&r.result.windows);
	record_clusters_free(&r.result.clusters);
	for (unsigned i = 0; i < N_FILES; i++)
		free(r.files[i]);
	free(r.windows);
	free(r.prefix);
	return status;
}
