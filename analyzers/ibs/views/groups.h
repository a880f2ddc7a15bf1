/* SPDX-License-Identifier: MIT */
/* Groups of samples of one kind with equal keys: counts, and a histogram of latencies. */
#ifndef IBS_GROUPS_H
#define IBS_GROUPS_H

#include "analyzers/ibs/views/keys.h"
#include "analyzers/ibs/views/latencies.h"
#include "traceformat/common/hash_table.h"

enum { IBS_MAX_COUNTED = 6 };

struct ibs_group {
	struct ibs_group_key {
		struct place_value values[IBS_MAX_KEYS]; /* by key; the others are zeroed */
	} key;
	uint32_t number; /* numbers groups in the order of their first samples */
	uint32_t known;  /* bit i: a sample had the field of counts[i] */
	uint64_t samples;
	uint64_t counts[IBS_MAX_COUNTED]; /* as ibs_counted lists them */
	struct latencies latency;
};

/* A count of a group. */
struct ibs_counted {
	const char *name; /* NULL: no more */
	uint8_t field;    /* enum ibs_field */
	bool sums;        /* counts the sum of the field; else samples whose field is not 0 */
};

extern const struct ibs_counted ibs_counted[IBS_N_KINDS][IBS_MAX_COUNTED];

struct ibs_groups {
	const struct ibs_keys *keys;
	enum ibs_kind kind;
	enum ibs_field latency; /* the latency of the groups' histograms */
	uint64_t samples;       /* number of samples in all groups */
	HASH_TABLE(struct ibs_group) groups;
};

/*
 * Initializes groups, which the keys must outlive. This and the functions below end the process if
 * memory is out.
 */
void ibs_groups_init(struct ibs_groups *groups, const struct ibs_keys *keys, enum ibs_kind kind,
		     enum ibs_field latency);
void ibs_groups_free(struct ibs_groups *groups);

void ibs_groups_add(struct ibs_groups *groups, struct places *places,
		    const struct ibs_sample *sample);

/*
 * Sorts the groups by samples; if the keys are about data, first by cycles of misses. No sample may
 * be added afterwards.
 */
void ibs_groups_sort(struct ibs_groups *groups);

/* Return true if any sample has the field of a key, or the latency. */
bool ibs_groups_know_key(const struct ibs_groups *groups, unsigned key);
bool ibs_groups_know_latency(const struct ibs_groups *groups);

#endif
