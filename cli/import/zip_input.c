/* SPDX-License-Identifier: MIT */
#include "cli/import/zip_input.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "traceformat/common/bytes.h"

enum {
	INPUT_SIZE = 1 << 18,
	END_SIZE = 22, /* of the end of central directory record */
	MOST_COMMENT = 65535,
	LOCATOR_SIZE = 20, /* of the zip64 end of central directory locator */
	END64_SIZE = 56,   /* of the zip64 record, without extensible data */
	ENTRY_SIZE = 46,   /* of an entry of the directory, without its strings */
	LOCAL_SIZE = 30,   /* of the header before a member, likewise */
	METHOD_STORED = 0,
	METHOD_DEFLATED = 8,
	FLAG_ENCRYPTED = 1,
	EXTRA_ZIP64 = 1,
};

#define END_SIGNATURE     0x06054b50u
#define END64_SIGNATURE   0x06064b50u
#define LOCATOR_SIGNATURE 0x07064b50u
#define ENTRY_SIGNATURE   0x02014b50u
#define LOCAL_SIGNATURE   0x04034b50u

struct zip_input {
	const char *path;
	int fd;
	uint64_t file_size;
	uint64_t directory, entries; /* offset of the next entry, and how many are left */
	uint64_t number;             /* of the member, from 1 */
	/* The member. */
	uint64_t at, left;      /* offset and size of what is not read yet */
	uint64_t made, to_make; /* bytes of its content */
	uint32_t checksum, wanted;
	bool deflated, inflating, at_end;
	uint64_t n_read;
	z_stream stream;
	uint8_t input[INPUT_SIZE];
};

static bool fail(const struct zip_input *zip, const char *what)
{
	if (zip->number)
		command_error("%s: member %" PRIu64 ", offset %" PRIu64 ": %s",
			      shown_name(zip->path), zip->number, zip->at, what);
	else
		command_error("%s: %s", shown_name(zip->path), what);
	return false;
}

/* Reads bytes at an offset. Returns false after a message. */
static bool read_at(struct zip_input *zip, uint64_t offset, void *bytes, size_t size)
{
	size_t done = 0;

	if (offset > zip->file_size || size > zip->file_size - offset)
		return fail(zip, "is a damaged or incomplete zip file");
	while (done < size) {
		ssize_t n = pread(zip->fd, (char *)bytes + done, size - done,
				  (off_t)(offset + done));

		if (n <= 0) {
			command_error("%s: %s", shown_name(zip->path),
				      n < 0 ? strerror(errno) : "changes while it is read");
			return false;
		}
		done += (size_t)n;
	}
	return true;
}

/* ---- the directory ----------------------------------------------------------------------- */

/* Replaces the place of the directory by that of the zip64 record, if there is one. */
static bool read_end64(struct zip_input *zip, uint64_t end)
{
	uint8_t locator[LOCATOR_SIZE], record[END64_SIZE];

	if (end < LOCATOR_SIZE)
		return true;
	if (!read_at(zip, end - LOCATOR_SIZE, locator, sizeof(locator)))
		return false;
	if (get_le32(locator) != LOCATOR_SIGNATURE)
		return true;
	if (!read_at(zip, get_le64(locator + 8), record, sizeof(record)))
		return false;
	if (get_le32(record) != END64_SIGNATURE)
		return fail(zip, "is a damaged zip file: its zip64 record is missing");
	zip->entries = get_le64(record + 32);
	zip->directory = get_le64(record + 48);
	return true;
}

static bool read_end(struct zip_input *zip)
{
	size_t size = zip->file_size < END_SIZE + MOST_COMMENT ? (size_t)zip->file_size
							       : END_SIZE + MOST_COMMENT;
	uint64_t begin = zip->file_size - size;
	uint8_t *bytes = checked(malloc(size + 1));
	bool done = read_at(zip, begin, bytes, size), found = false;

	for (size_t at = size; done && !found && at >= END_SIZE; at--) {
		const uint8_t *record = bytes + at - END_SIZE;

		if (get_le32(record) != END_SIGNATURE)
			continue;
		found = true;
		zip->entries = get_le16(record + 10);
		zip->directory = get_le32(record + 16);
		done = read_end64(zip, begin + at - END_SIZE);
	}
	free(bytes);
	if (done && !found)
		done = fail(zip, "is an incomplete zip file, without a directory at its end");
	return done;
}

/* Takes the sizes and the offset that do not fit an entry from its zip64 field. */
static void read_extra(const uint8_t *extra, size_t size, uint64_t *numbers[3],
		       const bool *is_missing)
{
	while (size >= 4) {
		size_t length = get_le16(extra + 2);

		if (length > size - 4)
			return;
		if (get_le16(extra) == EXTRA_ZIP64) {
			const uint8_t *at = extra + 4;

			for (int i = 0; i < 3; i++) {
				if (!is_missing[i] || length < 8)
					continue;
				*numbers[i] = get_le64(at);
				at += 8;
				length -= 8;
			}
			return;
		}
		extra += 4 + length;
		size -= 4 + length;
	}
}

