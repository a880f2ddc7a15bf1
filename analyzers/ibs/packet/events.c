/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/packet/events.h"

#include <math.h>
#include <string.h>

enum outcome { NO, YES, UNKNOWN };

/* ---- what conditions are about ----------------------------------------------------------- */

static bool is_memory(const struct ibs_packet *p, uint64_t *value)
{
	uint64_t store;
	bool known = ibs_packet_get(p, IBS_LD, value) && ibs_packet_get(p, IBS_ST, &store);

	*value |= known ? store : 0;
	return known;
}

static bool source(const struct ibs_packet *p, uint64_t *value)
{
	uint64_t high;
	bool known = ibs_packet_get(p, IBS_DATA_SRC_LOW, value);

	if (ibs_packet_get(p, IBS_DATA_SRC_HIGH, &high))
		*value |= high << 3;
	return known;
}

static bool beyond_l2(const struct ibs_packet *p, uint64_t *value)
{
	if (!ibs_packet_get(p, IBS_L2_MISS, value))
		*value = 1;
	return true;
}

enum { PAGE_4K, PAGE_2M, PAGE_1G, PAGE_OTHER };

/* Gets the page size. If both bits are set, the first TLB means 2M, and the second TLB nothing. */
static bool page(const struct ibs_packet *p, uint64_t *value)
{
	bool second = ibs_packet_is(p, IBS_DC_L1TLB_MISS);
	enum ibs_field bit_2m = second ? IBS_DC_L2TLB_HIT_2M : IBS_DC_L1TLB_HIT_2M;
	enum ibs_field bit_1g = second ? IBS_DC_L2TLB_HIT_1G : IBS_DC_L1TLB_HIT_1G;

	if (ibs_packet_get(p, IBS_DC_PAGE_SIZE, value))
		return true;
	if (!ibs_packet_get(p, bit_2m, value))
		return false;
	if (ibs_packet_is(p, bit_1g))
		*value = !*value ? PAGE_1G : second ? PAGE_OTHER : PAGE_2M;
	return true;
}

static bool killed(const struct ibs_packet *p, uint64_t *value)
{
	static const enum ibs_field signs[] = {
		IBS_L1ITLB_MISS,
		IBS_FETCH_PHY_VALID,
		IBS_FETCH_COMP,
		IBS_IC_MISS,
	};
	bool known = true;
	uint64_t sign;

	*value = !ibs_packet_is(p, IBS_L2ITLB_MISS) && !ibs_packet_is(p, IBS_FETCH_L2_MISS);
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (!ibs_packet_get(p, signs[i], &sign))
			known = false;
		else if (sign)
			*value = 0;
	return known || !*value;
}

/* Gets the value of a condition's subject. Returns false if it is not known. */
static bool get(const struct ibs_packet *p, unsigned field, uint64_t *value)
{
	switch (field) {
	case IBS_IS_MEMORY: return is_memory(p, value);
	case IBS_SOURCE: return source(p, value);
	case IBS_REMOTE: *value = ibs_packet_is(p, IBS_RMT_NODE); return true;
	case IBS_BEYOND_L2: return beyond_l2(p, value);
	case IBS_NO_RIP: *value = ibs_packet_is(p, IBS_RIP_INVALID); return true;
	case IBS_PAGE: return page(p, value);
	case IBS_MAB:
		return ibs_packet_get(p, IBS_MAB_HIT, value) ||
		       ibs_packet_get(p, IBS_NO_MAB_ALLOC, value);
	case IBS_HAS_TARGET: *value = ibs_packet_is(p, IBS_TARGET); return true;
	case IBS_KILLED: return killed(p, value);
	default: return ibs_packet_get(p, field, value);
	}
}

/* ---- counting ---------------------------------------------------------------------------- */

/*
 * Decides whether an event counts a sample. A single condition that does not hold is enough to
 * exclude the sample, even if other conditions are unknown.
 */
static enum outcome is_counted(const struct ibs_event *event, const struct ibs_packet *packet)
{
	enum outcome outcome = YES;
	uint64_t value;

	for (unsigned i = 0; i < event->n_conditions; i++) {
		const struct ibs_condition *c = &event->all_of[i];

		if (!get(packet, c->field, &value))
			outcome = UNKNOWN;
		else if (value < c->from || value > c->to)
			return NO;
	}
	if (outcome == YES && event->sum && !get(packet, event->sum, &value))
		return UNKNOWN;
	return outcome;
}

void ibs_events_add(struct ibs_event_counts *counts, const struct ibs_packet *packet)
{
	counts->samples[packet->kind]++;
	for (unsigned i = 0; i < IBS_N_EVENTS; i++) {
		const struct ibs_event *event = &ibs_events[i];
		uint64_t value = 1;

		if (event->kind != packet->kind)
			continue;
		enum outcome outcome = is_counted(event, packet);

		if (outcome == YES && event->sum)
			get(packet, event->sum, &value);
		counts->values[i] += outcome == YES ? value : 0;
		counts->undecided[i] += outcome == UNKNOWN;
	}
}

/* ---- ratios ------------------------------------------------------------------------------ */

static double value_of(const char *name, const struct ibs_event_counts *counts)
{
	for (unsigned i = 0; i < IBS_N_EVENTS; i++)
		if (!strcmp(ibs_events[i].name, name))
			return (double)counts->values[i];
	return NAN;
}

double ibs_ratio_value(const struct ibs_ratio *ratio, const struct ibs_event_counts *counts)
{
	double divisor = value_of(ratio->divisor, counts);

	return divisor ? ratio->factor * value_of(ratio->dividend, counts) / divisor : NAN;
}
