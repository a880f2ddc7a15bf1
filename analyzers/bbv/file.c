/* SPDX-License-Identifier: MIT */
#include "analyzers/bbv/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/save_file.h"
#include "cli/common/unfinished.h"

const char *bbv_suffix(enum bbv_compression compression)
{
	static const char *const suffixes[] = { "", ".gz", ".zst" };

	return suffixes[compression];
}

/* ---- streams that compress ---------------------------------------------------------------- */

static ssize_t write_gzip(void *cookie, const char *data, size_t size)
{
	return gzwrite(cookie, data, (unsigned)size) == (int)size ? (ssize_t)size : 0;
}

static int close_gzip(void *cookie)
{
	return gzclose(cookie) == Z_OK ? 0 : -1;
}

static FILE *gzip_stream(FILE *plain)
{
	int fd = dup(fileno(plain));
	gzFile gz = fd < 0 ? NULL : gzdopen(fd, "ab6");

	fclose(plain);
	if (!gz) {
		close(fd);
		return NULL;
	}
	return fopencookie(gz, "w",
			   (cookie_io_functions_t){ .write = write_gzip, .close = close_gzip });
}

struct zstd_stream {
	ZSTD_CCtx *context;
	FILE *plain;
};

static bool put_zstd(struct zstd_stream *z, const void *data, size_t size, ZSTD_EndDirective end)
{
	ZSTD_inBuffer in = { data, size, 0 };
	size_t left;
	char block[16384];

	do {
		ZSTD_outBuffer out = { block, sizeof(block), 0 };

		left = ZSTD_compressStream2(z->context, &out, &in, end);
		if (ZSTD_isError(left) || fwrite(block, 1, out.pos, z->plain) < out.pos)
			return false;
	} while (end == ZSTD_e_end ? left : in.pos < in.size);
	return true;
}

static ssize_t write_zstd(void *cookie, const char *data, size_t size)
{
	return put_zstd(cookie, data, size, ZSTD_e_continue) ? (ssize_t)size : 0;
}

static int close_zstd(void *cookie)
{
	struct zstd_stream *z = cookie;
	bool fails = !put_zstd(z, NULL, 0, ZSTD_e_end);

	fails |= fclose(z->plain) != 0;
	ZSTD_freeCCtx(z->context);
	free(z);
	return fails ? -1 : 0;
}

static FILE *zstd_stream(FILE *plain)
{
	struct zstd_stream *z = checked(malloc(sizeof(*z)));

	*z = (struct zstd_stream){ checked(ZSTD_createCCtx()), plain };
	return fopencookie(z, "w",
			   (cookie_io_functions_t){ .write = write_zstd, .close = close_zstd });
}

/* ---- files ------------------------------------------------------------------------------- */

void bbv_file_begin(struct bbv_file *file, const char *name, enum bbv_compression compression)
{
	struct stat status;

	*file = (struct bbv_file){ .compression = compression };
	file->name = text_format("%s%s", name, bbv_suffix(compression));
	bool direct = stat(file->name, &status) == 0 && !S_ISREG(status.st_mode);

	file->target = realpath(file->name, NULL);
	if (!file->target || direct) {
		free(file->target);
		file->target = checked_copy(file->name);
	}
	file->path = text_format("%s%s", file->target, direct ? "" : ".part");
}

/*
 * A file that an ended command has left there is not written to: it may be a link to another one.
 */
static FILE *open_path(struct bbv_file *file)
{
	int flags = O_WRONLY | O_CLOEXEC | O_APPEND;
	bool beside = strcmp(file->path, file->target) != 0;
	struct stat left;
	int fd;

	if (beside)
		flags |= O_NOFOLLOW;
	if (!file->exists) {
		if (beside && lstat(file->path, &left) == 0 && S_ISREG(left.st_mode))
			unlink(file->path);
		flags |= beside ? O_CREAT | O_EXCL : O_CREAT;
	}
	fd = open(file->path, flags, 0666);
	return fd < 0 ? NULL : fdopen(fd, "a");
}

int bbv_file_open(struct bbv_file *file, const char *what)
{
	if (file->out)
		return 0;
	if (!file->unfinished)
		file->unfinished = unfinished_file(file->path);
	if (would_overwrite_input(file->target))
		return EXIT_FAILED;
	FILE *out = open_path(file);

	if (out) {
		file->exists = true;
		file->out = file->compression == BBV_GZIP   ? gzip_stream(out)
			    : file->compression == BBV_ZSTD ? zstd_stream(out)
							    : out;
	}
	if (file->out)
		return 0;
	command_error("cannot create %s file %s: %m", what,
		      errno == EEXIST || errno == ELOOP ? file->path : file->name);
	return EXIT_FAILED;
}

int bbv_file_close(struct bbv_file *file)
{
	FILE *out = file->out;

	file->out = NULL;
	if (out && (ferror(out) | fclose(out))) {
		command_error("cannot write %s: %m", file->name);
		return EXIT_FAILED;
	}
	return 0;
}

int bbv_file_finish(struct bbv_file *file)
{
	if (!strcmp(file->path, file->target))
		return 0;
	if (rename(file->path, file->target) < 0) {
		command_error("cannot create %s: %m", file->name);
		return EXIT_FAILED;
	}
	file->exists = false;
	return 0;
}

void bbv_file_free(struct bbv_file *file)
{
	if (file->out)
		fclose(file->out);
	if (file->exists && strcmp(file->path, file->target))
		unlink(file->path);
	unfinished_end(file->unfinished);
	free(file->name);
	free(file->target);
	free(file->path);
}
