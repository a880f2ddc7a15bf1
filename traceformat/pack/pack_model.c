/* SPDX-License-Identifier: MIT */
/* The column slot-models (FORMAT.md 5.8): which slots form groups, and how each is predicted. */
#include "traceformat/common/error.h"
#include "traceformat/pack/pack_slots.h"
#include "traceformat/reader/reader.h"

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
