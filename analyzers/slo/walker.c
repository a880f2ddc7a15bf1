/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/walker.h"

#include "cli/common/checked.h"

enum {
	MOST_LOOPS = 64,         /* a call has levels for at least so many nested loops */
	MANY_CONTEXTS = 1 << 20, /* beyond these, recursive calls have no levels */
	MOST_CONTEXTS = 4 << 20, /* beyond these, no call has levels */
};

/* The part of a frame of the call stack that loops and contexts need. */
struct walker_frame {
	bool folded;       /* the call has no levels */
	uint32_t below;    /* the level that was innermost at the call */
	uint32_t function; /* SLO_NONE: not known yet */
	uint32_t node;     /* the node that is executed, or that called; or SLO_NONE */
	uint32_t site;     /* the node that called the function; or SLO_NONE */
};

/* ---- frames ------------------------------------------------------------------------------ */

static struct walker_frame *top_frame(const struct walker *walker)
{
	return &walker->frames.at[walker->frames.count - 1];
}

static void push_frame(struct walker *walker, enum call_frame_kind kind, uint64_t slot)
{
	const struct walker_frame *caller = walker->frames.count ? top_frame(walker) : NULL;
	struct walker_frame frame = {
		.below = walker->levels.top,
		.function = SLO_NONE,
		.node = SLO_NONE,
		.site = caller ? caller->node : SLO_NONE,
		.folded = (caller && caller->folded) ||
			  walker->levels.top >= MOST_LEVELS - MOST_LOOPS ||
			  walker->levels.contexts->count >= MOST_CONTEXTS,
	};

	walker->folded |= frame.folded;
	call_frames_push(&walker->calls, kind, slot);
	CHECKED_RESERVE(walker->frames, walker->frames.count + 1);
	walker->frames.at[walker->frames.count++] = frame;
}

static bool has_levels(const struct walker_frame *frame)
{
	return !frame->folded && frame->function != SLO_NONE;
}

/* Returns the number of frames whose levels are those of a function; valid until the next call. */
static uint32_t *frames_of(struct walker *walker, uint32_t function)
{
	struct walker_function *f = TABLE_PUT(walker->functions, function);

	if (!f)
		out_of_memory();
	return &f->frames;
}

/* Makes room for a level in the list of loops. */
static void reserve_loops(struct walker *walker, uint32_t level)
{
	CHECKED_RESERVE(walker->loops, level + 1ul);
}

/* Ends all frames above the first `count`. */
static void pop_frames(struct walker *walker, size_t count)
{
	levels_pop(&walker->levels, walker->frames.at[count].below);
	for (; walker->frames.count > count; walker->frames.count--)
		if (has_levels(top_frame(walker)))
			(*frames_of(walker, top_frame(walker)->function))--;
	walker->calls.count = count;
}

static void begin_again(struct walker *walker)
{
	if (walker->frames.count)
		pop_frames(walker, 0);
	push_frame(walker, FRAME_BOTTOM, 0);
	walker->latest = (struct walker_execution){ .block = SLO_NONE, .end = SLO_GOES_ON };
}

void walker_init(struct walker *walker, const struct slo_code *code, struct contexts *contexts)
{
	*walker = (struct walker){ .code = code };
	levels_init(&walker->levels, contexts);
	reserve_loops(walker, 0);
	begin_again(walker);
}

void walker_free(struct walker *walker)
{
	levels_free(&walker->levels);
	free(walker->loops.at);
	TABLE_FREE(walker->functions);
	free(walker->calls.at);
	free(walker->frames.at);
}

/* ---- functions and loops ----------------------------------------------------------------- */

/*
 * Returns the first level that a loop of the frame may have, below + 2, since the function itself
 * has a level.
 */
static uint32_t first_loop_level(const struct walker_frame *frame)
{
	return frame->below + 2;
}

static bool is_live(const struct walker *walker, const struct walker_frame *frame, uint32_t loop)
{
	uint32_t level = first_loop_level(frame) + walker->code->loops.loops[loop].depth;

	return level <= walker->levels.top && walker->loops.at[level] == loop;
}

/* Enters a loop and those around it, up to the innermost one that is live, or LOOP_NONE. */
static void enter_loops(struct walker *walker, const struct walker_frame *frame, uint32_t loop,
			uint32_t live)
{
	const struct loop *loops = walker->code->loops.loops;
	uint32_t first = first_loop_level(frame), last = first + loops[loop].depth;

	reserve_loops(walker, last < MOST_LEVELS ? last : MOST_LEVELS - 1);
	for (; loop != live; loop = loops[loop].parent)
		if (first + loops[loop].depth < MOST_LEVELS)
			walker->loops.at[first + loops[loop].depth] = loop;
	while (walker->levels.top < last && walker->levels.top + 1 < MOST_LEVELS)
		levels_push(&walker->levels, true, walker->loops.at[walker->levels.top + 1], 0);
}

static void leave_and_enter_loops(struct walker *walker, const struct walker_frame *frame,
				  uint32_t node)
{
	const struct loop_forest *forest = &walker->code->loops;
	uint32_t loop = forest->innermost[node], live = loop;

	while (live != LOOP_NONE && !is_live(walker, frame, live))
		live = forest->loops[live].parent;
	levels_pop(&walker->levels,
		   frame->below + 1 + (live == LOOP_NONE ? 0 : forest->loops[live].depth + 1));
	if (loop == LOOP_NONE)
		return;
	if (loop != live)
		enter_loops(walker, frame, loop, live);
	else if (forest->loops[loop].header == node)
		levels_iterate(&walker->levels);
}

