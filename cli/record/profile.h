/* SPDX-License-Identifier: MIT */
/* The vector trace of the run that a plan was made from. */
#ifndef PROFILE_H
#define PROFILE_H

#include "cli/record/code_shares.h"
#include "cli/record/points_plan.h"
#include "traceformat/common/array.h"

struct profile {
	struct tf_reader *reader; /* NULL: there is no profile to compare with */
	ARRAY(struct record_interval) intervals;
	ARRAY(struct record_place) guides; /* ends of intervals before the slices */
	struct code_shares **points;       /* by point */
};

/*
 * Reads the profile that the plan names, if it is there: by its path, or in the folder of the plan. Prints
 * a note about what cannot be compared without it. Returns false after an error message.
 */
bool profile_read(const struct points_plan *plan, struct profile *profile);
void profile_free(struct profile *profile, const struct points_plan *plan);

#endif
