/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"

enum { INPUT_SIZE = 1 << 18, MAGIC_SIZE = 4 };

struct unpack {
	const char *path;
	int fd;
	bool at_end;		/* of the file */
	bool unfinished;	/* inside of a compressed member */
	z_stream gzip;
	bool is_gzip;
	ZSTD_DCtx *zstd;	/* NULL: not zstd */
	size_t used, filled;	/* of input */
	unsigned char input[INPUT_SIZE];
};

/* Fills the input if it is used up. False on an error, after a message. */
static bool refill(struct unpack *u, size_t wanted)
{
	if (u->filled - u->used >= wanted)
		return true;
	memmove(u->input, u->input + u->used, u->filled - u->used);
	u->filled -= u->used;
	u->used = 0;
	while (!u->at_end && u->filled < wanted) {
		ssize_t n = read(u->fd, u->input + u->filled, INPUT_SIZE - u->filled);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			command_error("%s: %m", u->path);
			return false;
		}
		u->at_end = n == 0;
		u->filled += (size_t)n;
	}
	return true;
}

/* Chooses the decoder by the file's first bytes. */
static bool look_at_magic(struct unpack *u)
{
	static const unsigned char zstd[MAGIC_SIZE] = { 0x28, 0xb5, 0x2f, 0xfd };
	static const unsigned char gzip[2] = { 0x1f, 0x8b };

	if (!refill(u, MAGIC_SIZE))
		return false;
	if (u->filled >= sizeof(zstd) && !memcmp(u->input, zstd, sizeof(zstd))) {
		u->zstd = checked(ZSTD_createDCtx());
	} else if (u->filled >= sizeof(gzip) && !memcmp(u->input, gzip, sizeof(gzip))) {
		u->is_gzip = true;
		if (inflateInit2(&u->gzip, 16 + MAX_WBITS) != Z_OK)
			out_of_memory();
	}
	return true;
}

struct unpack *unpack_open(const char *path)
{
	struct unpack *u = checked_array(1, sizeof(*u));

	u->path = path;
	u->fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (u->fd < 0) {
		command_error("%s: %m", shown_name(path));
	} else if (look_at_magic(u)) {
		return u;
	}
	unpack_close(u);
	return NULL;
}

void unpack_close(struct unpack *u)
{
	if (!u)
		return;
	if (u->fd > STDIN_FILENO)
		close(u->fd);
	if (u->is_gzip)
		inflateEnd(&u->gzip);
	ZSTD_freeDCtx(u->zstd);
	free(u);
}

/* Each of these decodes some of the input to bytes; SIZE_MAX: damaged. */

static size_t copy_plain(struct unpack *u, unsigned char *bytes, size_t size)
{
	size_t n = u->filled - u->used < size ? u->filled - u->used : size;

	memcpy(bytes, u->input + u->used, n);
	u->used += n;
	return n;
}

static size_t decode_gzip(struct unpack *u, unsigned char *bytes, size_t size)
{
	z_stream *z = &u->gzip;
	int status;

	z->next_in = u->input + u->used;
	z->avail_in = (uInt)(u->filled - u->used);
	z->next_out = bytes;
	z->avail_out = (uInt)(size < (1u << 30) ? size : 1u << 30);
	uInt room = z->avail_out;

	status = inflate(z, Z_NO_FLUSH);
	u->used = u->filled - z->avail_in;
	u->unfinished = status != Z_STREAM_END;
	if (status == Z_STREAM_END)	/* another member may follow */
		status = inflateReset(z);
	return status == Z_OK || status == Z_BUF_ERROR ? room - z->avail_out : SIZE_MAX;
}

static size_t decode_zstd(struct unpack *u, unsigned char *bytes, size_t size)
{
	ZSTD_inBuffer in = { u->input, u->filled, u->used };
	ZSTD_outBuffer out = { bytes, size, 0 };
	size_t status = ZSTD_decompressStream(u->zstd, &out, &in);

	u->used = in.pos;
	u->unfinished = status != 0;
	return ZSTD_isError(status) ? SIZE_MAX : out.pos;
}

ssize_t unpack_read(struct unpack *u, void *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		unsigned char *to = (unsigned char *)bytes + done;
		size_t left = size - done, n;

		if (!refill(u, 1))
			return -1;
		if (u->used == u->filled && !u->unfinished)
			break;
		n = u->zstd ? decode_zstd(u, to, left) : u->is_gzip ? decode_gzip(u, to, left) :
			      copy_plain(u, to, left);
		if (n == SIZE_MAX) {
			command_error("%s: its compressed data are damaged", u->path);
			return -1;
		}
		if (n == 0 && u->used == u->filled && u->at_end) {
			if (!u->unfinished)
				break;
			command_error("%s: its compressed data end too early; is it still being "
				      "written?", u->path);
			return -1;
		}
		done += n;
	}
	return (ssize_t)done;
}
