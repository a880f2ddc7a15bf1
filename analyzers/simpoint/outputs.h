/* SPDX-License-Identifier: MIT */
/* The files that SimPoint 3.2 writes about a clustering. */
#ifndef OUTPUTS_H
#define OUTPUTS_H

#include "analyzers/simpoint/selection.h"
#include "analyzers/simpoint/simpoint_options.h"

/*
 * Writes the files of one run that the options select: .simpts, .weights, .labels, centres. suffix
 * is appended to all names. Returns an exit code, after a message.
 */
int outputs_write(const struct simpoint_options *options, const char *suffix,
		  const struct clustering *clustering, const struct selection *selection,
		  const struct points *points);

/* Writes the files that do not depend on a run: points and the projection (at NULL: none). */
int outputs_write_points(const struct simpoint_options *options, const struct points *points,
			 const double *projection, size_t n_rows);

#endif
