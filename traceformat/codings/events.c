/* SPDX-License-Identifier: MIT */
#include "traceformat/codings/events.h"

const char *event_check(const struct tf_event *e)
{
	if (e->kind == TF_EVENT_CALL && e->call.n_args > TF_MAX_CALL_ARGS)
		return "a call event has at most 6 arguments";
	if (e->kind == TF_EVENT_SEGMENT_BASE && e->segment_base.segment != TF_SEGMENT_FS &&
	    e->segment_base.segment != TF_SEGMENT_GS)
		return "a segment base event is for fs or gs";
	return NULL;
}

static void encode_payload(struct buffer *b, const struct tf_event *e)
{
	switch ((enum tf_event_kind)e->kind) {
	case TF_EVENT_SYSCALL:
		put_varint(b, e->syscall.number);
		for (unsigned i = 0; i < 6; i++)
			put_varint(b, e->syscall.args[i]);
		put_varint(b, e->syscall.time_ns);
		break;
	case TF_EVENT_SYSCALL_RESULT:
		put_varint(b, e->syscall_result.number);
		put_svarint(b, e->syscall_result.result);
		put_varint(b, e->syscall_result.time_ns);
		break;
	case TF_EVENT_SIGNAL:
		put_varint(b, e->signal.number);
		put_svarint(b, e->signal.code);
		put_varint(b, e->signal.address);
		put_varint(b, e->signal.pc);
		put_varint(b, e->signal.handler);
		break;
	case TF_EVENT_SIGRETURN:
		put_varint(b, e->sigreturn.pc);
		break;
	case TF_EVENT_THREAD_START:
		put_varint(b, e->thread_start.thread);
		put_varint(b, e->thread_start.time_ns);
		break;
	case TF_EVENT_THREAD_EXIT:
		put_svarint(b, e->thread_exit.status);
		put_varint(b, e->thread_exit.time_ns);
		break;
	case TF_EVENT_PROCESS_START:
		put_varint(b, e->process_start.process);
		put_varint(b, e->process_start.time_ns);
		break;
	case TF_EVENT_PROCESS_EXIT:
		put_svarint(b, e->process_exit.wait_status);
		put_varint(b, e->process_exit.time_ns);
		break;
	case TF_EVENT_EXEC:
		put_string(b, e->exec.path);
		put_varint(b, e->exec.time_ns);
		break;
	case TF_EVENT_MAPPING:
		put_varint(b, e->mapping.index);
		break;
	case TF_EVENT_REGION_BEGIN:
	case TF_EVENT_REGION_END:
		put_varint(b, e->region.index);
		break;
	case TF_EVENT_CALL:
		put_varint(b, e->call.function);
		put_varint(b, e->call.n_args);
		for (unsigned i = 0; i < e->call.n_args; i++)
			put_varint(b, e->call.args[i]);
		break;
	case TF_EVENT_RETURN:
		put_varint(b, e->ret.function);
		put_varint(b, e->ret.result);
		break;
	case TF_EVENT_CONTROL_WORD:
		put_varint(b, e->control_word.which);
		put_varint(b, e->control_word.value);
		break;
	case TF_EVENT_GAP:
		put_varint(b, e->gap.reason);
		put_varint(b, e->gap.instructions);
		break;
	case TF_EVENT_TIME:
		put_varint(b, e->time.time_ns);
		break;
	case TF_EVENT_SEGMENT_BASE:
		put_varint(b, e->segment_base.segment);
		put_varint(b, e->segment_base.base);
		break;
	}
}

/* Tells the size of what stands from `at` on, in front of it. */
static void put_size_before(struct buffer *b, size_t at)
{
	size_t size = b->size - at;
	uint8_t text[MAX_VARINT], *end = write_varint(text, size);

	if (!buffer_reserve(b, MAX_VARINT))
		return;
	memmove(b->data + at + (end - text), b->data + at, size);
	memcpy(b->data + at, text, (size_t)(end - text));
	b->size += (size_t)(end - text);
}

void event_encode(struct buffer *column, uint64_t distance, const struct tf_event *event)
{
	size_t at;

	put_varint(column, distance);
	put_varint(column, event->kind);
	at = column->size;
	encode_payload(column, event);
	put_size_before(column, at);
}

