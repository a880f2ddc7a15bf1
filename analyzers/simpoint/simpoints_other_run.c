/* SPDX-License-Identifier: MIT */
/* Compares the recorded vectors with those of another run, or proves markers by the other run. */
#include <inttypes.h>

#include "analyzers/simpoint/compare_runs.h"
#include "analyzers/simpoint/simpoints.h"
#include "cli/common/command.h"
#include "cli/common/loss.h"
#include "cli/common/quantity.h"

/* Opens and loads a trace. Returns false after a message. */
static bool open_trace(const char *path, struct tf_reader **reader, struct tf_info *info)
{
	struct tf_error error;

	if (tf_open(path, reader, &error) < 0 || tf_load(*reader, &error) < 0 ||
	    tf_get_info(*reader, info, &error) < 0) {
		command_error("%s", error.text);
		return false;
	}
	note_loss(path, info);
	return true;
}

/* ---- comparison -------------------------------------------------------------------------- */

/* Opens a trace and sets the instructions of its intervals. Returns false after a message. */
static bool open_run(struct simpoints *s, const char *path, struct tf_reader **reader,
		     uint64_t *recorded)
{
	struct tf_info info;

	if (!open_trace(path, reader, &info))
		return false;
	*recorded = intervals_recorded(*reader);
	if (*recorded)
		return info.consistent;
	command_error("%s: has no basic block vectors, which trace-record --vectors records", path);
	s->status = EXIT_UNSUITABLE;
	return false;
}

int simpoints_compare(struct simpoints *s)
{
	struct run_comparison comparison = { .paths = { s->o.input, s->o.other },
					     .options = { .jobs = (unsigned)s->o.jobs,
							  .thread = TF_NONE,
							  .threads = s->o.thread_vectors },
					     .format = s->o.format };
	uint64_t recorded[2], interval;

	if (!open_run(s, s->o.input, &s->reader, &recorded[0]) ||
	    !open_run(s, s->o.other, &s->other, &recorded[1]))
		return s->status;
	interval = s->o.interval ? s->o.interval : recorded[0];
	if (recorded[0] != recorded[1] || interval % recorded[0]) {
		command_error("%s has vectors of %" PRIu64 " instructions, %s of %" PRIu64
			      "; they are compared if they have the same, and --interval is a "
			      "multiple of that",
			      s->o.input, recorded[0], s->o.other, recorded[1]);
		return EXIT_UNSUITABLE;
	}
	comparison.readers[0] = s->reader;
	comparison.readers[1] = s->other;
	comparison.options.each = interval / recorded[0];
	if (s->o.thread_given)
		comparison.options.thread = (uint32_t)s->o.thread;
	return compare_runs(&comparison, stdout);
}

/* ---- proof of markers -------------------------------------------------------------------- */

/* Opens the other run. Returns false after a message. */
static bool open_other(struct simpoints *s)
{
	struct tf_error error;
	struct tf_info info, own;

	if (!open_trace(s->o.other, &s->other, &info))
		return false;
	if (tf_get_info(s->reader, &own, &error) < 0) {
		command_error("%s", error.text);
		return false;
	}
	if (s->recorded && own.n_intervals && info.n_intervals)
		return info.consistent;
	command_error(
		"%s: has no basic block vectors with the ends of their intervals; two runs are "
		"compared by those that trace-record --vectors records",
		s->recorded && own.n_intervals ? s->o.other : s->o.input);
	s->status = EXIT_UNSUITABLE;
	return false;
}

static void tell(const struct simpoints *s, unsigned stay)
{
	char failed[COUNT_SIZE], known[COUNT_SIZE];

	if (!s->proven.failed) {
		command_note("the %s places where intervals end are executed equally often in %s",
			     format_count(s->proven.known, known), s->o.other);
		return;
	}
	command_note(
		"%s of the %s places where intervals end are executed another number of times in "
		"%s, and no point begins or ends there",
		format_count(s->proven.failed, failed), format_count(s->proven.known, known),
		s->o.other);
	if (stay)
		command_warning(
			"%u of the points begin or end there nevertheless, because their clusters have no other intervals; record vectors with --boundary=loop, whose ends differ less between runs",
			stay);
}

bool simpoints_prove(struct simpoints *s)
{
	unsigned stay;

	if (!s->o.other)
		return true;
	if (!open_other(s) || !proven_markers_find(s->reader, s->other, recorded_in_one(s),
						   s->rows.n, (unsigned)s->o.jobs, &s->proven))
		return false;
	stay = proven_markers_prefer(&s->proven, &s->selection);
	tell(s, stay);
	return true;
}
