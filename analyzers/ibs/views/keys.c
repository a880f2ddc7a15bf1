/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/views/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/ibs/packet/data_source.h"

/* ---- places ------------------------------------------------------------------------------ */

struct ibs_sample ibs_sample_of_insn(const struct ibs_code *code, uint32_t insn)
{
	const struct ibs_insn *place = &code->insns[insn];
	const struct tf_block *block = tf_block(code->reader, place->block);

	return (struct ibs_sample){
		.process = TF_NONE,
		.thread = TF_NONE,
		.cpu = TF_NONE,
		.pc = place->pc,
		.module = block->module,
		.module_offset = block->module_offset + place->pc - block->pc,
		.block = block,
	};
}

struct place ibs_sample_place(const struct ibs_sample *sample)
{
	struct place place = {
		.process = sample->process,
		.thread = sample->thread,
		.pc = sample->pc,
		.module = sample->module,
		.module_offset = sample->module_offset,
		.block = sample->block,
		.time_ns = sample->time_ns,
	};

	place.accesses = sample->packet && ibs_packet_get(sample->packet, IBS_LIN, &place.address);
	return place;
}

/* ---- values ------------------------------------------------------------------------------ */

/* The data from which a key's value is made. */
struct subject {
	struct places *places;
	const struct ibs_sample *sample;
	struct ibs_key key;
};

static struct place_value get_place(const struct subject *s)
{
	const struct place place = ibs_sample_place(s->sample);

	return place_value_get(s->places, &place, s->key.of);
}

/* Returns the number of a text among the texts of all samples; not known if text is NULL. */
static struct place_value text_value(const struct subject *s, const char *text)
{
	return place_value_index(text ? numbering_add_text(&s->places->texts, text) : TF_NONE);
}

static struct place_value get_cpu(const struct subject *s)
{
	return place_value_index(s->sample->cpu);
}

static struct place_value get_mode(const struct subject *s)
{
	return text_value(s, s->sample->mode);
}

static struct place_value get_comm(const struct subject *s)
{
	return text_value(s, s->sample->comm);
}

static struct place_value get_stack(const struct subject *s)
{
	return text_value(s, s->sample->stack);
}

static struct place_value get_source(const struct subject *s)
{
	enum ibs_level level;

	return place_value_index(ibs_level_get(s->sample->packet, &level) ? level : TF_NONE);
}

static struct place_value get_field(const struct subject *s)
{
	struct place_value value = { .within = TF_NONE };

	value.known = ibs_packet_get(s->sample->packet, s->key.of, &value.value);
	if (!value.known)
		value.value = 0;
	return value;
}

/* ---- cells ------------------------------------------------------------------------------- */

/* The data from which cells are made. */
struct shown {
	const struct places *places;
	const struct ibs_key *key;
	const struct place_value *value;
	char **text; /* receives a text that is made for the cells, or NULL; the caller frees it */
};

static struct report_cell text_cell(const char *text)
{
	return (struct report_cell){ .known = text, .string = text };
}

static void show_place(const struct shown *o, struct report_cell *cells)
{
	place_value_cells(o->places, o->key->of, o->value, o->text, cells);
}

static void show_number(const struct shown *o, struct report_cell *cells)
{
	cells[0] = (struct report_cell){ .known = o->value->known, .u64 = o->value->value };
}

static void show_text(const struct shown *o, struct report_cell *cells)
{
	const struct numbering *texts = &o->places->texts;

	cells[0] = text_cell(o->value->known ? numbering_key(texts, o->value->value) : NULL);
}

static void show_source(const struct shown *o, struct report_cell *cells)
{
	cells[0] = text_cell(o->value->known ? ibs_level_name(o->value->value) : NULL);
}

/* ---- kinds ------------------------------------------------------------------------------- */

/* clang-format off */
static const struct kind {
	struct place_value (*get)(const struct subject *subject);
	void (*show)(const struct shown *of, struct report_cell *cells);
	struct report_column column; /* and the name; IBS_KEY_PLACE and _FIELD have several */
} kinds[] = {
	[IBS_KEY_PLACE] = { get_place, show_place, { 0 } },
	[IBS_KEY_CPU] = { get_cpu, show_number, { "cpu", REPORT_ID, "" } },
	[IBS_KEY_MODE] = { get_mode, show_text, { "mode", REPORT_STRING, "" } },
	[IBS_KEY_COMM] = { get_comm, show_text, { "comm", REPORT_STRING, "" } },
	[IBS_KEY_STACK] = { get_stack, show_text, { "stack", REPORT_STRING, "" } },
	[IBS_KEY_SOURCE] = { get_source, show_source, { "source", REPORT_STRING, "" } },
	[IBS_KEY_FIELD] = { get_field, show_number, { 0 } },
};
/* clang-format on */

static bool find_kind(const char *name, size_t length, struct ibs_key *key)
{
	enum ibs_field field;
	enum place_key place;

	if (place_key_find(name, length, &place)) {
		*key = (struct ibs_key){ IBS_KEY_PLACE, place };
		return true;
	}
	for (unsigned i = IBS_KEY_CPU; i <= IBS_KEY_SOURCE; i++)
		if (strlen(kinds[i].column.name) == length &&
		    !memcmp(kinds[i].column.name, name, length)) {
			*key = (struct ibs_key){ i, 0 };
			return true;
		}
	if (!ibs_field_find(name, length, &field))
		return false;
	*key = (struct ibs_key){ IBS_KEY_FIELD, field };
	return true;
}

