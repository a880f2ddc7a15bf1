/* SPDX-License-Identifier: MIT */
#include "traceformat/pack/pack_slots.h"

enum {
	UNFORESEEN = 7,   /* outcome of a slot for which no prediction was right */
	FLAG_CONTEXT = 1, /* kinds of contexts, in their low bits */
	EXIT_CONTEXT = 2,
	NUMBER_CONTEXT = 3,
	RECORD_CONTEXT = 4,
};

/* The predictions of a slot, and their outcome. */
struct foresight {
	uint32_t group;
	uint8_t history;      /* the group's before it */
	uint8_t outcome;      /* the predictor that was right, or UNFORESEEN */
	uint8_t repeats;      /* bit i: an earlier predictor said the same as the i-th */
	uint64_t value, last; /* the slot's own, and the group's before this slot */
};

struct slot_coder {
	struct coder coder;
	struct slot_model *model;
	uint64_t *table;
	unsigned outcome; /* of the slot coded last */
	unsigned records; /* whether the last four were predicted whole */
	struct foresight foresights[TF_MAX_PATH_SLOTS]; /* of the record being packed */
};

static inline uint64_t last_of(const struct slot_model *m, uint32_t group)
{
	return group == TF_NONE ? 0 : m->groups[group].last;
}

static inline uint64_t *place_in_table(const struct slot_coder *c, const struct predictor *p)
{
	return &c->table[table_place(c->model->table_bits, p->family, last_of(c->model, p->key),
				     last_of(c->model, p->second_key))];
}

FORCE_INLINE uint64_t predict(const struct slot_coder *c, const struct slot_group *g,
			      const struct predictor *p)
{
	switch (p->kind) {
	case PREDICT_STRIDE: return g->last + g->stride;
	case PREDICT_FOLLOW: return g->last + followed(p, last_of(c->model, p->key));
	case PREDICT_TABLE: return *place_in_table(c, p) + last_of(c->model, p->base);
	default: return *place_in_table(c, p) + p->memory;
	}
}

FORCE_INLINE void learn(struct slot_coder *c, struct slot_group *g, uint64_t value)
{
	for (unsigned i = 0; i < g->count; i++) {
		struct predictor *p = &g->predictors[i];

		if (p->kind == PREDICT_FOLLOW) {
			p->memory = last_of(c->model, p->key);
		} else if (p->kind == PREDICT_TABLE) {
			*place_in_table(c, p) = value - last_of(c->model, p->base);
		} else if (p->kind == PREDICT_COUNTER) {
			uint64_t *place = place_in_table(c, p);

			p->memory = value - *place;
			*place = value;
		}
	}
	if (value != g->last + g->stride)
		g->stride = value - g->last;
	g->last = value;
}

/* Codes whether predictor i is right. */
FORCE_INLINE unsigned code_flag(struct slot_coder *c, enum direction to, const struct foresight *f,
				uint32_t place, unsigned i, unsigned bit)
{
	uint32_t *one, *two;

	one = coder_cell(&c->coder, f->group,
			 FLAG_CONTEXT << 16 | f->repeats << 8 | (uint32_t)f->history << 2 | i);
	two = coder_cell(&c->coder, place,
			 EXIT_CONTEXT << 16 | f->repeats << 8 | c->outcome << 2 | i);
	return coder_bit_of_two(&c->coder, to, one, two, bit);
}

/*
 * Tries the predictors one after the other until one is right. Packing knows that by the value,
 * unpacking by the flags. Fills in outcome, and the value if a predictor is right.
 */
FORCE_INLINE void foresee(struct slot_coder *c, enum direction to, const struct slot_group *g,
			  struct foresight *f, uint32_t place)
{
	uint64_t said[MAX_PREDICTORS];

	f->repeats = 0;
	for (unsigned i = 0; i < g->count; i++) {
		bool repeated = false;

		said[i] = predict(c, g, &g->predictors[i]);
		for (unsigned k = 0; k < i; k++)
			repeated |= said[k] == said[i];
		if (repeated) {
			f->repeats |= (uint8_t)(1 << i);
		} else if (to == PACK ? said[i] == f->value : code_flag(c, to, f, place, i, 0)) {
			f->outcome = (uint8_t)i;
			f->value = said[i];
			return;
		}
	}
	f->outcome = UNFORESEEN;
}

