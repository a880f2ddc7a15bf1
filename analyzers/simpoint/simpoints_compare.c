/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "analyzers/simpoint/compare_runs.h"
#include "analyzers/simpoint/simpoints.h"
#include "cli/common/command.h"
#include "cli/common/loss.h"

/* Opens a trace and sets the instructions of its intervals. Returns false after a message. */
static bool open_run(struct simpoints *s, const char *path, struct tf_reader **reader,
		     uint64_t *recorded)
{
	struct tf_error error;
	struct tf_info info;

	if (tf_open(path, reader, &error) < 0 || tf_load(*reader, &error) < 0 ||
	    tf_get_info(*reader, &info, &error) < 0) {
		command_error("%s", error.text);
		return false;
	}
	note_loss(path, &info);
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
					     .options = { .thread = TF_NONE,
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
