/* SPDX-License-Identifier: MIT */
/*
 * The state that the parts of cutting share: the slice as a whole (cut.c), its dictionary
 * (cut_dictionary.c), and one thread's stream (cut_stream.c).
 */
#ifndef CUT_H
#define CUT_H

#include "traceformat/reader/reader.h"
#include "traceformat/writer/writer.h"

/* Maps indices of the old trace to indices of the new one; TF_NONE: not added yet. */
struct index_map {
	uint32_t *at;
	uint32_t count;
};

/* The part of a thread that the slice has. */
struct cut_range {
	uint32_t thread;
	uint64_t first, end; /* ordinals; the same if the slice has none of the thread */
	uint64_t simulation; /* where warming up ends, first .. end */
	uint64_t rest;       /* instructions of the thread after it */
	uint64_t reached;    /* in a thread that is not cut: its ordinal at the others' `first` */
	/*
	 * The slice has none of some threads of a process. The mappings that these made before it
	 * are repeated in the stream whose instructions come first in the slice. There, the first
	 * such thread; and of each such thread, the next one; TF_NONE: none.
	 */
	uint32_t left_out;
};

struct cut {
	struct tf_reader *r;
	struct tf_writer *w;
	struct cut_range *ranges; /* by thread */
	struct index_map modules, blocks, paths, functions, mappings, regions;
	bool *has_symbols;              /* by old module index */
	uint32_t *first_exits;          /* in the new trace, by old path */
	uint32_t warmup_region, region; /* in the new trace; warmup_region TF_NONE: none */
};

/* ---- cut_dictionary.c ---- */

/*
 * Finds the id in the new trace of a path of the old one, which is added the first time. Returns 0
 * or a status: DAMAGED if a record is lost.
 */
int cut_path(struct cut *cut, const struct compiled_path *path, uint32_t *new_id,
	     struct tf_error *error);

/* Sets the module of a copy of an old block to that of the new trace, which gets its symbols. */
int cut_place(struct cut *cut, uint32_t id, struct tf_block *block, struct tf_error *error);

/* Replaces the indices in an event by those of the new trace. */
int cut_event(struct cut *cut, struct tf_event *event, struct tf_error *error);

/*
 * Adds a path that is the old one without its first `skip` instructions, with the same slots and
 * recipes. rsp at its entry must be that at the old path's entry. The new path gets only the exit
 * `taken`, which must lie after these instructions and whose id *exit receives; it gets none if
 * taken is at least the old path's n_exits.
 */
int cut_path_tail(struct cut *cut, const struct compiled_path *path, uint32_t skip, unsigned taken,
		  uint32_t *new_id, uint32_t *exit, struct tf_error *error);

int cut_dictionary_begin(struct cut *cut, struct tf_error *error);
void cut_dictionary_end(struct cut *cut);

/* ---- cut_stream.c ---- */

/* Writes the stream of a range that is not empty. */
int cut_stream(struct cut *cut, const struct cut_range *range, struct tf_error *error);

#endif
