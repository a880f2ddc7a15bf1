/* SPDX-License-Identifier: MIT */
/* The strata of a sample, as trace-simpoint's JSON has them. */
#ifndef STRATA_H
#define STRATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sampled_stratum {
	uint64_t number;  /* as the file has it */
	double intervals; /* of the program */
	double weight;    /* share of the program */
	size_t points;
};

struct strata {
	struct sampled_stratum *at;
	size_t n, capacity;
	size_t n_points;
	size_t *of;          /* by point, in the order of the file: index of its stratum */
	double *weights;     /* of the points */
	uint64_t *intervals; /* of the points */
	double instructions; /* of the whole program; NaN: the file does not say */
	bool by_chance;      /* points were drawn, so that variances can be estimated */
};

/* Reads a file. Returns false after a message. Ends the process if memory is out. */
bool strata_read(const char *path, struct strata *strata);
void strata_free(struct strata *strata);

/* Keeps only these points, at least one, and the strata that have any. */
void strata_keep(struct strata *strata, const bool *points);

/*
 * Reads the spreads that trace-extrapolate has measured, by number of the stratum, below n. Those
 * that the file does not have become the mean of the others. Returns false after a message.
 */
bool spreads_read(const char *path, double *spreads, size_t n);

#endif
