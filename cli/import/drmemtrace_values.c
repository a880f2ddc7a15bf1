/* SPDX-License-Identifier: MIT */
#include "cli/import/drmemtrace_values.h"

#include <string.h>

enum { REPNE = 0xf2 }; /* prefix */

/* The records of an instruction that no operand has taken yet. */
struct cursor {
	const struct data_list *list;
	uint64_t used;
};

struct work {
	bool addresses; /* that the trace has */
	struct cursor reads, writes, prefetches;
	struct insn_values *values;
	unsigned n_extras;
	uint64_t *extras;
	uint64_t *lost;
};

static const struct data_record *peek(const struct cursor *cursor)
{
	bool is_left = cursor->used < cursor->list->count && cursor->used < DATA_ROOM;

	return is_left ? &cursor->list->at[cursor->used] : NULL;
}

static const struct data_record *take(struct cursor *cursor)
{
	const struct data_record *record = peek(cursor);

	cursor->used += record != NULL;
	return record;
}

static void add_address(struct work *w, uint64_t address)
{
	if (w->addresses)
		w->values->values[w->values->n_addresses++] = address;
}

static void add_extra(struct work *w, uint64_t extra)
{
	w->extras[w->n_extras++] = extra;
}

static struct cursor *cursor_of(struct work *w, const struct tf_operand *operand)
{
	return operand->access & TF_PREFETCH ? &w->prefetches
	       : operand->access & TF_LOAD   ? &w->reads
					     : &w->writes;
}

/* ---- plain and sized operands ------------------------------------------------------------ */

/* Returns false if the operand made no access. */
static bool take_plain(struct work *w, const struct tf_operand *operand)
{
	struct cursor *cursor = cursor_of(w, operand);
	const struct data_record *record = take(cursor), *store = NULL;

	if (operand->access == (TF_LOAD | TF_STORE)) {
		store = take(&w->writes);
		w->lost[LOSS_MISSING] += !record != !store;
		if (!record)
			record = store;
	}
	if (!record)
		return false;
	w->lost[LOSS_SIZES] += record->size != operand->size && !(operand->access & TF_PREFETCH);
	add_address(w, record->address);
	return true;
}

/* Takes records that follow each other in memory, as a record has at most 65535 bytes. */
static bool take_sized(struct work *w, const struct tf_operand *operand)
{
	struct cursor *cursor = cursor_of(w, operand);
	const struct data_record *first = take(cursor), *next;
	uint64_t size;

	if (!first)
		return false;
	size = first->size;
	while ((next = peek(cursor)) && next->address == first->address + size &&
	       size + next->size <= TF_MAX_OPERAND_BYTES) {
		size += next->size;
		cursor->used++;
	}
	add_address(w, first->address);
	add_extra(w, size);
	return true;
}

/* ---- masks, lanes ------------------------------------------------------------------------ */

static uint64_t all_lanes(unsigned lanes)
{
	return UINT64_MAX >> (64 - lanes);
}

/*
 * A record of the whole operand stands for all lanes, since DynamoRIO does not record the mask.
 * Otherwise each record is a lane, and the first one lane 0.
 */
static void take_masked(struct work *w, const struct tf_operand *operand)
{
	struct cursor *cursor = cursor_of(w, operand);
	const struct data_record *first = take(cursor), *next;
	uint64_t mask = 1;

	add_address(w, first ? first->address : 0);
	if (!first) {
		add_extra(w, 0);
		return;
	}
	if (first->size != operand->size || operand->lanes == 1) {
		w->lost[LOSS_SIZES] += first->size != (uint64_t)operand->size * operand->lanes;
		add_extra(w, all_lanes(operand->lanes));
		return;
	}
	while ((next = peek(cursor)) && next->size == operand->size) {
		uint64_t lane = (next->address - first->address) / operand->size;

		if (lane >= operand->lanes || mask >> lane ||
		    (next->address - first->address) % operand->size)
			break;
		mask |= UINT64_C(1) << lane;
		cursor->used++;
	}
	add_extra(w, mask);
}

/* The lanes of a gather, scatter, or piece of a tile's rows. */
struct lanes {
	const struct data_record *at[TF_MAX_LANES];
	unsigned count;
	uint64_t base;
};

static int64_t distance(const struct tf_operand *operand, uint64_t from, uint64_t to)
{
	return operand->flags & TF_ADDRESS32 ? (int32_t)(uint32_t)(to - from)
					     : (int64_t)(to - from);
}

/* Chooses a base from which the signed indices of all lanes fit in the index's bytes. */
static void choose_base(struct lanes *lanes, const struct tf_operand *operand)
{
	int64_t least = 0, most = 0;

	lanes->base = lanes->count ? lanes->at[0]->address : 0;
	for (unsigned i = 1; i < lanes->count; i++) {
		int64_t index = distance(operand, lanes->base, lanes->at[i]->address);

		least = index < least ? index : least;
		most = index > most ? index : most;
	}
	if (operand->index_size == 4 &&
	    (least / operand->scale < INT32_MIN || most / operand->scale > INT32_MAX))
		lanes->base += (uint64_t)least + ((uint64_t)operand->scale << 31);
}

