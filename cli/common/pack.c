/* SPDX-License-Identifier: MIT */
#include "cli/common/pack.h"

#include <bzlib.h>
#include <lzma.h>
#include <stdbool.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/save_file.h"
#include "cli/common/zip_writer.h"

enum { BUFFER_SIZE = PACK_BUFFER, XZ_LEVEL = 6, BZIP2_LEVEL = 9, ZSTD_LEVEL = 9 };

/*
 * A compression format. code compresses a part of the input, or the end of it, and stores the
 * compressed bytes by put. It returns false if the compressor failed.
 */
struct coding {
	const char *suffix;
	void (*start)(struct pack *p);
	bool (*code)(struct pack *p, bool last);
	void (*end)(struct pack *p);
};

struct pack {
	struct pack_front front;
	struct save_file *file;
	const char *path;
	const struct coding *coding; /* NULL: not compressed */
	bool failed;
	union {
		z_stream gzip;
		lzma_stream xz;
		bz_stream bzip2;
		ZSTD_CCtx *zstd;
		struct zip_writer *zip;
	};
	unsigned char output[BUFFER_SIZE];
};

static void put(struct pack *p, const void *bytes, size_t size)
{
	fwrite(bytes, 1, size, save_file_stream(p->file));
}

/* ---- gzip -------------------------------------------------------------------------------- */

