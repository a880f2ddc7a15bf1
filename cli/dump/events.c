/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "cli/common/checked.h"
#include "cli/common/escape.h"
#include "cli/common/event_fields.h"
#include "cli/common/put.h"
#include "cli/dump/line.h"

static void put_field_text(FILE *out, const struct event_field *field)
{
	const uint64_t *list = field->list;

	fprintf(out, " %s=", field->name);
	switch (field->type) {
	case EVENT_NUMBER: put_number(out, field->number); break;
	case EVENT_SIGNED: put_signed(out, field->signed_number); break;
	case EVENT_HEX: put_hex(out, field->number); break;
	case EVENT_STRING: dump_text(out, field->string); break;
	case EVENT_BYTES: put_bytes(out, field->list, field->count); break;
	case EVENT_HEX_LIST:
		for (size_t i = 0; i < field->count; i++) {
			if (i)
				putc_unlocked(',', out);
			put_hex(out, list[i]);
		}
		break;
	}
}

static void put_field_json(FILE *out, const struct event_field *field)
{
	const uint64_t *list = field->list;

	fprintf(out, ",\"%s\":", field->name);
	switch (field->type) {
	case EVENT_NUMBER: put_number(out, field->number); break;
	case EVENT_SIGNED: put_signed(out, field->signed_number); break;
	case EVENT_HEX: put_json_hex(out, field->number); break;
	case EVENT_STRING: put_json(out, field->string); break;
	case EVENT_BYTES:
		putc_unlocked('"', out);
		put_bytes(out, field->list, field->count);
		putc_unlocked('"', out);
		break;
	case EVENT_HEX_LIST:
		putc_unlocked('[', out);
		for (size_t i = 0; i < field->count; i++) {
			if (i)
				putc_unlocked(',', out);
			put_json_hex(out, list[i]);
		}
		putc_unlocked(']', out);
		break;
	}
}

static void put_event_text(FILE *out, const struct tf_event *event,
			   const struct event_field *fields, size_t count)
{
	put_text(out, event_name(event->kind));
	for (size_t i = 0; i < count; i++)
		put_field_text(out, &fields[i]);
}

void dump_event(struct dump *dump, const struct tf_event *event)
{
	struct event_field fields[EVENT_MAX_FIELDS];
	size_t count = event_fields(dump->reader, event, fields);
	FILE *out = dump->out;
	FILE *memory;
	char *text;
	size_t size;

	dump_head(dump, "event", event->ordinal, event->thread);
	switch (dump->options->format) {
	case DUMP_TEXT:
		put_text(out, "-- ");
		put_event_text(out, event, fields, count);
		break;
	case DUMP_JSONL:
		fprintf(out, "\"event\":\"%s\"", event_name(event->kind));
		for (size_t i = 0; i < count; i++)
			put_field_json(out, &fields[i]);
		putc_unlocked('}', out);
		break;
	case DUMP_CSV:
		memory = checked(open_memstream(&text, &size));
		put_event_text(memory, event, fields, count);
		if (fclose(memory))
			out_of_memory();
		put_text(out, dump->options->blocks ? ",,,," : ",,");
		put_csv(out, text);
		if (!dump->options->blocks)
			putc_unlocked(',', out);
		free(text);
		break;
	}
	putc_unlocked('\n', out);
}
