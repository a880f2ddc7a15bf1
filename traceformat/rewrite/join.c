/* SPDX-License-Identifier: MIT */
/* Makes one trace of several traces of one run. */
#include "traceformat/rewrite/join.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "traceformat/common/error.h"
#include "traceformat/rewrite/rewrite.h"

int join_lost(const struct join_part *part, const char *what, uint32_t index,
	      struct tf_error *error)
{
	return fail(error, TF_E_DAMAGED, "%s: %s %u, which it needs, is lost", part->r->name, what,
		    index);
}

uint32_t *join_indices(size_t count)
{
	uint32_t *indices = malloc((count + 1) * sizeof(*indices));

	if (indices)
		memset(indices, 0xff, (count + 1) * sizeof(*indices));
	return indices;
}

/* ---- which traces ------------------------------------------------------------------------ */

static int check_part(const struct join_part *part, const struct join_part *first,
		      struct tf_error *error)
{
	const struct tf_reader *r = part->r;

	if (part->info.n_vectors || part->info.n_intervals)
		return fail(error, TF_E_ARGUMENT,
			    "%s: has basic block vectors, whose intervals end together in all "
			    "threads; such traces cannot be joined",
			    r->name);
	if (r->incompat != first->r->incompat)
		return fail(error, TF_E_ARGUMENT,
			    "%s: %s withholds its code, the other trace does not; only traces with "
			    "the same contents can be joined",
			    first->r->name,
			    r->incompat & INCOMPAT_CODE_WITHHELD ? r->name : first->r->name);
	if ((r->compat ^ first->r->compat) & COMPAT_NO_ADDRESSES)
		return fail(error, TF_E_ARGUMENT,
			    "%s: %s has addresses, the other trace has none; only traces with "
			    "the same contents can be joined",
			    first->r->name,
			    r->compat & COMPAT_NO_ADDRESSES ? first->r->name : r->name);
	return 0;
}

static int check_uuids(const struct join *j, struct tf_error *error)
{
	for (size_t i = 0; i < j->n; i++)
		for (size_t k = 0; k < i; k++)
			if (!memcmp(j->parts[i].r->uuid, j->parts[k].r->uuid, 16))
				return fail(error, TF_E_ARGUMENT,
					    "%s: is the same trace as %s; name each trace once",
					    j->parts[i].r->name, j->parts[k].r->name);
	return 0;
}

static int load_part(struct join *j, struct tf_reader *r, size_t i, struct tf_error *error)
{
	struct join_part *part = &j->parts[i];
	int status = rewrite_check_whole(r, error);

	part->r = r;
	part->argument = i;
	j->n = i + 1;
	if (status == 0)
		status = tf_get_info(r, &part->info, error);
	if (status == 0)
		status = check_part(part, &j->parts[0], error);
	if (status == 0 && !run_counts_begin(r, &part->runs))
		status = fail_memory(error);
	return status;
}

static uint64_t first_of(const struct join_part *part)
{
	const char *first = tf_meta(part->r, "slice.first");

	return first ? strtoull(first, NULL, 10) : 0;
}

/* Returns true if both are slices of one trace. */
static bool same_parent(const struct join_part *a, const struct join_part *b)
{
	const char *mine = tf_meta(a->r, "slice.parent"), *other = tf_meta(b->r, "slice.parent");

	return mine && other && !strcmp(mine, other);
}

/* Puts the slices of one trace into their order, and finds the groups. */
static void find_groups(struct join *j)
{
	for (size_t i = 0; i < j->n; i++)
		for (size_t k = i + 1; k < j->n; k++)
			if (same_parent(&j->parts[i], &j->parts[k]) &&
			    first_of(&j->parts[k]) < first_of(&j->parts[i])) {
				struct join_part later = j->parts[i];

				j->parts[i] = j->parts[k];
				j->parts[k] = later;
			}
	for (size_t i = 0; i < j->n; i++) {
		j->parts[i].group = i;
		for (size_t k = 0; k < i; k++)
			if (same_parent(&j->parts[i], &j->parts[k])) {
				j->parts[i].group = k;
				break;
			}
	}
}

/* ---- the whole --------------------------------------------------------------------------- */

static bool is_one_group(const struct join *j)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->parts[i].group)
			return false;
	return true;
}

/* The order is exact if the parts are of one exact order. */
static bool is_exact(const struct join *j)
{
	for (size_t i = 0; i < j->n; i++)
		if (!(j->parts[i].r->compat & COMPAT_ORDER_EXACT))
			return false;
	return is_one_group(j);
}

