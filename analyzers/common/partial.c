/* SPDX-License-Identifier: MIT */
#include "analyzers/common/partial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/input_file.h"
#include "cli/common/memory_watch.h"
#include "cli/common/save_file.h"

enum { HEADER = 64, HASHED = 56, VERSION = 1, LEVEL = 3, BYTE_ORDER_MARK = 0x0a0b0c0d };
enum { DAMAGED = 1 };

static const uint8_t magic[8] = { 0x89, 'T', 'R', 'P', '\r', '\n', 0x1a, '\n' };

/* ---- writing ------------------------------------------------------------------------------ */

static void put_header(uint8_t header[HEADER], const struct partial_head *head, size_t raw,
		       const void *stored, size_t stored_size)
{
	memset(header, 0, HEADER);
	memcpy(header, magic, sizeof(magic));
	put_le16(header + 8, VERSION);
	put_le16(header + 12, VERSION);
	put_le32(header + 16, HEADER);
	put_le32(header + 20, BYTE_ORDER_MARK);
	put_le32(header + 24, head->damaged ? DAMAGED : 0);
	put_le64(header + 32, raw);
	put_le64(header + 40, stored_size);
	put_le64(header + 48, XXH3_64bits(stored, stored_size));
	put_le64(header + 56, XXH3_64bits(header, HASHED));
}

static void put_head(struct buffer *to, const struct partial_head *head)
{
	uint8_t layout[8];

	put_string(to, head->analyzer);
	put_varint(to, head->state_version);
	put_bytes(to, head->uuid, sizeof(head->uuid));
	put_le64(layout, head->layout);
	put_bytes(to, layout, sizeof(layout));
	put_string(to, head->trace);
	put_string(to, head->options);
	put_varint(to, head->part.part);
	put_varint(to, head->part.n_parts);
	put_varint(to, head->ranges.count);
	for (size_t i = 0; i < head->ranges.count; i++) {
		const struct part_range *range = &head->ranges.at[i];

		put_index(to, range->thread);
		put_varint(to, range->first);
		put_varint(to, range->end);
	}
}

static int write_file(const char *path, const uint8_t *header, const void *stored, size_t size)
{
	struct save_file *file = save_file_begin(path);

	if (!file)
		return EXIT_FAILED;
	fwrite(header, 1, HEADER, save_file_stream(file));
	fwrite(stored, 1, size, save_file_stream(file));
	return save_file_end(file);
}

int partial_write(const char *path, const struct partial_head *head, const struct buffer *state)
{
	struct buffer payload = { 0 };
	uint8_t header[HEADER];

	put_head(&payload, head);
	put_bytes(&payload, state->data, state->size);
	if (payload.failed)
		out_of_memory();

	size_t room = ZSTD_compressBound(payload.size);
	void *stored = checked_array(room, 1);
	size_t size = ZSTD_compress(stored, room, payload.data, payload.size, LEVEL);
	int status = EXIT_FAILED;

	if (ZSTD_isError(size)) {
		command_error("%s: %s", path, ZSTD_getErrorName(size));
	} else {
		put_header(header, head, payload.size, stored, size);
		status = write_file(path, header, stored, size);
	}
	free(stored);
	buffer_free(&payload);
	return status;
}

/* ---- reading ------------------------------------------------------------------------------ */

static int refuse(const char *path, const char *reason)
{
	command_error("%s: %s", path, reason);
	return EXIT_FAILED;
}

/* Returns NULL, or the fault of a header. */
static const char *check_header(const uint8_t *header, size_t size)
{
	if (size < HEADER || memcmp(header, magic, sizeof(magic)))
		return "is not a file of partial results, which an analyzer's --partial writes";
	if (get_le64(header + 56) != XXH3_64bits(header, HASHED) ||
	    get_le32(header + 16) != HEADER || get_le32(header + 20) != BYTE_ORDER_MARK)
		return "its header is damaged; make the part again";
	if (get_le16(header + 12) > VERSION)
		return "was written by a newer version of the analyzer";
	return NULL;
}

