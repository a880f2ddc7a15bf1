/* SPDX-License-Identifier: MIT */
/* Tables of samples. */
#ifndef IBS_REPORT_H
#define IBS_REPORT_H

#include "analyzers/ibs/data.h"
#include "analyzers/ibs/events.h"
#include "analyzers/ibs/profiles.h"
#include "analyzers/ibs/program.h"
#include "analyzers/ibs/summary.h"
#include "cli/common/report.h"

enum ibs_by { IBS_BY_SYMBOL, IBS_BY_INSTRUCTION, IBS_BY_LINE, IBS_BY_PAGE };

/* Table "latencies": a row for each metric that has samples. */
void ibs_report_latencies(const struct ibs_summary *summary, struct report *report);

/* Table "histogram": a row for each metric and range of cycles that has samples. */
void ibs_report_histogram(const struct ibs_summary *summary, struct report *report);

/*
 * Tables "events" and "ratios": those of enum ibs_event_set about samples that there are. A value
 * of 0 is not known if there are samples that do not decide it.
 */
void ibs_report_events(const struct ibs_event_counts *counts, unsigned sets,
		       struct report *report);

/* Table "symbols" or "instructions": at most `top` rows, most samples first. */
void ibs_report_places(const struct ibs_summary *summary, const struct ibs_code *code,
		       enum ibs_by by, uint64_t top, struct report *report);

/* Table "data": at most `top` blocks of memory, most cycles first, and what they belong to. */
void ibs_report_data(struct ibs_data *data, struct tf_reader *reader, uint64_t top,
		     struct report *report);

/* Table "modes": for each way to sample, how far it is from what is executed, and from time. */
void ibs_report_modes(const struct ibs_profiles *profiles, struct report *report);

/* Table "packets": a row for each sample, all of one kind: its registers and fields, as known. */
void ibs_report_packets(const struct ibs_packet *packets, size_t count, enum ibs_kind kind,
			struct report *report);

#endif
