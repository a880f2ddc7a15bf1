/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/views/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/ibs/packet/data_source.h"
#include "cli/common/base_name.h"

/* The names of an unknown symbol or line, as in trace-mix, and of data in no allocation. */
static const char unknown[] = "[unknown]", no_object[] = "[no heap object]";

enum { PAGE_SHIFT = 12, LINE_SHIFT = 6, MAX_COLUMNS = 6 };

/* The data from which a key's value is made. */
struct subject {
	struct ibs_places *places;
	const struct ibs_sample *sample;
	struct ibs_key key;
};

/* ---- values ------------------------------------------------------------------------------ */

static bool index_value(uint32_t index, struct ibs_key_value *v)
{
	v->value = index;
	return index != TF_NONE;
}

static const struct code_site *site_of(const struct subject *s)
{
	uint32_t number = ibs_places_site(s->places, s->sample);

	return &s->places->sites.sites.at[number];
}

static bool get_module(const struct subject *s, struct ibs_key_value *v)
{
	return index_value(s->sample->module, v);
}

static bool get_symbol(const struct subject *s, struct ibs_key_value *v)
{
	v->within = s->sample->module;
	v->value = (uintptr_t)site_of(s)->name;
	return v->value;
}

static bool get_line(const struct subject *s, struct ibs_key_value *v)
{
	v->within = s->sample->module;
	return index_value(site_of(s)->line, v);
}

static bool get_instruction(const struct subject *s, struct ibs_key_value *v)
{
	return index_value(ibs_places_site(s->places, s->sample), v);
}

static bool get_thread(const struct subject *s, struct ibs_key_value *v)
{
	return index_value(s->sample->thread, v);
}

static bool get_process(const struct subject *s, struct ibs_key_value *v)
{
	return index_value(s->sample->process, v);
}

/* Gets the number of a text among the texts of all samples. Returns false if text is NULL. */
static bool get_text(const struct subject *s, const char *text, struct ibs_key_value *v)
{
	return text && index_value(numbering_add_text(&s->places->texts, text), v);
}

static bool get_cpu(const struct subject *s, struct ibs_key_value *v)
{
	return index_value(s->sample->cpu, v);
}

static bool get_mode(const struct subject *s, struct ibs_key_value *v)
{
	return get_text(s, s->sample->mode, v);
}

static bool get_comm(const struct subject *s, struct ibs_key_value *v)
{
	return get_text(s, s->sample->comm, v);
}

static bool get_stack(const struct subject *s, struct ibs_key_value *v)
{
	return get_text(s, s->sample->stack, v);
}

static bool get_source(const struct subject *s, struct ibs_key_value *v)
{
	enum ibs_level level = 0;
	bool known = ibs_level_get(s->sample->packet, &level);

	v->value = level;
	return known;
}

static bool get_field(const struct subject *s, struct ibs_key_value *v)
{
	return ibs_packet_get(s->sample->packet, s->key.field, &v->value);
}

static bool get_region(const struct subject *s, struct ibs_key_value *v)
{
	uint64_t address;

	if (!ibs_packet_get(s->sample->packet, IBS_LIN, &address))
		return false;
	v->value = memory_regions_find(&s->places->regions, s->sample->process, address);
	return true;
}

static const struct heap_object *object_of(const struct subject *s)
{
	const struct heap_object *object;

	ibs_places_object(s->places, s->sample, &object);
	return object;
}

static bool get_object(const struct subject *s, struct ibs_key_value *v)
{
	const struct heap_object *object = object_of(s);

	return object && index_value(object->sampled, v);
}

static bool get_allocation(const struct subject *s, struct ibs_key_value *v)
{
	const struct heap_object *object = object_of(s);

	v->value = object ? object->site : TF_NONE;
	return object;
}

static bool get_block(const struct subject *s, struct ibs_key_value *v)
{
	unsigned shift = s->key.kind == IBS_KEY_PAGE ? PAGE_SHIFT : LINE_SHIFT;

	v->within = s->sample->process;
	if (!ibs_packet_get(s->sample->packet, IBS_LIN, &v->value))
		return false;
	v->value = v->value >> shift << shift;
	return true;
}

/* ---- cells ------------------------------------------------------------------------------- */

/* The data from which cells are made. */
struct shown {
	const struct ibs_places *places;
	const struct ibs_key_value *value;
	char **text; /* receives a text that is made for the cells; the caller frees it */
};

static struct report_cell number_cell(uint64_t number, bool known)
{
	return (struct report_cell){ .known = known, .u64 = number };
}

static struct report_cell text_cell(const char *text)
{
	return (struct report_cell){ .known = text, .string = text };
}

static struct report_cell module_cell(const struct ibs_places *places, uint64_t index)
{
	const struct tf_module *module = tf_module(places->reader, (uint32_t)index);

	return text_cell(module ? base_name(module->path) : NULL);
}

static void show_number(const struct shown *o, struct report_cell *cells)
{
	cells[0] = number_cell(o->value->value, o->value->known);
}

