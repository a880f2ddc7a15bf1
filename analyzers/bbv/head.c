/* SPDX-License-Identifier: MIT */
/* The heads of threads: what happens before the first execution that ends a block by itself. */
#include "analyzers/bbv/internal.h"

#include "cli/common/checked.h"

static struct head_item *add_item(struct bbv_thread *t, enum head_kind kind, uint64_t ordinal)
{
	struct bbv *bbv = t->bbv;

	CHECKED_RESERVE(bbv->head, bbv->head.count + 1);
	bbv->head.at[bbv->head.count++] = (struct head_item){
		.thread = t->number,
		.n_ids = bbv_count(bbv),
		.kind = kind,
		.ordinal = ordinal,
		.first_extra = bbv->extras.count,
	};
	return &bbv->head.at[bbv->head.count - 1];
}

static void add_extras(struct bbv *bbv, const uint64_t *extras, size_t n)
{
	CHECKED_RESERVE(bbv->extras, bbv->extras.count + n);
	for (size_t i = 0; i < n; i++)
		bbv->extras.at[bbv->extras.count++] = extras[i];
}

/* ---- executions --------------------------------------------------------------------------- */

/* Returns true if an instruction is a rep with extras. */
static bool has_extras(const struct bbv *bbv, const struct tf_block *block, unsigned insn)
{
	struct bbv_special special;

	return bbv_classify(block, (uint16_t)insn, bbv->setup.rules, &special) &&
	       (special.kind == BBV_REP || special.kind == BBV_REP_LODS ||
		special.kind == BBV_REP_UNSEEN);
}

size_t bbv_head_extras(const struct bbv *bbv, const struct tf_block *block, unsigned executed)
{
	size_t n = 0;

	for (unsigned i = 0; i < executed; i++)
		n += has_extras(bbv, block, i) ? 3 : 0;
	return n;
}

/* Adds an execution. Returns true if a block ends with it, whatever came before. */
static bool add_block(struct bbv_thread *t, const struct tf_block *block, unsigned executed,
		      bool taken, struct extras extras, uint64_t ordinal)
{
	struct head_item *item = add_item(t, HEAD_BLOCK, ordinal);
	enum bbv_rules rules = t->bbv->setup.rules;

	item->value = block->id;
	item->executed = executed;
	item->taken = taken;
	item->has_extras = extras.values || extras.queue;
	for (unsigned i = 0; i < executed && item->has_extras; i++)
		if (has_extras(t->bbv, block, i))
			add_extras(t->bbv, bbv_extras_of(block, &block->insns[i], extras), 3);
	item->n_extras = t->bbv->extras.count - item->first_extra;
	return executed == block->n_insns && (taken || bbv_block_ends(block, rules)) &&
	       !has_extras(t->bbv, block, executed - 1) && t->head_mark <= ordinal + executed;
}

/* Ends the head behind an execution of a block. */
static void end_head(struct bbv_thread *t, const struct tf_block *block, uint64_t ordinal)
{
	uint64_t before = bbv_length_at(t->lengths, t->number, ordinal);

	t->in_head = false;
	t->next_pc = block->pc + block->code_size;
	t->length = t->assumed = bbv_length_behind(t, before);
	CHECKED_RESERVE(t->ends, 1);
	t->ends.at[t->ends.count++] = (struct bbv_length){ .key = { t->number, ordinal } };
}

void bbv_head_block(struct bbv_thread *t, const struct tf_block_exec *exec, uint64_t ordinal)
{
	if (add_block(t, exec->block, exec->executed, exec->outcome == TF_TAKEN,
		      (struct extras){ .values = exec->values }, ordinal))
		end_head(t, exec->block, ordinal + exec->executed);
}

static void add_path(struct bbv_thread *t, const struct tf_reader *reader,
		     const struct tf_path_exec *exec, struct extras extras, uint64_t ordinal)
{
	const struct tf_block *block = NULL;
	struct tf_exit_info info;
	bool ends = false;

	tf_exit(reader, exec->exit, &info);
	for (uint32_t i = 0, left = exec->executed; left; i++) {
		block = tf_block(reader, info.path->blocks[i]);
		uint32_t n = left < block->n_insns ? left : block->n_insns;

		left -= n;
		ends = add_block(t, block, n, tf_block_outcome(&info, i, left) == TF_TAKEN, extras,
				 ordinal);
		ordinal += n;
	}
	if (ends)
		end_head(t, block, ordinal);
}

size_t bbv_head_paths(struct bbv_thread *t, const struct tf_reader *reader,
		      const struct tf_item *item, const uint64_t **extras, uint64_t *ordinal)
{
	size_t i;

	for (i = 0; i < item->count && t->in_head; i++) {
		add_path(t, reader, &item->paths[i],
			 (struct extras){ .queue = item->repetitions ? extras : NULL }, *ordinal);
		*ordinal += item->paths[i].executed;
	}
	return i;
}

/* ---- events ------------------------------------------------------------------------------- */

void bbv_head_event(struct bbv_thread *t, enum head_kind kind, uint64_t ordinal, uint64_t value)
{
	add_item(t, kind, ordinal)->value = value;
	if (kind == HEAD_CUT || kind == HEAD_CONTROL_WORD)
		t->head_mark = ordinal + 1;
}

/* ---- merging ------------------------------------------------------------------------------ */

void bbv_head_copy(struct bbv_thread *t, const struct bbv *from, const struct head_item *item)
{
	struct head_item *copy = add_item(t, item->kind, item->ordinal);

	copy->value = item->value;
	copy->executed = item->executed;
	copy->taken = item->taken;
	copy->has_extras = item->has_extras;
	add_extras(t->bbv, from->extras.at + item->first_extra, item->n_extras);
	copy->n_extras = item->n_extras;
}

void bbv_head_count(struct bbv_thread *t, const struct tf_reader *reader, const struct bbv *from,
		    const struct head_item *item)
{
	const uint64_t *extras = from->extras.at + item->first_extra;

	switch (item->kind) {
	case HEAD_BLOCK:
		bbv_count_block(t, tf_block(reader, (uint32_t)item->value), item->executed,
				item->taken,
				(struct extras){ .queue = item->has_extras ? &extras : NULL },
				item->ordinal);
		break;
	case HEAD_FAULT: bbv_fault(t, item->ordinal); break;
	case HEAD_CONTROL_WORD:
		bbv_control_word(t, item->ordinal, (uint32_t)(item->value >> 32),
				 (uint32_t)item->value);
		break;
	case HEAD_CUT: bbv_cut(t, item->ordinal); break;
	case HEAD_ACCESSES: bbv_access(t, item->ordinal, item->value); break;
	}
}
