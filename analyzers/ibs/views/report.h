/* SPDX-License-Identifier: MIT */
/* Reports tables of samples. */
#ifndef IBS_REPORT_H
#define IBS_REPORT_H

#include "analyzers/ibs/packet/events.h"
#include "analyzers/ibs/views/groups.h"
#include "analyzers/ibs/views/summary.h"
#include "cli/common/tracereport.h"

/* Reports the table "latencies": a row for each metric that has samples. */
void ibs_report_latencies(const struct ibs_summary *summary, struct report *report);

/* Reports the table "histogram": a row for each metric and bin that has samples. */
void ibs_report_histogram(const struct ibs_summary *summary, struct report *report);

/*
 * Reports the table "branches": a row for each class of branches. Reports nothing without branches.
 */
void ibs_report_branches(const struct ibs_summary *summary, struct report *report);

/*
 * Reports the first `top` groups as the table "by_KEYS" or "fetches_by_KEYS". Reports nothing if no
 * sample is in a group.
 */
void ibs_report_groups(const struct ibs_groups *groups, const struct places *places, uint64_t top,
		       struct report *report);

/* Table "histogram_by_KEYS", or "fetches_histogram_by_KEYS": of the latencies of these groups. */
void ibs_report_group_histograms(const struct ibs_groups *groups, const struct places *places,
				 uint64_t top, struct report *report);

/*
 * Tables "events" and "ratios": the events of enum ibs_event_set about the present kinds of
 * samples. A value of 0 is not known if there are samples that do not decide it.
 */
void ibs_report_events(const struct ibs_event_counts *counts, unsigned sets, struct report *report);

#endif
