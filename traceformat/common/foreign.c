/* SPDX-License-Identifier: MIT */
#include "traceformat/common/foreign.h"

#include <stdbool.h>
#include <string.h>

static const struct {
	const char *magic;
	size_t size;
	const char *text;
	enum foreign_kind kind;
} kinds[] = {
#define KIND(magic, text, kind)                      \
	{                                            \
		magic, sizeof(magic) - 1, text, kind \
	}
	KIND("\x89TRC\r\n\x1a\n", "is a trace", FOREIGN_TRACE),
	KIND("PERFILE2", "is a perf.data file; trace-import makes a trace of it", FOREIGN_OTHER),
	KIND("2ELIFREP", "is a perf.data file of a big-endian machine", FOREIGN_OTHER),
	KIND("\x1f\x8b", "is compressed by gzip; decompress it first, with gzip -d",
	     FOREIGN_COMPRESSED),
	KIND("\x28\xb5\x2f\xfd", "is compressed by zstd; decompress it first, with zstd -d",
	     FOREIGN_COMPRESSED),
	KIND("\xfd"
	     "7zXZ\0",
	     "is compressed by xz; decompress it first, with xz -d", FOREIGN_COMPRESSED),
	KIND("BZh", "is compressed by bzip2; decompress it first, with bzip2 -d",
	     FOREIGN_COMPRESSED),
	KIND("\x04\x22\x4d\x18", "is compressed by lz4; decompress it first, with lz4 -d",
	     FOREIGN_OTHER),
	KIND("\x1f\x9d", "is compressed by compress; decompress it first, with gzip -d",
	     FOREIGN_SHORT),
	KIND("\x5d\0\0", "is compressed by lzma; decompress it first, with xz -d", FOREIGN_SHORT),
	KIND("LZIP", "is compressed by lzip; decompress it first, with lzip -d", FOREIGN_OTHER),
	KIND("PK\3\4", "is a ZIP archive; unpack it first", FOREIGN_OTHER),
	KIND("\x7f"
	     "ELF",
	     "is a program or a library (ELF); trace-record records a program", FOREIGN_OTHER),
	KIND("SQLite format 3", "is an SQLite database; sqlite3 reads it", FOREIGN_OTHER),
	KIND("F:", "is a file of block addresses (.pc); trace-simpoint --pc-file reads it",
	     FOREIGN_PLACES),
	KIND("#!", "is a script; trace-record records what it runs", FOREIGN_SHORT),
	KIND("\xff\xfe\0\0", "is text in UTF-32; convert it to UTF-8 first", FOREIGN_OTHER),
	KIND("\0\0\xfe\xff", "is text in UTF-32; convert it to UTF-8 first", FOREIGN_OTHER),
	KIND("\xff\xfe", "is text in UTF-16; convert it to UTF-8 first", FOREIGN_SHORT),
	KIND("\xfe\xff", "is text in UTF-16; convert it to UTF-8 first", FOREIGN_SHORT),
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

static const char *text_kind(const char *bytes, size_t size, enum foreign_kind *kind)
{
	if (begins_with(bytes, size, "\xef\xbb\xbf"))
		return text_kind(bytes + 3, size - 3, kind);
	while (size && memchr(" \t\r\n", *bytes, 4)) {
		bytes++;
		size--;
	}
	*kind = FOREIGN_VECTORS;
	if (is_vector(bytes, size))
		return "holds basic block vectors; trace-simpoint reads them";
	*kind = FOREIGN_JSON;
	if (begins_with(bytes, size, "{") || begins_with(bytes, size, "["))
		return "is JSON; trace-cut --simpoints and trace-extrapolate read results";
	*kind = FOREIGN_REGIONS;
	if (begins_with(bytes, size, "# Regions based on") ||
	    begins_with(bytes, size, "comment,thread-id"))
		return "holds regions (CSV); trace-cut --simpoints reads them";
	*kind = FOREIGN_UNKNOWN;
	return NULL;
}

const char *foreign_kind_text(const void *bytes, size_t size, enum foreign_kind *kind)
{
	static const char zeros[FOREIGN_BYTES];

	*kind = FOREIGN_OTHER;
	if (size == 0)
		return "is empty";
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (size >= kinds[i].size && !memcmp(bytes, kinds[i].magic, kinds[i].size)) {
			*kind = kinds[i].kind;
			return kinds[i].text;
		}
	if (size >= 8 && !memcmp(bytes, zeros, size < sizeof(zeros) ? size : sizeof(zeros)))
		return "begins with zeros; has its disk been full?";
	return text_kind(bytes, size, kind);
}

const char *foreign_text(const void *bytes, size_t size)
{
	enum foreign_kind kind;

	return foreign_kind_text(bytes, size, &kind);
}
