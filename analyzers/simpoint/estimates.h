/* SPDX-License-Identifier: MIT */
/*
 * Estimates the numbers of a whole program from those of its slices.
 *
 * A result is the JSON that analyzers write: numbers ("facts"), and arrays of objects ("tables"),
 * whose rows are distinguished by their strings and by numbers that are keys, such as the size of a
 * block. A number that is whole in all results and rows counts something: of n instructions of a
 * slice x are such, so of the whole program's N about N * (sum of weight * x / n) / (sum of
 * weights). Another one is a share or a mean: the weighted mean of the slices. Counts and shares
 * are 0 in a slice that lacks their row; means and percentiles are of the slices that have it.
 *
 * Some numbers of a whole program do not follow from those of its slices: how many different pages
 * it touches, a maximum, a size; others are parameters. These are known by name, and have no
 * estimate.
 */
#ifndef ESTIMATES_H
#define ESTIMATES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "analyzers/simpoint/confidence.h"

/* How a number is combined. */
enum combining { COMBINE_NOT, COMBINE_COUNT, COMBINE_RATE, COMBINE_MEAN };

struct estimate {
	char *table, *row; /* empty: a fact */
	char *name;
	double weights;           /* sum, of the slices that have it */
	double sum, rate;         /* weighted, of its values, and of them per instruction */
	double greatest;          /* the greatest term of rate */
	double greatest_weight;   /* of the slice that has it */
	enum combining combining; /* set by estimates_finish, as is */
	double value;             /* NaN: no estimate */
	double whole;             /* the true one; NaN: not known */
	double *values;           /* by slice, if they are kept; NaN: the slice lacks it */
	struct confidence bounds; /* set by estimates_bound; those of value */
};

struct estimates {
	struct estimate *at;
	size_t n, capacity;
	json_t *index;     /* "table\trow\tname": place in at */
	json_t *fractions; /* "table\tname" of what has a fraction anywhere */
	json_t *left_out;  /* names of what has no estimate */
	double weights;    /* sum */
	/* Names, with a NULL at the end, of numbers that are keys, means and sums although they do
	 * not look it; NULL: there are none. */
	const char *const *keys, *const *means, *const *sums;
	size_t n_slices; /* how many there will be, to keep their values; 0: they are not kept */
	size_t slice;    /* the index of the one that is added, if values are kept */
	double *instructions; /* by slice, if values are kept */
};

/* Adds a slice's result. Returns false if it has no such number of instructions, see --per. */
bool estimates_add(struct estimates *estimates, const json_t *result, double weight,
		   const char *instructions);

/* Sets the true numbers of the whole program. Numbers that no slice has get an estimate of 0. */
void estimates_set_whole(struct estimates *estimates, const json_t *result);

/* Forgets the values of slices that are not kept. */
void estimates_keep(struct estimates *estimates, const bool *slices);

/*
 * Computes the estimates for a program, or the part of it that the slices stand for, of so many
 * instructions.
 */
void estimates_finish(struct estimates *estimates, double instructions);

/*
 * Computes the estimates again as combined ratios, with bounds, from values that were kept of all
 * slices in the order of the strata's points.
 */
void estimates_bound(struct estimates *estimates, double instructions, const struct strata *strata,
		     const struct confidence_options *options);

/* Returns the estimate of a number outside of tables, or NULL. */
const struct estimate *estimates_find(const struct estimates *estimates, const char *name);

/* Sets the spreads and means of a number by stratum, see confidence_spreads. */
void estimates_spreads(const struct estimates *estimates, const struct estimate *estimate,
		       const struct strata *strata, double *spreads, double *means);

/*
 * Returns the names of numbers without an estimate, with commas between; empty if there are none.
 * Free it.
 */
char *estimates_left_out(const struct estimates *estimates);

void estimates_free(struct estimates *estimates);

/*
 * Returns true if at least half of the estimate of a count is of one slice whose weight is at most
 * a quarter of its part of the estimate: then the estimate is as uncertain as this slice's number.
 * *part: of the estimate. *weight: that of the slice, as a part of all weights.
 */
bool estimate_is_of_one_slice(const struct estimates *estimates, const struct estimate *estimate,
			      double *part, double *weight);

/* Returns the relative error in percent; NaN if it is not known, or the true number is 0. */
double estimate_error(const struct estimate *estimate);

#endif
