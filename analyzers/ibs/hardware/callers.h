/* SPDX-License-Identifier: MIT */
/* Finds the threads' names and the calling functions of hardware samples. */
#ifndef IBS_CALLERS_H
#define IBS_CALLERS_H

#include "analyzers/common/symbol_names.h"
#include "cli/common/sample_places.h"

struct ibs_callers;

/*
 * Creates the names. The reader must be loaded; reader, places and functions must outlive them.
 * Ends the process if memory is out.
 */
struct ibs_callers *ibs_callers_new(const struct tf_reader *reader, struct sample_places *places,
				    struct symbol_names *functions);
void ibs_callers_free(struct ibs_callers *callers);

/* Reads a record for names of threads. Must be called for each record, in order. */
void ibs_callers_follow(struct ibs_callers *callers, const struct tf_sample *sample);

/*
 * Returns the name of a thread as of the record read last, else that of its process or of the
 * process that forked it; NULL: not known.
 */
const char *ibs_callers_thread(const struct ibs_callers *callers, uint32_t thread);

/*
 * "main;sort;compare": the functions of the sample's call chain, the innermost last, which is that
 * of `leaf`. NULL: it has no chain. Valid until the next call.
 */
const char *ibs_callers_stack(struct ibs_callers *callers, const struct tf_sample *sample,
			      const struct sample_place *leaf, uint64_t leaf_pc);

#endif
