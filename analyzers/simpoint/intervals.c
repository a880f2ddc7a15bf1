/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/intervals.h"

#include <inttypes.h>
#include <signal.h>

#include "analyzers/bbv/rules.h"
#include "analyzers/common/extents.h"
#include "analyzers/common/slice_start.h"
#include "cli/common/command.h"
#include "traceformat/tracesamples.h"

/* exp-bbv's counting of one thread. */
struct clock {
	struct intervals *intervals;
	uint64_t size;
	uint64_t length;   /* of the interval so far */
	bool rep;          /* one is pending: it counts with the next instruction */
	uint64_t last_rep; /* its address */
	uint64_t
		next_pc; /* of the instruction that a left block did not reach; 0: it was left at its end */
	bool next_is_rep; /* a rep stands at next_pc */
};

/*
 * Adds n intervals, the first of which ends at this ordinal, and each further one `step` behind. A
 * trace of few bytes may have very many of them.
 */
static void add_ends(struct intervals *intervals, uint64_t ordinal, uint64_t step, uint64_t n)
{
	size_t count = intervals->ends.count;
	const struct interval_ends *last = count ? &intervals->ends.at[count - 1] : NULL;

	if (!last || last->step != step ||
	    ordinal != last->ordinal + (intervals->n - last->first) * step) {
		CHECKED_RESERVE(intervals->ends, count + 1);
		intervals->ends.at[intervals->ends.count++] = (struct interval_ends){ intervals->n,
										      ordinal,
										      step };
	}
	intervals->n += n;
}

void intervals_append(struct intervals *intervals, uint64_t ordinal)
{
	add_ends(intervals, ordinal, 0, 1);
}

/* Returns how many further instructions end the interval. */
static uint64_t missing(const struct clock *c)
{
	return c->length < c->size ? c->size - c->length + 1 : 1;
}

static void count_pending_rep(struct clock *c)
{
	c->length += c->rep;
	c->rep = false;
}

/* Counts n instructions that are no reps, the first of which has this ordinal. */
static void count(struct clock *c, uint64_t ordinal, uint64_t n)
{
	if (n)
		count_pending_rep(c);
	while (n && c->length + n > c->size) {
		uint64_t part = missing(c);

		ordinal += part;
		n -= part;
		c->length += part - c->size;
		add_ends(c->intervals, ordinal, c->size, 1);
	}
	c->length += n;
}

/*
 * Counts n instructions without ordinals of their own; intervals that they end, end at `ordinal`.
 */
static void count_at(struct clock *c, uint64_t ordinal, uint64_t n)
{
	uint64_t n_ends;

	if (n)
		count_pending_rep(c);
	/* until a length of 1 comes back after each interval */
	while (n && c->length >= c->size && c->size > 1) {
		c->length -= c->size - 1;
		n--;
		add_ends(c->intervals, ordinal, 0, 1);
	}
	if (!n || c->length + n <= c->size) {
		c->length += n;
		return;
	}
	n -= missing(c);
	c->length += missing(c) - c->size;
	n_ends = 1 + n / c->size;
	c->length += n % c->size;
	add_ends(c->intervals, ordinal, 0, n_ends);
}

static void count_rep(struct clock *c, uint64_t pc)
{
	c->length += c->rep && c->last_rep != pc;
	c->rep = true;
	c->last_rep = pc;
}

static bool is_rep(const struct tf_block *block, unsigned i)
{
	return block->insns[i].flags & TF_INSN_REP;
}

/* Returns true if exp-bbv counts each repetition of a rep as an instruction. */
static bool is_unseen(const struct tf_block *block, unsigned i, uint8_t *condition)
{
	struct bbv_special special;
	bool unseen = bbv_classify(block, (uint16_t)i, BBV_EXP_BBV, &special) &&
		      special.kind == BBV_REP_UNSEEN;

	*condition = unseen ? special.condition : 0;
	return unseen;
}

