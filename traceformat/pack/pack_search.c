/* SPDX-License-Identifier: MIT */
/*
 * Chooses predictors by trial. Each group that its stride predicts badly gets candidates, which are
 * built from the groups that were executed shortly before it. All candidates are tried on some of
 * the group's executions. Those are chosen that predict most of the values that earlier predictors
 * miss.
 */
#include "traceformat/pack/pack_search.h"

#include "traceformat/common/hash_table.h"

/* ---- groups ---------------------------------------------------------------------------------- */

/* An operand of an instruction, and the group of the slots that are its values. */
struct operand_group {
	struct code_operand {
		uint64_t pc;
		uint64_t operand; /* number in its instruction */
	} key;
	uint32_t group;
};

struct operand_groups {
	struct slot_model *model;
	HASH_TABLE(struct operand_group) table;
	bool failed; /* memory is out */
};

/*
 * Assigns a group to the slot from which value `v` of the block follows, unless it has one. value:
 * the value's number in the path.
 */
static void assign_group(struct operand_groups *groups, const struct compiled_path *p,
			 const struct tf_block *b, uint32_t v, uint32_t value)
{
	struct slot_model *m = groups->model;
	const struct tf_recipe *r = p->path.recipes ? &p->path.recipes[value] : NULL;
	uint32_t slot = r ? r->slot : value, insn = 0;
	size_t n_known = groups->table.count;
	struct operand_group *group;
	struct slot_home *home = &m->homes[p->slot_base + slot];

	if ((r && r->base != TF_BASE_SLOT) || home->group != TF_NONE)
		return;
	if (v < b->n_operands)
		insn = b->operands[v].insn;
	group = TABLE_PUT(groups->table,
			  { b->pc + b->insns[insn].offset,
			    v - (v < b->n_operands ? b->insns[insn].first_operand : 0) });
	if (!group) {
		groups->failed = true;
		return;
	}
	if (groups->table.count > n_known)
		group->group = m->n_groups++;
	home->group = group->group;
	home->offset = r ? (uint64_t)r->displacement : 0;
}

static void assign_path_groups(struct operand_groups *groups, const struct compiled_path *p)
{
	struct slot_model *m = groups->model;
	uint32_t value = 0;

	for (uint32_t i = 0; i < p->path.n_blocks; i++)
		for (uint32_t v = 0; v < p->blocks[i].n_values; v++, value++)
			assign_group(groups, p, &p->blocks[i].block->block, v, value);
	for (uint32_t i = 0; i < p->path.n_slots; i++) {
		struct slot_home *home = &m->homes[p->slot_base + i];

		if (home->group == TF_NONE)
			home->group = m->n_groups++;
	}
}

/* Renumbers groups by their first slot, and sets offsets relative to it. */
static int number_groups(struct slot_model *m)
{
	struct slot_home *first = malloc((m->n_groups + 1) * sizeof(*first));
	uint32_t n = 0;

	if (!first)
		return TF_E_MEMORY;
	for (uint32_t i = 0; i < m->n_groups; i++)
		first[i].group = TF_NONE;
	for (uint32_t i = 0; i < m->n_slots; i++) {
		struct slot_home *h = &m->homes[i], *f = &first[h->group];

		if (h->group == TF_NONE)
			continue;
		if (f->group == TF_NONE)
			*f = (struct slot_home){ n++, h->offset };
		*h = (struct slot_home){ f->group, h->offset - f->offset };
	}
	free(first);
	return 0;
}

static int slot_model_groups(const struct tf_reader *r, const struct chunk *chunk,
			     struct slot_model *m)
{
	struct operand_groups groups = { .model = m };
	struct walk *w;
	int status;

	m->n_slots = r->n_slots;
	m->homes = malloc((m->n_slots + 1) * sizeof(*m->homes));
	w = walk_new(r, chunk, false);
	status = m->homes && w ? 0 : TF_E_MEMORY;
	for (size_t i = 0; status == 0 && i < m->n_slots; i++)
		m->homes[i] = (struct slot_home){ TF_NONE, 0 };
	while (status == 0 && walk_next(w))
		if (w->record.count && m->homes[w->record.base].group == TF_NONE)
			assign_path_groups(&groups, r->exits.at[w->record.exit].path);
	if (status == 0)
		status = groups.failed ? TF_E_MEMORY : w->status;
	walk_free(w);
	TABLE_FREE(groups.table);
	return status ? status : number_groups(m);
}

