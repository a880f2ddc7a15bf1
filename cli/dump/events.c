/* SPDX-License-Identifier: MIT */
/* Prints the lines of events. */
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

static json_t *hex_list(const uint64_t *list, size_t count)
{
	json_t *array = checked(json_array());

	for (size_t i = 0; i < count; i++)
		json_element(array, json_hex(list[i]));
	return array;
}

static json_t *field_value(const struct event_field *field)
{
	switch (field->type) {
	case EVENT_NUMBER: return json_number(field->number);
	case EVENT_SIGNED: return checked(json_integer(field->signed_number));
	case EVENT_HEX: return json_hex(field->number);
	case EVENT_STRING: return json_text(field->string);
	case EVENT_BYTES: return json_bytes(field->list, field->count);
	case EVENT_HEX_LIST: return hex_list(field->list, field->count);
	}
	return NULL;
}

static void put_row(const struct dump *dump, const struct tf_event *event,
		    const struct event_field *fields, size_t count)
{
	json_t *row = dump_row("event", event->ordinal, event->thread);

	json_member(row, "event", json_word(event_name(event->kind)));
	for (size_t i = 0; i < count; i++)
		json_member(row, fields[i].name, field_value(&fields[i]));
	dump_put_row(dump->out, row);
}

static void put_event_text(FILE *out, const struct tf_event *event,
			   const struct event_field *fields, size_t count)
{
	put_text(out, event_name(event->kind));
	for (size_t i = 0; i < count; i++)
		put_field_text(out, &fields[i]);
}

static void put_csv_event(const struct dump *dump, const struct tf_event *event,
			  const struct event_field *fields, size_t count)
{
	char *text;
	size_t size;
	FILE *memory = checked(open_memstream(&text, &size));

	put_event_text(memory, event, fields, count);
	if (fclose(memory))
		out_of_memory();
	put_text(dump->out, dump->options->blocks ? ",,,," : ",,");
	put_csv(dump->out, text);
	if (!dump->options->blocks)
		putc_unlocked(',', dump->out);
	free(text);
}

void dump_event(struct dump *dump, const struct tf_event *event)
{
	struct event_field fields[EVENT_MAX_FIELDS];
	size_t count = event_fields(dump->reader, event, fields);

	if (dump->options->format == DUMP_JSONL) {
		put_row(dump, event, fields, count);
		return;
	}
	dump_head(dump, "event", event->ordinal, event->thread);
	if (dump->options->format == DUMP_TEXT) {
		put_text(dump->out, "-- ");
		put_event_text(dump->out, event, fields, count);
	} else {
		put_csv_event(dump, event, fields, count);
	}
	putc_unlocked('\n', dump->out);
}
