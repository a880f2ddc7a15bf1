/* SPDX-License-Identifier: MIT */
#include "traceformat/reader/copies.h"

#include <xxhash.h>

#include "traceformat/common/error.h"

static bool is_copies(const struct section *s)
{
	return s->kind == SECTION_COPIES && section_known(s) == 1 && s->codec == CODEC_STORED;
}

/*
 * Takes the next copy; its payload is in in->at .. + section.stored. False at the end, or if it is
 * damaged.
 */
static bool take_copy(struct span *in, struct section_copy *copy)
{
	const uint8_t *head = take_bytes(in, COPY_HEAD_SIZE);

	if (!head)
		return false;
	*copy = (struct section_copy){ .hash = get_le64(head + INDEX_ENTRY_SIZE) };
	index_entry_read(head, &copy->section);
	in->bad |= copy->section.stored > span_left(in) || !section_copied(&copy->section) ||
		   section_known(&copy->section) != 1;
	return !in->bad;
}

/* Reads a COPIES section; *in: the copies in it. */
static int read_copies(struct tf_reader *r, const struct section *s, struct buffer *bytes,
		       struct span *in, struct tf_error *error)
{
	int status = reader_original(r, s, bytes, error);

	if (status < 0)
		return status;
	*in = span_of(bytes->data, bytes->size);
	if (!take_bytes(in, FILE_HEADER_SIZE))
		return fail_section(r, s, error, "it breaks the format's rules");
	return 0;
}

static void add_copies(struct tf_reader *r, const struct section *s)
{
	struct buffer bytes = { 0 };
	struct section_copy copy;
	struct span in;

	if (read_copies(r, s, &bytes, &in, NULL) == 0)
		while (take_copy(&in, &copy) && RESERVE(r->copies, r->copies.count + 1)) {
			copy.at = s->offset + SECTION_HEADER_SIZE + (uint64_t)(in.at - bytes.data);
			r->copies.at[r->copies.count++] = copy;
			take_bytes(&in, copy.section.stored);
		}
	buffer_free(&bytes);
}

static int by_number(const void *a, const void *b)
{
	const struct section_copy *x = a, *y = b;

	return (x->section.number > y->section.number) - (x->section.number < y->section.number);
}

/* Looks for copies, once. */
static void find_copies(struct tf_reader *r)
{
	if (r->sought_copies)
		return;
	r->sought_copies = true;
	for (size_t i = 0; i < r->sections.count; i++)
		if (is_copies(&r->sections.at[i]))
			add_copies(r, &r->sections.at[i]);
	if (r->copies.count)
		qsort(r->copies.at, r->copies.count, sizeof(*r->copies.at), by_number);
}

static struct section_copy *copy_of(struct tf_reader *r, const struct section *s)
{
	struct section_copy key = { .section = *s }, *found;

	if (!section_copied(s) || r->only_originals)
		return NULL;
	find_copies(r);
	found = r->copies.count
			? bsearch(&key, r->copies.at, r->copies.count, sizeof(key), by_number)
			: NULL;
	return found && section_same(&found->section, s) ? found : NULL;
}

static bool read_copy(struct tf_reader *r, const struct section_copy *copy, struct buffer *stored)
{
	uint64_t size = copy->section.stored;

	stored->size = 0;
	if (!buffer_reserve(stored, size + 1) ||
	    reader_bytes(r, copy->at, stored->data, size, NULL) < 0 ||
	    payload_hash(copy->section.codec, stored->data, size) != copy->hash)
		return false;
	stored->size = size;
	return true;
}

bool copies_read(struct tf_reader *r, const struct section *s, struct buffer *stored)
{
	struct section_copy *copy = copy_of(r, s);

	if (!copy || !read_copy(r, copy, stored))
		return false;
	copy->used = true;
	return true;
}

bool copies_have(struct tf_reader *r, const struct section *s)
{
	struct section_copy *copy = copy_of(r, s);
	struct buffer stored = { 0 };
	bool have = copy && read_copy(r, copy, &stored);

	buffer_free(&stored);
	return have;
}

