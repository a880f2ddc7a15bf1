/* SPDX-License-Identifier: MIT */
/* Reads the records of a file of drmemtrace: plain, compressed by gzip, or a zip file of chunks. */
#ifndef DRMEMTRACE_INPUT_H
#define DRMEMTRACE_INPUT_H

#include "cli/common/drmemtrace.h"
#include "cli/common/unpack.h"
#include "cli/import/zip_input.h"
#include "traceformat/common/bytes.h"

struct drmemtrace_record {
	uint16_t type; /* enum drmemtrace_type */
	uint16_t size;
	const uint8_t *bytes; /* of the value; valid until the next record is read */
};

static inline uint64_t drmemtrace_value(const struct drmemtrace_record *r)
{
	return get_le64(r->bytes);
}

struct drmemtrace_input {
	const char *path;
	int fd;
	struct unpack *unpack;
	struct zip_input *zip;
	bool failed;
	bool cut;        /* the file, or a chunk of it, ends inside of a record */
	uint64_t before; /* bytes of records before those in the buffer */
	size_t at, filled;
	uint8_t buffer[DRMEMTRACE_RECORD_SIZE << 14];
};

/* Opens a file. Returns NULL after a message. path must last until drmemtrace_input_close. */
struct drmemtrace_input *drmemtrace_input_open(const char *path);

/* Reads more records into the buffer. Returns false at the end, or after a message. */
bool drmemtrace_input_refill(struct drmemtrace_input *input);

/* Returns false at the end, or after a message, which input->failed tells. */
static inline bool drmemtrace_input_next(struct drmemtrace_input *input,
					 struct drmemtrace_record *record)
{
	const uint8_t *bytes;

	if (input->at == input->filled && !drmemtrace_input_refill(input))
		return false;
	bytes = input->buffer + input->at;
	input->at += DRMEMTRACE_RECORD_SIZE;
	record->type = get_le16(bytes);
	record->size = get_le16(bytes + 2);
	record->bytes = bytes + 4;
	return true;
}

/* Reports a fault of the record that was read last. Returns false. */
bool drmemtrace_input_fail(struct drmemtrace_input *input, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Returns the number of bytes that were read from the file. */
uint64_t drmemtrace_input_size(const struct drmemtrace_input *input);

/* NULL is allowed. */
void drmemtrace_input_close(struct drmemtrace_input *input);

#endif
