/* SPDX-License-Identifier: MIT */
/* Superblock expansion: decodes the path executions of a chunk and hands them out in batches. */
#include "traceformat/replay/lane.h"

int lane_damaged(struct lane *l, struct tf_error *error, const char *what)
{
	return fail_section(l->reader, &l->chunk.section, error, what);
}

/* Reports that take_values or take_extras failed. */
static int slots_damaged(struct lane *l, struct tf_error *error)
{
	return lane_damaged(
		l, error,
		!l->beyond_limits
			? "its slots are damaged"
			: "its rep instructions repeat more often than it says, or an operand "
			  "has more than 65536 bytes");
}

static int take_partial(struct lane *l, const struct compiled_path *p, uint32_t *n_slots,
			uint64_t *rsp)
{
	l->current.executed = (uint32_t)take_varint_max(&l->partials, p->path.n_insns);
	*n_slots = (uint32_t)take_varint_max(&l->partials, p->path.n_slots);
	*rsp = take_varint(&l->partials);
	return l->partials.bad || l->current.executed == 0 ? -1 : 0;
}

static bool values_fit(struct lane *l, const struct compiled_path *p, uint32_t executed,
		       const uint64_t *values)
{
	l->beyond_limits = !path_values_fit(p, executed, values, &l->repetitions);
	return !l->beyond_limits;
}

FORCE_INLINE
void apply_recipes(struct lane *l, const struct compiled_path *p, const uint64_t *slots,
		   uint64_t *values, uint32_t n_values)
{
	l->frame[FRAME_RSP] = l->registers.rsp;
	for (uint32_t i = 0; i < n_values; i++)
		values[i] = l->frame[p->frame_recipes[i].place] + p->frame_recipes[i].displacement;
	for (uint32_t k = 0; k < p->n_special && p->special[k] < n_values; k++)
		values[p->special[k]] = recipe_value(&p->path.recipes[p->special[k]], slots,
						     &l->registers);
}

/*
 * Decodes the values of one path execution, of `executed` instructions; n_slots are recorded,
 * n_values wanted; framed: the path may have recipes. Returns the slots, or NULL if they are
 * damaged.
 */
FORCE_INLINE
const uint64_t *take_values(struct lane *l, struct slot_decoder *decoder, uint64_t *values,
			    const struct exit_entry *e, uint32_t executed, uint32_t n_slots,
			    uint32_t n_values, bool framed, bool partial)
{
	uint64_t *slots = framed && e->framed ? l->frame + FRAME_SLOTS : values;
	const struct compiled_path *p = e->path;

	if (!slots_decode(decoder, e->slot_base, slots, n_slots))
		return NULL;
	if (partial && n_slots < p->path.n_slots)
		memset(slots + n_slots, 0, (p->path.n_slots - n_slots) * sizeof(*slots));
	if (framed && e->framed)
		apply_recipes(l, p, slots, values, n_values);
	return e->bounded && !values_fit(l, p, executed, values) ? NULL : slots;
}

/*
 * Subtracts repetitions from those that the chunk may still have; false if there are too many.
 * values: three for each rep instruction, the second of which is its repetitions.
 */
static bool repetitions_fit(struct lane *l, const uint64_t *values, size_t n)
{
	for (size_t i = 1; i < n; i += 3) {
		l->beyond_limits |= values[i] > l->repetitions;
		l->repetitions -= values[i];
	}
	return !l->beyond_limits;
}

/* Appends the repetitions or extents of an execution; returns false if they are beyond limits. */
static bool append_extras(struct lane *l, size_t *n_values, const struct compiled_path *p,
			  uint32_t executed, const uint64_t *slots)
{
	uint64_t *values = l->values + *n_values;
	bool fit = true;
	size_t n;

	if (l->columns & TF_EXTENTS) {
		n = path_extents(p, executed, slots, &l->registers, values, &l->repetitions, &fit);
		l->beyond_limits |= !fit;
	} else {
		n = path_repetitions(p, executed, slots, &l->registers, values);
		fit = repetitions_fit(l, values, n);
	}
	*n_values += n;
	return fit;
}

/*
 * Decodes the slots of one path execution that TF_REPETITIONS or TF_EXTENTS needs, and appends what
 * follows from them to the batch. partial: see take_partial. Returns false if the slots are
 * damaged.
 */
