/* SPDX-License-Identifier: MIT */
#include "cli/common/samples.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/base_name.h"
#include "cli/common/checked.h"
#include "cli/common/escape.h"
#include "cli/common/json_values.h"
#include "cli/common/put.h"
#include "cli/common/sample_places.h"
#include "traceformat/tracesamples.h"

static const char *kind_name(enum tf_sample_kind kind)
{
	static const char *const names[] = { [TF_SAMPLE] = "sample",
					     [TF_SAMPLES_LOST] = "lost",
					     [TF_SAMPLES_THROTTLED] = "throttled",
					     [TF_SAMPLES_UNTHROTTLED] = "unthrottled",
					     [TF_SAMPLES_MAPPING] = "mapping",
					     [TF_SAMPLES_NAME] = "name" };

	return names[kind];
}

const char *sample_mode_name(uint8_t mode)
{
	static const char *const names[SAMPLE_MODES] = {
		"unknown", "kernel", "user", "hypervisor", "guest-kernel", "guest-user"
	};

	return names[mode < SAMPLE_MODES ? mode : TF_MODE_UNKNOWN];
}

/* ---- a sample as a list of fields -------------------------------------------------------- */

/* clang-format off */
enum field_form {
	FIELD_NUMBER, FIELD_HEX, FIELD_BOOL, FIELD_WORD, FIELD_BYTES, FIELD_CHAIN, FIELD_TEXT,
};
/* clang-format on */

struct field {
	const char *name;
	enum field_form form;
	bool is_there;
	uint64_t value; /* the number of bytes, or of pcs of a chain */
	const void *at; /* texts, bytes and chains */
};

enum { MAX_FIELDS = 22 };

/* Fills f with the fields of a sample. Returns their number, which is the same for all samples. */
static size_t fields_of(const struct tf_sample *s, struct field *f)
{
	bool is_sample = s->kind == TF_SAMPLE, is_mapping = s->kind == TF_SAMPLES_MAPPING;
	uint32_t has = is_sample ? s->fields : 0;
	const struct field fields[] = {
		{ "sampler", FIELD_NUMBER, s->sampler != TF_NONE, s->sampler, NULL },
		{ "thread", FIELD_NUMBER, s->thread != TF_NONE, s->thread, NULL },
		{ "time_ns", FIELD_NUMBER, true, s->time_ns, NULL },
		{ "cpu", FIELD_NUMBER, is_sample && s->cpu != TF_NONE, s->cpu, NULL },
		{ "mode", FIELD_WORD, is_sample, 0, sample_mode_name(s->mode) },
		{ "exact", FIELD_BOOL, is_sample, s->exact_ip, NULL },
		{ "ip", FIELD_HEX, is_sample, s->ip, NULL },
		{ "address", FIELD_HEX, has & TF_SAMPLE_ADDRESS, s->address, NULL },
		{ "physical_address", FIELD_HEX, has & TF_SAMPLE_PHYSICAL_ADDRESS,
		  s->physical_address, NULL },
		{ "period", FIELD_NUMBER, has & TF_SAMPLE_PERIOD, s->period, NULL },
		{ "weight", FIELD_HEX, has & TF_SAMPLE_WEIGHT, s->weight, NULL },
		{ "data_source", FIELD_HEX, has & TF_SAMPLE_DATA_SOURCE, s->data_source, NULL },
		{ "data_page_size", FIELD_NUMBER, has & TF_SAMPLE_DATA_PAGE_SIZE, s->data_page_size,
		  NULL },
		{ "code_page_size", FIELD_NUMBER, has & TF_SAMPLE_CODE_PAGE_SIZE, s->code_page_size,
		  NULL },
		{ "raw", FIELD_BYTES, has & TF_SAMPLE_RAW, s->raw_size, s->raw },
		{ "overhead", FIELD_BOOL, is_sample && s->is_overhead, true, NULL },
		{ "program_ip", FIELD_HEX, has & TF_SAMPLE_PROGRAM_IP, s->program_ip, NULL },
		{ "chain", FIELD_CHAIN, has & TF_SAMPLE_CHAIN, s->n_chain, s->chain },
		{ "lost", FIELD_NUMBER, s->kind == TF_SAMPLES_LOST, s->lost, NULL },
		{ "mapping", FIELD_NUMBER, is_mapping, s->mapping, NULL },
		{ "bias", FIELD_HEX, is_mapping, s->bias, NULL },
		{ "name", FIELD_TEXT, s->kind == TF_SAMPLES_NAME, 0, s->name },
	};

	memcpy(f, fields, sizeof(fields));
	return sizeof(fields) / sizeof(*fields);
}

