/* SPDX-License-Identifier: MIT */
#include "traceformat/pack/pack_slots.h"

#include "traceformat/common/error.h"
#include "traceformat/reader/reader.h"

enum {
	MISPREDICTED = 7, /* outcome of a slot for which no prediction was right */
	FLAG_CONTEXT = 1, /* kinds of contexts, in their low bits */
	EXIT_CONTEXT = 2,
	NUMBER_CONTEXT = 3,
	RECORD_CONTEXT = 4,
};

/* The predictions of a slot, and their outcome. */
struct prediction {
	uint32_t group;
	uint8_t history;      /* the group's before it */
	uint8_t outcome;      /* the predictor that was right, or MISPREDICTED */
	uint8_t repeats;      /* bit i: an earlier predictor said the same as the i-th */
	uint64_t value, last; /* the slot's own, and the group's before this slot */
};

struct slot_coder {
	struct coder coder;
	struct slot_model *model;
	uint64_t *table;
	unsigned outcome; /* of the slot coded last */
	unsigned records; /* whether the last four were predicted whole */
	struct prediction predictions[TF_MAX_PATH_SLOTS]; /* of the record being packed */
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
FORCE_INLINE unsigned code_flag(struct slot_coder *c, enum direction to, const struct prediction *f,
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
FORCE_INLINE void try_predictors(struct slot_coder *c, enum direction to,
				 const struct slot_group *g, struct prediction *f, uint32_t place)
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
	f->outcome = MISPREDICTED;
}

/* Codes a value for which no predictor was right. */
FORCE_INLINE void code_mispredicted(struct slot_coder *c, enum direction to, struct prediction *f)
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

static inline void pass(struct slot_coder *c, struct slot_group *g, const struct prediction *f)
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
static void pack_prediction(struct slot_coder *c, struct prediction *f, uint32_t place)
{
	unsigned all = f->repeats;

	f->repeats = 0;
	for (unsigned i = 0; i < c->model->groups[f->group].count && i <= f->outcome; i++)
		if (all >> i & 1)
			f->repeats |= (uint8_t)(1 << i);
		else
			code_flag(c, PACK, f, place, i, i == f->outcome);
	if (f->outcome == MISPREDICTED)
		code_mispredicted(c, PACK, f);
	c->outcome = f->outcome;
}

void slots_pack(struct slot_coder *c, const struct packed_record *r)
{
	const struct slot_home *home = &c->model->homes[r->base];
	bool right = true;

	for (uint32_t i = 0; i < r->count; i++) {
		struct slot_group *g = &c->model->groups[home[i].group];
		struct prediction *f = &c->predictions[i];

		*f = (struct prediction){ .group = home[i].group,
					  .history = g->history,
					  .value = r->slots[i] + home[i].offset,
					  .last = g->last };
		try_predictors(c, PACK, g, f, 0);
		pass(c, g, f);
		right &= f->outcome == 0;
	}
	if (r->count == 0 || code_record(c, PACK, r->exit, right))
		return;
	for (uint32_t i = 0; i < r->count; i++)
		pack_prediction(c, &c->predictions[i], place_of(r, i));
}

/* Unpacks the slot of a group. */
FORCE_INLINE uint64_t unpack_slot(struct slot_coder *c, uint32_t group, uint32_t place, bool right)
{
	struct slot_group *g = &c->model->groups[group];
	struct prediction f;

	f.group = group;
	f.history = g->history;
	f.last = g->last;
	f.value = 0;
	if (right) {
		f.outcome = 0;
		f.value = predict(c, g, &g->predictors[0]);
	} else {
		try_predictors(c, UNPACK, g, &f, place);
		if (f.outcome == MISPREDICTED)
			code_mispredicted(c, UNPACK, &f);
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

/* ---- the column slot-models ------------------------------------------------------------------ */

/* Codes of a slot: it begins a group, or it belongs to an earlier one. */
enum { SLOT_FIRST = 0, SLOT_EARLIER = 1 };

enum { ABSOLUTE = 8, SHIFT_BIAS = 8 };

static void put_group(struct buffer *b, uint32_t group)
{
	put_varint(b, group + 1u);
}

static void put_predictor(struct buffer *b, const struct predictor *p)
{
	put_u8(b, (uint8_t)(p->kind | (p->shift + SHIFT_BIAS) << 4));
	if (p->kind == PREDICT_STRIDE)
		return;
	put_varint(b, p->key);
	if (p->kind == PREDICT_FOLLOW)
		return;
	put_group(b, p->second_key);
	if (p->kind == PREDICT_TABLE)
		put_group(b, p->base);
	put_varint(b, p->family);
}

static void put_homes(struct buffer *b, const struct slot_home *homes, uint32_t count, uint32_t *n)
{
	for (uint32_t i = 0; i < count; i++) {
		if (homes[i].group == *n) {
			put_varint(b, SLOT_FIRST);
			(*n)++;
		} else {
			put_varint(b, SLOT_EARLIER + (*n - 1 - homes[i].group));
			put_svarint(b, (int64_t)homes[i].offset);
		}
	}
}

/* Returns true if the path has slots and the model knows them. */
static bool is_modelled(const struct slot_model *m, const struct compiled_path *p)
{
	return p && p->path.n_slots && m->homes[p->slot_base].group != TF_NONE;
}

void slot_model_write(const struct slot_model *m, const struct tf_reader *r, struct buffer *out)
{
	uint32_t n = 0, last = 0, n_paths = 0;

	put_u8(out, (uint8_t)m->table_bits);
	for (uint32_t i = 0; i < r->paths.count; i++)
		n_paths += is_modelled(m, r->paths.at[i]);
	put_varint(out, n_paths);
	for (uint32_t i = 0; i < r->paths.count; i++) {
		const struct compiled_path *p = r->paths.at[i];

		if (!is_modelled(m, p))
			continue;
		put_varint(out, i - last);
		last = i;
		put_homes(out, m->homes + p->slot_base, p->path.n_slots, &n);
	}
	for (uint32_t i = 0; i < m->n_groups; i++) {
		const struct slot_group *g = &m->groups[i];

		put_u8(out, (uint8_t)(g->count | (g->absolute ? ABSOLUTE : 0)));
		for (unsigned k = 0; k < g->count; k++)
			put_predictor(out, &g->predictors[k]);
	}
}

static bool take_homes(struct span *s, struct slot_home *homes, uint32_t count, uint32_t *n)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t code = take_varint_max(s, *n);

		if (code == SLOT_FIRST) {
			homes[i] = (struct slot_home){ (*n)++, 0 };
		} else {
			homes[i].group = *n - (uint32_t)code;
			homes[i].offset = (uint64_t)take_svarint(s);
		}
	}
	return !s->bad;
}

static bool take_paths(struct slot_model *m, struct span *s, const struct tf_reader *r)
{
	uint64_t n_paths = take_varint_max(s, r->paths.count), id = 0;

	for (uint64_t i = 0; i < n_paths; i++) {
		const struct compiled_path *p;

		uint64_t step = take_varint_max(s, r->paths.count);

		id += step;
		p = id < r->paths.count ? r->paths.at[id] : NULL;
		if (!p || (i && !step) || m->n_groups > TF_NONE - TF_MAX_PATH_SLOTS - 1 ||
		    !take_homes(s, m->homes + p->slot_base, p->path.n_slots, &m->n_groups))
			return false;
	}
	return !s->bad;
}

/* Takes the index of a group, or none. */
static uint32_t take_group(struct span *s, uint32_t n_groups)
{
	return (uint32_t)take_varint_max(s, n_groups) - 1;
}

static bool take_predictor(struct span *s, uint32_t n_groups, struct predictor *p)
{
	uint8_t how = take_u8(s);

	*p = (struct predictor){ .second_key = TF_NONE, .base = TF_NONE };
	p->kind = how & 15;
	p->shift = (int8_t)((how >> 4) - SHIFT_BIAS);
	if (p->kind > PREDICT_COUNTER || p->shift < -MAX_FOLLOW_SHIFT ||
	    p->shift > MAX_FOLLOW_SHIFT)
		return false;
	if (p->kind == PREDICT_STRIDE)
		return true;
	p->key = (uint32_t)take_varint_max(s, n_groups - 1);
	if (p->kind == PREDICT_FOLLOW)
		return true;
	p->second_key = take_group(s, n_groups);
	if (p->kind == PREDICT_TABLE)
		p->base = take_group(s, n_groups);
	p->family = (uint32_t)take_varint_max(s, UINT32_MAX);
	return true;
}

static bool take_groups(struct slot_model *m, struct span *s)
{
	for (uint32_t i = 0; i < m->n_groups; i++) {
		struct slot_group *g = &m->groups[i];
		uint8_t how = take_u8(s);

		g->count = how & 7;
		g->absolute = how & ABSOLUTE;
		if (how >= 2 * ABSOLUTE || g->count > MAX_PREDICTORS)
			return false;
		for (unsigned k = 0; k < g->count; k++)
			if (!take_predictor(s, m->n_groups, &g->predictors[k]))
				return false;
	}
	return !s->bad && s->at == s->end;
}

int slot_model_read(struct slot_model *m, struct span packed, const struct tf_reader *r)
{
	*m = (struct slot_model){ .table_bits = take_u8(&packed), .n_slots = r->n_slots };
	if (packed.bad || m->table_bits < MIN_TABLE_BITS || m->table_bits > MAX_TABLE_BITS)
		return TF_E_DAMAGED;
	m->homes = malloc((m->n_slots + (size_t)1) * sizeof(*m->homes));
	if (!m->homes)
		return TF_E_MEMORY;
	for (size_t i = 0; i < m->n_slots; i++)
		m->homes[i] = (struct slot_home){ TF_NONE, 0 };
	if (!take_paths(m, &packed, r) || m->n_groups > MAX_SLOT_GROUPS)
		return TF_E_DAMAGED;
	m->groups = calloc(m->n_groups + (size_t)1, sizeof(*m->groups));
	if (!m->groups)
		return TF_E_MEMORY;
	return take_groups(m, &packed) ? 0 : TF_E_DAMAGED;
}

void slot_model_reset(struct slot_model *m)
{
	for (uint32_t i = 0; i < m->n_groups; i++) {
		struct slot_group *g = &m->groups[i];

		g->last = g->stride = g->history = 0;
		for (unsigned k = 0; k < g->count; k++)
			g->predictors[k].memory = 0;
	}
}

void slot_model_free(struct slot_model *m)
{
	free(m->homes);
	free(m->groups);
	*m = (struct slot_model){ 0 };
}
