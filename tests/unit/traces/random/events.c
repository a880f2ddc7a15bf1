/* SPDX-License-Identifier: MIT */
/* The events of random traces. */
#include "tests/unit/random.h"
#include "tests/unit/traces/random/parts.h"

static void random_event(struct random_trace *t, struct tf_event *e)
{
	static const enum tf_event_kind kinds[] = {
		TF_EVENT_SYSCALL,       TF_EVENT_SYSCALL_RESULT, TF_EVENT_SIGNAL,
		TF_EVENT_SIGRETURN,     TF_EVENT_THREAD_START,   TF_EVENT_THREAD_EXIT,
		TF_EVENT_PROCESS_START, TF_EVENT_PROCESS_EXIT,   TF_EVENT_EXEC,
		TF_EVENT_MAPPING,       TF_EVENT_REGION_BEGIN,   TF_EVENT_REGION_END,
		TF_EVENT_CALL,          TF_EVENT_RETURN,         TF_EVENT_CONTROL_WORD,
		TF_EVENT_GAP,           TF_EVENT_TIME,           TF_EVENT_SEGMENT_BASE,
		TF_EVENT_SEGMENT_BASE,  TF_EVENT_SYSCALL,
	};
	uint64_t *r = &t->state;

	e->kind = kinds[random_below(r, sizeof(kinds) / sizeof(*kinds))];
	switch ((enum tf_event_kind)e->kind) {
	case TF_EVENT_SYSCALL:
		e->syscall.number = random_below(r, 400);
		for (unsigned i = 0; i < 6; i++)
			e->syscall.args[i] = random_value(r);
		e->syscall.time_ns = random_value(r);
		break;
	case TF_EVENT_SYSCALL_RESULT:
		e->syscall_result.number = random_below(r, 400);
		e->syscall_result.result = (int64_t)random_u64(r);
		e->syscall_result.time_ns = random_value(r);
		break;
	case TF_EVENT_SIGNAL:
		e->signal.number = random_below(r, 64);
		e->signal.code = (int32_t)random_u64(r);
		e->signal.address = random_value(r);
		e->signal.pc = random_value(r);
		e->signal.handler = random_value(r);
		break;
	case TF_EVENT_SIGRETURN: e->sigreturn.pc = random_value(r); break;
	case TF_EVENT_THREAD_START:
		e->thread_start.thread = (uint32_t)random_value(r);
		e->thread_start.time_ns = random_value(r);
		break;
	case TF_EVENT_THREAD_EXIT:
		e->thread_exit.status = (int32_t)random_u64(r);
		e->thread_exit.time_ns = random_value(r);
		break;
	case TF_EVENT_PROCESS_START:
		e->process_start.process = (uint32_t)random_value(r);
		e->process_start.time_ns = random_value(r);
		break;
	case TF_EVENT_PROCESS_EXIT:
		e->process_exit.wait_status = (int32_t)random_u64(r);
		e->process_exit.time_ns = random_value(r);
		break;
	case TF_EVENT_EXEC:
		e->exec.path = random_text(t, 12);
		e->exec.time_ns = random_value(r);
		break;
	case TF_EVENT_MAPPING: e->mapping.index = random_below(r, 3); break;
	case TF_EVENT_REGION_BEGIN:
	case TF_EVENT_REGION_END: e->region.index = random_below(r, 3); break;
	case TF_EVENT_CALL:
		e->call.function = random_below(r, 3);
		e->call.n_args = t->functions.at[e->call.function].n_args;
		for (unsigned i = 0; i < e->call.n_args; i++)
			e->call.args[i] = random_value(r);
		break;
	case TF_EVENT_RETURN:
		e->ret.function = random_below(r, 3);
		e->ret.result = random_value(r);
		break;
	case TF_EVENT_CONTROL_WORD:
		e->control_word.which = random_below(r, 2);
		e->control_word.value = (uint32_t)random_u64(r);
		break;
	case TF_EVENT_GAP:
		e->gap.reason = 1 + random_below(r, 2);
		e->gap.instructions = random_value(r);
		break;
	case TF_EVENT_TIME: e->time.time_ns = random_value(r); break;
	case TF_EVENT_SEGMENT_BASE:
		e->segment_base.segment = 1 + random_below(r, 2);
		e->segment_base.base = random_value(r);
		break;
	}
}

void random_add_events(struct random_trace *t, uint32_t thread, uint32_t executed)
{
	struct random_stream *s = &t->streams[thread];
	uint64_t *r = &t->state;
	uint32_t ahead = 0;

	for (unsigned n = 1 + random_below(r, 3); n; n--) {
		struct tf_event e = { .thread = thread };

		random_event(t, &e);
		if (executed && random_chance(r, 50))
			ahead += random_below(r, executed - ahead + 1);
		e.ordinal = s->instructions + ahead;
		PUSH(&s->events, e);
		PUSH(&t->ops, (struct random_op){ .kind = OP_EVENT,
						  .thread = thread,
						  .index = s->events.count - 1,
						  .number = ahead });
		if (e.kind == TF_EVENT_SEGMENT_BASE && ahead == 0)
			s->base[e.segment_base.segment] = e.segment_base.base;
	}
}

void random_late_bases(struct random_stream *s, uint64_t after)
{
	size_t i = s->events.count;

	while (i && s->events.at[i - 1].ordinal > after)
		i--;
	for (; i < s->events.count; i++) {
		const struct tf_event *e = &s->events.at[i];

		if (e->kind == TF_EVENT_SEGMENT_BASE)
			s->base[e->segment_base.segment] = e->segment_base.base;
	}
}
