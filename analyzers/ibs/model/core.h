/* SPDX-License-Identifier: MIT */
/* A core of the modelled machine: it executes the ops of a thread, and takes samples of them. */
#ifndef IBS_CORE_H
#define IBS_CORE_H

#include "analyzers/ibs/model/profiles.h"
#include "analyzers/ibs/model/program.h"
#include "analyzers/ibs/packet/packet.h"

/* Takes a sample. */
typedef void ibs_take(void *opaque, const struct ibs_packet *packet);

struct ibs_core {
	struct pipeline pipeline;
	struct ibs_program program;
	struct ibs_sampler sampler;
	struct ibs_observers *observers;	/* of all that is executed; or NULL */
	bool wrong_paths;		/* their ops are dispatched, too */
	ibs_take *take;
	void *opaque;			/* for take */
	uint64_t n_ops;
	struct ibs_packet packet;	/* of the tagged op, */
	uint64_t retired;		/* which then retires */
};

/*
 * Begins. Before that, the sampler's mode, period, randomization and seed are set, packet.thread,
 * take, opaque, observers and wrong_paths; all else is 0. l3 is common to all cores. All must
 * outlive the core, which must not be moved. Memory that is out ends the process.
 */
void ibs_core_init(struct ibs_core *core, const struct machine *machine,
		   const struct ibs_code *code, struct set_cache *l3, uint32_t process);
void ibs_core_free(struct ibs_core *core);

/* Executes an item of blocks. */
void ibs_core_feed(struct ibs_core *core, const struct tf_item *item);

/* Executes what is left, and takes the last sample. */
void ibs_core_end(struct ibs_core *core);

#endif