static void show_text(const struct shown *o, struct report_cell *cells)
{
	const struct numbering *texts = &o->places->texts;

	cells[0] = text_cell(o->value->known ? numbering_key(texts, o->value->value) : NULL);
}

static void show_module(const struct shown *o, struct report_cell *cells)
{
	cells[0] = module_cell(o->places, o->value->known ? o->value->value : TF_NONE);
}

static void show_symbol(const struct shown *o, struct report_cell *cells)
{
	cells[0] = module_cell(o->places, o->value->within);
	cells[1] = text_cell(o->value->known ? (const void *)(uintptr_t)o->value->value : unknown);
}

static void show_line(const struct shown *o, struct report_cell *cells)
{
	const struct numbering *lines = &o->places->sites.line_texts;

	cells[0] = module_cell(o->places, o->value->within);
	cells[1] = text_cell(o->value->known ? numbering_key(lines, o->value->value) : unknown);
}

static void show_instruction(const struct shown *o, struct report_cell *cells)
{
	const struct code_sites *sites = &o->places->sites;
	const struct code_site *site = &sites->sites.at[o->value->value];

	*o->text = code_site_disassemble(sites, site);
	cells[0] = text_cell(code_site_module(sites, site));
	cells[1] = text_cell(site->name);
	cells[2] = number_cell(site->pc, true);
	cells[3] = text_cell(*o->text);
}

static void show_source(const struct shown *o, struct report_cell *cells)
{
	cells[0] = text_cell(o->value->known ? ibs_level_name(o->value->value) : NULL);
}

static void show_region(const struct shown *o, struct report_cell *cells)
{
	const struct numbering *names = &o->places->regions.names;

	cells[0] = text_cell(o->value->known ? numbering_key(names, o->value->value) : NULL);
}

static struct report_cell site_cell(const struct shown *o, uint64_t number)
{
	const struct code_sites *sites = &o->places->sites;

	if (number == TF_NONE)
		return text_cell(NULL);
	*o->text = code_site_describe(sites, &sites->sites.at[number]);
	return text_cell(*o->text);
}

static void show_object(const struct shown *o, struct report_cell *cells)
{
	static const struct heap_object none = { .site = TF_NONE, .freed = UINT64_MAX };
	bool known = o->value->known;
	const struct heap_object *object = known ? o->places->objects.kept.at[o->value->value]
						 : &none;

	cells[0] = number_cell(object->process, known);
	cells[1] = number_cell(object->address, known);
	cells[2] = number_cell(object->size, known);
	cells[3] = number_cell(object->allocated, known);
	cells[4] = number_cell(object->freed, object->freed != UINT64_MAX);
	cells[5] = known ? site_cell(o, object->site) : text_cell(no_object);
}

static void show_allocation(const struct shown *o, struct report_cell *cells)
{
	cells[0] = o->value->known ? site_cell(o, o->value->value) : text_cell(no_object);
}

static void show_block(const struct shown *o, struct report_cell *cells)
{
	cells[0] = number_cell(o->value->within, o->value->within != TF_NONE);
	cells[1] = number_cell(o->value->value, o->value->known);
}

/* ---- kinds ------------------------------------------------------------------------------- */

/* clang-format off */
static const struct kind {
	const char *name;
	bool about_data, needs_lines;
	bool (*get)(const struct subject *subject, struct ibs_key_value *value);
	void (*show)(const struct shown *of, struct report_cell *cells);
	struct report_column columns[MAX_COLUMNS];
} kinds[] = {
	[IBS_KEY_MODULE] = { "module", false, false, get_module, show_module,
		{ { "module", REPORT_STRING, "" } } },
	[IBS_KEY_SYMBOL] = { "symbol", false, false, get_symbol, show_symbol,
		{ { "module", REPORT_STRING, "" }, { "symbol", REPORT_STRING, "" } } },
	[IBS_KEY_LINE] = { "line", false, true, get_line, show_line,
		{ { "module", REPORT_STRING, "" }, { "line", REPORT_STRING, "" } } },
	[IBS_KEY_INSTRUCTION] = { "instruction", false, false, get_instruction, show_instruction,
		{ { "module", REPORT_STRING, "" }, { "symbol", REPORT_STRING, "" },
		  { "pc", REPORT_HEX, "" }, { "instruction", REPORT_STRING, "" } } },
	[IBS_KEY_THREAD] = { "thread", false, false, get_thread, show_number,
		{ { "thread", REPORT_ID, "" } } },
	[IBS_KEY_PROCESS] = { "process", false, false, get_process, show_number,
		{ { "process", REPORT_ID, "" } } },
	[IBS_KEY_CPU] = { "cpu", false, false, get_cpu, show_number,
		{ { "cpu", REPORT_ID, "" } } },
	[IBS_KEY_MODE] = { "mode", false, false, get_mode, show_text,
		{ { "mode", REPORT_STRING, "" } } },
	[IBS_KEY_COMM] = { "comm", false, false, get_comm, show_text,
		{ { "comm", REPORT_STRING, "" } } },
	[IBS_KEY_STACK] = { "stack", false, false, get_stack, show_text,
		{ { "stack", REPORT_STRING, "" } } },
	[IBS_KEY_SOURCE] = { "source", false, false, get_source, show_source,
		{ { "source", REPORT_STRING, "" } } },
	[IBS_KEY_REGION] = { "region", true, false, get_region, show_region,
		{ { "region", REPORT_STRING, "" } } },
	[IBS_KEY_OBJECT] = { "object", true, true, get_object, show_object,
		{ { "process", REPORT_ID, "" }, { "address", REPORT_HEX, "" },
		  { "size", REPORT_U64, "bytes" }, { "allocated", REPORT_U64, "" },
		  { "freed", REPORT_U64, "" }, { "allocation", REPORT_STRING, "" } } },
	[IBS_KEY_ALLOCATION] = { "allocation", true, true, get_allocation, show_allocation,
		{ { "allocation", REPORT_STRING, "" } } },
	[IBS_KEY_PAGE] = { "page", true, false, get_block, show_block,
		{ { "process", REPORT_ID, "" }, { "page", REPORT_HEX, "" } } },
	[IBS_KEY_CACHELINE] = { "cacheline", true, false, get_block, show_block,
		{ { "process", REPORT_ID, "" }, { "cacheline", REPORT_HEX, "" } } },
	[IBS_KEY_FIELD] = { "", false, false, get_field, show_number, { { 0 } } },
};
/* clang-format on */