static void start_gzip(struct pack *p)
{
	enum { GZIP = 16, MEMORY_LEVEL = 8 };

	/* The head that zlib writes has no time and no name. */
	if (deflateInit2(&p->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP + MAX_WBITS,
			 MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		out_of_memory();
}

static bool code_gzip(struct pack *p, bool last)
{
	z_stream *z = &p->gzip;
	int status;

	z->next_in = p->front.input;
	z->avail_in = (uInt)p->front.filled;
	do {
		z->next_out = p->output;
		z->avail_out = BUFFER_SIZE;
		status = deflate(z, last ? Z_FINISH : Z_NO_FLUSH);
		put(p, p->output, BUFFER_SIZE - z->avail_out);
	} while (status == Z_OK && !z->avail_out);
	return status == Z_STREAM_END || status == Z_OK || status == Z_BUF_ERROR;
}

static void end_gzip(struct pack *p)
{
	deflateEnd(&p->gzip);
}

/* ---- xz ---------------------------------------------------------------------------------- */

/*
 * Blocks are compressed by several threads. Their size does not depend on the number of threads,
 * and so the bytes do not either.
 */
static void start_xz(struct pack *p)
{
	enum { BLOCK_SIZE = 16 << 20, MOST_THREADS = 4 };
	uint32_t cores = lzma_cputhreads();
	lzma_mt options = {
		.threads = cores < MOST_THREADS ? cores : MOST_THREADS,
		.block_size = BLOCK_SIZE,
		.preset = XZ_LEVEL,
		.check = LZMA_CHECK_CRC64,
	};

	if (!options.threads)
		options.threads = 1;
	p->xz = (lzma_stream)LZMA_STREAM_INIT;
	if (lzma_stream_encoder_mt(&p->xz, &options) != LZMA_OK)
		out_of_memory();
}

static bool code_xz(struct pack *p, bool last)
{
	lzma_stream *x = &p->xz;
	lzma_ret status;

	x->next_in = p->front.input;
	x->avail_in = p->front.filled;
	do {
		x->next_out = p->output;
		x->avail_out = BUFFER_SIZE;
		status = lzma_code(x, last ? LZMA_FINISH : LZMA_RUN);
		put(p, p->output, BUFFER_SIZE - x->avail_out);
	} while (status == LZMA_OK && (x->avail_in || last));
	return status == LZMA_STREAM_END || status == LZMA_OK || status == LZMA_BUF_ERROR;
}

static void end_xz(struct pack *p)
{
	lzma_end(&p->xz);
}

/* ---- bzip2 ------------------------------------------------------------------------------- */

static void start_bzip2(struct pack *p)
{
	if (BZ2_bzCompressInit(&p->bzip2, BZIP2_LEVEL, 0, 0) != BZ_OK)
		out_of_memory();
}

static bool code_bzip2(struct pack *p, bool last)
{
	bz_stream *b = &p->bzip2;
	int status = BZ_RUN_OK;

	b->next_in = (char *)p->front.input;
	b->avail_in = (unsigned)p->front.filled;
	while (last ? status == BZ_RUN_OK || status == BZ_FINISH_OK
		    : b->avail_in && status == BZ_RUN_OK) {
		b->next_out = (char *)p->output;
		b->avail_out = BUFFER_SIZE;
		status = BZ2_bzCompress(b, last ? BZ_FINISH : BZ_RUN);
		put(p, p->output, BUFFER_SIZE - b->avail_out);
	}
	return status == (last ? BZ_STREAM_END : BZ_RUN_OK);
}

static void end_bzip2(struct pack *p)
{
	BZ2_bzCompressEnd(&p->bzip2);
}

/* ---- zstd -------------------------------------------------------------------------------- */

static void start_zstd(struct pack *p)
{
	p->zstd = checked(ZSTD_createCCtx());
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1);
}

static bool code_zstd(struct pack *p, bool last)
{
	ZSTD_inBuffer in = { p->front.input, p->front.filled, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { p->output, BUFFER_SIZE, 0 };

		left = ZSTD_compressStream2(p->zstd, &out, &in,
					    last ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return false;
		put(p, p->output, out.pos);
	} while (last ? left : in.pos < in.size);
	return true;
}

static void end_zstd(struct pack *p)
{
	ZSTD_freeCCtx(p->zstd);
}

/* ---- zip --------------------------------------------------------------------------------- */

static void start_zip(struct pack *p)
{
	p->zip = zip_begin(save_file_stream(p->file));
}

static bool code_zip(struct pack *p, bool last)
{
	bool done = !p->front.filled || zip_write(p->zip, p->front.input, p->front.filled);

	if (done && last)
		zip_end(p->zip);
	return done;
}

static void end_zip(struct pack *p)
{
	zip_free(p->zip);
}

static const struct coding zip = { ".zip", start_zip, code_zip, end_zip };

/* ---- the file ---------------------------------------------------------------------------- */

static const struct coding *coding_of(const char *path)
{
	static const struct coding codings[] = {
		{ ".gz", start_gzip, code_gzip, end_gzip },
		{ ".xz", start_xz, code_xz, end_xz },
		{ ".bz2", start_bzip2, code_bzip2, end_bzip2 },
		{ ".zst", start_zstd, code_zstd, end_zstd },
	};
	size_t length = strlen(path);

	for (size_t i = 0; i < sizeof(codings) / sizeof(*codings); i++) {
		size_t suffix = strlen(codings[i].suffix);

		if (length > suffix && !strcmp(path + length - suffix, codings[i].suffix))
			return &codings[i];
	}
	return NULL;
}

const char *pack_suffix(const char *path)
{
	const struct coding *coding = coding_of(path);

	return coding ? coding->suffix : "";
}

static struct pack *open_coded(const char *path, const struct coding *coding)
{
	struct save_file *file = save_file_begin(path);
	struct pack *p;

	if (!file)
		return NULL;
	p = checked_array(1, sizeof(*p));
	p->file = file;
	p->path = path;
	p->coding = coding;
	if (p->coding)
		p->coding->start(p);
	return p;
}

struct pack *pack_open(const char *path)
{
	return open_coded(path, coding_of(path));
}

struct pack *pack_open_zip(const char *path)
{
	return open_coded(path, &zip);
}

static void flush(struct pack *p, bool last)
{
	if (!p->coding)
		put(p, p->front.input, p->front.filled);
	else if (!p->failed && !p->coding->code(p, last))
		p->failed = true;
	p->front.filled = 0;
}

/* Parts of one size keep the compressed bytes the same, whatever the sizes of the writes. */
void pack_flush(struct pack *p)
{
	size_t rest = p->front.filled - BUFFER_SIZE;

	p->front.filled = BUFFER_SIZE;
	flush(p, false);
	memcpy(p->front.input, p->front.input + BUFFER_SIZE, rest);
	p->front.filled = rest;
}

void pack_component(struct pack *p, const char *name)
{
	if (p->coding != &zip)
		return;
	flush(p, false);
	zip_component(p->zip, name);
}

void pack_write(struct pack *p, const void *bytes, size_t size)
{
	const unsigned char *from = bytes;

	p->front.n_written += size;
	if (size < BUFFER_SIZE - p->front.filled) {
		memcpy(p->front.input + p->front.filled, from, size);
		p->front.filled += size;
		return;
	}
	while (size) {
		size_t room = BUFFER_SIZE - p->front.filled, n = size < room ? size : room;

		memcpy(p->front.input + p->front.filled, from, n);
		p->front.filled += n;
		from += n;
		size -= n;
		if (p->front.filled == BUFFER_SIZE)
			flush(p, false);
	}
}

bool pack_has_failed(const struct pack *p)
{
	return p->failed || ferror(save_file_stream(p->file));
}

uint64_t pack_size(const struct pack *p)
{
	return p->front.n_written;
}

static void free_pack(struct pack *p)
{
	if (p->coding)
		p->coding->end(p);
	free(p);
}

int pack_end(struct pack *p)
{
	int status;

	flush(p, true);
	if (p->failed) {
		command_error("cannot compress %s", p->path);
		pack_drop(p);
		return EXIT_FAILED;
	}
	status = save_file_end(p->file);
	free_pack(p);
	return status;
}

void pack_drop(struct pack *p)
{
	if (!p)
		return;
	save_file_drop(p->file);
	free_pack(p);
}
