/* SPDX-License-Identifier: MIT */
/* The summary that trace-record prints to standard error at its end. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "cli/record/options.h"

void summary_put(const struct arguments *arguments, const struct record_result *result);

#endif
