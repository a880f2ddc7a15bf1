/* SPDX-License-Identifier: MIT */
/*
 * Demangles names of traces, writes them to terminals, CSV and JSON, and opens them as files.
 * Besides crashes, hangs and sanitizer reports, these are faults: a name longer than its bound, a
 * text that its format does not allow, and the opening of a file that must not be opened.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzers/common/symbol_names.h"
#include "cli/common/escape.h"
#include "cli/common/json_values.h"
#include "cli/common/short_names.h"
#include "tests/fuzz/require.h"
#include "traceformat/common/named_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_NAME = 8192, MOST_GROWTH = 64, LEAST_BOUND = 1024, MOST_BOUND = 64 << 10 };

static void check_demangled(const char *name)
{
	char *plain = demangle_name(name);
	size_t bound = strlen(name) * MOST_GROWTH;

	bound = bound < LEAST_BOUND ? LEAST_BOUND : bound > MOST_BOUND ? MOST_BOUND : bound;
	REQUIRE(!plain || strlen(plain) <= bound + strlen(name));
	free(plain);
}

static void check_text(const char *name)
{
	char *text = escape_text(name), *utf8 = escape_utf8(name);
	unsigned code;

	for (const char *s = text; *s; s += utf8_decode(s, &code)) {
		REQUIRE(utf8_decode(s, &code));
		REQUIRE(code >= ' ' && code != 0x7f && !(code >= 0x80 && code < 0xa0));
	}
	utf8_length(text);
	for (const char *s = utf8; *s; s += utf8_decode(s, &code))
		REQUIRE(utf8_decode(s, &code));
	free(text);
	free(utf8);
}

static void check_short(const char *name)
{
	char *text = escape_text(name);
	unsigned code;

	for (size_t width = 0; width < 60; width += 7) {
		size_t most = width < SHORTEST_NAME ? SHORTEST_NAME : width;

		for (enum name_kind kind = NAMES_OF_ANYTHING; kind <= CALL_PATHS; kind++) {
			char *shorter = strdup(text);

			shorten_names(&shorter, 1, 1, width, kind);
			REQUIRE(utf8_length(shorter) <= most);
			for (const char *s = shorter; *s; s += utf8_decode(s, &code))
				REQUIRE(utf8_decode(s, &code));
			free(shorter);
		}
	}
	free(text);
}

static void check_written(const char *name, void (*put)(FILE *, const char *), bool json)
{
	char *written = NULL;
	size_t size;
	FILE *out = open_memstream(&written, &size);
	json_t *value;

	REQUIRE(out);
	put(out, name);
	fclose(out);
	REQUIRE(!memchr(written, '\n', size) && !memchr(written, '\r', size) &&
		!memchr(written, 0, size) && !memchr(written, '\x1b', size));
	if (json) {
		value = json_loadb(written, size, JSON_DECODE_ANY, NULL);
		REQUIRE(json_is_string(value));
		json_decref(value);
	} else {
		REQUIRE(size < 2 || !strchr("=@", *written)); /* a single sign is no formula */
	}
	free(written);
}

static void put_json(FILE *out, const char *name)
{
	json_t *string = json_text(name);

	json_dumpf(string, out, JSON_ENCODE_ANY);
	json_decref(string);
}

static void check_opened(const char *name)
{
	char resolved[PATH_MAX];
	const char *why = NULL;
	struct stat file;
	int fd = named_file_open(name, resolved, &why);

	REQUIRE(fd >= 0 || (why && *why));
	if (fd < 0)
		return;
	REQUIRE(*name == '/' && fstat(fd, &file) == 0 && S_ISREG(file.st_mode));
	REQUIRE(!is_below(resolved, "/proc") && !is_below(resolved, "/dev") &&
		!is_below(resolved, "/sys"));
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[MOST_NAME + 1];

	if (size > MOST_NAME)
		return -1;
	memcpy(name, data, size);
	name[size] = 0;
	check_demangled(name);
	check_text(name);
	check_short(name);
	check_written(name, put_csv, false);
	check_written(name, put_json, true);
	check_opened(name);
	return 0;
}
