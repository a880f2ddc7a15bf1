/* SPDX-License-Identifier: MIT */
/* Files of pieces. */
#include "analyzers/bbv/internal.h"
#include "analyzers/bbv/set.h"
#include "cli/common/checked.h"

enum { BEHIND = 1 }; /* what an index is saved more than it is, so that TF_NONE is 0 */

/* ---- saving ------------------------------------------------------------------------------- */

static void put_index_of(struct state_writer *writer, uint32_t index)
{
	analyzer_put(writer, (uint32_t)(index + BEHIND));
}

static void save_ids(const struct bbv *bbv, struct state_writer *writer)
{
	analyzer_put(writer, bbv_count(bbv));
	for (uint32_t id = 1; id <= bbv_count(bbv); id++) {
		const struct bbv_start *start = bbv_start(bbv, id);

		put_index_of(writer, start->module);
		analyzer_put(writer, start->pc);
		analyzer_put(writer, start->module_offset);
	}
}

static void save_head(const struct bbv *bbv, struct state_writer *writer)
{
	analyzer_put(writer, bbv->head.count);
	for (size_t i = 0; i < bbv->head.count; i++) {
		const struct head_item *item = &bbv->head.at[i];

		analyzer_put(writer, item->thread);
		analyzer_put(writer, item->n_ids);
		analyzer_put(writer, item->kind);
		analyzer_put(writer, item->ordinal);
		analyzer_put(writer, item->value);
		analyzer_put(writer, item->executed);
		analyzer_put(writer, item->taken);
		analyzer_put(writer, item->has_extras);
		analyzer_put_all(writer, bbv->extras.at + item->first_extra, item->n_extras);
	}
}

static void save_intervals(const struct bbv_thread *t, struct state_writer *writer)
{
	analyzer_put(writer, t->totals.intervals);
	analyzer_put(writer, t->kept.count);
	for (size_t i = 0; i < t->kept.count; i++) {
		struct span counts = bbv_kept_counts(t, i);

		analyzer_put(writer, t->kept.at[i].accesses);
		analyzer_put(writer, t->kept.at[i].n);
		while (span_left(&counts))
			analyzer_put(writer, take_varint(&counts));
	}
	analyzer_put(writer, t->accesses);
	analyzer_put(writer, t->touched.count);
	for (size_t i = 0; i < t->touched.count; i++) {
		analyzer_put(writer, t->touched.at[i]);
		analyzer_put(writer, t->counts.at[t->touched.at[i]]);
	}
}

static void save_end(const struct bbv_thread *t, struct state_writer *writer)
{
	analyzer_put(writer, t->current);
	analyzer_put(writer, t->has);
	analyzer_put(writer, t->may_have);
	analyzer_put(writer, t->next_pc);
	put_index_of(writer, t->rest ? t->rest->id : TF_NONE);
	analyzer_put(writer, t->rest_index);
	analyzer_put(writer, t->rep);
	analyzer_put(writer, t->last_rep);
	analyzer_put(writer, t->restored);
	analyzer_put(writer, t->marks.count - t->next_mark);
	for (size_t i = t->next_mark; i < t->marks.count; i++) {
		analyzer_put(writer, t->marks.at[i].ordinal);
		analyzer_put(writer, t->marks.at[i].cut);
	}
}

static void save_thread(struct bbv_thread *t, struct state_writer *writer)
{
	bbv_expand_exits(t);
	analyzer_put(writer, t->assumed);
	analyzer_put(writer, t->length);
	analyzer_put(writer, t->totals.instructions);
	analyzer_put(writer, t->totals.reps);
	analyzer_put(writer, t->totals.repetitions);
	analyzer_put(writer, t->totals.fldcw);
	save_intervals(t, writer);
	save_end(t, writer);
	analyzer_put(writer, t->ends.count);
	for (size_t i = 0; i < t->ends.count; i++) {
		analyzer_put(writer, t->ends.at[i].key.ordinal);
		analyzer_put(writer, t->ends.at[i].instructions);
	}
}

