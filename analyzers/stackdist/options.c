/* SPDX-License-Identifier: MIT */
#include "analyzers/stackdist/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/common/command.h"
#include "cli/common/option_parsers.h"
#include "cli/common/quantity.h"

enum { WORD_SIZE = 32 };

const struct stackdist_options stackdist_option_defaults = {
	.n_kinds = 1,
	.kinds = { ACCESS_READ | ACCESS_WRITE },
	.n_sizes = 1,
	.shifts = { 6 },
};

static const char *const kind_names[STACKDIST_MAX_KINDS + 1] = {
	[ACCESS_READ] = "reads",
	[ACCESS_WRITE] = "writes",
	[ACCESS_READ | ACCESS_WRITE] = "reads+writes",
	[ACCESS_FETCH] = "fetches",
	[ACCESS_READ | ACCESS_FETCH] = "reads+fetches",
	[ACCESS_WRITE | ACCESS_FETCH] = "writes+fetches",
	[ACCESS_READ | ACCESS_WRITE | ACCESS_FETCH] = "reads+writes+fetches",
};

/*
 * Copies the next word of a list, and moves *text behind it. Returns false at the end of the list.
 * Words that are too long are cut.
 */
static bool next_word(const char **text, char separator, char word[WORD_SIZE])
{
	const char separators[] = { separator, 0 };

	if (!*text)
		return false;
	size_t length = strcspn(*text, separators);

	snprintf(word, WORD_SIZE, "%.*s", (int)(length < WORD_SIZE ? length : WORD_SIZE), *text);
	*text = (*text)[length] ? *text + length + 1 : NULL;
	return true;
}

/* Returns the kinds (enum access_kind, or-ed) of a text such as "reads+writes"; 0: none. */
static unsigned parse_kinds(const char *text)
{
	unsigned kinds = 0, kind;
	char word[WORD_SIZE];

	while (next_word(&text, '+', word)) {
		for (kind = ACCESS_FETCH; kind && strcmp(word, kind_names[kind]); kind /= 2)
			continue;
		if (!kind)
			return 0;
		kinds |= kind;
	}
	return kinds;
}

OPTION_PARSER(option_kinds)
{
	struct stackdist_options *o = destination;
	char word[WORD_SIZE];

	o->n_kinds = 0;
	while (next_word(&text, ',', word)) {
		unsigned kinds = parse_kinds(word);

		if (!kinds)
			return "a list of reads, writes and fetches, or sums of these (reads+writes), is expected";
		if (o->n_kinds == STACKDIST_MAX_KINDS)
			return "there are too many elements";
		o->kinds[o->n_kinds++] = kinds;
	}
	return NULL;
}

OPTION_PARSER(option_sizes)
{
	struct stackdist_options *o = destination;
	uint64_t bytes[STACKDIST_MAX_SIZES];
	unsigned count = parse_list(text, parse_size, bytes, STACKDIST_MAX_SIZES);

	for (unsigned i = 0; i < count && i < STACKDIST_MAX_SIZES; i++) {
		if (!bytes[i] || bytes[i] & (bytes[i] - 1))
			return "a list of powers of two is expected, such as 64,4Ki";
		o->shifts[i] = __builtin_ctzll(bytes[i]);
	}
	o->n_sizes = count;
	if (!count)
		return "a list of powers of two is expected, such as 64,4Ki";
	return count > STACKDIST_MAX_SIZES ? "there are too many sizes" : NULL;
}

OPTION_PARSER(option_caches)
{
	struct stackdist_options *o = destination;
	unsigned count = parse_list(text, parse_size, o->caches, MAX_CACHES);

	for (unsigned i = 0; i < count && i < MAX_CACHES; i++)
		if (!o->caches[i])
			return "a list of sizes is expected, such as 32Ki,1Mi";
	o->n_caches = count;
	if (!count)
		return "a list of sizes is expected, such as 32Ki,1Mi";
	return count > MAX_CACHES ? "there are too many sizes" : NULL;
}

/* Parses a limit that is one of a bin of the histogram. */
OPTION_PARSER(option_most)
{
	uint64_t most;

	if (!parse_count(text, &most) || !most || most > UINT64_C(1) << 31 ||
	    (most > EXACT_BINS && most & (most - 1)))
		return "a number of blocks is expected: 1 to 65536, or a power of two up to 2Gi";
	*(uint64_t *)destination = most;
	return NULL;
}

