/* SPDX-License-Identifier: MIT */
/*
 * trace-record --points: records the slices of a plan, and writes each as a trace of its own. The
 * recorder writes one trace with windows that contain the slices. The slices are then cut out, and
 * the windows are removed.
 */
#ifndef POINTS_RECORD_H
#define POINTS_RECORD_H

#include "cli/record/options.h"

/* Records, and returns the exit status of the command. */
int points_record(struct arguments *arguments);

#endif
