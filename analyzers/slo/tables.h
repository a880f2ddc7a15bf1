/* SPDX-License-Identifier: MIT */
/* Locality advice as tables of a report. */
#ifndef SLO_TABLES_H
#define SLO_TABLES_H

#include "analyzers/slo/advice.h"
#include "cli/common/tracereport.h"

/* Reports the refactorings; like all functions below, only the first `top` ones. */
void slo_report_refactorings(struct report *report, const struct slo_advice *advice, size_t top);

/* Reports what separates the reuses of each refactoring. */
void slo_report_places(struct report *report, const struct slo_advice *advice, size_t top);

/* Reports the most frequent pairs of places between which data are reused, by refactoring. */
void slo_report_references(struct report *report, const struct slo_advice *advice, size_t top);

/* Reports the data that are reused most often, by refactoring. */
void slo_report_data(struct report *report, const struct slo_advice *advice, size_t top);

/* Reports misses by cache, and how many refactorings remove most misses of caches of all sizes. */
void slo_report_misses(struct report *report, const struct slo_advice *advice,
		       const struct slo_groups *groups, uint64_t block_size, size_t top);

/*
 * Reports distances by refactoring, and by kind: how many reuses have each distance, or at least
 * each.
 */
void slo_report_histogram(struct report *report, const struct slo_advice *advice, size_t top);

#endif
