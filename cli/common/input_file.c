/* SPDX-License-Identifier: MIT */
#include "cli/common/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"

/*
 * Returns false for a pipe without a name. Such a pipe has a writer already, so that opening it
 * does not wait for one.
 */
static bool has_name(const char *path)
{
	struct statfs system;

	return statfs(path, &system) < 0 || system.f_type != PIPEFS_MAGIC;
}

static bool expect_bytes(const char *path, const char *what, int accepted)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char bytes[FOREIGN_BYTES];
	enum foreign_kind kind;
	ssize_t size = pread(fd, bytes, sizeof(bytes), 0);

	if (fd >= 0)
		close(fd);
	if (size < 0)
		return true;
	const char *text = foreign_kind_text(bytes, (size_t)size, &kind);

	if (size == 0)
		command_error("%s: is empty, not %s", shown_name(path), what);
	else if (text && !(accepted & 1 << kind))
		command_error("%s: is not %s, but %s", shown_name(path), what, text);
	else
		return true;
	return false;
}

bool expect_file(const char *path, const char *what, int accepted)
{
	struct stat file;

	if (!strcmp(path, "-") || stat(path, &file) < 0)
		return true;
	if (S_ISREG(file.st_mode))
		return expect_bytes(path, what, accepted);
	if (S_ISDIR(file.st_mode))
		command_error("%s: is a folder, not %s", shown_name(path), what);
	else if (S_ISFIFO(file.st_mode) && has_name(path))
		command_error("%s: is a named pipe, not %s", shown_name(path), what);
	else
		return true;
	return false;
}

FILE *open_input(const char *path)
{
	FILE *file = fopen(path, "re");
	struct stat status;

	if (!file)
		return NULL;
	if (fstat(fileno(file), &status) < 0 || !S_ISDIR(status.st_mode))
		return skip_byte_order_mark(file);
	fclose(file);
	errno = EISDIR;
	return NULL;
}

FILE *skip_byte_order_mark(FILE *file)
{
	static const unsigned char mark[] = { 0xef, 0xbb, 0xbf };
	size_t n = 0;
	int c;

	while (n < sizeof(mark) && (c = getc(file)) == mark[n])
		n++;
	if (n == sizeof(mark))
		return file;
	/* The bytes were read, so that the C library has room to take them back. */
	if (c != EOF)
		ungetc(c, file);
	while (n > 0)
		ungetc(mark[--n], file);
	return file;
}

/* Returns the next byte; '\n' for any line break. */
static int next_byte(FILE *file)
{
	int c = getc_unlocked(file), next;

	if (c != '\r')
		return c;
	next = getc_unlocked(file);
	if (next != '\n' && next != EOF)
		ungetc(next, file);
	return '\n';
}

ssize_t read_line(char **line, size_t *room, FILE *file)
{
	size_t n = 0;
	int c;

	errno = 0;
	while ((c = next_byte(file)) != EOF) {
		if (n == LINE_LIMIT || c == '\0') {
			errno = c ? EOVERFLOW : EILSEQ;
			return -1;
		}
		if (n + 2 > *room && !array_reserve(line, room, n + 2, 1))
			out_of_memory();
		(*line)[n++] = (char)c;
		if (c == '\n')
			break;
	}
	if (n == 0)
		return -1;
	(*line)[n] = '\0';
	return (ssize_t)n;
}

const char *read_line_fault(void)
{
	switch (errno) {
	case 0: return NULL;
	case EOVERFLOW: return "has a line without end";
	case EILSEQ: return "is not a text file: it contains a zero byte";
	default: return strerror(errno);
	}
}

json_t *json_file_read(const char *path, const char *kind)
{
	FILE *file;
	json_t *root;

	if (!expect_file(path, kind, ACCEPT_JSON))
		return NULL;
	file = open_input(path);
	if (!file) {
		command_error("%s: %m", shown_name(path));
		return NULL;
	}
	root = json_loadf(file, JSON_REJECT_DUPLICATES, NULL);
	fclose(file);
	if (json_is_object(root))
		return root;
	command_error("%s: is not %s", path, kind);
	json_decref(root);
	return NULL;
}
