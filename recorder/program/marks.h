/* SPDX-License-Identifier: MIT */
/*
 * SSC marks, which delimit regions for Pin and gem5 tools as well: "mov $N, %ebx" followed by the
 * bytes 64 67 90, which do nothing. "ssc:N" is the place before each such mov.
 */
#ifndef MARKS_H
#define MARKS_H

#include "recorder/core/session.h"
#include "recorder/elf/module.h"

/* Adds watches at the marks of --from and --to in the code of the module, an open file. Returns 0
 * or -1. */
int marks_resolve(struct session *session, struct module *module, int fd);

#endif