void bbv_set_save(struct bbv_set *set, struct state_writer *writer)
{
	for (uint32_t i = 0; i < set->n_processes; i++) {
		analyzer_put(writer, set->processes[i] != NULL);
		if (!set->processes[i])
			continue;
		save_ids(set->processes[i], writer);
		save_head(set->processes[i], writer);
	}
	for (uint32_t i = 0; i < set->n_threads; i++) {
		bool counted = set->threads[i] && !set->threads[i]->in_head;

		analyzer_put(writer, counted);
		if (counted)
			save_thread(set->threads[i], writer);
	}
}

/* ---- loading ------------------------------------------------------------------------------ */

/* Takes a number of things, each of which has `numbers` numbers. */
static uint64_t take_count(struct state_reader *reader, unsigned numbers)
{
	return analyzer_take_max(reader, analyzer_left(reader) / numbers);
}

static uint32_t take_u32(struct state_reader *reader)
{
	return (uint32_t)analyzer_take_max(reader, UINT32_MAX);
}

static uint32_t take_index_of(struct state_reader *reader)
{
	return take_u32(reader) - BEHIND;
}

static bool load_ids(const struct bbv_set *set, struct bbv *bbv, struct state_reader *reader)
{
	uint64_t n = take_count(reader, 3);

	for (uint64_t i = 0; i < n; i++) {
		struct bbv_start start = { .module = take_index_of(reader) };

		start.pc = analyzer_take(reader);
		start.module_offset = analyzer_take(reader);
		if (start.module != TF_NONE && start.module != BBV_MEMORY &&
		    !tf_module(set->reader, start.module))
			return false;
		if (bbv_id(&bbv->ids, start) != i + 1)
			return false;
	}
	return bbv_count(bbv) == n;
}

/* Takes the rest of an item. */
static bool load_item(const struct bbv_set *set, struct bbv *bbv, struct head_item *item,
		      struct state_reader *reader)
{
	const struct tf_block *block;

	if (item->thread >= set->n_threads || set->processes[set->process_of[item->thread]] != bbv)
		return false;
	if (item->kind == HEAD_ACCESSES)
		return item->value <= UINT32_MAX;
	if (item->kind != HEAD_BLOCK)
		return true;
	block = item->value < tf_n_blocks(set->reader)
			? tf_block(set->reader, (uint32_t)item->value)
			: NULL;
	if (!block || !item->executed || item->executed > block->n_insns)
		return false;
	item->first_extra = bbv->extras.count;
	item->n_extras = item->has_extras ? bbv_head_extras(bbv, block, item->executed) : 0;
	CHECKED_RESERVE(bbv->extras, bbv->extras.count + item->n_extras);
	analyzer_take_all(reader, bbv->extras.at + bbv->extras.count, item->n_extras);
	bbv->extras.count += item->n_extras;
	return true;
}

static bool load_head(const struct bbv_set *set, struct bbv *bbv, struct state_reader *reader)
{
	uint64_t n = take_count(reader, 8), least = 0;

	for (uint64_t i = 0; i < n; i++) {
		struct head_item item = { .thread = take_u32(reader) };

		item.n_ids = (uint32_t)analyzer_take_max(reader, bbv_count(bbv));
		item.kind = (enum head_kind)analyzer_take_max(reader, HEAD_ACCESSES);
		item.ordinal = analyzer_take(reader);
		item.value = analyzer_take(reader);
		item.executed = take_u32(reader);
		item.taken = analyzer_take_max(reader, 1);
		item.has_extras = analyzer_take_max(reader, 1);
		if (item.n_ids < least || !load_item(set, bbv, &item, reader))
			return false;
		least = item.n_ids;
		CHECKED_RESERVE(bbv->head, bbv->head.count + 1);
		bbv->head.at[bbv->head.count++] = item;
	}
	return true;
}

static uint32_t take_id(const struct bbv_thread *t, struct state_reader *reader)
{
	return (uint32_t)analyzer_take_max(reader, bbv_count(t->bbv));
}

