/* SPDX-License-Identifier: MIT */
/* The samples of a trace as text, JSON lines and CSV, and a table of their samplers. */
#ifndef CLI_SAMPLES_H
#define CLI_SAMPLES_H

#include <stdio.h>

#include "cli/common/tracereport.h"
#include "traceformat/traceformat.h"
#include "traceformat/tracesamples.h"

enum samples_format { SAMPLES_TEXT, SAMPLES_JSONL, SAMPLES_CSV };

/*
 * Lists the samples of a thread, or with TF_MERGED all, and what lies between samples. Returns 0 or
 * a negative status with *error; damaged parts are omitted.
 */
int samples_put(FILE *out, struct tf_reader *reader, enum samples_format format, uint32_t thread,
		struct tf_error *error);

/* Reports a table of the samplers, with how many samples each has taken and lost. */
int samplers_put(struct report *report, struct tf_reader *reader, struct tf_error *error);

/* "user", "kernel", ...; "unknown": of the modes below SAMPLE_MODES each has its own. */
enum { SAMPLE_MODES = 6 };
const char *sample_mode_name(uint8_t mode);

#endif
