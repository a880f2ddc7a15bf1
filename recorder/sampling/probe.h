/* SPDX-License-Identifier: MIT */
/* Finds out which part of an event the kernel allows the recorder to sample. */
#ifndef SAMPLE_PROBE_H
#define SAMPLE_PROBE_H

#include "recorder/sampling/spec.h"

/*
 * Asks for less and less of an event until try, which opens and closes it, returns 0; else it
 * returns an errno. Returns 0, or the errno that tells most, *spec being what it is about.
 */
int sample_probe(struct sample_spec *spec, int (*try)(const struct sample_spec *spec));

/* Opens the event for the calling thread, or its CPU. Returns 0 or an errno. */
int sample_try(const struct sample_spec *spec);

/* Says why an event cannot be sampled, and what to do about it. */
void sample_explain(const struct sample_spec *spec, int error, char *message, size_t size);

#endif
