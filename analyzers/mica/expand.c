/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/expand.h"

static struct mica_event *next_event(struct mica_expander *x)
{
	if (x->count == sizeof(x->events) / sizeof(x->events[0])) {
		x->consume(x->opaque, x->events, x->count);
		x->count = 0;
	}
	return &x->events[x->count++];
}

/* Gets the first access of an operand of any form. Returns false if there is none. */
static bool first_access(const struct tf_block *block, int operand, const uint64_t *values,
			 uint64_t *address, uint32_t *size)
{
	const struct tf_operand *o = &block->operands[operand];
	struct tf_accesses it;

	*address = values[operand];
	*size = mica_operand_size(o);
	if (o->form == TF_SIZED)
		*size = values[o->extra];
	if (o->form != TF_LANES)
		return true;
	tf_accesses_begin(&it, o, block, values);
	if (!tf_accesses_next(&it))
		return false;
	*address = it.address;
	return true;
}

/* Fills in the accesses of an instruction, whose memory operands may have any form. */
static void fill_accesses(struct mica_event *event, const struct mica_insn *insn,
			  const struct tf_block *block, const uint64_t *values)
{
	uint64_t address;
	uint32_t size;

	event->n_reads = event->n_writes = 0;
	if (!values)
		return;
	for (int i = 0; i < 2 && insn->read[i] != MICA_NO_OPERAND; i++) {
		if (!first_access(block, insn->read[i], values, &address, &size))
			continue;
		if (!event->n_reads)
			event->read_size = size;
		event->read[event->n_reads++] = address + event->space;
	}
	if (insn->write != MICA_NO_OPERAND &&
	    first_access(block, insn->write, values, &address, &event->write_size)) {
		event->write = address + event->space;
		event->n_writes = 1;
	}
}

/*
 * Hands on the executions of a rep instruction. extras: count before, repetitions done, enum
 * tf_rep.
 */
static void expand_rep(struct mica_expander *x, const struct mica_insn *insn,
		       const struct tf_block *block, const uint64_t *values, const uint64_t *extras)
{
	struct mica_event first = { .insn = insn, .space = x->space };
	uint64_t n = extras[1] ? extras[1] : 1;
	bool down = extras[2] & TF_REP_DOWN;

	fill_accesses(&first, insn, block, values);
	for (uint64_t i = 0; i < n; i++) {
		struct mica_event *event = next_event(x);
		uint64_t reads = i * first.read_size, writes = i * first.write_size;

		*event = first;
		event->counts = i == 0 && extras[0] != 0;
		event->read[0] += down ? -reads : reads;
		event->read[1] += down ? -reads : reads;
		event->write += down ? -writes : writes;
	}
}

static void expand_odd(struct mica_expander *x, const struct mica_insn *insn,
		       const struct tf_block *block, unsigned index, const uint64_t *values,
		       const uint64_t **repetitions)
{
	static const uint64_t once[3] = { 1, 1, 0 };
	const struct tf_insn *of_block = &block->insns[index];
	const uint64_t *extras = once;

	if (of_block->flags & TF_INSN_REP && of_block->n_operands) { /* it has extras */
		if (values)
			extras = values + block->operands[of_block->first_operand].extra;
		else if (*repetitions)
			extras = *repetitions, *repetitions += 3;
		expand_rep(x, insn, block, values, extras);
		return;
	}
	struct mica_event *event = next_event(x);

	*event = (struct mica_event){ .insn = insn, .space = x->space, .counts = true };
	fill_accesses(event, insn, block, values);
}

/*
 * Hands on the executions of a block. repetitions: those of its rep instructions, moved on; NULL if
 * they are in values, or not known.
 */
static void expand_block(struct mica_expander *x, const struct tf_block *block, unsigned executed,
			 bool taken, const uint64_t *values, const uint64_t **repetitions)
{
	const struct mica_insn *insns = x->code->insns + x->code->first[block->id];

	for (unsigned i = 0; i < executed; i++)
		if (insns[i].plain)
			mica_plain_event(next_event(x), &insns[i], values, x->space);
		else
			expand_odd(x, &insns[i], block, i, values, repetitions);
	if (executed == block->n_insns)
		x->events[x->count - 1].taken = taken;
}

/* Hands on the executions of a path. values: the path's, or NULL. */
static void expand_path(struct mica_expander *x, const struct tf_path_exec *exec,
			const uint64_t *values, const uint64_t **repetitions)
{
	const struct tf_reader *reader = x->code->reader;
	struct tf_exit_info exit;

	if (!tf_exit(reader, exec->exit, &exit))
		return;
	for (uint32_t i = 0, left = exec->executed; left; i++) {
		const struct tf_block *block = tf_block(reader, exit.path->blocks[i]);
		uint32_t n = left < block->n_insns ? left : block->n_insns;

		left -= n;
		expand_block(x, block, n, tf_block_outcome(&exit, i, left) == TF_TAKEN, values,
			     repetitions);
		if (values)
			values += block->n_values;
	}
}

/* ---- items ------------------------------------------------------------------------------- */

static void flush(struct mica_expander *x)
{
	if (x->count)
		x->consume(x->opaque, x->events, x->count);
	x->count = 0;
}

static void hand_on_superblock(struct mica_expander *x, const struct mica_superblock *superblock,
			       const uint64_t *values)
{
	flush(x);
	x->superblock(x->opaque, &(struct mica_superblock_exec){ superblock, values, x->space });
}

static void expand_paths(struct mica_expander *x, const struct tf_item *item)
{
	const uint64_t *repetitions = item->repetitions;
	const uint64_t *values = repetitions ? NULL : item->values;

	for (size_t i = 0; i < item->count; i++) {
		const struct mica_superblock *superblock =
			&x->code->superblocks[item->paths[i].exit];

		if (x->superblock && superblock->n_segments)
			hand_on_superblock(x, superblock, values);
		else
			expand_path(x, &item->paths[i], values, &repetitions);
		if (values)
			values += superblock->n_values;
	}
}

static void expand_blocks(struct mica_expander *x, const struct tf_item *item)
{
	const uint64_t *none = NULL;

	for (size_t i = 0; i < item->count; i++)
		expand_block(x, item->blocks[i].block, item->blocks[i].executed,
			     item->blocks[i].outcome == TF_TAKEN, item->blocks[i].values, &none);
}

void mica_expand(struct mica_expander *x, const struct tf_item *item)
{
	if (item->kind == TF_ITEM_PATHS)
		expand_paths(x, item);
	else
		expand_blocks(x, item);
	flush(x);
}
