/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/simpoints.h"

#include "cli/common/command.h"
#include "cli/common/loss.h"
#include "cli/common/quantity.h"

/* Opens the other run. Returns false after a message. */
static bool open_other(struct simpoints *s)
{
	struct tf_error error;
	struct tf_info info, own;

	if (tf_open(s->o.other, &s->other, &error) < 0 || tf_load(s->other, &error) < 0 ||
	    tf_get_info(s->other, &info, &error) < 0 || tf_get_info(s->reader, &own, &error) < 0) {
		command_error("%s", error.text);
		return false;
	}
	note_loss(s->o.other, &info);
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
			"%u of the points begin or end there nevertheless, as no interval of "
			"their clusters does not; vectors recorded with --boundary=loop end at "
			"steadier places",
			stay);
}

bool simpoints_prove(struct simpoints *s)
{
	unsigned stay;

	if (!s->o.other)
		return true;
	if (!open_other(s) ||
	    !proven_markers_find(s->reader, s->other, recorded_in_one(s), s->rows.n, &s->proven))
		return false;
	stay = proven_markers_prefer(&s->proven, &s->selection);
	tell(s, stay);
	return true;
}
