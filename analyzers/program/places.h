/* SPDX-License-Identifier: MIT */
/* Places in a program: an instruction, and the memory that it accesses. */
#ifndef PROGRAM_PLACES_H
#define PROGRAM_PLACES_H

#include "analyzers/program/code_sites.h"
#include "analyzers/program/heap_objects.h"
#include "analyzers/program/memory_regions.h"

struct place {
	uint32_t process, thread;     /* indexes, or TF_NONE: not known */
	uint64_t pc;                  /* of the instruction */
	uint32_t module;              /* index, or TF_NONE: code without a file */
	uint64_t module_offset;       /* the pc as an ELF virtual address of the module */
	const struct tf_block *block; /* one that has the instruction, or NULL */
	uint64_t time_ns;             /* CLOCK_MONOTONIC, or 0: not known */
	bool accesses;                /* the instruction accesses data: */
	uint64_t address;             /* virtual */
};

struct places {
	struct tf_reader *reader;
	struct symbol_names names;
	struct code_sites sites;
	struct memory_regions regions;
	struct heap_objects objects;
	struct lifetimes lifetimes;
	struct numbering texts; /* other texts by which places are grouped */
	bool by_time;           /* finds the objects of places that have a time and no ordinal */
	bool tracks_data;       /* follows regions and objects */
};

struct places_options {
	bool lines;        /* look up source lines */
	bool mangled;      /* show names of C++ as they are in the trace */
	bool data;         /* follow regions and objects */
	bool keep_objects; /* keep the objects that were found after they were freed */
	bool by_time;      /* find objects by the times of places, once all is replayed */
	bool partial;      /* places are of a part of the trace */
};

/* Initializes places. Ends the process if memory is out. */
void places_init(struct places *places, struct tf_reader *reader,
		 const struct places_options *options);
void places_free(struct places *places);

void places_event(struct places *places, const struct tf_event *event);

/* Must be called after the last event and before the first place that is found by its time. */
void places_replayed(struct places *places);

/* Must be called with the block at which a thread continues after events. */
static inline void places_block(struct places *places, uint32_t thread,
				const struct tf_block *block)
{
	if (places->tracks_data)
		heap_objects_block(&places->objects, thread, block);
}

/* Returns the place of a static instruction; its process and thread are not known. */
struct place place_of_insn(const struct tf_block *block, unsigned insn);

/*
 * Finds the object that a place accesses, and sets *object to it or to NULL. Returns how certain
 * that is; objects that are live now are certain.
 */
enum certainty places_object(struct places *places, const struct place *place,
			     const struct heap_object **object);

/* Returns the number of a place's instruction among places->sites. */
uint32_t places_site(struct places *places, const struct place *place);

#endif
