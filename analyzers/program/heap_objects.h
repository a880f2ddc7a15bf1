/* SPDX-License-Identifier: MIT */
/*
 * Objects that a program has allocated, from the recorded calls of the malloc family and of C++'s
 * operators. An object lives from the return of the call that allocated it to the return of the one
 * that freed it. Objects of posix_memalign are not known, because it returns no address.
 */
#ifndef HEAP_OBJECTS_H
#define HEAP_OBJECTS_H

#include "analyzers/program/code_sites.h"
#include "analyzers/program/lifetimes.h"
#include "cli/common/checked.h"

struct heap_object {
	uint64_t address, size;    /* bytes, as it was asked for */
	uint64_t allocated, freed; /* ordinals in the threads that did it; UINT64_MAX: never */
	uint32_t process, thread;  /* whose it is; which one allocated it */
	uint32_t site;             /* number of the calling instruction, or TF_NONE */
	uint32_t sampled;          /* its number among those that were found, or TF_NONE */
	uint32_t owner;            /* of the call that allocated it; TF_NONE at first */
	struct heap_use *use;      /* for `changed`; NULL at first */
	bool kept;                 /* after it was freed */
};

/*
 * Allocated; freed, or at an end of its process that is known; or replaced by an object at the same
 * place, as malloc's in new is by that of new.
 */
enum heap_change { HEAP_ALLOCATED, HEAP_FREED, HEAP_REPLACED };

struct heap_objects {
	struct tf_reader *reader;
	struct code_sites *sites;
	uint64_t n_inherited; /* copied for processes that begin with their parents' */
	bool told;            /* that these were too many */
	uint32_t n_threads, n_processes, n_functions;
	uint8_t *purposes; /* by function */
	struct heap_calls {
		unsigned count;
		struct heap_call {
			uint32_t function;
			uint64_t args[3];
			uint64_t not_before; /* if there are lifetimes */
			/* For the user of the objects; 0 and TF_NONE at first. */
			size_t frames;
			uint32_t owner;
		} * calls;         /* under way, the innermost last */
		uint64_t returned; /* address of an object whose caller the next block
					   tells, or 0 */
	} * threads;
	void **live; /* by process: a tree, see tsearch(3) */
	uint32_t n_sampled;
	struct lifetimes *lifetimes; /* NULL, or told of all objects, which then have
						   numbers */
	bool keeps;                  /* those that were found, by number: */
	ARRAY(struct heap_object *) kept;
	/* Called for each found object when it is freed or at the end, unless NULL. */
	void (*ended)(void *opaque, const struct heap_object *object);
	uint64_t kept_bytes; /* during `changed`: those that realloc keeps of an object's */
	/* Called for each change of an object, unless NULL; not for objects that a process begins
	 * with. */
	void (*changed)(void *opaque, struct heap_object *object, enum heap_change change);
	void *opaque;
};

/*
 * Initializes the objects. The reader must be loaded; it and sites must outlive them. functions:
 * see heap_functions.h, or NULL. This and the functions below end the process if memory is out.
 */
void heap_objects_init(struct heap_objects *objects, struct tf_reader *reader,
		       const char *functions, struct code_sites *sites, bool keeps);

/*
 * Returns true if the trace has the calls that allocate and free; with a list, those that allocate,
 * and the arguments of all calls.
 */
bool heap_objects_are_recorded(struct tf_reader *reader, const char *functions);

/* States that there are no more events, so that all lifetimes are known. */
void heap_objects_replayed(struct heap_objects *objects);

/* Ends all objects at the end of the trace. */
void heap_objects_end(struct heap_objects *objects);
void heap_objects_free(struct heap_objects *objects);

void heap_objects_event(struct heap_objects *objects, const struct tf_event *event);

/*
 * Returns the innermost call, under way in a thread, of a function that allocates or frees, or
 * NULL. The call remains valid until the next event of the thread.
 */
static inline struct heap_call *heap_objects_call(struct heap_objects *objects, uint32_t thread)
{
	struct heap_calls *calls = &objects->threads[thread];

	return calls->count ? &calls->calls[calls->count - 1] : NULL;
}

/* States that a thread goes on with a block after events. */
void heap_objects_block(struct heap_objects *objects, uint32_t thread,
			const struct tf_block *block);

/* Returns the live object at an address, which then has a number, or NULL. */
const struct heap_object *heap_objects_find(struct heap_objects *objects, uint32_t process,
					    uint64_t address);

#endif