/* Prints a call chain in formats other than JSON. */
static void put_chain(FILE *out, const struct field *f)
{
	const uint64_t *chain = f->at;

	for (uint64_t i = 0; i < f->value; i++) {
		put_text(out, i ? " " : "");
		put_hex(out, chain[i]);
	}
}

static void put_value(FILE *out, const struct field *f)
{
	switch (f->form) {
	case FIELD_NUMBER: put_number(out, f->value); break;
	case FIELD_HEX: put_hex(out, f->value); break;
	case FIELD_BOOL: put_text(out, f->value ? "true" : "false"); break;
	case FIELD_WORD: put_text(out, f->at); break;
	case FIELD_BYTES: put_bytes(out, f->at, f->value); break;
	case FIELD_CHAIN: put_chain(out, f); break;
	case FIELD_TEXT: put_csv(out, f->at); break;
	}
}

/* ---- formats ----------------------------------------------------------------------------- */

static json_t *json_chain(const uint64_t *chain, uint64_t count)
{
	json_t *array = checked(json_array());

	for (uint64_t i = 0; i < count; i++)
		json_element(array, json_hex(chain[i]));
	return array;
}

static json_t *json_of(const struct field *f)
{
	switch (f->form) {
	case FIELD_NUMBER: return json_number(f->value);
	case FIELD_HEX: return json_hex(f->value);
	case FIELD_BOOL: return json_boolean(f->value);
	case FIELD_BYTES: return json_bytes(f->at, f->value);
	case FIELD_CHAIN: return json_chain(f->at, f->value);
	case FIELD_WORD: return json_word(f->at);
	case FIELD_TEXT: return json_text(f->at);
	}
	return NULL;
}

static void put_json_line(FILE *out, const struct tf_sample *s)
{
	struct field fields[MAX_FIELDS];
	size_t n = fields_of(s, fields);
	json_t *row = checked(json_object());

	json_member(row, "type", json_word(kind_name(s->kind)));
	for (size_t i = 0; i < n; i++)
		if (fields[i].is_there)
			json_member(row, fields[i].name, json_of(&fields[i]));
	json_put_line(out, row, JSON_COMPACT);
}

static void put_csv_head(FILE *out)
{
	struct field fields[MAX_FIELDS];
	size_t n = fields_of(&(struct tf_sample){ .kind = TF_SAMPLE }, fields);

	put_text(out, "type");
	for (size_t i = 0; i < n; i++)
		fprintf(out, ",%s", fields[i].name);
	putc_unlocked('\n', out);
}

static void put_csv_line(FILE *out, const struct tf_sample *s)
{
	struct field fields[MAX_FIELDS];
	size_t n = fields_of(s, fields);

	put_text(out, kind_name(s->kind));
	for (size_t i = 0; i < n; i++) {
		putc_unlocked(',', out);
		if (fields[i].is_there)
			put_value(out, &fields[i]);
	}
	putc_unlocked('\n', out);
}

/* Prints "main+0x1a (ls)", or nothing if there is no file. */
static void put_place(FILE *out, const struct tf_reader *reader, const struct sample_place *place)
{
	const struct tf_symbol *symbol = tf_symbol(reader, place->module, place->module_offset);
	const struct tf_module *module = tf_module(reader, place->module);
	char *file;

	if (!module)
		return;
	file = escape_text(base_name(module->path));
	if (symbol) {
		char *name = escape_text(symbol->name);

		fprintf(out, "  %s+0x%" PRIx64 " (%s)", name, place->module_offset - symbol->value,
			file);
		free(name);
	} else {
		fprintf(out, "  %s+0x%" PRIx64, file, place->module_offset);
	}
	free(file);
}

/* Prints a value. Names are untrusted bytes. */
static void put_text_value(FILE *out, const struct field *f)
{
	char *text = f->form == FIELD_TEXT ? escape_text(f->at) : NULL;

	if (text)
		put_text(out, text);
	else
		put_value(out, f);
	free(text);
}

static void put_text_line(FILE *out, const struct tf_reader *reader, const struct tf_sample *s,
			  struct sample_places *places)
{
	struct field fields[MAX_FIELDS];
	size_t n = fields_of(s, fields);
	struct sample_place place;