/* ---- the study of a group -------------------------------------------------------------------- */

enum {
	N_CANDIDATES = 128,
	BURST = 6000,       /* executions in a row on which candidates are tried */
	FIRST_PRIVATE = 64, /* families below are shared by groups */
};

struct candidate {
	struct predictor predictor;
	bool shared;
	uint64_t *table; /* NULL if shared, or not needed */
};

struct sample {
	uint64_t right[2]; /* bit i: candidate i is */
	uint64_t value, last;
};

struct study {
	unsigned n_candidates;
	struct candidate candidates[N_CANDIDATES];
	uint64_t *tables;
	unsigned trial_bits; /* size of each */
	struct sample *samples;
	uint32_t n_samples;
	uint64_t executions, period; /* so far; from the start of a burst to that of the next */
};

enum {
	N_BURSTS = 3,
	N_SAMPLES = N_BURSTS * BURST,
	MIN_TRIAL_BITS = 6, /* of a candidate's own table */
	MAX_TRIAL_BITS = 13,
};

static void add(struct study *study, struct predictor p, bool shared)
{
	if (study->n_candidates < N_CANDIDATES)
		study->candidates[study->n_candidates++] = (struct candidate){ p, shared, NULL };
}

static void add_follow(struct study *study, uint32_t other, int8_t shift)
{
	add(study, (struct predictor){ .kind = PREDICT_FOLLOW, .shift = shift, .key = other },
	    false);
}

static void add_table(struct study *study, uint32_t key, uint32_t second, uint32_t base)
{
	add(study,
	    (struct predictor){
		    .kind = PREDICT_TABLE, .key = key, .second_key = second, .base = base },
	    false);
}

/* Predictors of one family share a table: unrolled loops have the same operand several times. */
static void add_shared(struct study *study, uint8_t kind, uint32_t key, uint32_t second,
		       uint32_t family)
{
	add(study,
	    (struct predictor){ .kind = kind,
				.key = key,
				.second_key = second,
				.base = TF_NONE,
				.family = family },
	    true);
}

static void add_candidates(struct study *study, uint32_t own, const uint32_t *partners,
			   unsigned n_partners)
{
	add(study, (struct predictor){ .kind = PREDICT_STRIDE }, false);
	add_table(study, own, TF_NONE, TF_NONE);
	add_table(study, own, TF_NONE, own);
	for (uint32_t i = 0; i < n_partners; i++) {
		uint32_t p = partners[i];
		uint32_t next = i + 1 < n_partners ? partners[i + 1] : own;

		for (int8_t k = 0; k <= MAX_FOLLOW_SHIFT; k++) {
			add_follow(study, p, k);
			if (k)
				add_follow(study, p, (int8_t)-k);
		}
		add_table(study, p, TF_NONE, TF_NONE);
		add_table(study, p, TF_NONE, own);
		add_table(study, p, TF_NONE, p);
		add_table(study, p, own, TF_NONE);
		add_table(study, p, own, own);
		add(study,
		    (struct predictor){ .kind = PREDICT_COUNTER, .key = p, .second_key = TF_NONE },
		    false);
		add_shared(study, PREDICT_TABLE, p, TF_NONE, 4 * i);
		add_shared(study, PREDICT_COUNTER, p, TF_NONE, 4 * i + 1);
		add_shared(study, PREDICT_TABLE, p, next, 4 * i + 2);
	}
}

static bool needs_table(const struct candidate *c)
{
	return !c->shared &&
	       (c->predictor.kind == PREDICT_TABLE || c->predictor.kind == PREDICT_COUNTER);
}

static struct study *study_new(uint32_t group, uint64_t executions, const uint32_t *partners,
			       unsigned n_partners)
{
	struct study *study = calloc(1, sizeof(*study));
	size_t n = 0;

	if (!study)
		return NULL;
	study->trial_bits = MIN_TRIAL_BITS;
	while (study->trial_bits < MAX_TRIAL_BITS && UINT64_C(1) << study->trial_bits < executions)
		study->trial_bits++;
	study->period = executions / N_BURSTS + 1;
	if (study->period < BURST)
		study->period = BURST;
	add_candidates(study, group, partners, n_partners);
	study->samples = malloc(N_SAMPLES * sizeof(*study->samples));
	for (unsigned i = 0; i < study->n_candidates; i++)
		n += needs_table(&study->candidates[i]);
	study->tables = calloc(n << study->trial_bits, sizeof(*study->tables));
	if (!study->samples || !study->tables) {
		free(study->samples);
		free(study->tables);
		free(study);
		return NULL;
	}
	for (unsigned i = 0; i < study->n_candidates; i++)
		if (needs_table(&study->candidates[i]))
			study->candidates[i].table = study->tables + (--n << study->trial_bits);
	return study;
}

