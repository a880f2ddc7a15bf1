/* SPDX-License-Identifier: MIT */
#include "analyzers/program/place_keys.h"

#include <string.h>

#include "cli/common/base_name.h"

/* The names of an unknown symbol or line, as in trace-mix, and of data in no allocation. */
static const char unknown[] = "[unknown]", no_object[] = "[no heap object]";

enum { PAGE_SHIFT = 12, LINE_SHIFT = 6 };

/* ---- values ------------------------------------------------------------------------------ */

static const struct code_site *site_of(struct places *p, const struct place *place)
{
	uint32_t number = places_site(p, place);

	return &p->sites.sites.at[number];
}

static struct place_value get_module(struct places *p, const struct place *place)
{
	(void)p;
	return place_value_index(place->module);
}

static struct place_value get_symbol(struct places *p, const struct place *place)
{
	const char *name = site_of(p, place)->name;

	return (struct place_value){ (uintptr_t)name, place->module, name != NULL };
}

static struct place_value get_line(struct places *p, const struct place *place)
{
	struct place_value value = place_value_index(site_of(p, place)->line);

	value.within = place->module;
	return value;
}

static struct place_value get_instruction(struct places *p, const struct place *place)
{
	return place_value_index(places_site(p, place));
}

static struct place_value get_thread(struct places *p, const struct place *place)
{
	(void)p;
	return place_value_index(place->thread);
}

static struct place_value get_process(struct places *p, const struct place *place)
{
	(void)p;
	return place_value_index(place->process);
}

static struct place_value get_region(struct places *p, const struct place *place)
{
	if (!place->accesses)
		return place_value_index(TF_NONE);
	return place_value_index(memory_regions_find(&p->regions, place->process, place->address));
}

static struct place_value get_object(struct places *p, const struct place *place)
{
	const struct heap_object *object;

	places_object(p, place, &object);
	return place_value_index(object ? object->sampled : TF_NONE);
}

static struct place_value get_allocation(struct places *p, const struct place *place)
{
	const struct heap_object *object;

	places_object(p, place, &object);
	return (struct place_value){ object ? object->site : 0, TF_NONE, object != NULL };
}

static struct place_value aligned(const struct place *place, unsigned shift)
{
	uint64_t address = place->accesses ? place->address >> shift << shift : 0;

	return (struct place_value){ address, place->process, place->accesses };
}

static struct place_value get_page(struct places *p, const struct place *place)
{
	(void)p;
	return aligned(place, PAGE_SHIFT);
}

static struct place_value get_cacheline(struct places *p, const struct place *place)
{
	(void)p;
	return aligned(place, LINE_SHIFT);
}

/* ---- cells ------------------------------------------------------------------------------- */

/* The data from which cells are made. */
struct shown {
	const struct places *places;
	const struct place_value *value;
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

static struct report_cell module_cell(const struct places *places, uint64_t index)
{
	const struct tf_module *module = tf_module(places->reader, (uint32_t)index);

