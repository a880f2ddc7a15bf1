/* SPDX-License-Identifier: MIT */
#ifndef COMPARE_PATH_VIEW_H
#define COMPARE_PATH_VIEW_H

#include "cli/common/tracereport.h"
#include "cli/compare/comparison.h"

/* Writes the tree of the call paths that changed most, and in JSON and CSV all call paths. */
void view_paths(const struct comparison *comparison, struct report *report);

#endif