uint32_t copies_used(const struct tf_reader *r)
{
	uint32_t n = r->header_restored;

	for (size_t i = 0; i < r->copies.count; i++)
		n += r->copies.at[i].used;
	return n;
}

/* ---- the file header --------------------------------------------------------------------- */

/*
 * Reads a COPIES section that INDEX names. Returns true if it has the header of the file with this
 * trailer.
 */
static bool header_in(struct tf_reader *r, const struct section *s, const uint8_t *trailer,
		      uint8_t *header)
{
	struct buffer bytes = { 0 };
	uint8_t hashed[32];
	struct span in;
	bool good = read_copies(r, s, &bytes, &in, NULL) == 0;

	if (good) {
		memcpy(hashed, trailer, 16);
		memcpy(hashed + 16, bytes.data + 32, 16);
		memcpy(header, bytes.data, FILE_HEADER_SIZE);
		good = get_le64(trailer + 16) == XXH3_64bits(hashed, 32);
	}
	buffer_free(&bytes);
	return good;
}

bool copies_file_header(struct tf_reader *r, uint8_t *header)
{
	uint8_t trailer[TRAILER_SIZE];
	struct buffer index = { 0 };
	struct section s;
	bool found = false;

	if (!reader_index(r, trailer, &s, &index))
		return false;
	for (size_t i = 0; i + INDEX_ENTRY_SIZE <= index.size && !found; i += INDEX_ENTRY_SIZE) {
		index_entry_read(index.data + i, &s);
		found = is_copies(&s) && s.stored <= r->file_size &&
			header_in(r, &s, trailer, header);
	}
	buffer_free(&index);
	return found;
}

/* ---- sections that were not found -------------------------------------------------------- */

static int by_section_number(const void *a, const void *b)
{
	const struct section *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static bool has_number(const struct tf_reader *r, size_t count, uint32_t number)
{
	struct section key = { .number = number };

	return count && bsearch(&key, r->sections.at, count, sizeof(key), by_section_number);
}

/* Inserts in ascending order of the sections' numbers. */
int copies_insert_missing(struct tf_reader *r, struct tf_error *error)
{
	size_t count = r->sections.count;

	find_copies(r);
	for (size_t i = 0; i < r->copies.count; i++) {
		const struct section *s = &r->copies.at[i].section;

		if (has_number(r, count, s->number) ||
		    (i && s->number == r->copies.at[i - 1].section.number))
			continue;
		if (!RESERVE(r->sections, r->sections.count + 1))
			return fail_memory(error);
		r->sections.at[r->sections.count++] = *s;
	}
	if (count == r->sections.count)
		return 0;
	qsort(r->sections.at, r->sections.count, sizeof(*r->sections.at), by_section_number);
	return reader_list_chunks(r) ? 0 : fail_memory(error);
}

/* ---- checking ---------------------------------------------------------------------------- */

/* Returns true if the section in the file has the same header, or no header that is whole. */
static bool agrees(struct tf_reader *r, const struct section_copy *copy)
{
	uint8_t header[SECTION_HEADER_SIZE];
	struct section original = copy->section;
	uint64_t hash;

	if (reader_bytes(r, copy->section.offset, header, sizeof(header), NULL) < 0 ||
	    !section_header_read(header, &original, &hash))
		return true;
	return section_same(&original, &copy->section) && hash == copy->hash;
}

int copies_check(struct tf_reader *r, const struct section *s, struct tf_error *error)
{
	struct buffer bytes = { 0 };
	struct section_copy copy;
	uint64_t count = 0;
	struct span in;
	int status = read_copies(r, s, &bytes, &in, error);

	for (; status == 0 && in.at != in.end; count++) {
		const uint8_t *payload;

		if (!take_copy(&in, &copy)) {
			status = fail_section(r, s, error, "it breaks the format's rules");
			break;
		}
		payload = take_bytes(&in, copy.section.stored);
		if (payload_hash(copy.section.codec, payload, copy.section.stored) != copy.hash ||
		    !agrees(r, &copy))
			status = fail_section(r, s, error, "a copy differs from its section");
	}
	if (status == 0 && count != s->count)
		status = fail_section(r, s, error, "it has another number of copies than it says");
	buffer_free(&bytes);
	return status;
}
