/* SPDX-License-Identifier: MIT */
/* Whose samples of hardware are, as people call it: threads' names, and functions that called. */
#ifndef IBS_CALLERS_H
#define IBS_CALLERS_H

#include "analyzers/common/symbol_names.h"
#include "cli/common/sample_places.h"

struct ibs_callers;

/* The reader must be loaded, and stay, as must places and functions. Memory that is out ends the
 * process. */
struct ibs_callers *ibs_callers_new(const struct tf_reader *reader, struct sample_places *places,
				    struct symbol_names *functions);
void ibs_callers_free(struct ibs_callers *callers);

/* To be told of each record, in order. */
void ibs_callers_follow(struct ibs_callers *callers, const struct tf_sample *sample);

/*
 * The name of a thread as of the record read last, else of the process it is of or was forked from;
 * NULL: not known.
 */
const char *ibs_callers_thread(const struct ibs_callers *callers, uint32_t thread);

/*
 * "main;sort;compare": the functions of the sample's call chain, the innermost last, which is that
 * of `leaf`. NULL: it has no chain. Valid until the next call.
 */
const char *ibs_callers_stack(struct ibs_callers *callers, const struct tf_sample *sample,
			      const struct sample_place *leaf, uint64_t leaf_pc);

#endif
