/* SPDX-License-Identifier: MIT */
/* Fills packets from the model's executions: Zen 4's fields, as far as the model has them. */
#ifndef IBS_MODELLED_H
#define IBS_MODELLED_H

#include "analyzers/ibs/model/pipeline.h"
#include "analyzers/ibs/model/sampler.h"
#include "analyzers/ibs/packet/packet.h"

/* Begins a packet with the model's facts about an op. */
void ibs_packet_fill(struct ibs_packet *packet, const struct ibs_op *op,
		     const struct ibs_timing *timing);

/* Does the same for a fetch whose first op is `op`. */
void ibs_packet_fill_fetch(struct ibs_packet *packet, const struct ibs_op_facts *op,
			   const struct fetch *fetch);

/* Adds the state of the sampler, which has begun its next count. */
void ibs_packet_set_sampler(struct ibs_packet *packet, const struct ibs_sampler *sampler);

#endif
