/* SPDX-License-Identifier: MIT */
/* The places of samples: the sampled code, and the data that it accessed. */
#ifndef IBS_PLACES_H
#define IBS_PLACES_H

#include "analyzers/ibs/model/code.h"
#include "analyzers/ibs/packet/packet.h"
#include "analyzers/program/code_sites.h"
#include "analyzers/program/heap_objects.h"
#include "analyzers/program/memory_regions.h"

struct ibs_places {
	struct tf_reader *reader;
	struct symbol_names names;
	struct code_sites sites;
	struct memory_regions regions;
	struct heap_objects objects;
	struct lifetimes lifetimes;
	bool by_time;           /* of objects: samples are of times, and not of instructions */
	struct numbering texts; /* of samples: names of threads, stacks */
	bool tracks_data;       /* regions and objects are followed */
};

struct ibs_places_options {
	bool lines;        /* look up source lines */
	bool mangled;      /* show names of C++ as they are in the trace */
	bool data;         /* follow regions and objects */
	bool keep_objects; /* those of samples, after they were freed */
	bool by_time;      /* find objects by the times of samples, once all is replayed */
	bool partial;      /* samples are of a part of the trace */
};

/* Memory that is out ends the process. */
void ibs_places_init(struct ibs_places *places, struct tf_reader *reader,
		     const struct ibs_places_options *options);
void ibs_places_free(struct ibs_places *places);

void ibs_places_event(struct ibs_places *places, const struct tf_event *event);

/* States that all events have been given; samples that are placed by time follow. */
void ibs_places_replayed(struct ibs_places *places);

/* States that a thread goes on with a block. */
static inline void ibs_places_block(struct ibs_places *places, uint32_t thread,
				    const struct tf_block *block)
{
	if (places->tracks_data)
		heap_objects_block(&places->objects, thread, block);
}

/* Returns a sample of an instruction whose code the trace has; only its place is set. */
struct ibs_sample ibs_places_sample(const struct ibs_code *code, uint32_t insn);

/*
 * Finds the object that a sample certainly accessed: *object, or NULL. Objects that live now are
 * certain.
 */
enum certainty ibs_places_object(struct ibs_places *places, const struct ibs_sample *sample,
				 const struct heap_object **object);

/* Returns the number of the instruction of a sample. */
uint32_t ibs_places_site(struct ibs_places *places, const struct ibs_sample *sample);

#endif
