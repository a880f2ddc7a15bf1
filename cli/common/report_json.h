/* SPDX-License-Identifier: MIT */
/* A report as JSON, for files that have more than the report. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <jansson.h>

#include "cli/common/tracereport.h"

/* Returns the contents of a report as an object, which belongs to the caller. */
json_t *report_json(const struct report *report);

#endif
