/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/trace_fields.h"

#include "traceformat/tracesamples.h"

struct walk {
	struct fields *fields;
	const uint8_t *start;
	struct span span;
};

static void add(struct walk *w, enum field_type type, const uint8_t *from, uint64_t value)
{
	struct fields *f = w->fields;

	if (w->span.bad || w->span.at == from)
		return;
	if (f->count == f->room) {
		f->room = f->room ? 2 * f->room : 256;
		f->at = reallocarray(f->at, f->room, sizeof(*f->at));
		if (!f->at)
			abort();
	}
	f->at[f->count++] = (struct field){
		.type = type,
		.at = (size_t)(from - w->start),
		.size = (size_t)(w->span.at - from),
		.record = f->n_records,
		.value = value,
	};
}

static uint64_t number(struct walk *w, enum field_type type)
{
	const uint8_t *from = w->span.at;
	uint64_t value = take_varint(&w->span);

	add(w, type, from, value);
	return value;
}

static uint64_t varint(struct walk *w)
{
	return number(w, FIELD_VARINT);
}
static uint64_t svarint(struct walk *w)
{
	return number(w, FIELD_SVARINT);
}
static uint64_t index_of(struct walk *w)
{
	return number(w, FIELD_INDEX);
}

static void varints(struct walk *w, uint64_t count)
{
	while (count-- && !w->span.bad)
		varint(w);
}

static uint8_t u8(struct walk *w)
{
	const uint8_t *from = w->span.at;
	uint8_t value = take_u8(&w->span);

	add(w, FIELD_U8, from, value);
	return value;
}

static void bytes(struct walk *w, enum field_type type, uint64_t size)
{
	const uint8_t *from = w->span.at;

	take_bytes(&w->span, size);
	add(w, type, from, 0);
}

static void string(struct walk *w)
{
	bytes(w, FIELD_STRING, varint(w));
}

/* ---- the dictionary ---------------------------------------------------------------------- */

static void module(struct walk *w)
{
	varint(w);
	string(w);
	bytes(w, FIELD_BYTES, varint(w));
	varint(w);
}

static void symbols(struct walk *w)
{
	varint(w);
	for (uint64_t n = varint(w); n-- && !w->span.bad;) {
		svarint(w);
		varint(w);
		u8(w);
		string(w);
	}
}

static void mapping(struct walk *w)
{
	varints(w, 2);
	index_of(w);
	varints(w, 4);
	string(w);
}

static void sampler(struct walk *w)
{
	string(w);
	string(w);
	varints(w, 2);
	string(w);
}

static void operand(struct walk *w)
{
	unsigned form = u8(w) >> 3;

	u8(w);
	varint(w);
	if (form == 1 || form == 3)
		u8(w);
	if (form == 3) {
		u8(w);
		u8(w);
	}
}

static void insn_kind(struct walk *w)
{
	u8(w);
	varints(w, 2);
	for (unsigned i = 0; i < 3; i++)
		string(w);
	u8(w);
	for (unsigned i = 0; i < 2; i++)
		bytes(w, FIELD_BYTES, varint(w));
	varints(w, 2);
}

static void block(struct walk *w)
{
	uint64_t code = 0, n;

	svarint(w);
	index_of(w);
	svarint(w);
	if (u8(w) & 16)
		svarint(w);
	for (n = varint(w); n-- && !w->span.bad;) {
		uint8_t head = u8(w);

		code += head & 15;
		for (uint64_t k = head & 64 ? varint(w) : 0; k-- && !w->span.bad;)
			operand(w);
	}
	bytes(w, FIELD_BYTES, code);
}

static void recipe(struct walk *w)
{
	unsigned head = u8(w);

	if ((head & 3) == 1)
		varint(w);
	if (head & 4 || head >> 3 & 3)
		varint(w);
	if (head & 4)
		u8(w);
	svarint(w);
}

static void path(struct walk *w)
{
	uint64_t n;

	for (n = varint(w); n-- && !w->span.bad;)
		svarint(w);
	varint(w);
	n = varint(w);
	for (n = n ? n - 1 : 0; n-- && !w->span.bad;)
		recipe(w);
	for (n = varint(w); n-- && !w->span.bad;) {
		varint(w);
		unsigned rule = u8(w) >> 4;

		varint(w);
		if (rule == 2)
			varint(w);
		if (rule)
			svarint(w);
	}
}