	return text_cell(module ? base_name(module->path) : NULL);
}

static void show_number(const struct shown *o, struct report_cell *cells)
{
	cells[0] = number_cell(o->value->value, o->value->known);
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
const struct place_key_facts place_key_facts[N_PLACE_KEYS] = {
	[PLACE_MODULE] = { "module", false, false, false, { { "module", REPORT_STRING, "" } } },
	[PLACE_FUNCTION] = { "function", false, false, false,
		{ { "module", REPORT_STRING, "" }, { "function", REPORT_STRING, "" } } },
	[PLACE_SYMBOL] = { "symbol", false, false, false,
		{ { "module", REPORT_STRING, "" }, { "symbol", REPORT_STRING, "" } } },
	[PLACE_LINE] = { "line", false, true, false,
		{ { "module", REPORT_STRING, "" }, { "line", REPORT_STRING, "" } } },
	[PLACE_INSTRUCTION] = { "instruction", false, false, false,
		{ { "module", REPORT_STRING, "" }, { "symbol", REPORT_STRING, "" },
		  { "pc", REPORT_HEX, "" }, { "instruction", REPORT_STRING, "" } } },
	[PLACE_THREAD] = { "thread", false, false, false, { { "thread", REPORT_ID, "" } } },
	[PLACE_PROCESS] = { "process", false, false, false, { { "process", REPORT_ID, "" } } },
	[PLACE_REGION] = { "region", true, false, false, { { "region", REPORT_STRING, "" } } },
	[PLACE_OBJECT] = { "object", true, true, true,
		{ { "process", REPORT_ID, "" }, { "address", REPORT_HEX, "" },
		  { "size", REPORT_U64, "bytes" }, { "allocated", REPORT_U64, "" },
		  { "freed", REPORT_U64, "" }, { "allocation", REPORT_STRING, "" } } },
	[PLACE_ALLOCATION] = { "allocation", true, true, true,
		{ { "allocation", REPORT_STRING, "" } } },
	[PLACE_PAGE] = { "page", true, false, false,
		{ { "process", REPORT_ID, "" }, { "page", REPORT_HEX, "" } } },
	[PLACE_CACHELINE] = { "cacheline", true, false, false,
		{ { "process", REPORT_ID, "" }, { "cacheline", REPORT_HEX, "" } } },
};

static const struct {
	struct place_value (*get)(struct places *places, const struct place *place);
	void (*show)(const struct shown *of, struct report_cell *cells);
} kinds[N_PLACE_KEYS] = {
	[PLACE_MODULE] = { get_module, show_module },
	[PLACE_FUNCTION] = { get_symbol, show_symbol },
	[PLACE_SYMBOL] = { get_symbol, show_symbol },
	[PLACE_LINE] = { get_line, show_line },
	[PLACE_INSTRUCTION] = { get_instruction, show_instruction },
	[PLACE_THREAD] = { get_thread, show_number },
	[PLACE_PROCESS] = { get_process, show_number },
	[PLACE_REGION] = { get_region, show_region },
	[PLACE_OBJECT] = { get_object, show_object },
	[PLACE_ALLOCATION] = { get_allocation, show_allocation },
	[PLACE_PAGE] = { get_page, show_block },
	[PLACE_CACHELINE] = { get_cacheline, show_block },
};
/* clang-format on */

bool place_key_find(const char *name, size_t length, enum place_key *key)
{
	for (unsigned i = 0; i < N_PLACE_KEYS; i++)
		if (strlen(place_key_facts[i].name) == length &&
		    !memcmp(place_key_facts[i].name, name, length)) {
			*key = i;
			return true;
		}
	return false;
}

size_t place_key_columns(enum place_key key, struct report_column *columns)
{
	const struct report_column *from = place_key_facts[key].columns;
	size_t n = 0;

	for (; n < PLACE_KEY_COLUMNS && from[n].name; n++)
		columns[n] = from[n];
	return n;
}

/* Returns true if a column is among some. */
static bool is_among(const struct report_column *columns, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(columns[i].name, name))
			return true;
	return false;
}

size_t place_columns_append(const struct report_column *own, size_t n,
			    const struct report_cell *from, struct report_column *columns,
			    size_t count, struct report_cell *cells)
{
	for (size_t i = 0; i < n; i++) {
		if (is_among(columns, count, own[i].name))
			continue;
		if (from)
			cells[count] = from[i];
		columns[count++] = own[i];
	}
	return count;
}

struct place_value place_value_get(struct places *places, const struct place *place,
				   enum place_key key)
{
	return kinds[key].get(places, place);
}

void place_value_cells(const struct places *places, enum place_key key,
		       const struct place_value *value, char **text, struct report_cell *cells)
{
	struct shown of = { places, value, text };

	*text = NULL;
	kinds[key].show(&of, cells);
}
