/* SPDX-License-Identifier: MIT */
/* The comparison as a report. */
#ifndef COMPARE_VIEWS_H
#define COMPARE_VIEWS_H

#include "cli/common/tracereport.h"
#include "cli/compare/comparison.h"

/* Writes the report's parts. The comparison must outlive the report. */
void view_comparison(const struct comparison *comparison, struct report *report);

#endif
