/* SPDX-License-Identifier: MIT */
/*
 * Derived events: numbers of samples of a kind, or sums of a field over them, under the names that
 * OProfile and AMD's uProf have for them. Those that count samples are not scaled by the period.
 */
#ifndef IBS_EVENTS_H
#define IBS_EVENTS_H

#include "analyzers/ibs/packet.h"

enum { IBS_MAX_CONDITIONS = 5, IBS_N_EVENTS = 78 };

/* What a condition may be about beside the fields of a packet. */
enum ibs_condition_field {
	IBS_IS_MEMORY = IBS_N_FIELDS,	/* a load or a store */
	IBS_SOURCE,			/* both parts of the data source */
	IBS_ABSENT,			/* not in the packets of Zen 4 */
};

struct ibs_event {
	const char *name;
	struct ibs_condition {
		uint8_t field;		/* enum ibs_field or ibs_condition_field */
		uint8_t value;
	} all_of[IBS_MAX_CONDITIONS];
	uint8_t n_conditions;
	uint8_t sum;			/* enum ibs_field whose values it adds; 0: it counts */
};

extern const struct ibs_event ibs_events[IBS_N_EVENTS];

struct ibs_event_counts {
	uint64_t values[IBS_N_EVENTS];
	uint64_t undecided[IBS_N_EVENTS];	/* samples that lack a field that it depends on */
};

void ibs_events_add(struct ibs_event_counts *counts, const struct ibs_packet *packet);

#endif
