/* SPDX-License-Identifier: MIT */
/*
 * Chooses predictors by trial. Each group that its stride predicts badly gets candidates, which are
 * built from the groups that were executed shortly before it. All candidates are tried on some of
 * the group's executions. Those are chosen that predict most of the values that earlier predictors
 * miss.
 */
#include "traceformat/pack/pack_search.h"

#include "traceformat/pack/pack_groups.h"
#include "traceformat/pack/pack_study.h"

enum {
	N_PARTNERS = 7,
	MAX_STUDIES = 128, /* groups in a round, up to 5 MB each */
	MAX_ROUNDS = 24,
	MIN_MISSES = 64, /* a group with fewer is not studied */
	RECENT = 16,     /* most recent groups that are examined */
	PARTNER_SAMPLES = 200,
	N_SEEN = 16, /* partners for which counts are kept */
	SHARED_BITS = 18,
};

/* How often a group was among the last before another one; recent occurrences count more. */
struct partner {
	uint32_t group;
	uint32_t weight;
};

struct tally {
	uint64_t count, residuals;
	uint32_t looked; /* times its partners were counted */
	struct partner seen[N_SEEN];
	struct study *study;
};

struct search {
	const struct tf_reader *reader;
	const struct chunk *chunk;
	struct slot_model *model;
	struct tally *tallies; /* by group */
	uint64_t *shared;      /* table of 2^SHARED_BITS */
	uint64_t least;        /* misses from which a group is worth a study */
	uint32_t n_studies;    /* of this round */
};

/* ---- passes over the chunk ---------------------------------------------------------------- */

typedef void visit(struct search *s, uint32_t group, uint64_t value);

/* Calls look for each value, then makes it the group's last one. */
static int pass(struct search *s, visit *look)
{
	struct walk *w = walk_new(s->reader, s->chunk, true);
	int status;

	if (!w)
		return TF_E_MEMORY;
	slot_model_reset(s->model);
	while (walk_next(w)) {
		const struct slot_home *h = &s->model->homes[w->record.base];

		for (uint32_t i = 0; i < w->record.count; i++) {
			struct slot_group *g = &s->model->groups[h[i].group];
			uint64_t value = w->slots[i] + h[i].offset;

			look(s, h[i].group, value);
			if (value != g->last + g->stride)
				g->stride = value - g->last;
			g->last = value;
		}
	}
	status = w->status;
	walk_free(w);
	return status;
}

static void count_misses(struct search *s, uint32_t group, uint64_t value)
{
	const struct slot_group *g = &s->model->groups[group];

	s->tallies[group].count++;
	s->tallies[group].residuals += value != g->last + g->stride;
}

/* ---- partners ----------------------------------------------------------------------------- */

static void see_partner(struct tally *t, uint32_t group, uint32_t weight)
{
	unsigned i = 0;

	while (i < N_SEEN && t->seen[i].weight && t->seen[i].group != group)
		i++;
	if (i == N_SEEN)
		return;
	t->seen[i].group = group;
	t->seen[i].weight += weight;
}

struct recent {
	uint32_t groups[RECENT];
	uint32_t at;
};

static void look_back(struct tally *t, const struct recent *recent, uint32_t group)
{
	uint32_t met[RECENT];
	unsigned n = 0;

	t->looked++;
	for (uint32_t i = 1; i < RECENT; i++) {
		uint32_t other = recent->groups[(recent->at - i) % RECENT];
		bool again = other == group || other == TF_NONE;

		for (unsigned k = 0; k < n; k++)
			again |= met[k] == other;
		if (again)
			continue;
		met[n++] = other;
		see_partner(t, other, RECENT + 1 - n);
	}
}

static int find_partners(struct search *s)
{
	struct walk *w = walk_new(s->reader, s->chunk, false);
	struct recent recent = { .at = 0 };
	int status;

	if (!w)
		return TF_E_MEMORY;
	memset(recent.groups, 255, sizeof(recent.groups));
	while (walk_next(w))
		for (uint32_t i = 0; i < w->record.count; i++) {
			uint32_t group = s->model->homes[w->record.base + i].group;
			struct tally *t = &s->tallies[group];

			if (t->residuals >= MIN_MISSES && t->looked < PARTNER_SAMPLES)
				look_back(t, &recent, group);
			recent.groups[recent.at++ % RECENT] = group;
		}
	status = w->status;
	walk_free(w);
	return status;
}

/* Returns the number of partners. */
static unsigned take_partners(struct tally *t, uint32_t partners[N_PARTNERS])
{
	unsigned n = 0;

	while (n < N_PARTNERS) {
		struct partner *best = &t->seen[0];

		for (unsigned i = 1; i < N_SEEN; i++)
			if (t->seen[i].weight > best->weight)
				best = &t->seen[i];
		if (!best->weight)
			break;
		partners[n++] = best->group;
		best->weight = 0;
	}
	return n;
}

/* ---- studies ------------------------------------------------------------------------------ */