/* Begins the member whose local header is at an offset. */
static bool begin_member(struct zip_input *zip, uint64_t offset, unsigned method)
{
	uint8_t header[LOCAL_SIZE];

	zip->at = offset;
	if (!read_at(zip, offset, header, sizeof(header)))
		return false;
	if (get_le32(header) != LOCAL_SIGNATURE)
		return fail(zip, "is a damaged zip file: no member is where its directory says");
	zip->at = offset + LOCAL_SIZE + get_le16(header + 26) + get_le16(header + 28);
	if (zip->at > zip->file_size || zip->left > zip->file_size - zip->at)
		return fail(zip, "is a damaged zip file: a member reaches beyond its end");
	if (method != METHOD_STORED && method != METHOD_DEFLATED)
		return fail(zip, "has a member of a compression other than deflate; "
				 "unpack it and pack it with zip");
	zip->deflated = method == METHOD_DEFLATED;
	zip->at_end = false;
	zip->made = 0;
	zip->checksum = 0;
	zip->stream.avail_in = 0;
	if (zip->inflating)
		inflateReset(&zip->stream);
	else if (inflateInit2(&zip->stream, -MAX_WBITS) != Z_OK)
		out_of_memory();
	zip->inflating = true;
	return true;
}

int zip_input_next(struct zip_input *zip)
{
	uint8_t entry[ENTRY_SIZE], *strings;
	size_t name, extra, size;
	uint64_t offset;
	bool done;

	if (!zip->entries)
		return 0;
	zip->entries--;
	zip->number++;
	zip->at = zip->directory;
	if (!read_at(zip, zip->directory, entry, sizeof(entry)))
		return -1;
	if (get_le32(entry) != ENTRY_SIGNATURE) {
		fail(zip, "is a damaged zip file: its directory has no such entry");
		return -1;
	}
	if (get_le16(entry + 8) & FLAG_ENCRYPTED) {
		fail(zip, "is encrypted; unpack it first");
		return -1;
	}
	zip->wanted = get_le32(entry + 16);
	zip->left = get_le32(entry + 20);
	zip->to_make = get_le32(entry + 24);
	offset = get_le32(entry + 42);
	name = get_le16(entry + 28);
	extra = get_le16(entry + 30);
	size = name + extra;
	strings = checked(malloc(size + 1));
	done = read_at(zip, zip->directory + ENTRY_SIZE, strings, size);
	if (done)
		read_extra(strings + name, extra,
			   (uint64_t *[]){ &zip->to_make, &zip->left, &offset },
			   (bool[]){ zip->to_make == UINT32_MAX, zip->left == UINT32_MAX,
				     offset == UINT32_MAX });
	free(strings);
	zip->directory += ENTRY_SIZE + size + get_le16(entry + 32);
	return done && begin_member(zip, offset, get_le16(entry + 10)) ? 1 : -1;
}

/* ---- a member ---------------------------------------------------------------------------- */

static bool refill(struct zip_input *zip)
{
	size_t size = zip->left < INPUT_SIZE ? (size_t)zip->left : INPUT_SIZE;

	if (!read_at(zip, zip->at, zip->input, size))
		return false;
	zip->at += size;
	zip->left -= size;
	zip->n_read += size;
	zip->stream.next_in = zip->input;
	zip->stream.avail_in = (uInt)size;
	return true;
}

/* Takes bytes of a member that is not compressed. Returns false at its end. */
static bool copy(struct zip_input *zip)
{
	z_stream *z = &zip->stream;
	uInt n = z->avail_in < z->avail_out ? z->avail_in : z->avail_out;

	memcpy(z->next_out, z->next_in, n);
	z->next_in += n;
	z->avail_in -= n;
	z->next_out += n;
	z->avail_out -= n;
	return z->avail_in || zip->left;
}

ssize_t zip_input_read(struct zip_input *zip, void *bytes, size_t size)
{
	z_stream *z = &zip->stream;
	size_t made;

	z->next_out = bytes;
	z->avail_out = (uInt)size;
	while (z->avail_out && !zip->at_end) {
		int status = Z_OK;

		if (!z->avail_in && zip->left && !refill(zip))
			return -1;
		if (!zip->deflated) {
			zip->at_end = !copy(zip);
			continue;
		}
		status = inflate(z, Z_NO_FLUSH);
		zip->at_end = status == Z_STREAM_END;
		if (status != Z_STREAM_END &&
		    (status != Z_OK || (!z->avail_in && !zip->left && z->avail_out))) {
			fail(zip, "its compressed data are damaged");
			return -1;
		}
	}
	made = size - z->avail_out;
	zip->made += made;
	zip->checksum = (uint32_t)crc32(zip->checksum, bytes, (uInt)made);
	if (zip->at_end && (zip->made != zip->to_make || zip->checksum != zip->wanted)) {
		fail(zip, "has a wrong checksum: the file is damaged");
		return -1;
	}
	return (ssize_t)made;
}

/* ---- the file ---------------------------------------------------------------------------- */

bool zip_input_knows(const uint8_t *bytes, size_t size)
{
	return size >= 4 &&
	       (get_le32(bytes) == LOCAL_SIGNATURE || get_le32(bytes) == END_SIGNATURE);
}

struct zip_input *zip_input_open(int fd, const char *path)
{
	struct zip_input *zip = checked_array(1, sizeof(*zip));
	struct stat st;

	zip->path = path;
	zip->fd = fd;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		fail(zip, "is a zip file, which is read from a regular file only");
		free(zip);
		return NULL;
	}
	zip->file_size = (uint64_t)st.st_size;
	zip->at_end = true;
	if (read_end(zip))
		return zip;
	free(zip);
	return NULL;
}

uint64_t zip_input_size(const struct zip_input *zip)
{
	return zip->n_read;
}

void zip_input_close(struct zip_input *zip)
{
	if (!zip)
		return;
	if (zip->inflating)
		inflateEnd(&zip->stream);
	free(zip);
}
