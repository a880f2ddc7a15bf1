/* SPDX-License-Identifier: MIT */
/* Features: what a perf.data file says of the machine and of its events. */
#ifndef PERF_FEATURE_H
#define PERF_FEATURE_H

#include "recorder/import/perf_data.h"

enum { PERF_N_FEATURES = 256 };

/* Takes a feature that stands in the span; features that are not needed are skipped. Returns 0 or a
 * negative status with *error. */
int perf_feature_read(struct perf_file *file, unsigned feature, struct span in,
		      struct tf_error *error);

/* Takes a build-id record, which BUILD_ID and pipes have, from behind its head. */
int perf_build_id_read(struct perf_file *file, uint16_t misc, struct span in,
		       struct tf_error *error);

#endif
