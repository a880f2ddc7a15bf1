/* SPDX-License-Identifier: MIT */
#include "traceformat/rewrite/stream_parts.h"

#include "traceformat/codings/events.h"
#include "traceformat/common/error.h"
#include "traceformat/pack/pack_chunk.h"

int event_queue_begin(struct event_queue *q, struct tf_reader *r, const struct section *section,
		      const struct chunk *chunk, struct tf_error *error)
{
	q->column = span_of(chunk->events.data, chunk->events.size);
	q->last = section->first;
	return event_queue_next(q, r, section, error);
}

int event_queue_next(struct event_queue *q, struct tf_reader *r, const struct section *section,
		     struct tf_error *error)
{
	uint64_t distance;

	q->has = q->column.at != q->column.end;
	if (!q->has)
		return 0;
	if (!event_decode(&q->column, &distance, &q->event, &q->text))
		return fail_section(r, section, error, "its events are damaged");
	q->last += distance;
	q->event.ordinal = q->last;
	return 0;
}

int execution_read(struct execution *e, struct tf_reader *r, const struct section *section,
		   const struct walk *w, uint64_t ordinal, const struct recipe_registers *registers,
		   struct tf_error *error)
{
	const struct exit_entry *exit = &r->exits.at[w->record.exit];

	*e = (struct execution){
		.exit = exit,
		.id = w->record.exit,
		.slots = w->slots,
		.n_slots = w->record.count,
		.first = ordinal,
		.end = ordinal + (exit->outcome == TF_PARTIAL ? w->executed : exit->n_insns),
		.rsp = w->rsp,
	};
	if (exit->bounded &&
	    !path_sizes_fit(exit->path, (uint32_t)(e->end - e->first), e->slots, registers))
		return fail_section(r, section, error, "an operand has more than 65536 bytes");
	return 0;
}

int execution_end(struct tf_reader *r, const struct section *section, const struct walk *w,
		  struct tf_error *error)
{
	if (w->status == 0)
		return 0;
	return w->status == TF_E_MEMORY
		       ? fail_memory(error)
		       : fail_section(r, section, error, "its control flow is damaged");
}

void execution_pass(const struct execution *e, struct recipe_registers *registers, bool *known)
{
	registers->rsp = left_inside(e) ? e->rsp : exit_rsp(e->exit, e->slots, registers->rsp);
	*known |= left_inside(e);
	*known &= left_inside(e) || e->exit->rsp_rule != TF_RSP_UNTRACKED;
}