static void take_lanes(struct work *w, const struct tf_operand *operand)
{
	unsigned n_words = (operand->lanes * operand->index_size + 7u) / 8;
	struct cursor *cursor = cursor_of(w, operand);
	uint8_t indices[8 * ISA_MAX_EXTRAS] = { 0 };
	struct lanes lanes = { .count = 0 };
	const struct data_record *record;
	bool is_uneven = false;

	while (lanes.count < operand->lanes && (record = peek(cursor)) &&
	       record->size == operand->size) {
		lanes.at[lanes.count++] = record;
		cursor->used++;
	}
	choose_base(&lanes, operand);
	for (unsigned i = 0; i < lanes.count; i++) {
		int64_t index = distance(operand, lanes.base, lanes.at[i]->address);

		is_uneven |= index % operand->scale != 0;
		index /= operand->scale;
		is_uneven |= operand->index_size == 4 && index != (int32_t)index;
		memcpy(indices + (size_t)i * operand->index_size, &index, operand->index_size);
	}
	w->lost[LOSS_PLACES] += is_uneven;
	add_address(w, lanes.base);
	add_extra(w, lanes.count ? all_lanes(lanes.count) : 0);
	for (unsigned i = 0; i < n_words && w->addresses; i++) {
		uint64_t word;

		memcpy(&word, indices + 8 * (size_t)i, sizeof(word));
		add_extra(w, word);
	}
}

/* ---- rep --------------------------------------------------------------------------------- */

static uint64_t repetitions(const struct data_records *data, unsigned loads, unsigned stores,
			    bool addresses)
{
	uint64_t by_loads = loads ? data->reads.count / loads : 0;
	uint64_t by_stores = stores ? data->writes.count / stores : 0;
	uint64_t done = by_loads > by_stores ? by_loads : by_stores;

	return data->fetches > 1 || !addresses ? data->fetches : done;
}

static void take_rep(struct work *w, const struct code_insn *insn,
		     const struct tf_operand *operands, const struct data_records *data)
{
	unsigned loads = 0, stores = 0;
	uint64_t done, flags = 0;

	for (unsigned i = 0; i < insn->n_operands; i++) {
		loads += operands[i].access == TF_LOAD;
		stores += operands[i].access == TF_STORE;
	}
	done = repetitions(data, loads, stores, w->addresses);
	w->lost[LOSS_PLACES] += w->addresses && (data->reads.count != loads * done ||
						 data->writes.count != stores * done);
	for (unsigned i = 0; i < insn->n_operands; i++) {
		bool is_load = operands[i].access == TF_LOAD;
		struct cursor *cursor = is_load ? &w->reads : &w->writes;
		const struct data_record *first = take(cursor);
		unsigned ahead = is_load ? loads : stores;

		add_address(w, first ? first->address : 0);
		if (first && cursor->list->count > ahead && first[ahead].address < first->address)
			flags |= TF_REP_DOWN;
	}
	w->reads.used = w->reads.list->count;
	w->writes.used = w->writes.list->count;
	if (data->interrupted)
		flags |= TF_REP_INTERRUPTED;
	add_extra(w, done + data->interrupted);
	add_extra(w, done);
	/* Repne cmps and scas are taken to have ended by a match, repe ones by a mismatch. */
	if (done && memchr(insn->key.code, REPNE, insn->key.length))
		flags |= TF_REP_ZF;
	add_extra(w, flags);
}

/* ------------------------------------------------------------------------------------------ */

static bool take_operand(struct work *w, const struct tf_operand *operand)
{
	switch (operand->form) {
	case TF_PLAIN: return take_plain(w, operand);
	case TF_SIZED: return take_sized(w, operand);
	case TF_MASKED: take_masked(w, operand); return true;
	default: take_lanes(w, operand); return true;
	}
}

/* Makes the values of an operand without records: all lanes, no bytes. */
static void assume_operand(struct work *w, const struct tf_operand *operand)
{
	if (operand->form == TF_SIZED)
		add_extra(w, 0);
	else if (operand->form != TF_PLAIN)
		add_extra(w, all_lanes(operand->lanes));
}

static void count_surplus(struct work *w)
{
	w->lost[LOSS_SURPLUS] += w->reads.list->count - w->reads.used;
	w->lost[LOSS_SURPLUS] += w->writes.list->count - w->writes.used;
	w->lost[LOSS_SURPLUS] += w->prefetches.list->count - w->prefetches.used;
}

void drmemtrace_values(const struct import_job *job, const struct code_insn *insn,
		       const struct data_records *data, struct insn_values *values,
		       uint64_t lost[N_IMPORT_LOSSES])
{
	const struct tf_operand *operands = job->code.operands.at + insn->operands;
	uint64_t extras[ISA_MAX_VALUES];
	struct work w = { .addresses = job->code.addresses,
			  .extras = extras,
			  .reads = { &data->reads, 0 },
			  .writes = { &data->writes, 0 },
			  .prefetches = { &data->prefetches, 0 },
			  .values = values,
			  .lost = lost };

	values->n_addresses = 0;
	values->absent = 0;
	if (insn->flags & TF_INSN_REP && insn->n_operands)
		take_rep(&w, insn, operands, data);
	else
		for (unsigned i = 0; i < insn->n_operands; i++) {
			if (!w.addresses)
				assume_operand(&w, &operands[i]);
			else if (!take_operand(&w, &operands[i]))
				values->absent |= (uint8_t)(1u << i);
		}
	lost[LOSS_MISSING] += (unsigned)__builtin_popcount(values->absent);
	count_surplus(&w);
	values->n_extras = w.n_extras;
	memcpy(values->values + values->n_addresses, extras, w.n_extras * sizeof(*extras));
}
