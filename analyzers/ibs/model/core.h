/* SPDX-License-Identifier: MIT */
/*
 * A core of the modeled machine, without the half that finds ops (batch.h): it executes the ops of
 * a thread, and takes samples of them.
 */
#ifndef IBS_CORE_H
#define IBS_CORE_H

#include "analyzers/ibs/model/profiles.h"
#include "analyzers/ibs/model/pipeline.h"
#include "analyzers/ibs/packet/packet.h"

/* Takes a sample. */
typedef void ibs_take(void *opaque, const struct ibs_packet *packet);

/* Takes the instruction of a sample of the reference. */
typedef void ibs_refer(void *opaque, uint32_t insn);

struct ibs_core {
	struct pipeline pipeline;
	struct ibs_sampler sampler;
	struct ibs_reference {
		struct ibs_sampler sampler; /* a sampler with random intervals */
		uint32_t insn;              /* the tagged instruction */
		uint64_t retired;           /* its cycle of retirement */
	} reference;
	struct ibs_observers *observers; /* observe all executed ops; or NULL */
	bool wrong_paths;                /* ops of wrong paths are dispatched, too */
	ibs_take *take;
	ibs_refer *refer;
	void *opaque; /* for take and refer */
	uint64_t n_ops, n_fetches;
	struct ibs_packet packet; /* the sample of the tagged op */
	uint64_t retired;         /* the cycle in which the tagged op retires */
	uint64_t position;        /* the tagged op's number, in the unit of the sampler */
	uint64_t last_position;   /* that of the previous sample */
};

/*
 * Initializes a core, whose members are 0 except those that the caller has set: the sampler's mode,
 * period, randomization and seed, packet.thread, take, refer, opaque, observers and wrong_paths.
 * All cores share l3. The arguments must outlive the core, which must not be moved. Ends the
 * process if memory is out.
 */
void ibs_core_init(struct ibs_core *core, const struct machine *machine,
		   const struct ibs_code *code, struct set_cache *l3, uint32_t process);
void ibs_core_free(struct ibs_core *core);

/* Execute what the thread executes next. */
void ibs_core_execute(struct ibs_core *core, const struct ibs_op *ops, size_t count);
void ibs_core_run(struct ibs_core *core, const struct ibs_run *runs, size_t count);

/* Takes the last sample. */
void ibs_core_end(struct ibs_core *core);

#endif
