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
	char *use, *reuse; /* texts of the places: "mm.c:12" */
	uint64_t reuses;
	double distance;        /* the sum of all distances, in blocks */
	uint32_t first, second; /* an instruction of each place */
};

/* Data that are reused. */
struct slo_datum {
	char *text; /* "allocated at list.c:12" */
	uint64_t reuses;
};

struct slo_refactoring {
	struct slo_change change; /* the change of its first group */
	struct slo_counts counts; /* the sum over all of its groups */
	char *where;              /* "the loop at mm.c:12 in main" */
	char *first, *second;     /* "the call of sum at mm.c:20"; or NULL */
	char *advice;             /* what to do */
	bool hidden;              /* left out of tables, see slo_advice_hide */
	bool recursive;           /* a part is a call of the function that contains the overview */
	uint64_t lost;            /* cycles */
	ARRAY(struct slo_reference) references; /* by reuses, descending */
	ARRAY(struct slo_datum) data; /* by reuses, descending; empty if data are not known */
};

struct slo_advice {
	ARRAY(struct slo_refactoring)
	refactorings;   /* by lost cycles, descending; hidden ones last */
	size_t n_shown; /* refactorings that are not hidden */
	struct slo_counts all;
	uint64_t lost; /* cycles, of all */
};

/* The inputs from which groups are made into refactorings. */
struct slo_advisor {
	const struct slo_groups *groups;
	const struct slo_places *places;
	const struct slo_data *data; /* NULL: groups have no data */
	const uint64_t *cycles;      /* by cache: the cost of a miss */
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

/*
 * Returns what to do about a refactoring's reuses. child: the loop within that touches, or NULL.
 * Free it.
 */
char *slo_advice_text(const struct slo_refactoring *refactoring, const char *child);

#endif
