/* SPDX-License-Identifier: MIT */
#include "cli/import/drmemtrace_input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"

bool drmemtrace_input_fail(struct drmemtrace_input *input, const char *format, ...)
{
	uint64_t at = input->before + input->at;
	char text[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	command_error("%s: byte %" PRIu64 "%s: %s", shown_name(input->path),
		      at ? at - DRMEMTRACE_RECORD_SIZE : 0, input->zip ? " of its chunks" : "",
		      text);
	input->failed = true;
	return false;
}

/* ---- opening ----------------------------------------------------------------------------- */

static bool ends_with(const char *path, const char *suffix)
{
	size_t length = strlen(path), n = strlen(suffix);

	return length >= n && !strcmp(path + length - n, suffix);
}

/* Returns the name of a compression that is not read, or NULL. */
static const char *other_compression(const char *path, const uint8_t *bytes, size_t size)
{
	static const uint8_t lz4[] = { 0x04, 0x22, 0x4d, 0x18 };
	static const uint8_t snappy[] = { 0xff, 0x06, 0x00, 0x00, 's', 'N', 'a', 'P', 'p', 'Y' };

	if (ends_with(path, ".lz4") || (size >= sizeof(lz4) && !memcmp(bytes, lz4, sizeof(lz4))))
		return "LZ4";
	if (ends_with(path, ".sz") ||
	    (size >= sizeof(snappy) && !memcmp(bytes, snappy, sizeof(snappy))))
		return "Snappy";
	return NULL;
}

static bool open_file(struct drmemtrace_input *input)
{
	uint8_t magic[10];
	const char *other;
	struct stat st;
	ssize_t n;

	if (is_standard_stream(input->path)) {
		input->unpack = unpack_open(input->path);
		return input->unpack != NULL;
	}
	input->fd = open(input->path, O_RDONLY | O_CLOEXEC);
	if (input->fd < 0 || fstat(input->fd, &st) < 0) {
		command_error("%s: %s", shown_name(input->path), strerror(errno));
		return false;
	}
	n = S_ISREG(st.st_mode) ? pread(input->fd, magic, sizeof(magic), 0) : 0;
	other = other_compression(input->path, magic, n > 0 ? (size_t)n : 0);
	if (other) {
		command_error("%s: is compressed by %s, which is not read; unpack it, or let "
			      "DynamoRIO write the trace with -compress gzip or zip",
			      shown_name(input->path), other);
		return false;
	}
	if (n > 0 && zip_input_knows(magic, (size_t)n))
		input->zip = zip_input_open(input->fd, input->path);
	else
		input->unpack = unpack_open(input->path);
	return input->zip || input->unpack;
}

struct drmemtrace_input *drmemtrace_input_open(const char *path)
{
	struct drmemtrace_input *input = checked_array(1, sizeof(*input));

	input->path = path;
	input->fd = -1;
	if (open_file(input)) {
		if (input->unpack)
			unpack_allow_expansion(input->unpack);
		return input;
	}
	drmemtrace_input_close(input);
	return NULL;
}

void drmemtrace_input_close(struct drmemtrace_input *input)
{
	if (!input)
		return;
	unpack_close(input->unpack);
	zip_input_close(input->zip);
	if (input->fd >= 0)
		close(input->fd);
	free(input);
}

uint64_t drmemtrace_input_size(const struct drmemtrace_input *input)
{
	return input->zip ? zip_input_size(input->zip) : unpack_size(input->unpack);
}

/* ---- reading ----------------------------------------------------------------------------- */

/* Reads from the next members of a zip file, until one has content. */
static ssize_t read_members(struct drmemtrace_input *input)
{
	for (;;) {
		ssize_t n = zip_input_read(input->zip, input->buffer, sizeof(input->buffer));
		int more;

		if (n)
			return n;
		more = zip_input_next(input->zip);
		if (more <= 0)
			return more;
	}
}

bool drmemtrace_input_refill(struct drmemtrace_input *input)
{
	ssize_t n = -1;

	input->before += input->filled;
	input->at = input->filled = 0;
	if (input->failed)
		return false;
	if (input->zip)
		n = read_members(input);
	else
		n = unpack_read(input->unpack, input->buffer, sizeof(input->buffer));
	if (n < 0)
		input->failed = true;
	if (n <= 0)
		return false;
	input->cut |= n % DRMEMTRACE_RECORD_SIZE != 0;
	input->filled = (size_t)n - (size_t)n % DRMEMTRACE_RECORD_SIZE;
	return input->filled != 0;
}
