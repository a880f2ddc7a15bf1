/* SPDX-License-Identifier: MIT */
/*
 * An instruction is visited when its successor is known, so each is held until the next one has
 * been read. Events between the two say whether control went from one to the other: after a
 * signal with a handler, the next instruction is the handler's, and the event has the interrupted
 * place.
 */
#include "cli/export/linear.h"

#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"

struct linear {
	const struct linear_visitor *visitor;
	uint32_t region;
	uint64_t first, stop; /* instructions before and from there are left out */
	uint64_t position;    /* ordinal of the instruction that comes next */
	bool inside;          /* of the region */
	struct linear_insn held;
	bool holds;
	bool outcome_known; /* of the held one, if it is a conditional branch */
	bool stopped;       /* the visitor wants no more */
	bool interrupted;   /* by a signal behind the held one */
	uint64_t interrupted_pc;
	ARRAY(uint64_t) values;         /* of the held instruction, when its batch is gone */
	ARRAY(struct tf_event) pending; /* events behind the held instruction */
	ARRAY(struct tf_event) within;  /* events inside of the next block execution */
};

/* Sets what the successor tells of a conditional branch whose outcome is not recorded. */
static void set_outcome(struct linear_insn *insn)
{
	if (insn->end == TF_END_CONDITIONAL && insn->next)
		insn->taken = insn->next != insn->pc + insn->insn->length;
}

/* Sets what the successor tells of the held instruction. */
static void set_next(struct linear *l, uint64_t next)
{
	l->held.next = l->interrupted ? l->interrupted_pc : next;
	if (!l->outcome_known)
		set_outcome(&l->held);
	l->interrupted = false;
}

static void visit_held(struct linear *l, uint64_t next)
{
	const struct linear_visitor *to = l->visitor;

	if (!l->holds || l->stopped)
		return;
	set_next(l, next);
	l->stopped = !to->insn(to->opaque, &l->held);
	l->holds = false;
	for (size_t i = 0; i < l->pending.count && !l->stopped; i++)
		to->event(to->opaque, &l->pending.at[i]);
	l->pending.count = 0;
}

/* Ends what is known about the successor of the held instruction. */
static void lose_track(struct linear *l)
{
	if (l->holds)
		l->held.broken = true;
	visit_held(l, 0);
}

static bool is_always_taken(uint8_t end)
{
	return end >= TF_END_JUMP && end <= TF_END_RETURN;
}

/* Sets what an execution of a block tells of an instruction that it goes on from. */
static inline void describe(struct linear_insn *to, const struct tf_block_exec *exec,
			    unsigned index, uint64_t ordinal)
{
	const struct tf_block *block = exec->block;

	to->block = block;
	to->insn = &block->insns[index];
	to->values = exec->values;
	to->code = block->code + to->insn->offset;
	to->ordinal = ordinal;
	to->pc = block->pc + to->insn->offset;
	to->index = (uint16_t)index;
	to->end = TF_END_NONE;
	to->taken = to->broken = false;
}

/* Holds the last instruction of a run. If it is the execution's last one, its outcome is known. */
static void hold(struct linear *l, const struct tf_block_exec *exec, unsigned index,
		 uint64_t ordinal)
{
	struct linear_insn *held = &l->held;
	bool is_last = index + 1u == exec->executed;

	describe(held, exec, index, ordinal);
	held->next = 0;
	if (index + 1u == exec->block->n_insns)
		held->end = exec->block->end;
	held->taken = is_always_taken(held->end) ||
		      (held->end == TF_END_CONDITIONAL && is_last && exec->outcome == TF_TAKEN);
	l->outcome_known = !is_last || exec->outcome != TF_PARTIAL;
	l->holds = true;
}

/* Passes the instructions of a block before its last one on as a whole. Returns false if not. */
static bool visit_block(const struct linear *l, const struct tf_block_exec *exec, unsigned from,
			unsigned to, uint64_t ordinal)
{
	const struct linear_visitor *visitor = l->visitor;

	return visitor->block && from == 0 && to > 1 && to == exec->block->n_insns && !l->stopped &&
	       visitor->block(visitor->opaque, exec->block, exec->values, ordinal);
}

/* Visits the held instruction, now that its successor is known. ordinal: of the execution. */
static void meet_successor(struct linear *l, const struct tf_block_exec *exec, unsigned index,
			   uint64_t ordinal)
{
	if (l->holds && ordinal + index != l->held.ordinal + 1)
		lose_track(l);
	visit_held(l, exec->block->pc + exec->block->insns[index].offset);
}