/* Returns the time of the earliest trace; UINT64_MAX, which withholds it, if none has one. */
static uint64_t created(const struct join *j)
{
	uint64_t earliest = UINT64_MAX;

	for (size_t i = 0; i < j->n; i++)
		if (j->parts[i].r->created_ns && j->parts[i].r->created_ns < earliest)
			earliest = j->parts[i].r->created_ns;
	return earliest;
}

/* Compares what was written with what the parts have. */
static int check_totals(struct join *j, struct tf_error *error)
{
	struct tf_totals sum = { 0 }, written;

	for (size_t i = 0; i < j->n; i++)
		totals_add(&sum, &j->parts[i].info.totals);
	tf_writer_totals(j->w, &written);
	sum.events = written.events; /* slices repeat some, and later versions have others */
	if (memcmp(&sum, &written, sizeof(sum)))
		return fail(error, TF_E_DAMAGED,
			    "the totals of a trace do not agree with its chunks; trace-verify "
			    "names the trace");
	return 0;
}

static int join_all(struct join *j, struct tf_error *error)
{
	const struct tf_info *first = &j->parts[0].info;
	int status = join_meta(j, error);

	if (status == 0)
		status = join_processes(j, error);
	for (size_t i = 0; i < j->n && status == 0; i++)
		status = join_dictionary(j, &j->parts[i], error);
	for (uint32_t t = 0; t < j->threads.count && status == 0; t++)
		status = join_stream(j, t, error);
	if (status == 0)
		status = join_samples(j, error);
	if (status == 0)
		status = join_order(j, error);
	if (status == 0)
		status = check_totals(j, error);
	return status < 0 ? status : tf_writer_finish(j->w, first->wait_status, "joined", error);
}

/* Refuses to write over one of the traces. */
static int check_target(const struct join *j, const char *to, struct tf_error *error)
{
	struct stat source, target;

	for (size_t i = 0; i < j->n && stat(to, &target) == 0; i++)
		if (fstat(j->parts[i].r->fd, &source) == 0 && source.st_dev == target.st_dev &&
		    source.st_ino == target.st_ino)
			return fail(error, TF_E_ARGUMENT,
				    "%s: is one of the traces to join; name another file", to);
	return 0;
}

static int write_trace(struct join *j, const char *to, struct tf_error *error)
{
	struct tf_writer_options options = {
		.size = sizeof(options),
		.created_ns = created(j),
		.no_addresses = j->parts[0].r->compat & COMPAT_NO_ADDRESSES,
		.code_withheld = j->parts[0].r->incompat & INCOMPAT_CODE_WITHHELD,
		.order_exact = is_exact(j),
	};
	int fd = rewrite_open(j->parts[0].r, to, error), status;

	if (fd < 0)
		return fd;
	status = writer_open(fd, to, &options, 0, &j->w, error);
	if (status == 0)
		status = join_all(j, error);
	tf_writer_free(j->w);
	rewrite_close(fd, to, status);
	return status;
}

static void free_part(struct join_part *part)
{
	free(part->processes);
	free(part->threads);
	free(part->modules);
	free(part->blocks);
	free(part->functions);
	free(part->mappings);
	free(part->regions);
	free(part->samplers);
	free(part->paths);
	run_counts_free(&part->runs);
}

static void free_join(struct join *j)
{
	struct record_set *sets[] = { &j->modules,   &j->symbols,  &j->blocks,  &j->paths,
				      &j->functions, &j->mappings, &j->regions, &j->samplers };

	for (size_t i = 0; i < j->n; i++)
		free_part(&j->parts[i]);
	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++)
		record_set_free(sets[i]);
	for (size_t i = 0; i < j->threads.count; i++) {
		free(j->threads.at[i].sources.at);
		free(j->threads.at[i].stamps.at);
	}
	free(j->threads.at);
	free(j->parts);
	buffer_free(&j->record);
}

int tf_join(struct tf_reader *const *readers, size_t n, struct tf_join *options, const char *to,
	    struct tf_error *error)
{
	struct join j = { .options = options };
	int status = 0;

	if (n == 0)
		return fail(error, TF_E_ARGUMENT, "there is no trace to join");
	j.parts = calloc(n, sizeof(*j.parts));
	if (!j.parts)
		return fail_memory(error);
	for (size_t i = 0; i < n && status == 0; i++)
		status = load_part(&j, readers[i], i, error);
	if (status == 0)
		status = check_uuids(&j, error);
	if (status == 0)
		status = check_target(&j, to, error);
	if (status == 0)
		find_groups(&j);
	if (status == 0)
		status = join_check_machine(&j, error);
	if (status == 0)
		status = write_trace(&j, to, error);
	free_join(&j);
	return status;
}