/* Reads the rest of a file behind its header; NULL: it is not as long as the header says. */
static uint8_t *read_stored(FILE *file, uint64_t size)
{
	struct buffer bytes = { 0 };
	uint8_t part[1 << 16];
	size_t got;

	while ((got = fread(part, 1, sizeof(part), file)) > 0 && bytes.size <= size)
		put_bytes(&bytes, part, got);
	if (bytes.failed)
		out_of_memory();
	if (bytes.size == size && size)
		return bytes.data;
	buffer_free(&bytes);
	return NULL;
}

static const char *expand(struct partial *p, const uint8_t *header, const uint8_t *stored)
{
	uint64_t raw = get_le64(header + 32), size = get_le64(header + 40);

	p->hash = get_le64(header + 48);
	if (!stored || XXH3_64bits(stored, size) != p->hash ||
	    ZSTD_getFrameContentSize(stored, size) != raw)
		return "is cut or damaged; make the part again";
	if (raw > MEMORY_SPARE + MEMORY_FACTOR * size)
		return "expands to more than 256 MiB and 100 times its size, which no part does";
	p->payload = checked_array(raw, 1);
	if (ZSTD_decompress(p->payload, raw, stored, size) != raw)
		return "is cut or damaged; make the part again";
	p->state = span_of(p->payload, raw);
	return NULL;
}

/* Takes a text; one with a byte 0 inside is cut there, and then differs from what it should be. */
static char *take_text(struct span *from)
{
	uint64_t size = take_varint(from);
	const uint8_t *bytes = take_bytes(from, size);
	char *text = checked_array(bytes ? size + 1 : 1, 1);

	if (bytes)
		memcpy(text, bytes, size);
	return text;
}

static void take_ranges(struct span *from, struct part_ranges *ranges)
{
	uint64_t count = take_varint(from);

	for (uint64_t i = 0; i < count && !from->bad; i++) {
		struct part_range range;

		range.thread = take_index(from);
		range.first = take_varint(from);
		range.end = take_varint(from);
		CHECKED_RESERVE(*ranges, ranges->count + 1);
		ranges->at[ranges->count++] = range;
		from->bad |= range.first >= range.end;
	}
}

static void take_head(struct span *from, struct partial_head *head)
{
	const uint8_t *bytes;

	head->analyzer = take_text(from);
	head->state_version = take_varint(from);
	bytes = take_bytes(from, sizeof(head->uuid));
	if (bytes)
		memcpy(head->uuid, bytes, sizeof(head->uuid));
	bytes = take_bytes(from, sizeof(head->layout));
	if (bytes)
		head->layout = get_le64(bytes);
	head->trace = take_text(from);
	head->options = take_text(from);
	head->part.part = take_varint(from);
	head->part.n_parts = take_varint_max(from, MOST_PARTS);
	take_ranges(from, &head->ranges);
}

int partial_read(struct partial *p, const char *path)
{
	uint8_t header[HEADER], *stored = NULL;
	const char *wrong = NULL;
	FILE *file = open_input(path);

	*p = (struct partial){ .path = path };
	if (!file)
		return refuse(path, strerror(errno));
	wrong = check_header(header, fread(header, 1, HEADER, file));
	if (!wrong) {
		stored = read_stored(file, get_le64(header + 40));
		wrong = expand(p, header, stored);
	}
	if (!wrong) {
		p->head.damaged = get_le32(header + 24) & DAMAGED;
		take_head(&p->state, &p->head);
		if (p->state.bad)
			wrong = "its contents make no sense; make the part again";
	}
	free(stored);
	fclose(file);
	return wrong ? refuse(path, wrong) : 0;
}

void partial_head_free(struct partial_head *head)
{
	free(head->analyzer);
	free(head->trace);
	free(head->options);
	part_ranges_free(&head->ranges);
}

void partial_free_state(struct partial *p)
{
	free(p->payload);
	p->payload = NULL;
	p->state = span_of(NULL, 0);
}

void partial_free(struct partial *p)
{
	partial_free_state(p);
	partial_head_free(&p->head);
}
