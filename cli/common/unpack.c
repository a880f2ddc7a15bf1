/* SPDX-License-Identifier: MIT */
#include "cli/common/unpack.h"

#include <bzlib.h>
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/input_file.h"

enum { INPUT_SIZE = 1 << 18, MAGIC_SIZE = 6 };

#define FREE_EXPANSION (UINT64_C(256) << 20) /* bytes */
#define MAX_EXPANSION  100
#define DECODER_MEMORY (UINT64_C(200) << 20) /* xz -9 needs 65 MiB */

/*
 * A compression format. start creates the decoder. decode decompresses a part of the input, sets
 * `unfinished`, and returns the number of bytes, or SIZE_MAX if the input is damaged.
 */
struct coding {
	const char *magic;
	size_t magic_size;
	void (*start)(struct unpack *u);
	size_t (*decode)(struct unpack *u, unsigned char *bytes, size_t size);
	void (*end)(struct unpack *u);
};

struct unpack {
	const char *path;
	int fd;
	bool at_end;                 /* the whole file has been read */
	bool unfinished;             /* inside of a compressed member */
	bool unlimited;              /* may expand to any size */
	const struct coding *coding; /* NULL: not compressed */
	uint64_t n_read, n_made;     /* bytes */
	union {
		z_stream gzip;
		lzma_stream xz;
		struct {
			bz_stream stream;
			bool begun;
		} bzip2;
		ZSTD_DCtx *zstd;
	};
	size_t used, filled; /* of input */
	unsigned char input[INPUT_SIZE];
};

/*
 * Reads until the input has `wanted` bytes or the file ends. Returns false after a message on
 * errors.
 */
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
		u->n_read += (uint64_t)n;
	}
	return true;
}

/* ---- gzip -------------------------------------------------------------------------------- */

static void start_gzip(struct unpack *u)
{
	if (inflateInit2(&u->gzip, 16 + MAX_WBITS) != Z_OK)
		out_of_memory();
}

static size_t decode_gzip(struct unpack *u, unsigned char *bytes, size_t size)
{
	z_stream *z = &u->gzip;
	int status;

	z->next_in = u->input + u->used;
	z->avail_in = (uInt)(u->filled - u->used);
	z->next_out = bytes;
	z->avail_out = (uInt)size;
	status = inflate(z, Z_NO_FLUSH);
	u->used = u->filled - z->avail_in;
	u->unfinished = status != Z_STREAM_END;
	if (status == Z_STREAM_END) /* another member may follow */
		status = inflateReset(z);
	return status == Z_OK || status == Z_BUF_ERROR ? size - z->avail_out : SIZE_MAX;
}

static void end_gzip(struct unpack *u)
{
	inflateEnd(&u->gzip);
}

/* ---- zstd -------------------------------------------------------------------------------- */