/*
 * Visits the instructions from `from` up to before `to` of an execution, and holds the last one.
 * ordinal: of the execution's first instruction.
 */
static void take_insns(struct linear *l, const struct tf_block_exec *exec, unsigned from,
		       unsigned to, uint64_t ordinal)
{
	const struct linear_visitor visitor = *l->visitor;
	struct linear_insn insn;

	meet_successor(l, exec, from, ordinal);
	if (visit_block(l, exec, from, to, ordinal))
		from = to - 1;
	for (unsigned i = from; i + 1 < to && !l->stopped; i++) {
		describe(&insn, exec, i, ordinal + i);
		insn.next = exec->block->pc + exec->block->insns[i + 1].offset;
		l->stopped = !visitor.insn(visitor.opaque, &insn);
	}
	if (!l->stopped)
		hold(l, exec, to - 1, ordinal + to - 1);
}

/* Passes an event on, behind the held instruction, whose visit has to wait. */
static void pass_on(struct linear *l, const struct tf_event *event)
{
	if (!l->visitor->event || l->stopped)
		return;
	if (!l->holds) {
		l->visitor->event(l->visitor->opaque, event);
		return;
	}
	CHECKED_RESERVE(l->pending, l->pending.count + 1);
	l->pending.at[l->pending.count++] = *event;
}

/* Follows what an event tells about the successor of the held instruction. */
static void follow_event(struct linear *l, const struct tf_event *event)
{
	switch (event->kind) {
	case TF_EVENT_SIGNAL:
		if (!event->signal.handler || !l->holds)
			return;
		if (!l->held.broken) {
			l->interrupted = true;
			l->interrupted_pc = event->signal.pc;
		}
		l->held.broken = true;
		break;
	case TF_EVENT_SIGRETURN:
		if (l->holds)
			l->held.broken = true;
		break;
	case TF_EVENT_EXEC:
	case TF_EVENT_GAP: lose_track(l); break;
	default: break;
	}
}

/* The successor of a region's last instruction is not told, because the region may begin again. */
static void leave_region(struct linear *l)
{
	lose_track(l);
	l->inside = false;
}

static void take_event(struct linear *l, const struct tf_event *event)
{
	bool of_region = l->region != TF_NONE && event->region.index == l->region;

	if (of_region && event->kind == TF_EVENT_REGION_BEGIN)
		l->inside = true;
	else if (of_region && event->kind == TF_EVENT_REGION_END)
		leave_region(l);
	if (!l->inside || event->ordinal < l->first)
		return;
	follow_event(l, event);
	if (event->ordinal < l->stop)
		pass_on(l, event);
}

/* Copies the values of the held instruction, whose batch ends. */
static void keep_values(struct linear *l)
{
	size_t n = l->held.block ? l->held.block->n_values : 0;

	if (!l->holds || !l->held.values || l->held.values == l->values.at)
		return;
	CHECKED_RESERVE(l->values, n + 1);
	memcpy(l->values.at, l->held.values, n * sizeof(*l->values.at));
	l->held.values = l->values.at;
}

/* Takes an event of the cursor: now, or inside of the execution that follows. */
static void meet_event(struct linear *l, const struct tf_event *event)
{
	struct tf_event copy = *event;

	copy.payload = NULL;
	copy.payload_size = 0;
	if (copy.kind == TF_EVENT_EXEC)
		copy.exec.path = NULL;
	if (copy.ordinal <= l->position && !l->within.count) {
		take_event(l, &copy);
		return;
	}
	CHECKED_RESERVE(l->within, l->within.count + 1);
	l->within.at[l->within.count++] = copy;
}

/*
 * Takes the part of an execution that is to be visited, up to before an ordinal. The instruction
 * behind the last one to be visited only tells where that one led.
 */
static void take_part(struct linear *l, const struct tf_block_exec *exec, uint64_t ordinal,
		      uint64_t before)
{
	uint64_t from = l->position > l->first ? l->position : l->first;
	uint64_t end = ordinal + exec->executed < before ? ordinal + exec->executed : before;
	uint64_t stop = end < l->stop ? end : l->stop;

	if (l->inside && from < stop) {
		take_insns(l, exec, (unsigned)(from - ordinal), (unsigned)(stop - ordinal),
			   ordinal);
		from = stop;
	}
	if (from == l->stop && from < end)
		meet_successor(l, exec, (unsigned)(from - ordinal), ordinal);
	l->position = end > l->position ? end : l->position;
}