static bool take_extras(struct lane *l, struct slot_decoder *decoder, size_t *n_values,
			const struct exit_entry *e, uint32_t n_slots, uint32_t executed,
			bool partial)
{
	const struct compiled_path *p = e->path;
	uint64_t *slots = l->frame + FRAME_SLOTS;

	if (!slots_finish_skip(decoder) || !slots_decode(decoder, e->slot_base, slots, n_slots))
		return false;
	memset(slots + n_slots, 0, (p->path.n_slots - n_slots) * sizeof(*slots));
	if ((l->columns & TF_EXTENTS ? e->has_extents : e->has_reps) &&
	    !append_extras(l, n_values, p, executed, slots))
		return false;
	if (!partial) {
		l->registers.rsp = exit_rsp(e, slots, l->registers.rsp);
		l->rsp_known &= e->rsp_rule != TF_RSP_UNTRACKED;
	}
	return true;
}

/* Returns true if extras that are wanted take rsp, so that all paths' effects on it are. */
static inline bool extras_use_rsp(const struct lane *l, bool extents)
{
	return extents ? l->reader->extents_use_rsp : l->reader->reps_use_rsp;
}

/* Returns true if an execution's slots are needed to compute extras, its own or later ones. */
static inline bool wants_slots(const struct lane *l, const struct exit_entry *e, bool extents)
{
	const struct slot_states *states = &l->slots.states;
	bool needed = states->any_needed && states->needed[e->slot_base] & SLOTS_OF_PATH;

	return (extents ? e->has_extents : e->has_reps) | needed | extras_use_rsp(l, extents);
}

static int next_extras(struct lane *l, const struct exit_entry *e, uint32_t n_slots, uint64_t rsp,
		       bool partial, struct tf_error *error)
{
	bool extents = l->columns & TF_EXTENTS;

	if (extras_use_rsp(l, extents) && e->uses_rsp && !l->rsp_known)
		return lane_damaged(l, error, "it needs the stack pointer where it is not known");
	l->current.values = l->values + l->n_values;
	if (!wants_slots(l, e, extents))
		slots_skip(&l->slots, n_slots);
	else if (!take_extras(l, &l->slots, &l->n_values, e, n_slots, l->current.executed, partial))
		return slots_damaged(l, error);
	if (partial)
		l->registers.rsp = rsp;
	return 1;
}

int lane_next_path(struct lane *l, struct tf_error *error)
{
	const struct exit_entry *e;
	const struct compiled_path *p;
	const uint64_t *slots;
	uint32_t exit, n_slots, n_values;
	uint64_t rsp = 0;
	bool partial;

	if (l->ordinal == l->chunk_end || l->event_ordinal <= l->ordinal ||
	    l->n_values >= BATCH_VALUES)
		return 0;
	exit = l->decoded != TF_NONE ? l->decoded : flow_decode(&l->flow);
	l->decoded = TF_NONE;
	if (exit == UINT32_MAX)
		return lane_damaged(l, error, "its control flow is damaged");
	e = &l->reader->exits.at[exit];
	p = e->path;
	if (!p)
		return lane_damaged(l, error, "a path that it needs is lost");
	l->n_paths++;
	l->current = (struct current){
		.path = p,
		.exit = exit,
		.executed = e->n_insns,
		.outcome = e->outcome,
	};
	n_slots = e->n_slots;
	partial = e->outcome == TF_PARTIAL;
	if (partial && take_partial(l, p, &n_slots, &rsp) < 0)
		return lane_damaged(l, error, "its partial executions are damaged");
	if (l->current.executed > l->chunk_end - l->ordinal)
		return lane_damaged(l, error, "it has more instructions than it says");
	if (l->columns & (TF_REPETITIONS | TF_EXTENTS))
		return next_extras(l, e, n_slots, rsp, partial, error);
	if (!(l->columns & TF_ADDRESSES))
		return 1;
	if (p->uses_rsp && !l->rsp_known)
		return lane_damaged(l, error, "it needs the stack pointer where it is not known");
	n_values = partial ? p->path.n_values : e->n_values;
	l->current.values = l->values + l->n_values;
	slots = take_values(l, &l->slots, l->values + l->n_values, e, l->current.executed, n_slots,
			    n_values, true, partial);
	if (!slots)
		return slots_damaged(l, error);
	l->n_values += n_values;
	l->registers.rsp = partial ? rsp : exit_rsp(e, slots, l->registers.rsp);
	l->rsp_known &= e->rsp_rule != TF_RSP_UNTRACKED || partial;
	return 1;
}

