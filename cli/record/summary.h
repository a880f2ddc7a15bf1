/* SPDX-License-Identifier: MIT */
/* What trace-record says at the end, to standard error. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "cli/record/options.h"

void summary_put(const struct arguments *arguments, const struct record_result *result);

#endif