/*
 * Changes a frame's function, at a tail call or at a jump out of a function whose call was not
 * seen.
 */
static void change_function(struct walker *walker, struct walker_frame *frame, uint32_t function)
{
	uint32_t *frames;

	if (has_levels(frame))
		(*frames_of(walker, frame->function))--;
	frame->function = function;
	if (frame->folded)
		return;
	levels_pop(&walker->levels, frame->below);
	frames = frames_of(walker, function);
	if (*frames && walker->levels.contexts->count >= MANY_CONTEXTS) {
		walker->folded = frame->folded = true;
		return;
	}
	++*frames;
	levels_push(&walker->levels, false, function, frame->site);
	reserve_loops(walker, walker->levels.top);
	walker->loops.at[walker->levels.top] = SLO_NONE;
}

/* Lands in the middle of a function that is live below; all frames above it are over. */
static void land(struct walker *walker, uint32_t node)
{
	uint32_t function = walker->code->functions.of_node[node], from;
	size_t count = walker->frames.count;

	while (count && walker->frames.at[count - 1].function != function)
		count--;
	if (count && count < walker->frames.count)
		pop_frames(walker, count);
	from = top_frame(walker)->node;
	if (count && from != SLO_NONE && walker->landed)
		walker->landed(walker->opaque, from, node);
}

static inline void arrive(struct walker *walker, uint32_t node)
{
	uint32_t function = walker->code->functions.of_node[node];
	uint32_t loop = walker->code->loops.innermost[node];

	if (walker->code->landings[node])
		land(walker, node);

	struct walker_frame *frame = top_frame(walker);

	if (function != frame->function)
		change_function(walker, frame, function);
	frame->node = node;
	if (frame->folded)
		return;
	if (walker->loops.at[walker->levels.top] != loop ||
	    (loop != LOOP_NONE && walker->code->loops.loops[loop].header == node))
		leave_and_enter_loops(walker, frame, node);
}

/* Goes through a dispatch, as all transfers from one operation of an interpreter to the next do. */
static void dispatch(struct walker *walker, uint32_t number)
{
	struct walker_frame *frame = top_frame(walker);

	if (!frame->folded)
		leave_and_enter_loops(walker, frame, walker->code->graph.n_nodes + number);
}

/* ---- calls and returns ------------------------------------------------------------------- */

/* Enters a call. Frames above the caller's are over: longjmp or an exception has left them. */
static void call(struct walker *walker, uint64_t slot)
{
	uint32_t node = top_frame(walker)->node;
	size_t count = call_frames_at_call(&walker->calls, slot);

	if (count < walker->frames.count) {
		pop_frames(walker, count);
		if (node != SLO_NONE)
			arrive(walker, node);
	}
	push_frame(walker, FRAME_CALL, slot);
}

/* Ends the frames above the first `count`, if there are any. */
static void return_to(struct walker *walker, size_t count)
{
	if (count < walker->frames.count)
		pop_frames(walker, count);
}

/* ---- executions -------------------------------------------------------------------------- */

void walker_to_piece(struct walker *walker, unsigned insn)
{
	const struct slo_piece *pieces = walker->code->graph.pieces.at;

	while (insn >= pieces[walker->piece].end)
		arrive(walker, pieces[++walker->piece].node);
}

/* Completes the latest execution. */
static void finish(struct walker *walker)
{
	struct walker_execution latest = walker->latest;

	if (latest.block != SLO_NONE && latest.executed)
		walker_to(walker, latest.executed - 1u);
	walker->latest.block = SLO_NONE;
	walker->latest.end = SLO_GOES_ON;
	if (latest.end == SLO_CALLS)
		call(walker, walker->slot);
	else if (latest.end == SLO_RETURNS)
		return_to(walker, call_frames_after_return(&walker->calls, walker->slot));
	else if (latest.end == SLO_DISPATCHES)
		dispatch(walker, walker->slot);
}

struct walker_execution walker_execution(const struct slo_code *code,
					 const struct tf_block_exec *exec, uint64_t *slot)
{
	const struct slo_end *end = &code->ends[exec->block->id];
	struct walker_execution execution = {
		.block = exec->block->id,
		.executed = exec->executed,
		.end = exec->outcome == TF_PARTIAL ? SLO_GOES_ON : end->kind,
	};

	if (execution.end != SLO_GOES_ON)
		*slot = execution.end == SLO_DISPATCHES ? end->value : exec->values[end->value];
	return execution;
}

void walker_enter(struct walker *walker, const struct walker_execution *execution, uint64_t slot)
{
	finish(walker);
	walker->latest = *execution;
	walker->slot = slot;
	walker->piece = walker->code->graph.first_piece[execution->block];
	arrive(walker, walker->code->graph.pieces.at[walker->piece].node);
}

void walker_event(struct walker *walker, const struct tf_event *event)
{
	switch (event->kind) {
	case TF_EVENT_SIGNAL:
		finish(walker);
		if (event->signal.handler)
			push_frame(walker, FRAME_SIGNAL, 0);
		break;
	case TF_EVENT_SIGRETURN:
		finish(walker);
		return_to(walker, call_frames_after_sigreturn(&walker->calls));
		break;
	case TF_EVENT_GAP:
	case TF_EVENT_EXEC: begin_again(walker); break;
	default: break;
	}
}
