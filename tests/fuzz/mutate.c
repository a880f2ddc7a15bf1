/* SPDX-License-Identifier: MIT */
/*
 * Mutates a trace behind its checksums: takes it apart into sections and columns, changes some of
 * their bytes, of the headers' fields or the order of sections, and puts it together again with
 * right hashes, index and trailer. Every second mutation changes, drops and repeats records and
 * their fields as fuzz_commands does, so that dictionaries have gaps.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/mutate_trace.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

enum { MAX_SECTIONS = 64, MAX_PART = 1 << 13 };

static uint64_t random_number(void)
{
	static const uint64_t edges[] = { 0,
					  1,
					  2,
					  255,
					  256,
					  4096,
					  16384,
					  65535,
					  65536,
					  UINT32_MAX,
					  UINT64_MAX,
					  1 << 20,
					  1 << 26,
					  1 << 28,
					  (1 << 26) + 1,
					  UINT64_MAX / 2 };

	return rand() % 2 ? edges[(unsigned)rand() % 16] : (uint64_t)rand() >> rand() % 31;
}

static void change_header(struct section *s, uint32_t *number_change)
{
	switch (rand() % 9) {
	case 0: s->kind = (uint16_t)(rand() % 20); break;
	case 1: s->version = (uint8_t)(rand() % 3); break;
	case 2: s->flags = (uint8_t)(rand() % 8); break;
	case 3: s->thread = (uint32_t)random_number(); break;
	case 4: *number_change = (uint32_t)random_number(); break;
	case 5:
		s->first = rand() % 2 ? random_number() : s->first + (uint64_t)(rand() % 5) - 2;
		break;
	case 6:
		s->count = rand() % 2 ? random_number() : s->count + (uint64_t)(rand() % 5) - 2;
		break;
	case 7:
		s->extra = rand() % 2 ? (uint32_t)random_number()
				      : s->extra + (uint32_t)(rand() % 5) - 2;
		break;
	case 8: s->codec = (uint32_t)(rand() % 4); break;
	}
}

/* Varints written at random places reach more code than random bytes do. */
static void put_number(struct loose_part *p)
{
	uint8_t varint[MAX_VARINT];
	size_t n = (size_t)(write_varint(varint, random_number()) - varint);
	size_t at = p->bytes.size ? (size_t)rand() % p->bytes.size : 0;

	if (at + n > MAX_PART)
		return;
	if (at + n > p->bytes.size && buffer_reserve(&p->bytes, n))
		p->bytes.size = at + n;
	memcpy(p->bytes.data + at, varint, n);
}

static void change_bytes(struct buffer *b)
{
	size_t size = b->size, most = size + 64 < MAX_PART ? size + 64 : MAX_PART;

	if (buffer_reserve(b, 64))
		b->size = LLVMFuzzerMutate(b->data, size, most);
}

static void change_part(struct loose_section *s)
{
	struct loose_part *p = s->parts + (s->n_parts ? (unsigned)rand() % s->n_parts : 0);

	if (!s->n_parts)
		return;
	switch (rand() % 12) {
	case 0: p->raw = random_number(); break;
	case 1: p->compress = !p->compress; break;
	case 2: p->id = (uint16_t)(rand() % 40); break;
	case 3: p->coding = (uint8_t)(rand() % 3); break;
	case 4:
	case 5:
	case 6: put_number(p); break;
	default: change_bytes(&p->bytes);
	}
}

static void change(struct loose_trace *t)
{
	unsigned i = (unsigned)rand() % t->n_sections, k = (unsigned)rand() % t->n_sections;
	struct loose_section *s = &t->sections[i];

	switch (rand() % 24) {
	case 0: t->header[8 + rand() % 24] ^= (uint8_t)(1 << rand() % 8); break;
	case 1: t->finished = !t->finished; break;
	case 2: loose_trace_swap(t, i, k); break;
	case 3:
		if (t->n_sections > 1)
			loose_trace_drop(t, i);
		break;
	case 4:
		if (t->n_sections < MAX_SECTIONS)
			loose_trace_double(t, i, t->n_sections);
		break;
	case 5:
	case 6:
	case 7:
	case 8: change_header(&s->header, &s->number_change); break;
	default: change_part(s);
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	struct loose_trace t = { 0 };
	struct buffer file = { 0 };
	uint64_t state = seed;
	bool whole;

	srand(seed);
	whole = rand() % 20 && loose_trace_take(&t, data, size, MAX_PART);
	if (whole && rand() % 2) {
		mutate_trace(&t, &state);
		loose_trace_put(&t, &file);
	} else if (whole) {
		for (int n = 1 + rand() % 3; n; n--)
			change(&t);
		loose_trace_put(&t, &file);
	}
	loose_trace_free(&t);
	if (whole && file.size && file.size <= max_size) {
		size = file.size;
		memcpy(data, file.data, size);
	} else {
		size = LLVMFuzzerMutate(data, size, max_size);
	}
	buffer_free(&file);
	return size;
}