/* Returns the message for a text that is no key, with a list of all keys: data last. */
static const char *list_keys(void)
{
	static char text[4096];
	int size = snprintf(text, sizeof(text), "expected is");

	for (unsigned i = 0; i < N_PLACE_KEYS; i++) {
		for (unsigned k = IBS_KEY_CPU; i == PLACE_REGION && k <= IBS_KEY_SOURCE; k++)
			size += snprintf(text + size, sizeof(text) - (size_t)size, ", %s",
					 kinds[k].column.name);
		size += snprintf(text + size, sizeof(text) - (size_t)size, "%s %s", i ? "," : "",
				 place_key_facts[i].name);
	}
	size += snprintf(text + size, sizeof(text) - (size_t)size, ", or a field:");
	ibs_fields_list(text + size, sizeof(text) - (size_t)size);
	return text;
}

/* Notes what a key needs. */
static void add_needs(struct ibs_keys *keys, const struct ibs_key *key)
{
	if (key->kind == IBS_KEY_PLACE) {
		const struct place_key_facts *facts = &place_key_facts[key->of];

		keys->about_data |= facts->about_data;
		keys->needs_lines |= facts->needs_lines;
		keys->needs_objects |= facts->needs_objects;
		keys->are_objects |= key->of == PLACE_OBJECT;
	}
	keys->needs_hardware |= key->kind >= IBS_KEY_CPU && key->kind < IBS_KEY_STACK;
	keys->has_stack |= key->kind == IBS_KEY_STACK;
	keys->needs_callers |= key->kind == IBS_KEY_COMM || key->kind == IBS_KEY_STACK;
}

const char *ibs_keys_parse(struct ibs_keys *keys, const char *text)
{
	*keys = (struct ibs_keys){ 0 };
	if (strlen(text) >= sizeof(keys->name))
		return "too long";
	for (size_t i = 0; i <= strlen(text); i++)
		keys->name[i] = text[i] == ',' ? '_' : text[i];
	for (;;) {
		size_t length = strcspn(text, ",");
		struct ibs_key *key = &keys->keys[keys->count];

		if (keys->count++ == IBS_MAX_KEYS)
			return "more than four";
		if (!find_kind(text, length, key))
			return list_keys();
		add_needs(keys, key);
		if (!text[length])
			return NULL;
		text += length + 1;
	}
}

/* ---- several keys ------------------------------------------------------------------------ */

bool ibs_keys_get(const struct ibs_keys *keys, struct places *places,
		  const struct ibs_sample *sample, struct place_value *values)
{
	uint64_t address;

	if (keys->about_data && !ibs_packet_get(sample->packet, IBS_LIN, &address))
		return false;
	for (unsigned i = 0; i < keys->count; i++) {
		struct subject subject = { places, sample, keys->keys[i] };

		values[i] = kinds[keys->keys[i].kind].get(&subject);
	}
	return true;
}

/* Returns the column of a field. */
static struct report_column field_column(enum ibs_field field)
{
	return (struct report_column){
		ibs_field_name(field),
		ibs_field_is_register(field) ? REPORT_HEX : REPORT_U64,
		"",
	};
}

/* Stores the columns of a key. Returns their number. */
static size_t key_columns(const struct ibs_key *key, struct report_column *columns)
{
	size_t n = 0;

	if (key->kind == IBS_KEY_FIELD)
		columns[n++] = field_column(key->of);
	else if (key->kind != IBS_KEY_PLACE)
		columns[n++] = kinds[key->kind].column;
	else
		n = place_key_columns(key->of, columns);
	return n;
}

size_t ibs_keys_columns(const struct ibs_keys *keys, struct report_column *columns)
{
	size_t count = 0;

	for (unsigned i = 0; i < keys->count; i++) {
		struct report_column own[PLACE_KEY_COLUMNS];
		size_t n = key_columns(&keys->keys[i], own);

		count = place_columns_append(own, n, NULL, columns, count, NULL);
	}
	return count;
}

void ibs_keys_cells(const struct ibs_keys *keys, const struct places *places,
		    const struct place_value *values, struct ibs_key_texts *texts,
		    struct report_cell *cells)
{
	struct report_column columns[IBS_MAX_KEY_COLUMNS];
	size_t count = 0;

	*texts = (struct ibs_key_texts){ { NULL } };
	for (unsigned i = 0; i < keys->count; i++) {
		const struct ibs_key *key = &keys->keys[i];
		struct shown of = { places, key, &values[i], &texts->texts[i] };
		struct report_column own[PLACE_KEY_COLUMNS];
		struct report_cell own_cells[PLACE_KEY_COLUMNS];
		size_t n = key_columns(key, own);

		kinds[key->kind].show(&of, own_cells);
		count = place_columns_append(own, n, own_cells, columns, count, cells);
	}
}

void ibs_key_texts_free(struct ibs_key_texts *texts)
{
	for (unsigned i = 0; i < IBS_MAX_KEYS; i++)
		free(texts->texts[i]);
}