/* Begins the study of the next groups with enough misses; *from: the group at which to continue. */
static int begin_studies(struct search *s, uint32_t *from)
{
	s->n_studies = 0;
	for (; *from < s->model->n_groups && s->n_studies < MAX_STUDIES; (*from)++) {
		struct tally *t = &s->tallies[*from];
		uint32_t partners[N_PARTNERS];

		if (t->residuals < s->least)
			continue;
		t->study = study_new(*from, t->count, partners, take_partners(t, partners));
		if (!t->study)
			return TF_E_MEMORY;
		s->n_studies++;
	}
	return 0;
}

/* Raises the misses from which a group is worth a study until there are not too many. */
static void find_least(struct search *s)
{
	uint32_t n = UINT32_MAX;

	for (s->least = MIN_MISSES * 2 / 3; n > MAX_STUDIES * MAX_ROUNDS;) {
		s->least += s->least / 2;
		n = 0;
		for (uint32_t i = 0; i < s->model->n_groups; i++)
			n += s->tallies[i].residuals >= s->least;
	}
}

static uint64_t last_of(const struct search *s, uint32_t group)
{
	return group == TF_NONE ? 0 : s->model->groups[group].last;
}

/* Tries one candidate on a value; true if it is right. */
static bool try_candidate(struct search *s, struct candidate *c, unsigned trial_bits,
			  const struct slot_group *g, uint64_t value)
{
	struct predictor *p = &c->predictor;
	uint64_t guess, *place;

	if (p->kind == PREDICT_STRIDE)
		return value == g->last + g->stride;
	if (p->kind == PREDICT_FOLLOW) {
		guess = g->last + followed(p, last_of(s, p->key));
		p->memory = last_of(s, p->key);
		return guess == value;
	}
	place = c->shared ? s->shared : c->table;
	place += table_place(c->shared ? SHARED_BITS : trial_bits, p->family, last_of(s, p->key),
			     last_of(s, p->second_key));
	if (p->kind == PREDICT_TABLE) {
		guess = *place + last_of(s, p->base);
		*place = value - last_of(s, p->base);
	} else {
		guess = *place + p->memory;
		p->memory = value - *place;
		*place = value;
	}
	return guess == value;
}

static void try_all(struct search *s, uint32_t group, uint64_t value)
{
	const struct slot_group *g = &s->model->groups[group];
	struct study *study = s->tallies[group].study;
	struct sample *sample;

	if (!study || study->executions++ % study->period >= BURST)
		return;
	sample = &study->samples[study->n_samples++];
	*sample = (struct sample){ .value = value, .last = g->last };
	for (unsigned i = 0; i < study->n_candidates; i++)
		if (try_candidate(s, &study->candidates[i], study->trial_bits, g, value))
			sample->right[i / 64] |= UINT64_C(1) << i % 64;
}

/* Studies the groups, round by round, and chooses their predictors. */
static int study_groups(struct search *s)
{
	struct slot_model *m = s->model;
	uint32_t from = 0;
	int status = 0;

	find_least(s);
	while (status == 0 && from < m->n_groups) {
		uint32_t first = from;

		status = begin_studies(s, &from);
		if (status == 0 && s->n_studies)
			status = pass(s, try_all);
		for (uint32_t i = first; i < m->n_groups && i < from; i++) {
			if (status == 0 && s->tallies[i].study)
				study_choose(s->tallies[i].study, &m->groups[i], i);
			study_free(s->tallies[i].study);
			s->tallies[i].study = NULL;
		}
	}
	return status;
}

static int prepare(struct search *s)
{
	struct slot_model *m = s->model;
	int status;

	m->groups = calloc(m->n_groups + 1, sizeof(*m->groups));
	s->tallies = calloc(m->n_groups + 1, sizeof(*s->tallies));
	s->shared = calloc((size_t)1 << SHARED_BITS, sizeof(*s->shared));
	if (!m->groups || !s->tallies || !s->shared)
		return TF_E_MEMORY;
	for (uint32_t i = 0; i < m->n_groups; i++) {
		m->groups[i].count = 1;
		m->groups[i].predictors[0] = (struct predictor){ .kind = PREDICT_STRIDE };
	}
	status = pass(s, count_misses);
	return status ? status : find_partners(s);
}

int slot_model_search(const struct tf_reader *r, const struct chunk *chunk, struct slot_model *m)
{
	struct search s = { .reader = r, .chunk = chunk, .model = m };
	int status;

	*m = (struct slot_model){ .table_bits = coder_cell_bits(chunk->n_slots) };
	if (m->table_bits > MAX_TABLE_BITS)
		m->table_bits = MAX_TABLE_BITS;
	status = slot_model_groups(r, chunk, m);
	if (status == 0 && m->n_groups > MAX_SLOT_GROUPS)
		status = TF_E_ARGUMENT;
	if (status == 0)
		status = prepare(&s);
	if (status == 0)
		status = study_groups(&s);
	for (uint32_t i = 0; s.tallies && i < m->n_groups; i++)
		study_free(s.tallies[i].study);
	free(s.tallies);
	free(s.shared);
	if (status == 0)
		slot_model_reset(m);
	return status;
}
