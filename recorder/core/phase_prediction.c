/* SPDX-License-Identifier: MIT */
#include "recorder/core/phase_prediction.h"

#include <stdlib.h>

enum {
	RUNS = 4,       /* clusters before a cluster that are remembered */
	AFTER_SAME = 2, /* intervals recorded because the one before belongs to the cluster */
	AFTER_RUN = 16, /* intervals recorded because of the run before them */
};

/* The runs of a cluster that were followed by another one. */
struct run_before {
	uint32_t cluster;
	uint64_t shortest, longest; /* intervals */
};

struct wanted {
	bool found;
	uint8_t after_same, after_run; /* intervals recorded for this cluster */
	uint8_t n_runs;
	struct run_before runs[RUNS]; /* the last ones */
};

struct phase_prediction {
	uint32_t cluster; /* of the last interval */
	uint64_t run;     /* its number in a row of this cluster, from 1; 0: there is none */
	bool founded;     /* the cluster, by that interval */
	uint32_t n;       /* clusters so far */
	struct wanted at[];
};

struct phase_prediction *phase_prediction_new(uint32_t most)
{
	return calloc(1, sizeof(struct phase_prediction) + most * sizeof(struct wanted));
}

void phase_prediction_free(struct phase_prediction *p)
{
	free(p);
}

void phase_prediction_found(struct phase_prediction *p, uint32_t cluster)
{
	p->at[cluster].found = true;
}

static struct run_before *find_run(struct wanted *w, uint32_t cluster)
{
	for (unsigned i = 0; i < w->n_runs; i++)
		if (w->runs[i].cluster == cluster)
			return &w->runs[i];
	return NULL;
}

/* Remembers the run before the first interval of another cluster. */
static void end_run(struct phase_prediction *p, struct wanted *next)
{
	struct run_before *run = find_run(next, p->cluster);

	if (!run) {
		run = &next->runs[next->n_runs < RUNS ? next->n_runs++ : p->cluster % RUNS];
		*run = (struct run_before){ p->cluster, p->run, p->run };
	}
	if (p->run < run->shortest)
		run->shortest = p->run;
	if (p->run > run->longest)
		run->longest = p->run;
}

void phase_prediction_add(struct phase_prediction *p, uint32_t cluster, bool founded)
{
	bool goes_on = p->run && p->cluster == cluster;

	if (p->run && !goes_on && !p->at[cluster].found)
		end_run(p, &p->at[cluster]);
	p->run = goes_on ? p->run + 1 : 1;
	p->cluster = cluster;
	p->founded = founded;
	if (cluster >= p->n)
		p->n = cluster + 1;
}

/* Returns true if the present run may be followed by a cluster without a slice. */
static bool is_due(struct phase_prediction *p)
{
	for (uint32_t i = 0; i < p->n; i++) {
		struct wanted *w = &p->at[i];
		const struct run_before *run = w->found ? NULL : find_run(w, p->cluster);

		if (!run || p->run < run->shortest || p->run > run->longest ||
		    w->after_run == AFTER_RUN)
			continue;
		w->after_run++;
		return true;
	}
	return false;
}

bool phase_prediction_wants(struct phase_prediction *p)
{
	struct wanted *w = &p->at[p->cluster];

	if (!p->run || p->founded)
		return true;
	if (!w->found && w->after_same < AFTER_SAME) {
		w->after_same++;
		return true;
	}
	return is_due(p);
}
