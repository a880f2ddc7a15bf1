/* SPDX-License-Identifier: MIT */
/*
 * Predicts whether the next interval of a program belongs to a cluster that has no slice yet, so
 * that the interval is worth recording: its cluster is known only when it is over. The next
 * interval is expected to belong to a cluster without a slice
 *
 *	if the present one does, as phases last: twice for each cluster
 *	if the present one has founded its cluster, as new code follows new code
 *	if the present run of intervals of one cluster is as long as a run of this cluster that was
 *	followed by a cluster without a slice: between the shortest and the longest such run
 *
 * The last rule is a Markov predictor on run-length encoded phases (Sherwood, Sair, Calder, ISCA
 * 2003).
 */
#ifndef PHASE_PREDICTION_H
#define PHASE_PREDICTION_H

#include <stdbool.h>
#include <stdint.h>

struct phase_prediction;

/* Returns NULL if memory is out. most: number of clusters. */
struct phase_prediction *phase_prediction_new(uint32_t most);
void phase_prediction_free(struct phase_prediction *prediction);

/* Adds the next interval. */
void phase_prediction_add(struct phase_prediction *prediction, uint32_t cluster, bool founded);

/* Takes note that a cluster has a slice. */
void phase_prediction_found(struct phase_prediction *prediction, uint32_t cluster);

/* Returns whether to record the interval after the last one added. To be called once for it. */
bool phase_prediction_wants(struct phase_prediction *prediction);

#endif
