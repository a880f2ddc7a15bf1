/* SPDX-License-Identifier: MIT */
/*
 * Matrices of numbers in SimPoint 3.2's files. Text: a line "ROWS:w", then for each row a line
 * "WEIGHT DIM: value value ..."; binary, in the machine's byte order: u32 rows, u32 whether there
 * are weights, then for each row its weight (f64) if so, u32 dim, and dim values (f64).
 */
#ifndef MATRIX_FILE_H
#define MATRIX_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "analyzers/simpoint/points.h"

/* Writes a matrix. weights NULL: equal weights with a sum of 1. */
void matrix_write(FILE *out, bool binary, const double *values, const double *weights, size_t rows,
		  unsigned dim);

/*
 * Reads a matrix; without weights in the file they are equal. Values beyond 1e100, infinities and
 * NaN are refused, and negative weights. Returns false after a message.
 */
bool matrix_read(const char *path, bool binary, struct points *matrix);

#endif