static void study_free(struct study *study)
{
	if (!study)
		return;
	free(study->samples);
	free(study->tables);
	free(study);
}

/* ---- the choice --------------------------------------------------------------------------- */

/* Returns the candidate that is right most often among the samples left; *hits: how often. */
static unsigned best_candidate(const struct study *study, uint32_t *hits)
{
	uint32_t counts[2 * 64] = { 0 };
	unsigned best = 0;

	for (uint32_t i = 0; i < study->n_samples; i++)
		for (unsigned k = 0; k < 2; k++)
			for (uint64_t m = study->samples[i].right[k]; m; m &= m - 1)
				counts[64 * k + (unsigned)__builtin_ctzll(m)]++;
	for (unsigned i = 1; i < study->n_candidates; i++)
		if (counts[i] > counts[best])
			best = i;
	*hits = counts[best];
	return best;
}

/* Removes the samples that the candidate predicts. */
static void drop_predicted(struct study *study, unsigned candidate)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < study->n_samples; i++)
		if (!(study->samples[i].right[candidate / 64] >> candidate % 64 & 1))
			study->samples[left++] = study->samples[i];
	study->n_samples = left;
}

/* Returns about the binary logarithm, in units of 1/256. */
static uint64_t log2_of(uint32_t v)
{
	unsigned whole = 31 - (unsigned)__builtin_clz(v);

	return whole << 8 | (v << (31 - whole) >> 23 & 255);
}

/*
 * Returns about the bits, in units of 1/256, that the numbers' bytes take, with separate
 * frequencies for each byte position.
 */
static uint64_t bytes_cost(const struct study *study, bool absolute)
{
	uint32_t counts[8][256] = { { 0 } }, totals[8] = { 0 };
	uint64_t cost = 0;

	for (uint32_t i = 0; i < study->n_samples; i++) {
		const struct sample *e = &study->samples[i];
		uint64_t change = zigzag((int64_t)(e->value - e->last));
		uint64_t number = absolute ? e->value : change;
		unsigned n = bytes_of_number(absolute ? e->value ^ e->last : change);

		for (unsigned k = 0; k < n; k++) {
			uint8_t byte = number >> 8 * k & 255;

			cost += log2_of(4 * totals[k] + 256) - log2_of(4 * counts[k][byte] + 1);
			counts[k][byte]++;
			totals[k]++;
		}
	}
	return cost;
}

static void study_choose(struct study *study, struct slot_group *g, uint32_t group)
{
	uint32_t enough = study->n_samples / 100 + 4, hits;

	g->count = 0;
	while (g->count < MAX_PREDICTORS) {
		unsigned best = best_candidate(study, &hits);
		struct predictor *p = &g->predictors[g->count];

		if (hits < enough)
			break;
		*p = study->candidates[best].predictor;
		if (!study->candidates[best].shared)
			p->family = FIRST_PRIVATE + group * MAX_PREDICTORS + g->count;
		g->count++;
		drop_predicted(study, best);
	}
	g->absolute = bytes_cost(study, true) < bytes_cost(study, false);
}
enum {
	N_PARTNERS = 7,
	MAX_STUDIES = 128, /* groups in a round, up to 5 MB each */
	MAX_ROUNDS = 24,
	MIN_RESIDUALS = 64, /* a group with fewer is not studied */
	RECENT = 16,        /* most recent groups that are examined */
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
	uint64_t least;        /* residuals from which a group is worth a study */
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

static void count_residuals(struct search *s, uint32_t group, uint64_t value)
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

			if (t->residuals >= MIN_RESIDUALS && t->looked < PARTNER_SAMPLES)
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

/*
 * Begins the study of the next groups with enough residuals; *from: the group at which to continue.
 */
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

/* Raises the residuals from which a group is worth a study until there are not too many. */
static void find_least(struct search *s)
{
	uint32_t n = UINT32_MAX;

	for (s->least = MIN_RESIDUALS * 2 / 3; n > MAX_STUDIES * MAX_ROUNDS;) {
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
	status = pass(s, count_residuals);
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