static void execute_rep(struct clock *c, const struct tf_block_exec *exec, unsigned i,
			uint64_t ordinal)
{
	const struct tf_block *block = exec->block;
	const struct tf_insn *insn = &block->insns[i];
	const uint64_t *extras = NULL;
	uint8_t condition;

	if (!is_unseen(block, i, &condition)) {
		count_rep(c, block->pc + insn->offset);
		return;
	}
	if (exec->values && insn->n_operands)
		extras = exec->values + block->operands[insn->first_operand].extra;
	count_at(c, ordinal + i + 1, bbv_iterations(condition, extras));
}

static void execute(struct clock *c, const struct tf_block_exec *exec, uint64_t ordinal)
{
	const struct tf_block *block = exec->block;
	unsigned from = 0;

	for (unsigned i = 0; block->n_operands && i < exec->executed; i++)
		if (is_rep(block, i)) {
			count(c, ordinal + from, i - from);
			execute_rep(c, exec, i, ordinal);
			from = i + 1;
		}
	count(c, ordinal + from, exec->executed - from);
	c->next_is_rep = exec->executed < block->n_insns && is_rep(block, exec->executed);
	c->next_pc = exec->executed < block->n_insns
			     ? block->pc + block->insns[exec->executed].offset
			     : 0;
}

/* Returns true if a signal is for an instruction that began but did not retire. */
static bool is_fault(const struct tf_event *event)
{
	if (event->signal.code <= 0)
		return false;
	switch (event->signal.number) {
	case SIGSEGV:
	case SIGBUS: return event->signal.address != event->signal.pc; /* else of its fetch */
	case SIGILL:
	case SIGFPE: return true;
	default: return false;
	}
}

static void take_event(struct clock *c, const struct tf_event *event)
{
	if (event->kind != TF_EVENT_SIGNAL || !is_fault(event))
		return;

	uint64_t pc = event->signal.pc;

	if ((c->rep && c->last_rep == pc) || (c->next_is_rep && c->next_pc == pc)) {
		count_rep(c, pc);
		return;
	}
	count_at(c, event->ordinal, 1);
}

/*
 * Returns the columns to read. Repetition counts come with the addresses; few programs need them.
 */
static unsigned columns_needed(const struct tf_reader *reader)
{
	uint8_t condition;

	if (!extents_known(reader, true))
		return TF_EVENTS;
	for (uint32_t id = 0; id < tf_n_blocks(reader); id++) {
		const struct tf_block *block = tf_block(reader, id);

		for (unsigned i = 0; block && i < block->n_insns; i++)
			if (is_rep(block, i) && is_unseen(block, i, &condition))
				return TF_EVENTS | TF_ADDRESSES;
	}
	return TF_EVENTS;
}

bool replay_items(struct tf_reader *reader, const struct tf_cursor_options *options,
		  void (*use)(void *opaque, const struct tf_item *item), void *opaque)
{
	struct tf_cursor *cursor;
	struct tf_error error;
	struct tf_item item;
	int status = tf_cursor_open(reader, options, &cursor, &error);

	if (status == 0) {
		while ((status = tf_next(cursor, &item, &error)) > 0)
			use(opaque, &item);
		tf_cursor_close(cursor);
	}
	if (status < 0)
		command_error("%s", error.text);
	return status == 0;
}

static void feed_clock(void *opaque, const struct tf_item *item)
{
	struct clock *c = opaque;
	uint64_t ordinal = item->ordinal;

	if (item->kind == TF_ITEM_EVENT) {
		take_event(c, item->event);
		return;
	}
	for (size_t i = 0; i < item->count; i++) {
		execute(c, &item->blocks[i], ordinal);
		ordinal += item->blocks[i].executed;
	}
}

/*
 * Finds the intervals of a fixed number of instructions. The number of them is that of the chunk
 * headers, which nothing has checked yet, so no memory is taken for each.
 */
