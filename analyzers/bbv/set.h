/* SPDX-License-Identifier: MIT */
/*
 * The counts of all threads of a trace, or of a piece of it, which is merged with the pieces before
 * and behind it.
 *
 * What a block is depends on the executions before it, until one ends with a control transfer. So
 * a thread's first executions, up to that one, are its head: they are stored, and counted when the
 * end of the piece before is known. Ids are numbers of the piece's own; merging gives them those
 * that one pass over both would have given.
 *
 * Where intervals end depends on how many instructions were counted before, which is assumed: see
 * lengths.h. Pieces whose assumption is wrong are refused. A piece without the end of an interval
 * fits everywhere within one.
 */
#ifndef BBV_SET_H
#define BBV_SET_H

#include "analyzers/bbv/bbv.h"
#include "analyzers/bbv/lengths.h"
#include "analyzers/common/analyzer.h"

struct bbv_set {
	/* Set these before bbv_set_begin. */
	struct bbv_setup setup;
	const struct tf_reader *reader;
	const struct executed *numbered; /* code with ids in the order of places; NULL: none */
	uint64_t interval;               /* as for bbv_thread_new */
	uint32_t n_processes, n_threads;
	const uint32_t *process_of; /* by thread: index; outlives the set */
	bool is_piece;    /* it can be merged: intervals are kept until they are written */
	bool counts_only; /* of a piece: intervals are counted, but not kept */
	const struct bbv_lengths *lengths; /* of a piece; outlive the set */

	struct bbv **processes;      /* by index; NULL: it ran nothing so far */
	struct bbv_thread **threads; /* by index; NULL: likewise */
	bool is_whole;               /* nothing comes before: there are no heads any more */
};

/* Begins with no counts. */
void bbv_set_begin(struct bbv_set *set);
void bbv_set_free(struct bbv_set *set);

/* Returns a thread's counts, which are made the first time. */
struct bbv_thread *bbv_set_thread(struct bbv_set *set, uint32_t thread);

/*
 * Adds what a later piece has counted. Returns false, and leaves useless counts, if its intervals
 * do not end where they must behind the first one; *thread: the thread of which this is true.
 */
bool bbv_set_merge(struct bbv_set *set, const struct bbv_set *later, uint32_t *thread);

/*
 * Makes a piece the whole: nothing comes before it. Returns as bbv_set_merge.
 */
bool bbv_set_complete(struct bbv_set *set, uint32_t *thread);

/* Save a piece, and load it into one with no counts; see the analyzer's hooks. */
void bbv_set_save(struct bbv_set *set, struct state_writer *writer);
bool bbv_set_load(struct bbv_set *set, struct state_reader *reader);

#endif