const struct command_option stackdist_option_table[] = {
	{ "accesses", 'a', "LIST", "count reads, writes, fetches, reads+writes, ...", option_kinds,
	  0 },
	{ "block-size", 'b', "LIST", "sizes of a memory block in bytes (default 64)", option_sizes,
	  0 },
	{ "histogram", 0, NULL, "print all distances instead of MICA's buckets",
	  analyzer_option_flag, offsetof(struct stackdist_options, histogram) },
	{ "curve", 0, NULL, "add the miss ratios of caches of all sizes", analyzer_option_flag,
	  offsetof(struct stackdist_options, curve) },
	{ "cache-size", 0, "LIST", "add the miss ratios of caches of these sizes", option_caches,
	  0 },
	{ "max-distance", 0, "BLOCKS", NULL, option_most,
	  offsetof(struct stackdist_options, most) },
	{ 0 },
};

static int check_cache(uint64_t bytes, unsigned shift)
{
	uint64_t block_size = UINT64_C(1) << shift;

	if (bytes % block_size == 0)
		return 0;
	return command_usage_error("--cache-size: %" PRIu64
				   " bytes are not a multiple of the block "
				   "size, %" PRIu64,
				   bytes, block_size);
}

/* Checks that the distances that decide about a cache are below the limit. */
static int check_limit(const struct stackdist_options *o, uint64_t bytes, unsigned shift)
{
	if (!o->most || bytes >> shift <= o->most)
		return 0;
	return command_usage_error("--cache-size: %" PRIu64 " bytes are more than %" PRIu64
				   " blocks of %" PRIu64 " bytes, the --max-distance",
				   bytes, o->most, UINT64_C(1) << shift);
}

int stackdist_check_caches(const struct stackdist_options *o)
{
	int status = 0;

	for (unsigned i = 0; i < o->n_caches && !status; i++)
		for (unsigned j = 0; j < o->n_sizes && !status; j++)
			status = check_cache(o->caches[i], o->shifts[j])
					 ?: check_limit(o, o->caches[i], o->shifts[j]);
	return status;
}

/* Refuses two kinds of rows, because the table of intervals or threads has rows of one kind. */
int stackdist_check_rows(const struct stackdist_options *o)
{
	const char *names[3];
	unsigned n = 0;

	if (o->most)
		return command_usage_error("--max-distance excludes --interval and --threads=each");
	if (o->histogram)
		names[n++] = "--histogram";
	if (o->curve)
		names[n++] = "--curve";
	if (o->n_caches)
		names[n++] = "--cache-size";
	if (n < 2)
		return 0;
	return command_usage_error(
		"with --interval or --threads=each, %s and %s exclude each other", names[0],
		names[1]);
}

const char *stackdist_kinds_text(unsigned kinds)
{
	return kind_names[kinds];
}

unsigned stackdist_all_kinds(const struct stackdist_options *o)
{
	unsigned kinds = 0;

	for (unsigned i = 0; i < o->n_kinds; i++)
		kinds |= o->kinds[i];
	return kinds;
}

static bool has(const unsigned *list, unsigned count, unsigned value)
{
	for (unsigned i = 0; i < count; i++)
		if (list[i] == value)
			return true;
	return false;
}

bool stackdist_has_stream(const struct stackdist_options *o, struct stream_kind stream)
{
	return has(o->kinds, o->n_kinds, stream.kinds) && has(o->shifts, o->n_sizes, stream.shift);
}

unsigned stackdist_cache_number(const struct stackdist_options *o, uint64_t bytes)
{
	unsigned i = 0;

	while (i < o->n_caches && o->caches[i] != bytes)
		i++;
	return i;
}

/* Adds a number to a list unless it is there. Returns false if the list is full. */
static bool add_missing(unsigned *list, unsigned *count, unsigned most, unsigned value)
{
	if (has(list, *count, value))
		return true;
	if (*count == most)
		return false;
	list[(*count)++] = value;
	return true;
}

static bool add_missing_cache(struct stackdist_options *o, uint64_t bytes)
{
	if (stackdist_cache_number(o, bytes) < o->n_caches)
		return true;
	if (o->n_caches == MAX_CACHES)
		return false;
	o->caches[o->n_caches++] = bytes;
	return true;
}

bool stackdist_add_options(struct stackdist_options *o, const struct stackdist_options *more)
{
	bool fits = o->most == more->most;

	for (unsigned i = 0; i < more->n_kinds; i++)
		fits &= add_missing(o->kinds, &o->n_kinds, STACKDIST_MAX_KINDS, more->kinds[i]);
	for (unsigned i = 0; i < more->n_sizes; i++)
		fits &= add_missing(o->shifts, &o->n_sizes, STACKDIST_MAX_SIZES, more->shifts[i]);
	for (unsigned i = 0; i < more->n_caches; i++)
		fits &= add_missing_cache(o, more->caches[i]);
	return fits;
}
