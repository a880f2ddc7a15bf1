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
	ARRAY(uint64_t) filtered;          /* instructions before the end of each */
	ARRAY(struct record_place) guides; /* ends of intervals before the slices */
	struct point_vector {
		ARRAY(struct tf_vector_count) counts;
	} * points; /* by point: the executions of all threads, not summed up */
	struct code_shares *excluded_code; /* that is not compared */
	char *excluded; /* names of code that is not filtered, as --exclude takes them; NULL: none */
};

/*
 * Reads the profile that the plan names, if it is there: by its path, or in the folder of the
 * plan. Prints a note about what cannot be compared without it. Returns false after an error
 * message.
 */
bool profile_read(const struct points_plan *plan, struct profile *profile);

/*
 * Returns the part of a run's instructions that the profile does not have in the interval of a
 * point: those of a trace from `first` to before `end`, as code_shares_add_trace(). NaN: the
 * profile has no vector of the point, or there is no profile; also after an error, with
 * error->status set.
 */
double profile_compare(const struct profile *profile, size_t point, struct tf_reader *run,
		       uint64_t first, uint64_t end, struct tf_error *error);

/*
 * Returns the distance of an interval, by its number, from executions of the run whose trace is
 * `run`: see code_shares_distance(), also for *where.
 */
double profile_distance(const struct profile *profile, uint64_t interval, struct tf_reader *run,
			const struct tf_vector_count *counts, size_t n_counts, char **where);

/* Returns the part of the run, 0 to 1, that is before the end of an interval, by index. */
double profile_share(const struct profile *profile, size_t interval);

/* Makes the ends of the intervals those of filtered instructions. */
void profile_count_filtered(struct profile *profile);

void profile_free(struct profile *profile, const struct points_plan *plan);

#endif
