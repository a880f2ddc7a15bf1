/* SPDX-License-Identifier: MIT */
/*
 * Numbers of a whole program, estimated from those of its slices.
 *
 * A result is the JSON that analyzers write: numbers ("facts"), and arrays of objects
 * ("tables"), whose rows are told apart by their strings. A whole number counts something: of n
 * instructions of a slice x are such, so of the whole program's N about N * (sum of weight * x
 * / n) / (sum of weights). A number with a fraction is a share or a mean: the weighted mean of
 * the slices. A row that a slice lacks is 0 there.
 */
#ifndef ESTIMATES_H
#define ESTIMATES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct estimate {
	char *table, *row;	/* empty: a fact */
	char *name;
	bool is_count;
	double sum;		/* weighted, of the slices */
	double value;		/* set by estimates_finish */
	double whole;		/* the true one; NaN: not known */
};

struct estimates {
	struct estimate *at;
	size_t n, room;
	json_t *index;		/* "table\trow\tname": place in at */
	double weights;		/* sum */
	const char *const *means, *const *sums;	/* names that are combined so whatever they look
						   like; NULL ends each, and may stand for none */
};

/* Adds a slice's result. Returns false if it has no such number of instructions, see --per. */
bool estimates_add(struct estimates *estimates, const json_t *result, double weight,
		   const char *instructions);

/* Sets what is true of the whole program. Numbers that no slice has get an estimate of 0. */
void estimates_set_whole(struct estimates *estimates, const json_t *result);

/* Computes the estimates for a program of so many instructions. */
void estimates_finish(struct estimates *estimates, double instructions);

void estimates_free(struct estimates *estimates);

/* The relative error in percent; NaN if it is not known. */
double estimate_error(const struct estimate *estimate);

#endif