static void start_zstd(struct unpack *u)
{
	u->zstd = checked(ZSTD_createDCtx());
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

static void end_zstd(struct unpack *u)
{
	ZSTD_freeDCtx(u->zstd);
}

/* ---- xz ---------------------------------------------------------------------------------- */

static void start_xz(struct unpack *u)
{
	u->xz = (lzma_stream)LZMA_STREAM_INIT;
	if (lzma_stream_decoder(&u->xz, DECODER_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
		out_of_memory();
}

static size_t decode_xz(struct unpack *u, unsigned char *bytes, size_t size)
{
	lzma_stream *x = &u->xz;
	lzma_ret status;

	x->next_in = u->input + u->used;
	x->avail_in = u->filled - u->used;
	x->next_out = bytes;
	x->avail_out = size;
	status = lzma_code(x, u->at_end ? LZMA_FINISH : LZMA_RUN);
	u->used = u->filled - x->avail_in;
	u->unfinished = status != LZMA_STREAM_END;
	return status == LZMA_OK || status == LZMA_STREAM_END || status == LZMA_BUF_ERROR
		       ? size - x->avail_out
		       : SIZE_MAX;
}

static void end_xz(struct unpack *u)
{
	lzma_end(&u->xz);
}

/* ---- bzip2 ------------------------------------------------------------------------------- */

static void start_bzip2(struct unpack *u)
{
	u->bzip2.stream = (bz_stream){ 0 };
	u->bzip2.begun = BZ2_bzDecompressInit(&u->bzip2.stream, 0, 0) == BZ_OK;
	if (!u->bzip2.begun)
		out_of_memory();
}

static void end_bzip2(struct unpack *u)
{
	if (u->bzip2.begun)
		BZ2_bzDecompressEnd(&u->bzip2.stream);
	u->bzip2.begun = false;
}

static size_t decode_bzip2(struct unpack *u, unsigned char *bytes, size_t size)
{
	bz_stream *b = &u->bzip2.stream;
	int status;

	if (!u->bzip2.begun) /* one stream has ended; another may follow */
		start_bzip2(u);
	b->next_in = (char *)u->input + u->used;
	b->avail_in = (unsigned)(u->filled - u->used);
	b->next_out = (char *)bytes;
	b->avail_out = (unsigned)size;
	status = BZ2_bzDecompress(b);
	u->used = u->filled - b->avail_in;
	u->unfinished = status != BZ_STREAM_END;
	size -= b->avail_out;
	if (status == BZ_STREAM_END)
		end_bzip2(u);
	return status == BZ_OK || status == BZ_STREAM_END ? size : SIZE_MAX;
}

/* ---- the file ---------------------------------------------------------------------------- */

static const struct coding codings[] = {
	{ "\x1f\x8b", 2, start_gzip, decode_gzip, end_gzip },
	{ "\x28\xb5\x2f\xfd", 4, start_zstd, decode_zstd, end_zstd },
	{ "\xfd"
	  "7zXZ\0",
	  6, start_xz, decode_xz, end_xz },
	{ "BZh", 3, start_bzip2, decode_bzip2, end_bzip2 },
};

/* Chooses the decoder by the file's first bytes. Returns false after a message on errors. */
static bool look_at_magic(struct unpack *u)
{
	if (!refill(u, MAGIC_SIZE))
		return false;
	for (size_t i = 0; i < sizeof(codings) / sizeof(*codings); i++) {
		const struct coding *coding = &codings[i];

		if (u->filled >= coding->magic_size &&
		    !memcmp(u->input, coding->magic, coding->magic_size)) {
			u->coding = coding;
			coding->start(u);
			break;
		}
	}
	return true;
}

struct unpack *unpack_open(const char *path)
{
	struct unpack *u = checked_array(1, sizeof(*u));
	struct stat st;

	u->path = path;
	u->fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (u->fd >= 0 && fstat(u->fd, &st) == 0 && S_ISDIR(st.st_mode))
		command_error("%s: Is a directory, not a file", path);
	else if (u->fd < 0)
		command_error("%s: %m", shown_name(path));
	else if (look_at_magic(u))
		return u;
	unpack_close(u);
	return NULL;
}

void unpack_close(struct unpack *u)
{
	if (!u)
		return;
	if (u->fd > STDIN_FILENO)
		close(u->fd);
	if (u->coding)
		u->coding->end(u);
	free(u);
}

void unpack_allow_expansion(struct unpack *u)
{
	u->unlimited = true;
}

uint64_t unpack_size(const struct unpack *u)
{
	return u->n_read;
}

static size_t copy_plain(struct unpack *u, unsigned char *bytes, size_t size)
{
	size_t n = u->filled - u->used < size ? u->filled - u->used : size;

	memcpy(bytes, u->input + u->used, n);
	u->used += n;
	return n;
}

/* Decompresses at most INPUT_SIZE bytes. Returns their number, or SIZE_MAX after a message. */
static size_t decode(struct unpack *u, unsigned char *bytes, size_t size)
{
	size_t n = u->coding->decode(u, bytes, size < INPUT_SIZE ? size : INPUT_SIZE);

	if (n == SIZE_MAX) {
		command_error("%s: its compressed data are damaged", u->path);
		return SIZE_MAX;
	}
	u->n_made += n;
	if (!u->unlimited && u->n_made > FREE_EXPANSION && u->n_made / MAX_EXPANSION > u->n_read) {
		command_error("%s: expands to more than 100 times its size; if you trust the file, "
			      "decompress it first",
			      u->path);
		return SIZE_MAX;
	}
	return n;
}

ssize_t unpack_read(struct unpack *u, void *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		unsigned char *to = (unsigned char *)bytes + done;
		size_t n;

		if (!refill(u, 1))
			return -1;
		if (u->used == u->filled && !u->unfinished)
			break;
		n = u->coding ? decode(u, to, size - done) : copy_plain(u, to, size - done);
		if (n == SIZE_MAX)
			return -1;
		if (n == 0 && u->used == u->filled && u->at_end) {
			if (!u->unfinished)
				break;
			command_error("%s: its compressed data end too early; is it still being "
				      "written?",
				      u->path);
			return -1;
		}
		done += n;
	}
	return (ssize_t)done;
}

static ssize_t read_cookie(void *cookie, char *bytes, size_t size)
{
	ssize_t n = unpack_read(cookie, bytes, size);

	if (n < 0)
		errno = EIO;
	return n;
}

static int close_cookie(void *cookie)
{
	unpack_close(cookie);
	return 0;
}

FILE *unpack_stream(const char *path)
{
	const cookie_io_functions_t functions = { .read = read_cookie, .close = close_cookie };
	struct unpack *u = unpack_open(path);

	return u ? checked(fopencookie(u, "r", functions)) : NULL;
}

FILE *unpack_text(const char *path)
{
	FILE *file = unpack_stream(path);

	return file ? skip_byte_order_mark(file) : NULL;
}
