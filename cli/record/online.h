/* SPDX-License-Identifier: MIT */
/*
 * trace-record --points=online: records slices that represent a program while it runs for the first
 * time. The recorder writes one trace with all intervals that it records. The slices are cut out of
 * it when their weights are known, and it is removed.
 */
#ifndef ONLINE_RECORD_H
#define ONLINE_RECORD_H

#include "cli/record/options.h"

/* Records, and returns the exit status of the command. */
int online_record(struct arguments *arguments);

#endif