static void sample(struct walk *w)
{
	index_of(w);
	index_of(w);
	svarint(w);
}

static void interval(struct walk *w)
{
	varints(w, 3);
	if (index_of(w))
		varints(w, 3);
	bytes(w, FIELD_BYTES, TF_INTERVAL_HASH);
}

/* Walks through a record of version 0. */
static void sketched_interval(struct walk *w)
{
	enum { NUMBERS = 64 };

	interval(w);
	for (unsigned i = 0; i < NUMBERS; i++)
		bytes(w, FIELD_BYTES, sizeof(float));
}

/* Walks through a record that begins with its size. `begin` takes its first fields; the others are
 * varints. */
static void sized(struct walk *w, void (*begin)(struct walk *))
{
	struct span all;
	uint64_t size = varint(w);

	if (w->span.bad || size > span_left(&w->span))
		return;
	all = w->span;
	w->span.end = w->span.at + size;
	if (begin)
		begin(w);
	while (span_left(&w->span) && !w->span.bad)
		varint(w);
	all.at += size;
	w->span = all;
}

static void record(struct walk *w, unsigned kind, unsigned version)
{
	switch (kind) {
	case SECTION_MODULES: module(w); break;
	case SECTION_SYMBOLS: symbols(w); break;
	case SECTION_PROCESSES:
		varint(w);
		index_of(w);
		break;
	case SECTION_THREADS:
		index_of(w);
		varint(w);
		break;
	case SECTION_MAPPINGS: mapping(w); break;
	case SECTION_FUNCTIONS:
		varint(w);
		string(w);
		break;
	case SECTION_REGIONS: string(w); break;
	case SECTION_KINDS: insn_kind(w); break;
	case SECTION_BLOCKS: block(w); break;
	case SECTION_PATHS: path(w); break;
	case SECTION_SAMPLERS: sampler(w); break;
	case SECTION_SCHEDULE: varints(w, 2); break;
	case SECTION_SAMPLES:
		varint(w);
		sized(w, sample);
		break;
	case SECTION_VECTORS:
		if (version)
			varint(w);
		else
			sized(w, NULL);
		break;
	case SECTION_INTERVALS: sized(w, version ? interval : sketched_interval); break;
	case SECTION_END:
		svarint(w);
		string(w);
		varints(w, 9 * varint(w));
		break;
	default: bytes(w, FIELD_BYTES, span_left(&w->span));
	}
}

/* ---- chunks ------------------------------------------------------------------------------ */

static void event(struct walk *w)
{
	uint64_t size;

	varints(w, 2);
	size = varint(w);
	if (w->span.bad || size > span_left(&w->span))
		return;
	for (const uint8_t *end = w->span.at + size; w->span.at < end && !w->span.bad;)
		varint(w);
}

static void column_item(struct walk *w, unsigned id)
{
	switch (id) {
	case COLUMN_HEAD:
	case COLUMN_FLOW_RUNS:
	case COLUMN_FLOW_MISSES:
	case COLUMN_SLOT_MISSES:
	case COLUMN_SLOT_MODELS:
	case COLUMN_SLOT_SOURCES: varint(w); break;
	case COLUMN_PARTIALS: varints(w, 3); break;
	case COLUMN_EVENTS: event(w); break;
	default: bytes(w, FIELD_BYTES, span_left(&w->span));
	}
}

void fields_find(struct fields *fields, const struct loose_section *s, const struct loose_part *p)
{
	struct walk w = { fields, p->bytes.data, span_of(p->bytes.data, p->bytes.size) };
	struct span before;

	while (span_left(&w.span)) {
		before = w.span;
		if (s->header.codec == CODEC_COLUMNS)
			column_item(&w, p->id);
		else
			record(&w, s->header.kind, s->header.version);
		if (w.span.bad || w.span.at == before.at) {
			w.span = span_of(before.at, (size_t)(before.end - before.at));
			bytes(&w, FIELD_BYTES, span_left(&w.span));
		}
		fields->n_records++;
	}
}

void fields_free(struct fields *fields)
{
	free(fields->at);
	*fields = (struct fields){ 0 };
}
