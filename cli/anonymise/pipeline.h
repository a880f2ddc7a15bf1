/* SPDX-License-Identifier: MIT */
/*
 * Decodes the parts of all streams in several threads, and hands out their packets in order: the
 * result does not depend on the number of threads.
 */
#ifndef PIPELINE_H
#define PIPELINE_H

#include "cli/anonymise/packet.h"

struct pipeline;

/* Begins to decode, in so many threads. */
struct pipeline *pipeline_begin(const struct dictionary *d, const struct event_rules *rules,
				unsigned jobs);

/*
 * Gives the next packet and its thread. Returns 1, 0 at the end, or a negative status. The packet
 * is valid until the next call.
 */
int pipeline_next(struct pipeline *pipeline, const struct packet **packet, uint32_t *thread,
		  struct tf_error *error);

/* Ends, also early. Adds to *rules what the decoders have counted. */
void pipeline_end(struct pipeline *pipeline, struct event_rules *rules);

#endif
