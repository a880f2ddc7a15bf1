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
	bool by_time; /* finds the objects of samples that have a time and no place in the trace */
	struct numbering texts; /* names of threads, and stacks */
	bool tracks_data;       /* follows regions and objects */
};

struct ibs_places_options {
	bool lines;        /* look up source lines */
	bool mangled;      /* show names of C++ as they are in the trace */
	bool data;         /* follow regions and objects */
	bool keep_objects; /* keep the objects of samples after they were freed */
	bool by_time;      /* find objects by the times of samples, once all is replayed */
	bool partial;      /* samples are of a part of the trace */
};

/* Initializes places. Ends the process if memory is out. */
void ibs_places_init(struct ibs_places *places, struct tf_reader *reader,
		     const struct ibs_places_options *options);
void ibs_places_free(struct ibs_places *places);

void ibs_places_event(struct ibs_places *places, const struct tf_event *event);

/* Must be called after the last event and before the first sample that is placed by its time. */
void ibs_places_replayed(struct ibs_places *places);

/* Must be called with the block at which a thread continues after events. */
static inline void ibs_places_block(struct ibs_places *places, uint32_t thread,
				    const struct tf_block *block)
{
	if (places->tracks_data)
		heap_objects_block(&places->objects, thread, block);
}

/* Returns a sample of a static instruction, with only its place set. */
struct ibs_sample ibs_places_sample(const struct ibs_code *code, uint32_t insn);

/*
 * Finds the object that a sample accessed, and sets *object to it or to NULL. Returns how certain
 * that is; objects that are live now are certain.
 */
enum certainty ibs_places_object(struct ibs_places *places, const struct ibs_sample *sample,
				 const struct heap_object **object);

/* Returns the number of a sample's instruction among places->sites. */
uint32_t ibs_places_site(struct ibs_places *places, const struct ibs_sample *sample);

#endif
