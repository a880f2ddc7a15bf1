/* SPDX-License-Identifier: MIT */
/* What the parts of cutting share: the whole (cut.c), its dictionary (cut_dictionary.c), and one
 * thread's stream (cut_stream.c). */
#ifndef CUT_H
#define CUT_H

#include "traceformat/reader/reader.h"
#include "traceformat/writer/writer.h"

/* Indices in the new trace by those in the old one; TF_NONE: not there yet. */
struct index_map {
	uint32_t *at;
	uint32_t count;
};

struct cut {
	struct tf_reader *r;
	struct tf_writer *w;
	struct index_map modules, blocks, paths, functions, mappings, regions;
	bool *has_symbols;              /* by old module index */
	uint32_t *first_exits;          /* in the new trace, by old path */
	uint32_t warmup_region, region; /* in the new trace; warmup_region TF_NONE: none */
};

/* ---- cut_dictionary.c ---- */

/* Each returns where a record of the old trace is in the new one, and adds it the first time.
 * Returns 0 or a status; a record that is lost is DAMAGED. */
int cut_module(struct cut *cut, uint32_t index, uint32_t *new_index, struct tf_error *error);
int cut_block(struct cut *cut, uint32_t id, uint32_t *new_id, struct tf_error *error);
int cut_path(struct cut *cut, const struct compiled_path *path, uint32_t *new_id,
	     struct tf_error *error);

/* Makes the indices in an event those of the new trace. */
int cut_event(struct cut *cut, struct tf_event *event, struct tf_error *error);

/*
 * Adds a path that is the old one without its first `skip` instructions, with the same slots
 * and recipes; rsp at its entry is to be that at the old one's. taken: the one exit that it
 * gets, behind these instructions, whose id *exit receives; from the old path's n_exits on:
 * none.
 */
int cut_path_tail(struct cut *cut, const struct compiled_path *path, uint32_t skip, unsigned taken,
		  uint32_t *new_id, uint32_t *exit, struct tf_error *error);

int cut_dictionary_begin(struct cut *cut, struct tf_error *error);
void cut_dictionary_end(struct cut *cut);

/* ---- cut_stream.c ---- */

/* The part of a thread. */
struct cut_range {
	uint32_t thread;
	uint64_t first, end; /* ordinals; not empty */
	uint64_t simulation; /* where warming up ends, first .. end */
	uint64_t rest;       /* instructions of the thread behind it */
	uint64_t reached;    /* of a thread that is not cut: how far it is at `first` of the
				   others */
};

/* Writes the stream of a range. others: ranges of all threads, by thread; those that are empty tell
 * mappings of the same process. */
int cut_stream(struct cut *cut, const struct cut_range *range, const struct cut_range *others,
	       uint32_t n_others, struct tf_error *error);

#endif
