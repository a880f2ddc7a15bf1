/* SPDX-License-Identifier: MIT */
/*
 * Estimates of a whole program from the results of its slices, see estimates.h: from the files or
 * traces that the user names, to a report. Functions that return false have printed a message.
 */
#ifndef EXTRAPOLATION_H
#define EXTRAPOLATION_H

#include "analyzers/simpoint/estimates.h"
#include "analyzers/simpoint/origin.h"
#include "cli/common/tracereport.h"

enum { EXTRAPOLATE_WORDS = 64 };

struct extrapolate_options {
	char **inputs;
	size_t n_inputs;
	const char *run, *whole, *weights, *per;
	const char *plan, *metric;
	struct confidence_options confidence;
	bool confidence_given;
	uint64_t total; /* 0: not given */
	char *keys[EXTRAPOLATE_WORDS + 1], *means[EXTRAPOLATE_WORDS + 1],
		*sums[EXTRAPOLATE_WORDS + 1];
	bool renormalise;
	bool quiet;
	enum report_format format;
};

struct extrapolation {
	const struct extrapolate_options *o;
	double *weights; /* by input, of --weights; NULL: none given */
	struct estimates estimates;
	double total;          /* instructions of the whole; 0: not known yet */
	bool is_part;          /* the slices do not stand for all of the whole */
	double simulated;      /* instructions of all slices */
	struct strata strata;  /* of --plan; n 0: not given */
	bool *has_result;      /* by point */
	bool has_bounds;       /* of estimates */
	struct origin parent;  /* of the slices that --run has run on */
	const char *parent_of; /* the first of them */
};

/*
 * Returns the result of an input: --run's of a slice, with the slice's weight and origin, or that
 * of a file in JSON. The caller frees the result; NULL after a message.
 */
json_t *slice_result(struct extrapolation *x, size_t input);

/* Returns the result of the whole of --whole, likewise. */
json_t *whole_result(const struct extrapolation *x);

/* Reads all results, and estimates. The options are set. */
bool extrapolation_compute(struct extrapolation *x);

/* Writes the report to standard output. */
void extrapolation_report(const struct extrapolation *x);

#endif
