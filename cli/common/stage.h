/* SPDX-License-Identifier: MIT */
/* Copies of files of web servers, in a folder of the user's; see trace_input.h. */
#ifndef STAGE_H
#define STAGE_H

#include "cli/common/http_file.h"

/*
 * Returns a descriptor of a copy of a file, which is copied unless there is a copy of this version.
 * Several processes copy a file once: the others wait. Returns -1 if the copy cannot be made.
 * Errors: IO.
 */
int stage_file(struct http_file *file, const char *url, struct tf_error *error);

#endif