/* Codes a value for which no predictor was right. */
FORCE_INLINE void code_unforeseen(struct slot_coder *c, enum direction to, struct foresight *f)
{
	uint64_t change = zigzag((int64_t)(f->value - f->last));

	if (c->model->groups[f->group].absolute) {
		f->value = coder_number(&c->coder, to, f->group, NUMBER_CONTEXT, f->last,
					bytes_of_number(f->value ^ f->last), f->value);
		return;
	}
	change = coder_number(&c->coder, to, f->group, NUMBER_CONTEXT, 0, bytes_of_number(change),
			      change);
	f->value = f->last + (uint64_t)unzigzag(change);
}

static inline void pass(struct slot_coder *c, struct slot_group *g, const struct foresight *f)
{
	g->history = (uint8_t)((g->history << 3 | f->outcome) & 63);
	learn(c, g, f->value);
}

/* Codes whether the first predictors of all slots of a record are right. */
FORCE_INLINE bool code_record(struct slot_coder *c, enum direction to, uint32_t exit, bool right)
{
	right = coder_bit(&c->coder, to, exit, RECORD_CONTEXT << 16 | c->records, right);
	c->records = (c->records << 1 | right) & 15;
	return right;
}

static inline uint32_t place_of(const struct packed_record *r, uint32_t i)
{
	return r->exit * 0x85ebca6bu + i;
}

/* Codes the outcome of a slot's predictions. */
static void pack_foresight(struct slot_coder *c, struct foresight *f, uint32_t place)
{
	unsigned all = f->repeats;

	f->repeats = 0;
	for (unsigned i = 0; i < c->model->groups[f->group].count && i <= f->outcome; i++)
		if (all >> i & 1)
			f->repeats |= (uint8_t)(1 << i);
		else
			code_flag(c, PACK, f, place, i, i == f->outcome);
	if (f->outcome == UNFORESEEN)
		code_unforeseen(c, PACK, f);
	c->outcome = f->outcome;
}

void slots_pack(struct slot_coder *c, const struct packed_record *r)
{
	const struct slot_home *home = &c->model->homes[r->base];
	bool right = true;

	for (uint32_t i = 0; i < r->count; i++) {
		struct slot_group *g = &c->model->groups[home[i].group];
		struct foresight *f = &c->foresights[i];

		*f = (struct foresight){ .group = home[i].group,
					 .history = g->history,
					 .value = r->slots[i] + home[i].offset,
					 .last = g->last };
		foresee(c, PACK, g, f, 0);
		pass(c, g, f);
		right &= f->outcome == 0;
	}
	if (r->count == 0 || code_record(c, PACK, r->exit, right))
		return;
	for (uint32_t i = 0; i < r->count; i++)
		pack_foresight(c, &c->foresights[i], place_of(r, i));
}

/* Unpacks the slot of a group. */
FORCE_INLINE uint64_t unpack_slot(struct slot_coder *c, uint32_t group, uint32_t place, bool right)
{
	struct slot_group *g = &c->model->groups[group];
	struct foresight f;

	f.group = group;
	f.history = g->history;
	f.last = g->last;
	f.value = 0;
	if (right) {
		f.outcome = 0;
		f.value = predict(c, g, &g->predictors[0]);
	} else {
		foresee(c, UNPACK, g, &f, place);
		if (f.outcome == UNFORESEEN)
			code_unforeseen(c, UNPACK, &f);
		c->outcome = f.outcome;
	}
	pass(c, g, &f);
	return f.value;
}

bool slots_unpack(struct slot_coder *c, const struct packed_record *r)
{
	const struct slot_home *home = c->model->homes + r->base;
	bool right;

	if (r->count > c->model->n_slots || r->base > c->model->n_slots - r->count)
		return false;
	right = r->count && code_record(c, UNPACK, r->exit, false);
	for (uint32_t i = 0; i < r->count; i++) {
		if (home[i].group == TF_NONE || (right && !c->model->groups[home[i].group].count))
			return false;
		r->slots[i] = unpack_slot(c, home[i].group, place_of(r, i), right) - home[i].offset;
	}
	return !c->coder.in.bad;
}

struct slot_coder *slot_coder_new(struct slot_model *model, enum direction to, unsigned cell_bits,
				  struct span packed)
{
	struct slot_coder *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->model = model;
	c->table = calloc((size_t)1 << model->table_bits, sizeof(*c->table));
	if (!c->table || !coder_begin(&c->coder, cell_bits)) {
		slot_coder_free(c);
		return NULL;
	}
	if (to == UNPACK)
		coder_read(&c->coder, packed);
	return c;
}

struct coder *slot_coder_bits(struct slot_coder *c)
{
	return &c->coder;
}

void slot_coder_free(struct slot_coder *c)
{
	if (!c)
		return;
	coder_free(&c->coder);
	free(c->table);
	free(c);
}
