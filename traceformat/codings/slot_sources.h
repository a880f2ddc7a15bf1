/* SPDX-License-Identifier: MIT */
/*
 * Which slots are foretold from others in a chunk: the column slot-sources (FORMAT.md 5.3), and
 * the study of some records that finds out.
 */
#ifndef SLOT_SOURCES_H
#define SLOT_SOURCES_H

#include "traceformat/codings/slots.h"
#include "traceformat/dictionary/path.h"

/* Slots in the numbering of all paths. */
struct slot_source {
	uint32_t slot, source;
};

struct slot_sources {
	struct slot_source *at; /* by slot, ascending */
	uint32_t count;
};

/* Where a slot is; path NULL: nowhere. */
struct slot_place {
	const struct compiled_path *path;
	uint32_t slot; /* of the path */
};

/* Returns a path by id, or NULL. */
typedef const struct compiled_path *path_lookup(const void *opaque, uint32_t id);

/* Finds slots among the first n_paths paths. */
struct slot_place slot_place(path_lookup *lookup, const void *opaque, uint32_t n_paths,
			     uint32_t slot);

/*
 * Takes out those of slots that repetition counts take, so that a reader who wants no more than
 * these need not decode the others.
 */
void slot_sources_spare_reps(struct slot_sources *sources, path_lookup *lookup, const void *opaque,
			     uint32_t n_paths);

/* Gives the slots, which states must have room for, their sources. */
void slot_sources_apply(const struct slot_sources *sources, struct slot_states *states);

/* Appends the column. */
void slot_sources_write(const struct slot_sources *sources, path_lookup *lookup, const void *opaque,
			uint32_t n_paths, struct buffer *column);

/* Gives the slots the sources of a column; false if it breaks a rule. */
bool slot_sources_read(struct span column, path_lookup *lookup, const void *opaque,
		       struct slot_states *states);

/* ---- study ---- */

struct slot_study;

struct slot_study *slot_study_new(void);
void slot_study_free(struct slot_study *study);

/* Forgets all. */
void slot_study_begin(struct slot_study *study);

/* Looks at an execution. */
void slot_study_record(struct slot_study *study, const struct slot_record *record);

/* Returns the slots that have been looked at. */
unsigned slot_study_slots(const struct slot_study *study);

/* Gives the sources that would have served best; they stay the study's own, until it
 * begins anew. */
struct slot_sources slot_study_end(struct slot_study *study);

#endif
