/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/expand.h"

#include <stdlib.h>

#include "analyzers/mica/analysis.h"

static struct mica_event *next_event(struct mica_expander *x)
{
	if (x->count == sizeof(x->events) / sizeof(x->events[0])) {
		x->consume(x->opaque, x->events, x->count);
		x->count = 0;
	}
	return &x->events[x->count++];
}

/* The first access of an operand of any form. Returns false if there is none. */
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

/* One execution; of an instruction with memory operands of odd form, perhaps. */
static void fill_accesses(struct mica_event *event, const struct mica_insn *insn,
			  const struct tf_block *block, const uint64_t *values)
{
	uint32_t size;

	event->n_reads = event->n_writes = 0;
	if (!values)
		return;
	for (int i = 0; i < 2 && insn->read[i] != MICA_NO_OPERAND; i++) {
		if (!first_access(block, insn->read[i], values, &event->read[event->n_reads],
				  &size))
			continue;
		if (!event->n_reads++)
			event->read_size = size;
	}
	if (insn->write != MICA_NO_OPERAND &&
	    first_access(block, insn->write, values, &event->write, &event->write_size))
		event->n_writes = 1;
}

/* extras: count before, repetitions done, enum tf_rep. */
static void expand_rep(struct mica_expander *x, const struct mica_insn *insn,
		       const struct tf_block *block, const uint64_t *values, const uint64_t *extras)
{
	struct mica_event first = { .insn = insn };
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

	if (of_block->flags & TF_INSN_REP) {
		if (values)
			extras = values + block->operands[of_block->first_operand].extra;
		else if (*repetitions)
			extras = *repetitions, *repetitions += 3;
		expand_rep(x, insn, block, values, extras);
		return;
	}
	struct mica_event *event = next_event(x);

	*event = (struct mica_event){ .insn = insn, .counts = true };
	fill_accesses(event, insn, block, values);
}

static void flush(struct mica_expander *x)
{
	if (x->count)
		x->consume(x->opaque, x->events, x->count);
	x->count = 0;
}

static void hand_on_stretch(struct mica_expander *x, uint32_t index, unsigned count, bool taken,
			    const uint64_t *values, uint32_t first_access, uint32_t n_accesses)
{
	flush(x);
	x->stretch(x->opaque, &(struct mica_stretch){
		.insns = x->code->insns + index, .index = index, .count = count,
		.taken = taken, .times = x->times ? x->times : 1, .values = values,
		.accesses = x->code->accesses + first_access,
		.n_accesses = values ? n_accesses : 0,
	});
}

static void expand_plain(struct mica_expander *x, const struct mica_insn *insns, unsigned count,
			 bool taken, const uint64_t *values)
{
	if (x->stretch) {
		uint32_t first_access = insns->first_access;

		hand_on_stretch(x, insns->index, count, taken, values, first_access,
				insns[count].first_access - first_access);
		return;
	}
	for (unsigned i = 0; i < count; i++)
		mica_plain_event(next_event(x), &insns[i], values);
	x->events[x->count - 1].taken = taken;
}

/* repetitions: of its rep instructions, moved on; NULL if values has them or nothing does. */
static void expand_block(struct mica_expander *x, const struct tf_block *block, unsigned executed,
			 bool taken, const uint64_t *values, const uint64_t **repetitions)
{
	const struct mica_block *of = &x->code->blocks[block->id];
	const struct mica_insn *insns = x->code->insns + of->first;

	if (executed == of->n_plain && x->stretch) {
		hand_on_stretch(x, of->first, executed, taken, values, of->first_access,
				of->n_accesses);
		return;
	}
	for (unsigned i = 0; i < executed; ) {
		unsigned n = insns[i].n_plain, left = executed - i;

		if (n) {
			n = n < left ? n : left;
			expand_plain(x, insns + i, n, taken && i + n == block->n_insns, values);
			i += n;
		} else {
			expand_odd(x, insns + i, block, i, values, repetitions);
			i++;
		}
	}
}

static void expand_path(struct mica_expander *x, const struct tf_path_exec *exec,
			const uint64_t **repetitions)
{
	uint32_t left = exec->executed;
	struct tf_exit_info exit;

	if (!tf_exit(x->code->reader, exec->exit, &exit))
		return;
	for (size_t i = 0; i < exit.path->n_blocks && left; i++) {
		const struct tf_block *block = tf_block(x->code->reader, exit.path->blocks[i]);
		uint32_t executed = left < block->n_insns ? left : block->n_insns;
		bool taken = exit.outcome == TF_TAKEN;

		left -= executed;
		if (left)
			taken = tf_block(x->code->reader, exit.path->blocks[i + 1])->pc !=
				block->pc + block->code_size;
		expand_block(x, block, executed, taken, NULL, repetitions);
	}
}

/* ---- executions that may wait ------------------------------------------------------------ */

/* Executions of a path that leave it by one exit. */
struct mica_exit_count {
	uint64_t times;		/* those that wait */
	enum { UNKNOWN, SAME, VARYING } kind;	/* SAME: all are the same */
};

void mica_expand_unordered(struct mica_expander *x)
{
	x->exits = mica_alloc(tf_n_exits(x->code->reader), sizeof(*x->exits));
}

void mica_expander_free(struct mica_expander *x)
{
	free(x->exits);
}

static bool all_plain(const struct mica_code *code, const struct tf_exit_info *exit)
{
	for (unsigned i = 0; i < exit->n_blocks; i++) {
		uint32_t id = exit->path->blocks[i];

		if (!code->blocks[id].n_plain)
			return false;
	}
	return exit->outcome != TF_PARTIAL;
}

/* Whether the execution waits. */
static inline bool keep(struct mica_expander *x, uint32_t id)
{
	struct mica_exit_count *count = &x->exits[id];
	struct tf_exit_info exit;

	if (count->kind == UNKNOWN)
		count->kind = tf_exit(x->code->reader, id, &exit) && all_plain(x->code, &exit) ?
			      SAME : VARYING;
	count->times += count->kind == SAME;
	return count->kind == SAME;
}

void mica_expand_rest(struct mica_expander *x)
{
	uint32_t n = x->exits ? tf_n_exits(x->code->reader) : 0;
	const uint64_t *none = NULL;
	struct tf_exit_info exit;

	for (uint32_t id = 0; id < n; id++) {
		x->times = x->exits[id].times;
		x->exits[id].times = 0;
		if (x->times && tf_exit(x->code->reader, id, &exit))
			expand_path(x, &(struct tf_path_exec){ id, exit.n_insns }, &none);
	}
	x->times = 0;
}

/* ---- items ------------------------------------------------------------------------------- */

static void expand_paths(struct mica_expander *x, const struct tf_item *item)
{
	const uint64_t *repetitions = item->repetitions;

	for (size_t i = 0; i < item->count; i++)
		if (!x->exits || !keep(x, item->paths[i].exit))
			expand_path(x, &item->paths[i], &repetitions);
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
