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

/* ---- what payloads have ------------------------------------------------------------------ */

enum field_type { FIELD_NONE, FIELD_U32, FIELD_S32, FIELD_U64, FIELD_S64, FIELD_TEXT, FIELD_ARGS };

struct field {
	uint16_t type;   /* enum field_type; FIELD_NONE ends a list */
	uint16_t offset; /* in struct tf_event */
};

enum { MOST_FIELDS = 8 };

#define FIELD(type, member)                                     \
	{                                                       \
		FIELD_##type, offsetof(struct tf_event, member) \
	}

/* In the order of the file. */
static const struct field fields[][MOST_FIELDS + 1] = {
	[TF_EVENT_SYSCALL] = { FIELD(U64, syscall.number), FIELD(U64, syscall.args[0]),
			       FIELD(U64, syscall.args[1]), FIELD(U64, syscall.args[2]),
			       FIELD(U64, syscall.args[3]), FIELD(U64, syscall.args[4]),
			       FIELD(U64, syscall.args[5]), FIELD(U64, syscall.time_ns) },
	[TF_EVENT_SYSCALL_RESULT] = { FIELD(U64, syscall_result.number),
				      FIELD(S64, syscall_result.result),
				      FIELD(U64, syscall_result.time_ns) },
	[TF_EVENT_SIGNAL] = { FIELD(U32, signal.number), FIELD(S32, signal.code),
			      FIELD(U64, signal.address), FIELD(U64, signal.pc),
			      FIELD(U64, signal.handler) },
	[TF_EVENT_SIGRETURN] = { FIELD(U64, sigreturn.pc) },
	[TF_EVENT_THREAD_START] = { FIELD(U32, thread_start.thread),
				    FIELD(U64, thread_start.time_ns) },
	[TF_EVENT_THREAD_EXIT] = { FIELD(S32, thread_exit.status),
				   FIELD(U64, thread_exit.time_ns) },
	[TF_EVENT_PROCESS_START] = { FIELD(U32, process_start.process),
				     FIELD(U64, process_start.time_ns) },
	[TF_EVENT_PROCESS_EXIT] = { FIELD(S32, process_exit.wait_status),
				    FIELD(U64, process_exit.time_ns) },
	[TF_EVENT_EXEC] = { FIELD(TEXT, exec.path), FIELD(U64, exec.time_ns) },
	[TF_EVENT_MAPPING] = { FIELD(U32, mapping.index) },
	[TF_EVENT_REGION_BEGIN] = { FIELD(U32, region.index) },
	[TF_EVENT_REGION_END] = { FIELD(U32, region.index) },
	[TF_EVENT_CALL] = { FIELD(U32, call.function), FIELD(ARGS, call) },
	[TF_EVENT_RETURN] = { FIELD(U32, ret.function), FIELD(U64, ret.result) },
	[TF_EVENT_CONTROL_WORD] = { FIELD(U32, control_word.which),
				    FIELD(U32, control_word.value) },
	[TF_EVENT_GAP] = { FIELD(U32, gap.reason), FIELD(U64, gap.instructions) },
	[TF_EVENT_TIME] = { FIELD(U64, time.time_ns) },
	[TF_EVENT_SEGMENT_BASE] = { FIELD(U32, segment_base.segment),
				    FIELD(U64, segment_base.base) },
};

/* Returns the fields of a kind of event; a kind of a later version of the format has none here. */
static const struct field *fields_of(uint32_t kind)
{
	return fields[kind < sizeof(fields) / sizeof(fields[0]) ? kind : 0];
}

/* ---- writing ----------------------------------------------------------------------------- */

static void encode_args(struct buffer *b, const struct tf_event *e)
{
	put_varint(b, e->call.n_args);
	for (unsigned i = 0; i < e->call.n_args; i++)
		put_varint(b, e->call.args[i]);
}

static void encode_payload(struct buffer *b, const struct tf_event *e)
{
	for (const struct field *f = fields_of(e->kind); f->type; f++) {
		const void *at = (const char *)e + f->offset;

		switch ((enum field_type)f->type) {
		case FIELD_U32: put_varint(b, *(const uint32_t *)at); break;
		case FIELD_S32: put_svarint(b, *(const int32_t *)at); break;
		case FIELD_U64: put_varint(b, *(const uint64_t *)at); break;
		case FIELD_S64: put_svarint(b, *(const int64_t *)at); break;
		case FIELD_TEXT: put_string(b, *(const char *const *)at); break;
		case FIELD_ARGS: encode_args(b, e); break;
		case FIELD_NONE: break;
		}
	}
}

/* Inserts, at `at`, the size of the bytes from there to the end, as a varint. */
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

/* ---- reading ----------------------------------------------------------------------------- */

static uint32_t take_u32(struct span *s)
{
	return (uint32_t)take_varint_max(s, UINT32_MAX);
}

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

static void decode_args(struct span *s, struct tf_event *e)
{
	e->call.n_args = (uint32_t)take_varint_max(s, TF_MAX_CALL_ARGS);
	for (unsigned i = 0; i < e->call.n_args; i++)
		e->call.args[i] = take_varint(s);
}

static void decode_payload(struct span *s, struct tf_event *e, struct buffer *text)
{
	for (const struct field *f = fields_of(e->kind); f->type; f++) {
		void *at = (char *)e + f->offset;

		switch ((enum field_type)f->type) {
		case FIELD_U32: *(uint32_t *)at = take_u32(s); break;
		case FIELD_S32: *(int32_t *)at = take_s32(s); break;
		case FIELD_U64: *(uint64_t *)at = take_varint(s); break;
		case FIELD_S64: *(int64_t *)at = take_svarint(s); break;
		case FIELD_TEXT: *(const char **)at = take_text(s, text); break;
		case FIELD_ARGS: decode_args(s, e); break;
		case FIELD_NONE: break;
		}
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
