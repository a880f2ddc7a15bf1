/* SPDX-License-Identifier: MIT */
/* Features: the descriptions of the machine and of the events in a perf.data file. */
#ifndef PERF_FEATURE_H
#define PERF_FEATURE_H

#include "recorder/import/perf_data.h"

enum { PERF_N_FEATURES = 256 };

/*
 * Reads the feature in the span, or skips it if the recorder does not need it. Returns 0 or a
 * negative status with *error.
 */
int perf_feature_read(struct perf_file *file, unsigned feature, struct span in,
		      struct tf_error *error);

/* Reads a build-id record from behind its head. BUILD_ID and pipes have such records. */
int perf_build_id_read(struct perf_file *file, uint16_t misc, struct span in,
		       struct tf_error *error);

#endif
