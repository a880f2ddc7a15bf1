/* SPDX-License-Identifier: MIT */
/* Checks of a request to export, before anything is written. */
#ifndef EXPORT_CHECKS_H
#define EXPORT_CHECKS_H

#include "cli/export/export_request.h"

/* Checks that the trace has what the format needs. Returns an exit code. */
int export_check_trace(const struct tf_info *info, const struct export_request *r);

/* Sets *index to the region that the options name, or to TF_NONE. Returns an exit code. */
int export_find_region(struct tf_reader *reader, const struct export_request *r, uint32_t *index);

/* Warns of a compressed file that the format's tools do not read. */
void export_check_suffix(const struct export_request *r);

#endif
