/* SPDX-License-Identifier: MIT */
/*
 * Writes to META which of the executed code is excluded (exclusion.h), so that whoever reads the
 * trace can leave that code out. FORMAT.md 3.1 has the lines.
 */
#ifndef EXCLUDED_CODE_H
#define EXCLUDED_CODE_H

#include "recorder/core/session.h"

/* Returns 0 or -1. */
int excluded_code_write(struct session *session);

#endif
