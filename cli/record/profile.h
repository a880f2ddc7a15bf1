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
	struct code_shares *excluded_code; /* that is not compared */
	char *excluded; /* names of code that is not filtered, as --exclude takes them; NULL: none */
};

/*
 * Reads the profile that the plan names, if it is there: by its path, or in the folder of the plan. Prints
 * a note about what cannot be compared without it. Returns false after an error message.
 */
bool profile_read(const struct points_plan *plan, struct profile *profile);

/* Removes code that is not compared. */
void profile_exclude(const struct profile *profile, struct code_shares *shares);

/*
 * Returns the distance of an interval, by its number, from executions of the run whose trace is `run`:
 * see code_shares_distance(), also for *where.
 */
double profile_distance(const struct profile *profile, uint64_t interval, struct tf_reader *run,
			const struct tf_vector_count *counts, size_t n_counts, char **where);

/* Returns the part of the run, 0 to 1, that is before the end of an interval, by index. */
double profile_share(const struct profile *profile, size_t interval);

void profile_free(struct profile *profile, const struct points_plan *plan);

#endif
