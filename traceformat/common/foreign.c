/* SPDX-License-Identifier: MIT */
#include "traceformat/common/foreign.h"

#include <stdbool.h>
#include <string.h>

static const struct {
	const char *magic;
	size_t size;
	const char *text;
} kinds[] = {
#define KIND(magic, text)                      \
	{                                      \
		magic, sizeof(magic) - 1, text \
	}
	KIND("\x89TRC\r\n\x1a\n", "is a trace"),
	KIND("PERFILE2", "is a perf.data file; trace-import makes a trace of it"),
	KIND("2ELIFREP", "is a perf.data file of a big-endian machine"),
	KIND("\x1f\x8b", "is compressed by gzip; decompress it first, with gzip -d"),
	KIND("\x28\xb5\x2f\xfd", "is compressed by zstd; decompress it first, with zstd -d"),
	KIND("\xfd"
	     "7zXZ\0",
	     "is compressed by xz; decompress it first, with xz -d"),
	KIND("BZh", "is compressed by bzip2; decompress it first, with bzip2 -d"),
	KIND("\x04\x22\x4d\x18", "is compressed by lz4; decompress it first, with lz4 -d"),
	KIND("\x1f\x9d", "is compressed by compress; decompress it first, with gzip -d"),
	KIND("\x5d\0\0", "is compressed by lzma; decompress it first, with xz -d"),
	KIND("LZIP", "is compressed by lzip; decompress it first, with lzip -d"),
	KIND("PK\3\4", "is a ZIP archive; unpack it first"),
	KIND("\x7f"
	     "ELF",
	     "is a program or a library (ELF); trace-record records a program"),
	KIND("SQLite format 3", "is an SQLite database; sqlite3 reads it"),
	KIND("F:", "is a file of block addresses (.pc); trace-simpoint --pc-file reads it"),
	KIND("#!", "is a script; trace-record records what it runs"),
	KIND("\xff\xfe", "is text in UTF-16; convert it to UTF-8 first"),
	KIND("\xfe\xff", "is text in UTF-16; convert it to UTF-8 first"),
#undef KIND
};

/* Returns true if the text begins like a line of a basic block vector, "T:1:5". */
static bool is_vector(const char *text, size_t size)
{
	return size >= 4 && text[0] == 'T' && text[1] == ':' && text[2] >= '0' && text[2] <= '9';
}

static bool begins_with(const char *bytes, size_t size, const char *text)
{
	return size >= strlen(text) && !memcmp(bytes, text, strlen(text));
}

static const char *text_kind(const char *bytes, size_t size)
{
	if (begins_with(bytes, size, "\xef\xbb\xbf"))
		return text_kind(bytes + 3, size - 3);
	while (size && memchr(" \t\r\n", *bytes, 4)) {
		bytes++;
		size--;
	}
	if (is_vector(bytes, size))
		return "holds basic block vectors; trace-simpoint reads them";
	if (begins_with(bytes, size, "{") || begins_with(bytes, size, "["))
		return "is JSON; trace-cut --simpoints and trace-extrapolate read results";
	if (begins_with(bytes, size, "# Regions based on") ||
	    begins_with(bytes, size, "comment,thread-id"))
		return "holds regions (CSV); trace-cut --simpoints reads them";
	return NULL;
}

const char *foreign_text(const void *bytes, size_t size)
{
	static const char zeros[FOREIGN_BYTES];

	if (size == 0)
		return "is empty";
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (size >= kinds[i].size && !memcmp(bytes, kinds[i].magic, kinds[i].size))
			return kinds[i].text;
	if (size >= 8 && !memcmp(bytes, zeros, size < sizeof(zeros) ? size : sizeof(zeros)))
		return "begins with zeros; has its disk been full?";
	return text_kind(bytes, size);
}
