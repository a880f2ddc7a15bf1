/* SPDX-License-Identifier: MIT */
/* The samples of the new trace, if they are kept. */
#ifndef ANONYMISED_SAMPLES_H
#define ANONYMISED_SAMPLES_H

#include "cli/anonymise/events.h"

/* Marks the mappings that samples name as used. Returns 0 or a negative status. */
int samples_use(struct tf_reader *reader, struct use *use, struct tf_error *error);

/* Writes samplers and samples. */
int samples_write(struct dictionary *d, const struct event_rules *rules, struct tf_error *error);

#endif
