/* SPDX-License-Identifier: MIT */
/* Makes a trace of some of the instructions and accesses of another one. */
#include "traceformat/rewrite/filter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traceformat/common/error.h"
#include "traceformat/rewrite/rewrite.h"

/* ---- META -------------------------------------------------------------------------------- */

/*
 * Copies the lines of the old trace. If that trace is filtered itself, the lines of its filter get
 * another key, so that those of the new filter do not replace them.
 */
static int copy_meta(struct filter *f, struct tf_error *error)
{
	static const char prefix[] = "filter.", before[] = "filter.before.";
	struct buffer renamed = { 0 };
	const char *key, *value;
	int status = 0;

	for (size_t i = 0; status == 0 && (key = tf_meta_at(f->cut.r, i, &value)); i++) {
		renamed.size = 0;
		if (!strncmp(key, prefix, strlen(prefix))) {
			put_bytes(&renamed, before, strlen(before));
			key += strlen(prefix);
		}
		put_bytes(&renamed, key, strlen(key) + 1);
		status = renamed.failed ? fail_memory(error)
					: tf_writer_meta(f->cut.w, (const char *)renamed.data,
							 value, error);
	}
	buffer_free(&renamed);
	return status;
}

static int add_number(struct filter *f, const char *key, uint64_t value, struct tf_error *error)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return tf_writer_meta(f->cut.w, key, text, error);
}

static int add_numbers(struct filter *f, const struct tf_filter *o, struct tf_error *error)
{
	const struct {
		const char *key;
		uint64_t value;
	} lines[] = {
		{ "filter.removed.instructions", o->removed.instructions },
		{ "filter.removed.loads", o->removed.loads },
		{ "filter.removed.stores", o->removed.stores },
		{ "filter.removed.prefetches", o->removed.prefetches },
		{ "filter.removed.samples", o->removed_samples },
		{ "filter.removed.events", o->unknown_events },
	};
	int status = 0;

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines) && status == 0; i++)
		status = add_number(f, lines[i].key, lines[i].value, error);
	return status;
}

/* Records what was removed. */
static int add_removed(struct filter *f, struct tf_filter *o, struct tf_error *error)
{
	struct tf_totals written;
	struct tf_info info;
	int status = tf_get_info(f->cut.r, &info, error);

	if (status < 0)
		return status;
	tf_writer_totals(f->cut.w, &written);
	o->kept = written;
	o->removed.instructions = info.totals.instructions - written.instructions;
	o->removed.loads = info.totals.loads - written.loads;
	o->removed.stores = info.totals.stores - written.stores;
	o->removed.prefetches = info.totals.prefetches - written.prefetches;
	if (written.instructions > info.totals.instructions || written.loads > info.totals.loads ||
	    written.stores > info.totals.stores || written.prefetches > info.totals.prefetches)
		return fail(error, TF_E_DAMAGED,
			    "%s: its totals do not agree with its chunks; use trace-repair first",
			    f->cut.r->name);
	o->removed_samples = info.n_samples;
	o->unknown_events = f->unknown_events;
	return add_numbers(f, o, error);
}

static uint32_t find_simulation(const struct tf_reader *r)
{
	for (uint32_t i = 0; i < tf_n_regions(r); i++)
		if (tf_region(r, i) && !strcmp(tf_region(r, i)->name, "simulation"))
			return i;
	return TF_NONE;
}

/* Records how many instructions of a slice's warm-up are kept. The line replaces the copied one. */
static int add_warmup(struct filter *f, struct tf_error *error)
{
	if (f->simulation == TF_NONE || !tf_meta(f->cut.r, "slice.warmup"))
		return 0;
	return add_number(f, "slice.warmup", f->warmup, error);
}

static int add_meta(struct filter *f, struct tf_filter *o, struct tf_error *error)
{
	int status = copy_meta(f, error);

	if (status == 0)
		rewrite_note_origin(f->cut.r, f->cut.w, "filter.parent");
	for (size_t i = 0; i < o->n_meta && status == 0; i++)
		status = tf_writer_meta(f->cut.w, o->meta[i].key, o->meta[i].value, error);
	return status;
}

/* ---- the whole --------------------------------------------------------------------------- */

static int write_order(struct filter *f, struct tf_error *error)
{
	const struct tf_reader *r = f->cut.r;
	int status = 0;

	for (size_t i = 0; i < r->schedule.count && status == 0; i++)
		if (f->runs.at[i])
			status = tf_writer_schedule(f->cut.w, r->schedule.at[i].thread,
						    f->runs.at[i], error);
	return status;
}

static int filter_all(struct filter *f, struct tf_filter *o, struct tf_error *error)
{
	int status = add_meta(f, o, error);

	f->simulation = find_simulation(f->cut.r);
	if (status == 0)
		status = cut_dictionary_begin(&f->cut, error);
	for (uint32_t t = 0; t < f->cut.r->threads.count && status == 0; t++)
		if (!o->keep_thread || o->keep_thread(o->opaque, t))
			status = filter_stream(f, t, error);
	if (status == 0)
		status = write_order(f, error);
	if (status == 0)
		status = add_removed(f, o, error);
	if (status == 0)
		status = add_warmup(f, error);
	return status < 0 ? status : rewrite_finish(f->cut.r, f->cut.w, error);
}

static int check_trace(struct tf_reader *r, const struct tf_filter *o, struct tf_error *error)
{
	struct tf_info info;
	int status = rewrite_check_whole(r, error);

	if (status == 0)
		status = tf_get_info(r, &info, error);
	if (status == 0 && info.n_vectors)
		status = fail(error, TF_E_ARGUMENT,
			      "%s: has basic block vectors and no executions that could be "
			      "filtered",
			      r->name);
	if (status == 0 && o->keep_accesses && !info.has_addresses)
		status = fail(error, TF_E_ARGUMENT,
			      "%s: has no addresses, by which accesses could be chosen", r->name);
	return status;
}

static int write_trace(struct filter *f, struct tf_filter *o, const char *to,
		       struct tf_error *error)
{
	const struct tf_reader *r = f->cut.r;
	struct tf_writer_options options = {
		.size = sizeof(options),
		.created_ns = r->created_ns ? r->created_ns : UINT64_MAX,
		.no_addresses = r->compat & COMPAT_NO_ADDRESSES,
		.code_withheld = r->incompat & INCOMPAT_CODE_WITHHELD,
		.order_exact = r->compat & COMPAT_ORDER_EXACT,
	};
	int fd = rewrite_open(r, to, error), status;

	if (fd < 0)
		return fd;
	status = writer_open(fd, to, &options, 0, &f->cut.w, error);
	if (status == 0)
		status = filter_all(f, o, error);
	tf_writer_free(f->cut.w);
	rewrite_close(fd, to, status);
	return status;
}

int tf_filter(struct tf_reader *r, struct tf_filter *o, const char *to, struct tf_error *error)
{
	struct filter f = { .cut = { .r = r }, .options = o };
	int status = check_trace(r, o, error);

	if (status < 0)
		return status;
	f.paths = calloc(r->paths.count + 1, sizeof(*f.paths));
	status = f.paths && run_counts_begin(r, &f.runs) ? write_trace(&f, o, to, error)
							 : fail_memory(error);
	for (size_t i = 0; f.paths && i < r->paths.count; i++)
		free(f.paths[i].kept.at);
	free(f.paths);
	run_counts_free(&f.runs);
	cut_dictionary_end(&f.cut);
	TABLE_FREE(f.pieces);
	TABLE_FREE(f.blocks);
	pool_free(&f.pool);
	return status;
}
