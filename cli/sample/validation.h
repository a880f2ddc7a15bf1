/* SPDX-License-Identifier: MIT */
/*
 * Estimates of the slices beside the numbers of the whole program, which its vectors give exactly:
 * how often each block was executed, and so how many instructions of each kind.
 */
#ifndef VALIDATION_H
#define VALIDATION_H

#include <jansson.h>

#include "cli/common/tracereport.h"

/* Estimates of numbers that the vectors give, and their true errors: JSON of trace-extrapolate. */
struct validation {
	json_t *result; /* NULL: there is none */
};

/* Reads a result. Returns false after a message. */
bool validation_read(struct validation *validation, const char *path);

void validation_free(struct validation *validation);

/*
 * Adds the error of the instruction mix: half the sum of the absolute differences between the
 * classes' shares, in percent.
 */
void validation_put_mix(const struct validation *validation, struct report *report);

/*
 * Adds a table of the counts outside of tables that are at least 1 % of the instructions. Rarer
 * ones say little, as few points have them. Accesses are left out if the vectors have string or
 * masked operands, whose extents only the slices have.
 */
void validation_put_counts(const struct validation *validation, struct report *report);

#endif
