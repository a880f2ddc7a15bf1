/* SPDX-License-Identifier: MIT */
/*
 * Derived events: numbers of samples of a kind, or sums of a field over them, under the names that
 * OProfile has for families 10h to 16h and AMD's uProf for Zen. Not scaled by the period.
 */
#ifndef IBS_EVENTS_H
#define IBS_EVENTS_H

#include "analyzers/ibs/packet/packet.h"

enum { IBS_MAX_CONDITIONS = 8, IBS_N_EVENTS = 137, IBS_N_RATIOS = 4 };

/* The values that a condition can test beside the fields of a packet. */
enum ibs_condition_field {
	IBS_IS_MEMORY = IBS_N_FIELDS, /* a load or a store */
	IBS_SOURCE,                   /* both parts of the data source */
	IBS_REMOTE,     /* data of another node; families without the field have one node */
	IBS_BEYOND_L2,  /* an L2 miss, or the family lacks the field */
	IBS_NO_RIP,     /* the address of the op is not valid */
	IBS_PAGE,       /* size of the data's page: 0 4K, 1 2M, 2 1G */
	IBS_MAB,        /* hit an outstanding miss */
	IBS_HAS_TARGET, /* the target address of a branch is not 0 */
	IBS_KILLED,     /* a fetch that reached neither ITLB nor instruction cache */
};

/* The owners of events: families up to 16h, Zen, or both; or the sampler's own events. */
enum ibs_event_set { IBS_CLASSIC = 1, IBS_ZEN = 2, IBS_OWN_EVENTS = 4 };

struct ibs_event {
	const char *name;
	uint16_t select; /* OProfile's number, 0: none */
	uint8_t sets;    /* enum ibs_event_set */
	uint8_t kind;    /* enum ibs_kind */
	uint8_t sum;     /* enum ibs_field whose values are added; 0: samples are counted */
	uint8_t n_conditions;
	struct ibs_condition {
		uint8_t field;    /* enum ibs_field or ibs_condition_field */
		uint8_t from, to; /* the condition holds for these values */
	} all_of[IBS_MAX_CONDITIONS];
};

extern const struct ibs_event ibs_events[IBS_N_EVENTS];

/* Quotients of two events. */
struct ibs_ratio {
	const char *name, *unit;
	const char *dividend, *divisor; /* names of events */
	double factor;
};

extern const struct ibs_ratio ibs_ratios[IBS_N_RATIOS];

struct ibs_event_counts {
	uint64_t samples[IBS_N_KINDS];
	uint64_t values[IBS_N_EVENTS];
	uint64_t undecided[IBS_N_EVENTS]; /* samples that lack a field which decides */
};

void ibs_events_add(struct ibs_event_counts *counts, const struct ibs_packet *packet);

/* Returns a ratio, or NAN if the divisor is 0. */
double ibs_ratio_value(const struct ibs_ratio *ratio, const struct ibs_event_counts *counts);

#endif