static bool find_kind(const char *name, size_t length, struct ibs_key *key)
{
	enum ibs_field field;

	for (unsigned i = 0; i < IBS_KEY_FIELD; i++)
		if (strlen(kinds[i].name) == length && !memcmp(kinds[i].name, name, length)) {
			key->kind = i;
			return true;
		}
	if (!ibs_field_find(name, length, &field))
		return false;
	*key = (struct ibs_key){ IBS_KEY_FIELD, field };
	return true;
}

/* Returns the message for a text that is no key, with a list of all keys. */
static const char *list_keys(void)
{
	static char text[4096];
	int size = snprintf(text, sizeof(text), "expected is");

	for (unsigned i = 0; i < IBS_KEY_FIELD; i++)
		size += snprintf(text + size, sizeof(text) - (size_t)size, "%s %s", i ? "," : "",
				 kinds[i].name);
	size += snprintf(text + size, sizeof(text) - (size_t)size, ", or a field:");
	ibs_fields_list(text + size, sizeof(text) - (size_t)size);
	return text;
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
		keys->about_data |= kinds[key->kind].about_data;
		keys->are_objects |= key->kind == IBS_KEY_OBJECT;
		keys->needs_objects |= key->kind == IBS_KEY_OBJECT ||
				       key->kind == IBS_KEY_ALLOCATION;
		keys->needs_hardware |= key->kind >= IBS_KEY_CPU && key->kind <= IBS_KEY_STACK;
		keys->needs_callers |= key->kind == IBS_KEY_COMM || key->kind == IBS_KEY_STACK;
		keys->needs_lines |= kinds[key->kind].needs_lines;
		if (!text[length])
			return NULL;
		text += length + 1;
	}
}

/* ---- several keys ------------------------------------------------------------------------ */

bool ibs_keys_get(const struct ibs_keys *keys, struct ibs_places *places,
		  const struct ibs_sample *sample, struct ibs_key_value *values)
{
	uint64_t address;

	if (keys->about_data && !ibs_packet_get(sample->packet, IBS_LIN, &address))
		return false;
	for (unsigned i = 0; i < keys->count; i++) {
		struct subject subject = { places, sample, keys->keys[i] };

		values[i] = (struct ibs_key_value){ .within = TF_NONE };
		values[i].known = kinds[keys->keys[i].kind].get(&subject, &values[i]);
		if (!values[i].known)
			values[i].value = 0;
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

size_t ibs_keys_columns(const struct ibs_keys *keys, struct report_column *columns)
{
	size_t n = 0;

	for (unsigned i = 0; i < keys->count; i++) {
		const struct kind *kind = &kinds[keys->keys[i].kind];

		if (keys->keys[i].kind == IBS_KEY_FIELD)
			columns[n++] = field_column(keys->keys[i].field);
		for (unsigned k = 0; k < MAX_COLUMNS && kind->columns[k].name; k++)
			columns[n++] = kind->columns[k];
	}
	return n;
}

void ibs_keys_cells(const struct ibs_keys *keys, const struct ibs_places *places,
		    const struct ibs_key_value *values, struct ibs_key_texts *texts,
		    struct report_cell *cells)
{
	*texts = (struct ibs_key_texts){ { NULL } };
	for (unsigned i = 0; i < keys->count; i++) {
		const struct kind *kind = &kinds[keys->keys[i].kind];
		struct shown of = { places, &values[i], &texts->texts[i] };

		kind->show(&of, cells);
		cells++;
		for (unsigned k = 1; k < MAX_COLUMNS && kind->columns[k].name; k++)
			cells++;
	}
}

void ibs_key_texts_free(struct ibs_key_texts *texts)
{
	for (unsigned i = 0; i < IBS_MAX_KEYS; i++)
		free(texts->texts[i]);
}