	fprintf(out, "%16" PRIu64 ".%09u  %s", s->time_ns / 1000000000,
		(unsigned)(s->time_ns % 1000000000), kind_name(s->kind));
	for (size_t i = 0; i < n; i++)
		if (fields[i].is_there && strcmp(fields[i].name, "time_ns")) {
			fprintf(out, " %s=", fields[i].name);
			put_text_value(out, &fields[i]);
		}
	if (s->kind == TF_SAMPLE) {
		sample_places_of_ip(places, s, &place);
		put_place(out, reader, &place);
	}
	putc_unlocked('\n', out);
}

/* Returns whether a record is of a thread: losses and mappings are of all. */
static bool is_of_thread(const struct tf_sample *s, uint32_t thread)
{
	return thread == TF_MERGED || s->thread == thread ||
	       (s->kind != TF_SAMPLE && s->kind != TF_SAMPLES_NAME);
}

int samples_put(FILE *out, struct tf_reader *reader, enum samples_format format, uint32_t thread,
		struct tf_error *error)
{
	struct tf_samples *samples;
	struct sample_places *places;
	struct tf_sample s;
	struct tf_error damage;
	int result = tf_samples_open(reader, &samples, error), status;

	if (result < 0)
		return result;
	places = sample_places_new(reader);
	if (format == SAMPLES_CSV)
		put_csv_head(out);
	while ((status = tf_samples_next(samples, &s, &damage)) != 0) {
		if (status < 0) {
			result = status;
			*error = damage;
			continue;
		}
		sample_places_follow(places, &s);
		if (!is_of_thread(&s, thread))
			continue;
		if (format == SAMPLES_TEXT)
			put_text_line(out, reader, &s, places);
		else if (format == SAMPLES_JSONL)
			put_json_line(out, &s);
		else
			put_csv_line(out, &s);
	}
	sample_places_free(places);
	tf_samples_close(samples);
	return result;
}

/* ---- samplers ---------------------------------------------------------------------------- */

struct sampler_counts {
	uint64_t samples, lost, throttled;
};

static void count_sample(struct sampler_counts *counts, size_t n, const struct tf_sample *s)
{
	struct sampler_counts *of = &counts[s->sampler < n ? s->sampler : n];

	of->samples += s->kind == TF_SAMPLE;
	of->throttled += s->kind == TF_SAMPLES_THROTTLED;
	of->lost += s->lost;
}

static void put_sampler(struct report *report, const struct tf_sampler *s, uint64_t index,
			const struct sampler_counts *counts)
{
	static const char *const origins[] = {
		[TF_SAMPLER_PERF] = "perf", [TF_SAMPLER_IBS_TOOLKIT] = "ibs-toolkit"
	};
	uint32_t origin = s ? s->origin : 0;

	report_row(report, index, s ? s->event : NULL, s ? s->pmu : NULL,
		   origin < sizeof(origins) / sizeof(*origins) ? origins[origin] : NULL,
		   counts->samples, counts->lost, counts->throttled);
}

int samplers_put(struct report *report, struct tf_reader *reader, struct tf_error *error)
{
	static const struct report_column columns[] = {
		{ "sampler", REPORT_ID, "" },    { "event", REPORT_STRING, "" },
		{ "pmu", REPORT_STRING, "" },    { "origin", REPORT_STRING, "" },
		{ "samples", REPORT_U64, "" },   { "lost", REPORT_U64, "" },
		{ "throttled", REPORT_U64, "" }, { NULL, 0, NULL },
	};
	struct sampler_counts *counts;
	struct tf_samples *samples;
	struct tf_sample s;
	size_t n = 0;
	int status = tf_samples_open(reader, &samples, error);

	if (status < 0)
		return status;
	n = tf_n_samplers(reader);
	counts = checked_array(n + 1, sizeof(*counts)); /* the last: of none that is known */
	while ((status = tf_samples_next(samples, &s, error)) > 0)
		count_sample(counts, n, &s);
	tf_samples_close(samples);
	report_table(report, "sampler_list", columns);
	for (size_t i = 0; i < n; i++)
		if (tf_sampler(reader, (uint32_t)i))
			put_sampler(report, tf_sampler(reader, (uint32_t)i), i, &counts[i]);
	if (counts[n].samples || counts[n].lost)
		put_sampler(report, NULL, n, &counts[n]);
	free(counts);
	return status;
}