/* Returns how many instructions of the current path's next block were executed. */
static inline uint32_t block_executed(const struct current *c, const struct path_block *b)
{
	uint32_t left = c->executed - c->done;

	return left < b->n_insns ? left : b->n_insns;
}

/* Steps over the current path's next block. */
static inline void pass_block(struct lane *l, const struct path_block *b, uint32_t executed)
{
	struct current *c = &l->current;

	c->done += executed;
	c->block++;
	c->insn = 0;
	if (c->values)
		c->values += b->n_values;
	if (c->done == c->executed)
		c->path = NULL;
}

/* Returns how control left the current path's next block. */
static inline uint8_t block_outcome(const struct current *c, const struct path_block *b,
				    uint32_t executed)
{
	return executed < b->n_insns ? c->outcome
				     : path_outcome(c->path, c->block,
						    c->executed - c->done - executed, c->outcome);
}

static inline void put_block(struct lane *l, size_t at, const struct tf_block *block,
			     const uint64_t *values, uint32_t executed, uint8_t outcome)
{
	l->blocks[at] = (struct tf_block_exec){ block, values, (uint16_t)executed, outcome };
}

static inline void put_insn(struct lane *l, size_t at, const struct tf_block *block,
			    const uint64_t *values, uint32_t index, uint8_t outcome)
{
	l->insns[at] = (struct tf_insn_exec){
		block, values, block->pc + block->insns[index].offset, (uint16_t)index, outcome,
	};
}

/*
 * Hands out part of the current path execution, as far as the batch and the next event allow.
 * Returns false if that ends the batch.
 */
static bool hand_out_part(struct lane *l, uint64_t stop, size_t *count)
{
	struct current *c = &l->current;
	const struct path_block *b = &c->path->blocks[c->block];
	const struct tf_block *block = &b->block->block;
	uint32_t executed = block_executed(c, b);
	uint8_t outcome = block_outcome(c, b, executed);

	switch (l->view) {
	case TF_VIEW_PATHS:
		if (l->event_ordinal < l->ordinal + c->executed)
			return false;
		l->paths[(*count)++] = (struct tf_path_exec){ c->exit, c->executed };
		l->ordinal += c->executed;
		c->path = NULL;
		return true;
	case TF_VIEW_BLOCKS:
		if (l->event_ordinal < l->ordinal + executed)
			return false;
		put_block(l, (*count)++, block, c->values, executed, outcome);
		l->ordinal += executed;
		break;
	case TF_VIEW_INSNS:
		for (; c->insn < executed; c->insn++, l->ordinal++) {
			if (*count == BATCH || l->ordinal >= stop || l->ordinal >= l->event_ordinal)
				return false;
			put_insn(l, (*count)++, block, c->values, c->insn,
				 c->insn + 1 == executed ? outcome : TF_NOT_TAKEN);
		}
		break;
	}
	pass_block(l, b, executed);
	return true;
}

static inline void hand_out_whole(struct lane *l, enum tf_view view, size_t at, uint32_t exit,
				  const struct exit_entry *e, const uint64_t *values)
{
	if (view == TF_VIEW_PATHS) {
		l->paths[at] = (struct tf_path_exec){ exit, e->n_insns };
		return;
	}
	if (view == TF_VIEW_BLOCKS && e->only) {
		put_block(l, at, e->only, values, e->n_insns, e->outcome);
		return;
	}
	for (unsigned i = 0; i < e->n_blocks; i++) {
		const struct path_block *b = &e->path->blocks[i];
		uint8_t outcome = i + 1u == e->n_blocks ? e->outcome : b->outcome;

		if (view == TF_VIEW_BLOCKS)
			put_block(l, at++, &b->block->block, values, b->n_insns, outcome);
		for (unsigned k = 0; view == TF_VIEW_INSNS && k < b->n_insns; k++)
			put_insn(l, at++, &b->block->block, values, k,
				 k + 1u == b->n_insns ? outcome : TF_NOT_TAKEN);
		if (values)
			values += b->n_values;
	}
}