static bool find_exact(struct tf_reader *reader, uint32_t thread, uint64_t size,
		       struct intervals *intervals)
{
	struct tf_totals totals;
	struct tf_error error;

	if (tf_get_thread_totals(reader, thread, &totals, &error) < 0) {
		command_error("%s", error.text);
		return false;
	}
	intervals->size = size;
	if (totals.instructions > intervals->first)
		intervals->n = (totals.instructions - intervals->first) / size;
	return true;
}

/* Finds the intervals of exp-bbv's counter. */
static bool find_replayed(struct tf_reader *reader, uint32_t thread, uint64_t size,
			  struct intervals *intervals)
{
	struct clock clock = { .intervals = intervals, .size = size };
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;

	options.thread = thread;
	options.first = intervals->first;
	options.columns = columns_needed(reader);
	return replay_items(reader, &options, feed_clock, &clock);
}

uint64_t intervals_recorded(struct tf_reader *reader)
{
	const char *size = tf_meta(reader, "vectors.interval");
	struct tf_info info;

	if (!size || tf_get_info(reader, &info, NULL) < 0 || !info.n_vectors ||
	    info.totals.instructions)
		return 0;
	return strtoull(size, NULL, 10);
}

/* Finds the intervals of recorded vectors: every `each` of them are one. */
static bool find_recorded(struct tf_reader *reader, uint32_t thread, uint64_t each,
			  struct intervals *intervals)
{
	uint64_t ordinal = 0, interval = 0;
	struct tf_vectors *vectors = NULL;
	struct tf_vector vector;
	struct tf_error error;
	int status = tf_vectors_open(reader, &vectors, &error);

	while (status == 0 && (status = tf_vectors_head(vectors, &vector, &error)) > 0) {
		status = 0;
		if (vector.thread != thread)
			continue;
		if (ordinal && vector.interval / each != interval)
			intervals_append(intervals, ordinal);
		interval = vector.interval / each;
		ordinal += vector.instructions;
	}
	if (status < 0)
		command_error("%s", error.text);
	tf_vectors_close(vectors);
	return status == 0;
}

/* Finds where the intervals of a thread begin. Returns false after a message. */
static bool find_first(struct tf_reader *reader, const char *path, uint32_t thread, uint64_t *first)
{
	uint64_t warmup;
	static const char remedy[] = "cut the slice again with trace-cut";
	int status = slice_warmup(reader, path, remedy, &warmup);

	*first = 0;
	if (status == 0 && warmup)
		status = slice_simulation_start(reader, path, remedy, thread, first);
	return status == 0;
}

bool intervals_find(struct tf_reader *reader, const char *path, uint32_t thread, uint64_t size,
		    enum counter counter, struct intervals *intervals)
{
	uint64_t recorded = intervals_recorded(reader);
	bool found;

	*intervals = (struct intervals){ 0 };
	if (!recorded && !find_first(reader, path, thread, &intervals->first))
		return false;
	if (recorded)
		found = find_recorded(reader, thread, size / recorded ? size / recorded : 1,
				      intervals);
	else
		found = counter == COUNTER_EXACT ? find_exact(reader, thread, size, intervals)
						 : find_replayed(reader, thread, size, intervals);
	if (!found)
		intervals_clear(intervals);
	return found;
}

uint64_t interval_start(const struct intervals *intervals, uint64_t i)
{
	const struct interval_ends *ends = intervals->ends.at;
	size_t low = 0, high = intervals->ends.count; /* of these, one has interval i - 1 */

	if (intervals->size || !i)
		return intervals->first + i * intervals->size;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (ends[middle].first < i)
			low = middle;
		else
			high = middle;
	}
	return ends[low].ordinal + (i - 1 - ends[low].first) * ends[low].step;
}

void intervals_clear(struct intervals *intervals)
{
	free(intervals->ends.at);
	*intervals = (struct intervals){ 0 };
}