static uint32_t take_u32(struct span *s) { return (uint32_t)take_varint_max(s, UINT32_MAX); }

static int32_t take_s32(struct span *s)
{
	int64_t v = take_svarint(s);

	s->bad |= v != (int32_t)v;
	return (int32_t)v;
}

static const char *take_text(struct span *s, struct buffer *text)
{
	uint64_t size = take_varint(s);
	const uint8_t *bytes = take_bytes(s, size);

	text->size = 0;
	put_bytes(text, bytes, bytes ? size : 0);
	put_u8(text, 0);
	if (text->failed)
		s->bad = true;
	return s->bad ? "" : (const char *)text->data;
}

static void decode_payload(struct span *s, struct tf_event *e, struct buffer *text)
{
	switch ((enum tf_event_kind)e->kind) {
	case TF_EVENT_SYSCALL:
		e->syscall.number = take_varint(s);
		for (unsigned i = 0; i < 6; i++)
			e->syscall.args[i] = take_varint(s);
		e->syscall.time_ns = take_varint(s);
		break;
	case TF_EVENT_SYSCALL_RESULT:
		e->syscall_result.number = take_varint(s);
		e->syscall_result.result = take_svarint(s);
		e->syscall_result.time_ns = take_varint(s);
		break;
	case TF_EVENT_SIGNAL:
		e->signal.number = take_u32(s);
		e->signal.code = take_s32(s);
		e->signal.address = take_varint(s);
		e->signal.pc = take_varint(s);
		e->signal.handler = take_varint(s);
		break;
	case TF_EVENT_SIGRETURN:
		e->sigreturn.pc = take_varint(s);
		break;
	case TF_EVENT_THREAD_START:
		e->thread_start.thread = take_u32(s);
		e->thread_start.time_ns = take_varint(s);
		break;
	case TF_EVENT_THREAD_EXIT:
		e->thread_exit.status = take_s32(s);
		e->thread_exit.time_ns = take_varint(s);
		break;
	case TF_EVENT_PROCESS_START:
		e->process_start.process = take_u32(s);
		e->process_start.time_ns = take_varint(s);
		break;
	case TF_EVENT_PROCESS_EXIT:
		e->process_exit.wait_status = take_s32(s);
		e->process_exit.time_ns = take_varint(s);
		break;
	case TF_EVENT_EXEC:
		e->exec.path = take_text(s, text);
		e->exec.time_ns = take_varint(s);
		break;
	case TF_EVENT_MAPPING:
		e->mapping.index = take_u32(s);
		break;
	case TF_EVENT_REGION_BEGIN:
	case TF_EVENT_REGION_END:
		e->region.index = take_u32(s);
		break;
	case TF_EVENT_CALL:
		e->call.function = take_u32(s);
		e->call.n_args = (uint32_t)take_varint_max(s, TF_MAX_CALL_ARGS);
		for (unsigned i = 0; i < e->call.n_args; i++)
			e->call.args[i] = take_varint(s);
		break;
	case TF_EVENT_RETURN:
		e->ret.function = take_u32(s);
		e->ret.result = take_varint(s);
		break;
	case TF_EVENT_CONTROL_WORD:
		e->control_word.which = take_u32(s);
		e->control_word.value = take_u32(s);
		break;
	case TF_EVENT_GAP:
		e->gap.reason = take_u32(s);
		e->gap.instructions = take_varint(s);
		break;
	case TF_EVENT_TIME:
		e->time.time_ns = take_varint(s);
		break;
	case TF_EVENT_SEGMENT_BASE:
		e->segment_base.segment = take_u32(s);
		e->segment_base.base = take_varint(s);
		break;
	}
	s->bad |= event_check(e) != NULL;
}

bool event_decode(struct span *column, uint64_t *distance, struct tf_event *event,
		  struct buffer *text)
{
	struct span payload;

	memset(event, 0, sizeof(*event));
	*distance = take_varint(column);
	event->kind = take_u32(column);
	event->payload_size = take_varint(column);
	event->payload = take_bytes(column, event->payload_size);
	if (!event->payload)
		return false;
	payload = span_of(event->payload, event->payload_size);
	decode_payload(&payload, event, text);
	column->bad |= payload.bad;
	return !column->bad;
}
