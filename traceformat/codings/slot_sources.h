/* SPDX-License-Identifier: MIT */
/*
 * The slots of a chunk that are predicted from other slots: the column slot-sources (FORMAT.md
 * 5.3), and the study of some records that chooses them.
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

/* The place of a slot; path is NULL if there is no such slot. */
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
 * Removes the sources of slots from which repetition counts follow, so that a reader that wants
 * only these counts need not decode the other slots.
 */
void slot_sources_spare_reps(struct slot_sources *sources, path_lookup *lookup, const void *opaque,
			     uint32_t n_paths);

/* Sets the sources of the slots in *states, which must have room for them. */
void slot_sources_apply(const struct slot_sources *sources, struct slot_states *states);

/* Makes each of the slots its own source again, and so all slots. */
void slot_sources_remove(const struct slot_sources *sources, struct slot_states *states);

/* Appends the column. */
void slot_sources_write(const struct slot_sources *sources, path_lookup *lookup, const void *opaque,
			uint32_t n_paths, struct buffer *column);

/* Sets the sources of the slots from a column; false if the column breaks a rule. */
bool slot_sources_read(struct span column, path_lookup *lookup, const void *opaque,
		       struct slot_states *states);

/* The extras of paths that a reader may want without the others. */
enum slot_wish { WISH_REPETITIONS, WISH_EXTENTS };

/*
 * Finds the slots that must be decoded, though no wanted extra takes them: those that are, directly
 * or through others, the sources of such that are taken. Marks them, and the first slots of their
 * paths, in states->needed. The column has been read into *states.
 */
void slot_sources_need(struct span column, path_lookup *lookup, const void *opaque,
		       enum slot_wish wish, struct slot_states *states);

/* ---- study ---- */

struct slot_study;

struct slot_study *slot_study_new(void);
void slot_study_free(struct slot_study *study);

/* Forgets all records. */
void slot_study_begin(struct slot_study *study);

/* Adds an execution to the study. */
void slot_study_record(struct slot_study *study, const struct slot_record *record);

/* Returns the number of slots that have been studied. */
unsigned slot_study_slots(const struct slot_study *study);

/*
 * Returns the sources that would have served best. The study owns them; they are valid until it
 * begins anew.
 */
struct slot_sources slot_study_end(struct slot_study *study);

#endif
