/* SPDX-License-Identifier: MIT */
/* Finds out which part of an event the kernel allows the recorder to sample. */
#ifndef SAMPLE_PROBE_H
#define SAMPLE_PROBE_H

#include "recorder/sampling/spec.h"

/*
 * Asks for fewer and fewer fields of an event until try() accepts it. try() opens and closes the
 * event, and returns 0 or an errno. Returns 0 and the accepted event in *spec, or the most useful
 * errno and the event that caused it.
 */
int sample_probe(struct sample_spec *spec, int (*try)(const struct sample_spec *spec));

/* Opens the event for the calling thread, or its CPU. Returns 0 or an errno. */
int sample_try(const struct sample_spec *spec);

/* Writes why an event cannot be sampled, and what to do about it, into the message. */
void sample_explain(const struct sample_spec *spec, int error, char *message, size_t size);

#endif
