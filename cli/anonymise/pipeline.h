/* SPDX-License-Identifier: MIT */
/*
 * Decodes the parts of all streams, in several threads if wanted, and hands out their packets in
 * order: the result does not depend on the number of threads.
 */
#ifndef PIPELINE_H
#define PIPELINE_H

#include "cli/anonymise/packet.h"

/* Takes the next packet of a thread. Returns 0 or a negative status with *error. */
typedef int packet_sink(void *opaque, const struct packet *packet, uint32_t thread,
			struct tf_error *error);

/*
 * Calls `put` for all packets, until it fails. The caller's thread calls it, and with one job also
 * decodes, so that packets stay in its cache. Adds to *rules what the decoders have counted.
 * Returns 0 or a negative status with *error.
 */
int pipeline_decode(const struct dictionary *d, struct event_rules *rules, unsigned jobs,
		    packet_sink *put, void *opaque, struct tf_error *error);

#endif
