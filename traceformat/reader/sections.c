/* SPDX-License-Identifier: MIT */
/* Reads and checks the sections of a trace, and counts missing ones. */
#include "traceformat/reader/reader.h"

#include <errno.h>
#include <unistd.h>
#include <zstd.h>

#include "traceformat/codings/vector_columns.h"
#include "traceformat/common/error.h"
#include "traceformat/reader/copies.h"

int64_t reader_read_at(const struct tf_reader *r, void *to, size_t size, uint64_t offset,
		       struct tf_error *error)
{
	ssize_t n;

	if (r->source.read_at)
		return r->source.read_at(r->source.opaque, to, size, offset, error);
	do
		n = pread(r->fd, to, size, (off_t)offset);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		fail_at(error, TF_E_IO, offset, TF_NONE, "%s: cannot read at offset %llu: %s",
			r->name, (unsigned long long)offset, strerror(errno));
	return n;
}

int reader_bytes(struct tf_reader *r, uint64_t offset, void *bytes, size_t size,
		 struct tf_error *error)
{
	uint8_t *at = bytes;

	while (size) {
		int64_t n = reader_read_at(r, at, size, offset, error);

		if (n < 0)
			return TF_E_IO;
		if (n == 0)
			return fail_at(error, TF_E_DAMAGED, offset, TF_NONE,
				       "%s: ends at offset %llu, inside a section", r->name,
				       (unsigned long long)offset);
		at += n;
		offset += (uint64_t)n;
		size -= (size_t)n;
	}
	return 0;
}

int fail_section(const struct tf_reader *r, const struct section *s, struct tf_error *error,
		 const char *what)
{
	return fail_at(error, TF_E_DAMAGED, s->offset, s->number,
		       "%s: section %u (%s) at offset %llu: %s", r->name, s->number,
		       tf_section_kind_name(s->kind), (unsigned long long)s->offset, what);
}

int reader_original(struct tf_reader *r, const struct section *s, struct buffer *stored,
		    struct tf_error *error)
{
	uint8_t header[SECTION_HEADER_SIZE];
	struct section proof = *s;
	uint64_t hash;
	int status;

	stored->size = 0;
	if (!buffer_reserve(stored, s->stored + 1))
		return fail_memory(error);
	status = reader_bytes(r, s->offset, header, sizeof(header), error);
	if (status == 0)
		status = reader_bytes(r, s->offset + sizeof(header), stored->data, s->stored,
				      error);
	if (status < 0)
		return status;
	if (!section_header_read(header, &proof, &hash) || !section_same(&proof, s) ||
	    hash != payload_hash(s->codec, stored->data, s->stored))
		return fail_section(r, s, error, "its checksum does not hold");
	stored->size = s->stored;
	return 0;
}

int reader_stored(struct tf_reader *r, const struct section *s, struct buffer *stored,
		  struct tf_error *error)
{
	int status = reader_original(r, s, stored, error);

	return status == TF_E_DAMAGED && copies_read(r, s, stored) ? 0 : status;
}

int reader_payload(struct tf_reader *r, const struct section *s, struct buffer *raw,
		   struct tf_error *error)
{
	struct buffer stored = { 0 };
	void *context = NULL;
	int status;

	raw->size = 0;
	if (!sizes_plausible(s->codec, s->stored, s->raw))
		return fail_section(r, s, error, "its sizes cannot be");
	status = reader_stored(r, s, &stored, error);
	if (status == 0) {
		status = buffer_reserve(raw, s->raw + 1)
				 ? payload_decode(&context, s->codec, stored.data, s->stored,
						  raw->data, s->raw)
				 : TF_E_MEMORY;
		raw->size = status ? 0 : s->raw;
		if (status == TF_E_MEMORY)
			fail_memory(error);
		else if (status < 0)
			fail_section(r, s, error, "its payload does not decode");
	}
	ZSTD_freeDCtx(context);
	buffer_free(&stored);
	return status;
}

int reader_records(struct tf_reader *r, const struct section *s, struct buffer *records,
		   struct tf_error *error)
{
	struct buffer columns;
	int status = reader_payload(r, s, records, error);

	if (status < 0 || s->kind != SECTION_VECTORS || !s->version)
		return status;
	columns = *records;
	*records = (struct buffer){ 0 };
	status = vector_columns_unpack(span_of(columns.data, columns.size), s->count, records);
	buffer_free(&columns);
	return status == TF_E_MEMORY ? fail_memory(error)
	       : status < 0          ? fail_section(r, s, error, "its columns do not decode")
				     : 0;
}

void reader_lose(struct tf_reader *r, struct section *s)
{
	if (s->lost)
		return;
	s->lost = true;
	r->sections_lost++;
	r->lossy = true;
	r->bytes_lost += section_span(s);
}

uint32_t reader_missing(const struct tf_reader *r)
{
	uint64_t missing = 0, expected = 0;

	for (size_t i = 0; i < r->sections.count; i++) {
		uint32_t number = r->sections.at[i].number;

		if (number > expected)
			missing += number - expected;
		expected = (uint64_t)number + 1;
	}
	return missing > UINT32_MAX ? UINT32_MAX : (uint32_t)missing;
}
