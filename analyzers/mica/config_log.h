/* SPDX-License-Identifier: MIT */
/* Writes the entries that MICA logs of its configuration in mica.log. */
#ifndef MICA_CONFIG_LOG_H
#define MICA_CONFIG_LOG_H

#include <stdbool.h>
#include <stdio.h>

void mica_log_analysis(FILE *log, const char *name);
void mica_log_unknown_analysis(FILE *log);

/* Logs an entry other than analysis_type, if MICA logs it. */
void mica_log_entry(FILE *log, const char *key, const char *value);

#endif
