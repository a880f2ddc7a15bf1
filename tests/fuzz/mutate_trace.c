/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/mutate_trace.h"

#include <string.h>
#include <xxhash.h>

#include "tests/fuzz/trace_fields.h"

enum { MOST_PART = 1 << 20 };

uint64_t random_next(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

uint64_t random_under(uint64_t *state, uint64_t limit)
{
	return random_next(state) % limit;
}

/* Returns a number at the limits of readers or types, or one near a given number. */
static uint64_t edge(uint64_t *state, uint64_t near)
{
	static const uint64_t edges[] = { 0,
					  1,
					  2,
					  15,
					  16,
					  63,
					  64,
					  127,
					  128,
					  255,
					  256,
					  257,
					  1023,
					  1024,
					  1025,
					  4095,
					  4096,
					  4097,
					  16384,
					  65535,
					  65536,
					  1 << 20,
					  (1 << 20) + 1,
					  1 << 26,
					  (1 << 26) + 1,
					  1 << 28,
					  INT32_MAX,
					  UINT32_MAX - 1,
					  UINT32_MAX,
					  UINT64_C(1) << 32,
					  UINT64_C(1) << 40,
					  INT64_MAX,
					  UINT64_C(1) << 63,
					  UINT64_MAX - 1,
					  UINT64_MAX };

	switch (random_under(state, 4)) {
	case 0: return near + random_under(state, 9) - 4;
	case 1: return near ^ UINT64_C(1) << random_under(state, 64);
	case 2: return random_next(state) >> random_under(state, 64);
	default: return edges[random_under(state, sizeof(edges) / sizeof(*edges))];
	}
}

/* ---- parts ------------------------------------------------------------------------------- */

/* Replaces size bytes at `at` of a part. */
static void replace(struct loose_part *p, size_t at, size_t size, const void *by, size_t by_size)
{
	struct buffer b = { 0 };

	if (p->bytes.size - size + by_size > MOST_PART)
		return;
	put_bytes(&b, p->bytes.data, at);
	put_bytes(&b, by, by_size);
	put_bytes(&b, p->bytes.data + at + size, p->bytes.size - at - size);
	buffer_reserve(&b, 1);
	buffer_free(&p->bytes);
	p->bytes = b;
}

static void set_number(struct loose_part *p, const struct field *f, uint64_t value)
{
	uint8_t text[MAX_VARINT + 1];
	size_t size;

	if (f->type == FIELD_U8) {
		*text = (uint8_t)value;
		size = 1;
	} else {
		size = (size_t)(write_varint(text, value) - text);
	}
	replace(p, f->at, f->size, text, size);
}

/* clang-format off */
static const char *const names[] = {
	"", "/", "..", "../../../etc/passwd", "/etc/passwd", "/proc/self/fd/3", "/proc/self/mem", "/dev/zero",
	"%s%s%n%1000000d", "\x1b]0;title\x07\x1b[31m", "a\nb\r\n# c", "=1+1|' /C calc'!A0", "a,\"b\",\"", "\xff\xfe\x80",
	"[stack]", "[heap]", "[vdso]", "malloc", "free", "main", "_Z", "_ZN",
	"_Z1f1XIiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_ES_IS4_S4_ES_IS5_S5_ES_IS6_S6_ES_IS7_S7_E"
};
/* clang-format on */

/* Changes a string, and its length, which is the field before it. */
static void set_string(struct loose_part *p, const struct field *f, uint64_t *state)
{
	static char long_name[1 << 16];
	uint8_t length[MAX_VARINT];
	const char *name = names[random_under(state, sizeof(names) / sizeof(*names))];
	size_t size = strlen(name);

	if (random_under(state, 8) == 0) {
		memset(long_name, "A/_Z1\n"[random_under(state, 6)], sizeof(long_name));
		name = long_name;
		size = random_under(state, 3) ? 1 + random_under(state, 300)
					      : 1 + random_under(state, sizeof(long_name));
	}
	replace(p, f->at, f->size, name, size);
	if (f[-1].type == FIELD_VARINT)
		replace(p, f[-1].at, f[-1].size, length,
			(size_t)(write_varint(length, size) - length));
}

static void change_bytes(struct loose_part *p, const struct field *f, uint64_t *state)
{
	uint64_t junk = random_next(state);
	size_t at = f->at + random_under(state, f->size), left = f->at + f->size - at;

	switch (random_under(state, 4)) {
	case 0: p->bytes.data[at] ^= (uint8_t)(1 << random_under(state, 8)); break;
	case 1:
		replace(p, at, left < 4 ? left : random_under(state, 4), &junk,
			random_under(state, 9));
		break;
	case 2: replace(p, at, left < 16 ? left : random_under(state, 16), NULL, 0); break;
	default: p->bytes.data[at] = (uint8_t)edge(state, p->bytes.data[at]);
	}
}

static void change_field(struct loose_part *p, const struct fields *fields, uint64_t *state)
{
	const struct field *f = &fields->at[random_under(state, fields->count)];
	const struct field *other = &fields->at[random_under(state, fields->count)];

	if (f->type == FIELD_BYTES)
		change_bytes(p, f, state);
	else if (f->type == FIELD_STRING && f > fields->at)
		set_string(p, f, state);
	else if (f->type == other->type && random_under(state, 3) == 0)
		set_number(p, f, other->value);
	else
		set_number(p, f, edge(state, f->value));
}

/* Finds where a record begins and ends. Returns false if there is none. */
static bool find_record(const struct fields *fields, unsigned n, size_t *at, size_t *size)
{
	*size = 0;
	for (size_t i = 0; i < fields->count; i++) {
		const struct field *f = &fields->at[i];

		if (f->record != n)
			continue;
		*at = *size ? *at : f->at;
		*size = f->at + f->size - *at;
	}
	return *size;
}

/* Drops or repeats a record, and most times lets the section's header say so. */
static void change_record(struct loose_section *s, struct loose_part *p,
			  const struct fields *fields, uint64_t *state)
{
	unsigned times = (unsigned)random_under(state, 8);
	size_t at, size;
	struct buffer b = { 0 };

	if (!find_record(fields, (unsigned)random_under(state, fields->n_records), &at, &size))
		return;
	times = times == 7 ? (unsigned)random_under(state, 3000) : times / 2;
	for (unsigned i = 0; i < times && b.size < MOST_PART; i++)
		put_bytes(&b, p->bytes.data + at, size);
	replace(p, at, size, b.data, b.size);
	if (s->header.codec != CODEC_COLUMNS && random_under(state, 4))
		s->header.count += times - UINT64_C(1);
	buffer_free(&b);
}

static void change_part(struct loose_section *s, uint64_t *state)
{
	struct loose_part *p = s->n_parts ? &s->parts[random_under(state, s->n_parts)] : NULL;
	struct fields fields = { 0 };
	unsigned how = (unsigned)random_under(state, 24);

	if (!p)
		return;
	fields_find(&fields, s, p);
	if (how == 0)
		p->raw = edge(state, p->bytes.size);
	else if (how == 1)
		p->compress = !p->compress;
	else if (how == 2)
		p->id = (uint16_t)edge(state, p->id);
	else if (how == 3)
		p->coding = (uint8_t)random_under(state, 4);
	else if (how < 8 && fields.count)
		change_record(s, p, &fields, state);
	else if (fields.count)
		change_field(p, &fields, state);
	fields_free(&fields);
}

/* ---- sections ---------------------------------------------------------------------------- */

static void change_header(struct loose_section *s, uint64_t *state)
{
	struct section *h = &s->header;

	switch (random_under(state, 9)) {
	case 0: h->kind = (uint16_t)edge(state, h->kind); break;
	case 1: h->version = (uint8_t)random_under(state, 3); break;
	case 2: h->flags = (uint8_t)random_under(state, 8); break;
	case 3: h->thread = (uint32_t)edge(state, h->thread); break;
	case 4: s->number_change = (uint32_t)edge(state, 0); break;
	case 5: h->first = edge(state, h->first); break;
	case 6: h->count = edge(state, h->count); break;
	case 7: h->extra = (uint32_t)edge(state, h->extra); break;
	case 8: h->codec = (uint32_t)random_under(state, 4); break;
	}
}

static void change(struct loose_trace *t, uint64_t *state)
{
	unsigned i = (unsigned)random_under(state, t->n_sections);
	unsigned k = (unsigned)random_under(state, t->n_sections);

	switch (random_under(state, 40)) {
	case 0:
		t->header[8 + random_under(state, 24)] ^= (uint8_t)(1 << random_under(state, 8));
		break;
	case 1: t->finished = !t->finished; break;
	case 2: loose_trace_swap(t, i, k); break;
	case 3:
	case 4:
		if (t->n_sections > 1)
			loose_trace_drop(t, i);
		break;
	case 5: loose_trace_double(t, i, k); break;
	case 6: t->header[28] ^= (uint8_t)(1 << random_under(state, 3)); break;
	case 7:
	case 8:
	case 9:
	case 10: change_header(&t->sections[i], state); break;
	default: change_part(&t->sections[i], state);
	}
}

void mutate_trace(struct loose_trace *t, uint64_t *state)
{
	for (uint64_t n = 1 + random_under(state, random_under(state, 4) ? 2 : 6); n; n--)
		change(t, state);
}

/* ---- whole files ------------------------------------------------------------------------- */

/* Changes an INDEX that is stored as it is, and makes its hash right. */
static void change_index(struct buffer *file, uint64_t *state)
{
	uint64_t hash, at = get_le64(file->data + file->size - TRAILER_SIZE);
	struct section s;
	uint8_t *payload;

	if (at > file->size - SECTION_HEADER_SIZE ||
	    !section_header_read(file->data + at, &s, &hash) || s.kind != SECTION_INDEX ||
	    !s.stored || s.stored > file->size - at - SECTION_HEADER_SIZE)
		return;
	payload = file->data + at + SECTION_HEADER_SIZE;
	for (uint64_t n = 1 + random_under(state, 3); n; n--) {
		uint8_t *byte = &payload[random_under(state, s.stored)];

		*byte = (uint8_t)edge(state, *byte);
	}
	section_header_write(&s, payload_hash(s.codec, payload, s.stored), file->data + at);
}

void mutate_file(struct buffer *file, uint64_t *state)
{
	size_t at = random_under(state, file->size);

	switch (random_under(state, 24)) {
	case 0: file->data[at] ^= (uint8_t)(1 << random_under(state, 8)); break;
	case 1: file->size = at; break;
	case 2: memset(file->data + at, 0, file->size - at < 64 ? file->size - at : 64); break;
	case 3: put_bytes(file, "\0\0\0\0garbage", 4 + random_under(state, 8)); break;
	case 4:
	case 5:
		if (file->size > TRAILER_SIZE)
			change_index(file, state);
		break;
	}
}