/* Constants of the loop below; the compiler makes a variant of the loop for each set of them. */
struct knowns {
	enum tf_view view;
	bool addresses;
	bool framed; /* some path has recipes */
	bool repetitions, extents;
};

static inline unsigned items_of(enum tf_view view, const struct exit_entry *e)
{
	switch (view) {
	case TF_VIEW_PATHS: return 1;
	case TF_VIEW_BLOCKS: return e->n_blocks;
	default: return e->n_insns;
	}
}

/* Returns the ordinal up to which nothing is in the way of whole executions. */
static inline uint64_t whole_until(const struct lane *l, uint64_t stop)
{
	uint64_t limit = stop < l->event_ordinal ? stop : l->event_ordinal;

	return limit < l->chunk_end ? limit : l->chunk_end;
}

/*
 * Takes the extras of an execution, or passes its slots if it needs none. Returns 1, 0 if the
 * execution cannot be handed out whole, or a negative status.
 */
FORCE_INLINE
int pass_extras(struct lane *l, struct slot_decoder *decoder, size_t *n_values,
		const struct exit_entry *e, bool extents, struct tf_error *error)
{
	if (!wants_slots(l, e, extents)) {
		slots_skip(decoder, e->n_slots);
		return 1;
	}
	if (extras_use_rsp(l, extents) && e->uses_rsp && !l->rsp_known)
		return 0;
	if (!take_extras(l, decoder, n_values, e, e->n_slots, e->n_insns, false))
		return slots_damaged(l, error);
	return 1;
}

/*
 * Hands out whole path executions as long as nothing is in the way: an event, the end of batch or
 * chunk, `stop`, or an execution that left its path inside. This is where nearly all executions
 * pass; lane_next_path and hand_out_part take the others.
 */
FORCE_INLINE
int hand_out(struct lane *l, const struct knowns k, uint64_t stop, size_t *count,
	     struct tf_error *error)
{
	const struct exit_entry *exits = l->reader->exits.at;
	struct flow_decoder flow = l->flow; /* copies, to be kept in registers */
	struct slot_decoder decoder = l->slots;
	uint64_t ordinal = l->ordinal, limit = whole_until(l, stop), paths = 0;
	size_t n = *count, n_values = l->n_values;
	uint32_t exit = l->decoded;
	int status = 0;

	for (; ordinal < limit && n < BATCH && n_values < BATCH_VALUES; exit = TF_NONE) {
		const uint64_t *values = NULL, *slots;
		const struct exit_entry *e;
		unsigned items;

		if (exit == TF_NONE)
			exit = flow_decode(&flow);
		if (exit >= flow.n_exits) {
			status = lane_damaged(l, error, "its control flow is damaged");
			break;
		}
		e = &exits[exit];
		items = items_of(k.view, e);
		if (e->n_insns - UINT64_C(1) >= limit - ordinal || items > BATCH - n ||
		    (k.framed && e->uses_rsp && !l->rsp_known))
			break;
		if (k.repetitions || k.extents) {
			int passed = pass_extras(l, &decoder, &n_values, e, k.extents, error);

			if (passed <= 0) {
				status = passed;
				break;
			}
		}
		if (k.addresses) {
			values = l->values + n_values;
			slots = take_values(l, &decoder, l->values + n_values, e, e->n_insns,
					    e->n_slots, e->n_values, k.framed, false);
			if (!slots) {
				status = slots_damaged(l, error);
				break;
			}
			n_values += e->n_values;
			if (k.framed) {
				l->registers.rsp = exit_rsp(e, slots, l->registers.rsp);
				l->rsp_known &= e->rsp_rule != TF_RSP_UNTRACKED;
			}
		}
		hand_out_whole(l, k.view, n, exit, e, values);
		n += items;
		ordinal += e->n_insns;
		paths++;
	}
	l->decoded = exit;
	l->flow = flow;
	l->slots = decoder;
	l->n_values = n_values;
	l->n_paths += paths;
	l->ordinal = ordinal;
	*count = n;
	return status;
}

