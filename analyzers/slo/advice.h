/* SPDX-License-Identifier: MIT */
/* Groups of reuses in the form of advice: refactorings, by the cycles that they would save. */
#ifndef SLO_ADVICE_H
#define SLO_ADVICE_H

#include "analyzers/slo/data.h"
#include "analyzers/slo/groups.h"
#include "analyzers/slo/places.h"
#include "traceformat/common/array.h"

/* Two instructions between which data are reused, as places. */
struct slo_reference {
	char *use, *reuse; /* "mm.c:12" */
	uint64_t reuses;
	double distance;        /* the sum */
	uint32_t first, second; /* two of their instructions */
};

/* Data that are reused. */
struct slo_datum {
	char *text; /* "allocated at list.c:12" */
	uint64_t reuses;
};

struct slo_refactoring {
	struct slo_change change; /* of one of its groups, */
	struct slo_counts counts; /* and of them all */
	char *where;              /* "the loop at mm.c:12 in main" */
	char *first, *second;     /* "the call of sum at mm.c:20"; or NULL */
	char *advice;             /* what to do */
	bool hidden;              /* of little use to people: see slo_advice_hide */
	bool recursive;           /* one of the two is a call of what the overview is in */
	uint64_t lost;            /* cycles */
	ARRAY(struct slo_reference) references; /* those of most reuses first */
	ARRAY(struct slo_datum) data;           /* likewise, if they are known */
};

struct slo_advice {
	ARRAY(struct slo_refactoring) refactorings; /* those that lose most first */
	size_t n_shown;                             /* those behind are hidden */
	struct slo_counts all;
	uint64_t lost; /* cycles, of all */
};

/* The inputs from which groups are made into refactorings. */
struct slo_advisor {
	const struct slo_groups *groups;
	const struct slo_places *places;
	const struct slo_data *data; /* NULL: groups do not tell them */
	const uint64_t *cycles;      /* what a miss of each cache costs */
};

/*
 * Makes refactorings of groups. Groups with the same texts, such as those of one source loop of
 * which the compiler made several, become one. Ends the process if memory is out.
 */
void slo_advice_init(struct slo_advice *advice, const struct slo_advisor *advisor);

/*
 * Moves to the end the refactorings that lose less than 0.1 % of all, or that are only in the C
 * library.
 */
void slo_advice_hide(struct slo_advice *advice, const struct slo_places *places);
void slo_advice_free(struct slo_advice *advice);

/* Returns "loop", "fuse", ... */
const char *slo_kind_name(enum reuse_kind kind);

/* Returns what to do about a refactoring's reuses. child: the loop within that touches, or NULL. Free
 * it. */
char *slo_advice_text(const struct slo_refactoring *refactoring, const char *child);

#endif