/* Takes events inside of an execution, or, with NULL, of one that is lost. */
static void take_within(struct linear *l, const struct tf_block_exec *exec, uint64_t ordinal)
{
	for (size_t i = 0; i < l->within.count; i++) {
		const struct tf_event *event = &l->within.at[i];

		if (event->ordinal > l->stop)
			break;
		if (exec)
			take_part(l, exec, ordinal, event->ordinal);
		take_event(l, event);
	}
	l->within.count = 0;
}

static void take_item(struct linear *l, const struct tf_item *item)
{
	uint64_t ordinal = item->ordinal;

	if (item->kind == TF_ITEM_EVENT) {
		meet_event(l, item->event);
		return;
	}
	for (size_t i = 0; i < item->count && !l->stopped; i++) {
		const struct tf_block_exec *exec = &item->blocks[i];

		l->position = ordinal;
		if (l->within.count)
			take_within(l, exec, ordinal);
		take_part(l, exec, ordinal, UINT64_MAX);
		ordinal += exec->executed;
	}
	l->position = ordinal;
}

/* Begins with the first instruction, because the region may begin before the part to visit. */
static void begin_at_region(struct linear *l, struct tf_cursor_options *where)
{
	where->first = 0;
	if (where->count < UINT64_MAX - l->first)
		where->count += l->first;
	else
		where->count = UINT64_MAX;
}

int linear_run(struct tf_reader *reader, const struct linear_options *options,
	       const struct linear_visitor *visitor, struct tf_error *error)
{
	struct tf_cursor_options where = TF_CURSOR_OPTIONS;
	struct linear l = { .visitor = visitor,
			    .region = options->region,
			    .first = options->first,
			    .stop = options->first + options->count,
			    .position = options->first,
			    .inside = options->region == TF_NONE };
	struct tf_cursor *cursor;
	struct tf_item item;
	int status, result = EXIT_DONE;

	if (l.stop < l.first)
		l.stop = UINT64_MAX;
	where.view = TF_VIEW_BLOCKS;
	where.columns = TF_EVENTS | (options->addresses ? TF_ADDRESSES : 0u);
	where.thread = options->thread;
	where.first = options->first;
	where.count = options->count; /* and one more, to which the last one leads */
	if (where.count < UINT64_MAX)
		where.count++;
	if (options->region != TF_NONE)
		begin_at_region(&l, &where);
	status = tf_cursor_open(reader, &where, &cursor, error);
	if (status < 0)
		return status;
	while (!l.stopped && (status = tf_next(cursor, &item, error)) != 0) {
		if (status > 0) {
			take_item(&l, &item);
			keep_values(&l);
			continue;
		}
		if (status != TF_E_DAMAGED)
			break;
		command_error("%s", error->text);
		result = EXIT_FAILED;
		take_within(&l, NULL, 0);
		lose_track(&l);
	}
	take_within(&l, NULL, 0);
	visit_held(&l, 0);
	tf_cursor_close(cursor);
	free(l.values.at);
	free(l.pending.at);
	free(l.within.at);
	return status < 0 ? status : result;
}

/* ---- accesses ---------------------------------------------------------------------------- */

static const struct tf_operand *operand_of(const struct linear_insn *i, unsigned n)
{
	return &i->block->operands[i->insn->first_operand + n];
}

static bool next_repeated(struct linear_accesses *it)
{
	const struct linear_insn *i = it->insn;
	const struct tf_operand *operand;
	uint64_t distance;

	if (it->operand == i->insn->n_operands) {
		it->operand = 0;
		it->now.repetition++;
	}
	if (it->now.repetition >= it->repetitions)
		return false;
	operand = operand_of(i, it->operand);
	distance = it->now.repetition * operand->size;
	if (i->values[operand->extra + 2] & TF_REP_DOWN)
		distance = -distance;
	it->now.address = i->values[i->insn->first_operand + it->operand] + distance;
	it->now.size = operand->size;
	it->now.access = operand->access;
	it->now.form = TF_REP;
	it->operand++;
	return true;
}

bool linear_accesses_search(struct linear_accesses *it)
{
	const struct linear_insn *i = it->insn;

	if (i->insn->flags & TF_INSN_REP)
		return next_repeated(it);
	for (;;) {
		if (it->inside && tf_accesses_next(&it->lanes)) {
			it->now.address = it->lanes.address;
			it->now.size = it->lanes.size;
			return true;
		}
		it->inside = false;
		if (it->operand == i->insn->n_operands)
			return false;
		it->now.access = operand_of(i, it->operand)->access;
		it->now.form = operand_of(i, it->operand)->form;
		tf_accesses_begin(&it->lanes, operand_of(i, it->operand), i->block, i->values);
		it->operand++;
		it->inside = true;
	}
}