static int hand_out_insns(struct lane *l, uint64_t stop, size_t *count, struct tf_error *error)
{
	bool addresses = l->columns & TF_ADDRESSES;

	return hand_out(l, (struct knowns){ TF_VIEW_INSNS, addresses, true, false, false }, stop,
			count, error);
}

static int hand_out_paths(struct lane *l, uint64_t stop, size_t *count, struct tf_error *error)
{
	return hand_out(l, (struct knowns){ TF_VIEW_PATHS, false, false, false, false }, stop,
			count, error);
}

static int hand_out_repetitions(struct lane *l, uint64_t stop, size_t *count,
				struct tf_error *error)
{
	return hand_out(l, (struct knowns){ .view = TF_VIEW_PATHS, .repetitions = true }, stop,
			count, error);
}

static int hand_out_extents(struct lane *l, uint64_t stop, size_t *count, struct tf_error *error)
{
	return hand_out(l, (struct knowns){ .view = TF_VIEW_PATHS, .extents = true }, stop, count,
			error);
}

static int hand_out_path_addresses(struct lane *l, uint64_t stop, size_t *count,
				   struct tf_error *error)
{
	return hand_out(l, (struct knowns){ TF_VIEW_PATHS, true, true, false, false }, stop, count,
			error);
}

static int hand_out_blocks(struct lane *l, uint64_t stop, size_t *count, struct tf_error *error)
{
	return hand_out(l, (struct knowns){ TF_VIEW_BLOCKS, false, false, false, false }, stop,
			count, error);
}

static int hand_out_addresses(struct lane *l, uint64_t stop, size_t *count, struct tf_error *error)
{
	return hand_out(l, (struct knowns){ TF_VIEW_BLOCKS, true, true, false, false }, stop, count,
			error);
}

static int hand_out_plain_addresses(struct lane *l, uint64_t stop, size_t *count,
				    struct tf_error *error)
{
	return hand_out(l, (struct knowns){ TF_VIEW_BLOCKS, true, false, false, false }, stop,
			count, error);
}

static int hand_out_view(struct lane *l, uint64_t stop, size_t *count, struct tf_error *error)
{
	if (l->columns & TF_REPETITIONS)
		return hand_out_repetitions(l, stop, count, error);
	if (l->columns & TF_EXTENTS)
		return hand_out_extents(l, stop, count, error);
	if (l->view == TF_VIEW_PATHS && l->columns & TF_ADDRESSES)
		return hand_out_path_addresses(l, stop, count, error);
	if (l->view == TF_VIEW_PATHS)
		return hand_out_paths(l, stop, count, error);
	if (l->view == TF_VIEW_INSNS)
		return hand_out_insns(l, stop, count, error);
	if (!(l->columns & TF_ADDRESSES))
		return hand_out_blocks(l, stop, count, error);
	return l->reader->framed ? hand_out_addresses(l, stop, count, error)
				 : hand_out_plain_addresses(l, stop, count, error);
}

int lane_fill(struct lane *l, uint64_t stop, size_t *count, struct tf_error *error)
{
	int status;

	while (*count < BATCH && l->ordinal < stop) {
		if (!l->current.path) {
			status = hand_out_view(l, stop, count, error);
			if (status < 0 || *count == BATCH || l->ordinal >= stop)
				return status;
			status = lane_next_path(l, error);
			if (status <= 0)
				return status;
		}
		if (!hand_out_part(l, stop, count))
			return 0;
	}
	return 0;
}

int lane_skip(struct lane *l, uint64_t first, struct tf_error *error)
{
	size_t count;
	int status;

	do {
		count = l->n_values = 0;
		status = hand_out_view(l, first, &count, error);
	} while (status == 0 && count);
	return status;
}

void lane_enter_path(struct lane *l, uint64_t first)
{
	struct current *c = &l->current;

	while (l->view != TF_VIEW_PATHS && c->path) {
		const struct path_block *b = &c->path->blocks[c->block];
		uint32_t executed = block_executed(c, b);

		if (l->ordinal + executed > first)
			break;
		l->ordinal += executed;
		pass_block(l, b, executed);
	}
	if (l->view == TF_VIEW_INSNS && c->path) {
		c->insn = (uint32_t)(first - l->ordinal);
		l->ordinal = first;
	}
}