static bool load_kept(struct bbv_thread *t, struct state_reader *reader)
{
	uint64_t n = take_count(reader, 2);

	for (uint64_t i = 0; i < n; i++) {
		uint64_t n_counts;

		bbv_begin_kept(t, analyzer_take(reader));
		n_counts = take_count(reader, 2);
		for (uint64_t k = 0; k < n_counts; k++) {
			uint32_t id = take_id(t, reader);
			uint64_t count = analyzer_take(reader);

			if (!id || !count)
				return false;
			bbv_keep_count(t, id, count);
		}
	}
	return t->counts_only ? !n : t->totals.intervals == n;
}

static bool load_intervals(struct bbv_thread *t, struct state_reader *reader)
{
	t->totals.intervals = analyzer_take(reader);
	if (!load_kept(t, reader))
		return false;
	t->accesses = analyzer_take(reader);

	uint64_t n = take_count(reader, 2);

	for (uint64_t i = 0; i < n; i++) {
		uint32_t id = take_id(t, reader);
		uint64_t count = analyzer_take(reader);

		if (!id || !count || !bbv_add_some(t, id, count))
			return false;
	}
	return true;
}

static bool load_marks(struct bbv_thread *t, struct state_reader *reader)
{
	uint64_t n = take_count(reader, 2);

	CHECKED_RESERVE(t->marks, n);
	for (uint64_t i = 0; i < n; i++) {
		struct mark mark = { .ordinal = analyzer_take(reader) };

		mark.cut = analyzer_take_max(reader, 1);
		if (i && mark.ordinal < t->marks.at[i - 1].ordinal)
			return false;
		t->marks.at[t->marks.count++] = mark;
	}
	return true;
}

static bool load_end(const struct bbv_set *set, struct bbv_thread *t, struct state_reader *reader)
{
	uint32_t rest;

	t->current = take_id(t, reader);
	t->has = take_u32(reader);
	t->may_have = take_u32(reader);
	t->next_pc = analyzer_take(reader);
	rest = take_index_of(reader);
	t->rest = rest < tf_n_blocks(set->reader) ? tf_block(set->reader, rest) : NULL;
	t->rest_index = (unsigned)analyzer_take_max(reader, UINT16_MAX);
	t->rep = analyzer_take(reader);
	t->last_rep = analyzer_take(reader);
	t->restored = analyzer_take(reader);
	return load_marks(t, reader) && (!t->rest || t->rest_index < t->rest->n_insns) &&
	       (!t->current || t->has < t->may_have);
}

static bool load_thread(const struct bbv_set *set, struct bbv_thread *t,
			struct state_reader *reader)
{
	t->in_head = false;
	t->assumed = analyzer_take_max(reader, t->limit);
	t->length = analyzer_take_max(reader, INT64_MAX);
	t->totals.instructions = analyzer_take(reader);
	t->totals.reps = analyzer_take(reader);
	t->totals.repetitions = analyzer_take(reader);
	t->totals.fldcw = analyzer_take(reader);
	if (!load_intervals(t, reader) || !load_end(set, t, reader))
		return false;

	uint64_t n = take_count(reader, 2);

	CHECKED_RESERVE(t->ends, n);
	for (uint64_t i = 0; i < n; i++) {
		struct bbv_length end = { .key = { t->number, analyzer_take(reader) } };

		end.instructions = analyzer_take(reader);
		t->ends.at[t->ends.count++] = end;
	}
	return true;
}

static bool load_process(const struct bbv_set *set, struct bbv *bbv, struct state_reader *reader)
{
	return load_ids(set, bbv, reader) && load_head(set, bbv, reader);
}

bool bbv_set_load(struct bbv_set *set, struct state_reader *reader)
{
	for (uint32_t i = 0; i < set->n_processes; i++) {
		if (!analyzer_take_max(reader, 1))
			continue;
		set->processes[i] = bbv_new(&set->setup);
		if (!load_process(set, set->processes[i], reader))
			return false;
	}
	for (uint32_t i = 0; i < set->n_threads; i++)
		if (analyzer_take_max(reader, 1) &&
		    (!set->processes[set->process_of[i]] ||
		     !load_thread(set, bbv_set_thread(set, i), reader)))
			return false;
	return true;
}
