/* SPDX-License-Identifier: MIT */
/*
 * Objects that a program has allocated, from the recorded calls of the malloc family and of C++'s
 * operators. An object lives from the return of the call that allocated it to the return of the
 * one that freed it. What posix_memalign allocates is not known: it returns no address.
 */
#ifndef IBS_OBJECTS_H
#define IBS_OBJECTS_H

#include "analyzers/ibs/views/lifetimes.h"
#include "analyzers/ibs/views/sites.h"

struct ibs_object {
	uint64_t address, size;		/* bytes, as it was asked for */
	uint64_t allocated, freed;	/* ordinals in the threads that did it; UINT64_MAX: never */
	uint32_t process, thread;	/* whose it is; which one allocated it */
	uint32_t site;			/* number of the calling instruction, or TF_NONE */
	uint32_t sampled;		/* its number among those that were found, or TF_NONE */
	bool kept;			/* after it was freed */
};

struct ibs_objects {
	struct tf_reader *reader;
	struct ibs_sites *sites;
	uint32_t n_threads, n_processes, n_functions;
	uint8_t *purposes;		/* by function */
	struct ibs_calls {
		unsigned count;
		struct ibs_call {
			uint32_t function;
			uint64_t args[3];
			uint64_t not_before;	/* if there are lifetimes */
		} *calls;		/* under way, the innermost last */
		uint64_t returned;	/* address of an object whose caller the next block
					   tells, or 0 */
	} *threads;
	void **live;			/* by process: a tree, see tsearch(3) */
	uint32_t n_sampled;
	struct ibs_lifetimes *lifetimes;	/* NULL, or told of all objects, which then have
						   numbers */
	bool keeps;			/* those that were found, by number: */
	struct ibs_object **kept;
	uint32_t room;
	/* Called for those that were found, when they are freed or at the end; NULL: nobody is. */
	void (*ended)(void *opaque, const struct ibs_object *object);
	void *opaque;
};

/* The reader must be loaded; it and sites must outlive them. Memory that is out ends the process,
 * here and below. */
void ibs_objects_init(struct ibs_objects *objects, struct tf_reader *reader,
		      struct ibs_sites *sites, bool keeps);

/* Whether the trace tells what is allocated and what is freed. */
bool ibs_objects_are_told(struct tf_reader *reader);

/* There are no more events: all lifetimes are known. */
void ibs_objects_replayed(struct ibs_objects *objects);

/* The trace is at its end. */
void ibs_objects_end(struct ibs_objects *objects);
void ibs_objects_free(struct ibs_objects *objects);

void ibs_objects_event(struct ibs_objects *objects, const struct tf_event *event);

/* A thread goes on with a block after events. */
void ibs_objects_block(struct ibs_objects *objects, uint32_t thread, const struct tf_block *block);

/* Returns the live object at an address, which then has a number, or NULL. */
const struct ibs_object *ibs_objects_find(struct ibs_objects *objects, uint32_t process,
					  uint64_t address);

#endif
