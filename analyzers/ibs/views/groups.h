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
		struct ibs_key_value values[IBS_MAX_KEYS]; /* zeroed behind the last key */
	} key;
	uint32_t number; /* in the order of the first samples */
	uint32_t known;  /* bit by count: there are samples that have it */
	uint64_t samples;
	uint64_t counts[IBS_MAX_COUNTED]; /* ibs_counted */
	struct latencies latency;
};

/* The counts of samples of a kind. */
struct ibs_counted {
	const char *name; /* NULL: no more */
	uint8_t field;    /* enum ibs_field */
	bool sums;        /* its values, rather than samples for which it is not 0 */
};

extern const struct ibs_counted ibs_counted[IBS_N_KINDS][IBS_MAX_COUNTED];

struct ibs_groups {
	const struct ibs_keys *keys;
	enum ibs_kind kind;
	enum ibs_field latency; /* whose histogram groups have */
	uint64_t samples;       /* of all groups */
	HASH_TABLE(struct ibs_group) groups;
};

/* keys must outlive them. Memory that is out ends the process, here and below. */
void ibs_groups_init(struct ibs_groups *groups, const struct ibs_keys *keys, enum ibs_kind kind,
		     enum ibs_field latency);
void ibs_groups_free(struct ibs_groups *groups);

void ibs_groups_add(struct ibs_groups *groups, struct ibs_places *places,
		    const struct ibs_sample *sample);

/* Sorts groups: of keys about data by cycles of misses; then by samples. After that nothing more
 * may be added. */
void ibs_groups_sort(struct ibs_groups *groups);

/* Return true if any sample has the fields of a key, or the latency. */
bool ibs_groups_know_key(const struct ibs_groups *groups, unsigned key);
bool ibs_groups_know_latency(const struct ibs_groups *groups);

#endif
