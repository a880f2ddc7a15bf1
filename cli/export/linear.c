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
	uint64_t first; /* with a region: instructions before it are left out */
	bool inside;    /* of the region */
	struct linear_insn held;
	bool holds;
	bool outcome_known; /* of the held one, if it is a conditional branch */
	bool stopped;       /* the visitor wants no more */
	bool interrupted;   /* by a signal behind the held one */
	uint64_t interrupted_pc;
	ARRAY(uint64_t) values;         /* of the held instruction, when its batch is gone */
	ARRAY(struct tf_event) pending; /* events behind the held instruction */
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

/* Sets what an execution tells of its instruction. */
static inline void describe(struct linear_insn *to, const struct tf_insn_exec *exec,
			    uint64_t ordinal)
{
	const struct tf_block *block = exec->block;
	bool is_last = exec->index + 1 == block->n_insns;
	uint8_t end = is_last ? block->end : TF_END_NONE;

	to->block = block;
	to->insn = &block->insns[exec->index];
	to->values = exec->values;
	to->code = block->code + to->insn->offset;
	to->ordinal = ordinal;
	to->pc = exec->pc;
	to->next = 0;
	to->index = exec->index;
	to->end = end;
	to->taken = is_always_taken(end) ||
		    (end == TF_END_CONDITIONAL && exec->outcome == TF_TAKEN);
	to->broken = false;
}

static void hold(struct linear *l, const struct tf_insn_exec *exec, uint64_t ordinal)
{
	if (l->holds && ordinal != l->held.ordinal + 1)
		lose_track(l);
	visit_held(l, exec->pc);
	describe(&l->held, exec, ordinal);
	l->outcome_known = exec->outcome != TF_PARTIAL;
	l->holds = true;
}

/* Visits instructions whose successors are in the same batch: nothing comes in between. */
static void visit_followed(struct linear *l, const struct tf_insn_exec *execs, size_t n,
			   uint64_t ordinal)
{
	const struct linear_visitor to = *l->visitor;
	struct linear_insn insn;

	for (size_t i = 0; i < n && !l->stopped; i++) {
		describe(&insn, &execs[i], ordinal + i);
		insn.next = execs[i + 1].pc;
		if (execs[i].outcome == TF_PARTIAL)
			set_outcome(&insn);
		l->stopped = !to.insn(to.opaque, &insn);
	}
}

/* Visits the instructions of a batch, and holds the last one. */
static void take_insns(struct linear *l, const struct tf_insn_exec *execs, size_t n,
		       uint64_t ordinal)
{
	hold(l, &execs[0], ordinal);
	if (n == 1)
		return;
	visit_held(l, execs[1].pc);
	visit_followed(l, execs + 1, n - 2, ordinal + 1);
	if (!l->stopped)
		hold(l, &execs[n - 1], ordinal + n - 1);
}

/* Passes an event on, behind the held instruction, whose visit has to wait. */
static void pass_on(struct linear *l, const struct tf_event *event)
{
	struct tf_event copy = *event;

	if (!l->visitor->event || l->stopped)
		return;
	copy.payload = NULL;
	copy.payload_size = 0;
	if (copy.kind == TF_EVENT_EXEC)
		copy.exec.path = NULL;
	if (!l->holds) {
		l->visitor->event(l->visitor->opaque, &copy);
		return;
	}
	CHECKED_RESERVE(l->pending, l->pending.count + 1);
	l->pending.at[l->pending.count++] = copy;
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

/* The successor of a region's last instruction is not told, as at the end of --count. */
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

static void take_item(struct linear *l, const struct tf_item *item)
{
	size_t skipped = 0;

	if (item->kind == TF_ITEM_EVENT) {
		take_event(l, item->event);
		return;
	}
	if (item->ordinal < l->first)
		skipped = l->first - item->ordinal < item->count ? l->first - item->ordinal
								 : item->count;
	if (l->inside && skipped < item->count)
		take_insns(l, item->insns + skipped, item->count - skipped,
			   item->ordinal + skipped);
}

/* Begins with the first instruction, because the region may begin before the part to visit. */
static void begin_at_region(struct linear *l, struct tf_cursor_options *where)
{
	l->first = where->first;
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
			    .inside = options->region == TF_NONE };
	struct tf_cursor *cursor;
	struct tf_item item;
	int status, result = EXIT_DONE;

	where.view = TF_VIEW_INSNS;
	where.columns = TF_EVENTS | (options->addresses ? TF_ADDRESSES : 0u);
	where.thread = options->thread;
	where.first = options->first;
	where.count = options->count;
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
		lose_track(&l);
	}
	visit_held(&l, 0);
	tf_cursor_close(cursor);
	free(l.values.at);
	free(l.pending.at);
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
