/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/config.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/common/option_parsers.h"
#include "cli/common/quantity.h"

enum { WORD_SIZE = 160, MESSAGE_SIZE = 256, DEFAULT_PAGE = 4096 };
#define MOST_LINES (UINT64_C(1) << 32)

const struct cache_geometry cache_default_geometry = {
	.line = 64,
	.prefetch_distance = 1,
	.psel_bits = 10,
};

const char *cache_level_name(const struct cache_config *c, unsigned depth, bool instructions)
{
	static const char *const caches[CACHE_MAX_LEVELS][3] = {
		{ "L1", "L1D", "L1I" },
		{ "L2", "L2D", "L2I" },
		{ "L3", "L3D", "L3I" },
		{ "L4", "L4D", "L4I" },
	};
	static const char *const tlbs[CACHE_MAX_LEVELS][3] = {
		{ "TLB", "DTLB", "ITLB" },
		{ "L2 TLB", "L2 DTLB", "L2 ITLB" },
		{ "L3 TLB", "L3 DTLB", "L3 ITLB" },
		{ "L4 TLB", "L4 DTLB", "L4 ITLB" },
	};
	unsigned which = depth >= c->n_split ? 0 : 1 + instructions;

	return c->pages ? tlbs[depth][which] : caches[depth][which];
}

bool cache_level_is(const struct cache_config *c, unsigned depth, bool instructions,
		    const char *word)
{
	const char *name = cache_level_name(c, depth, instructions);

	while (*name && *word == (*name == ' ' ? '_' : tolower((unsigned char)*name))) {
		name++;
		word++;
	}
	return !*name && !*word;
}

/* ---- levels in short ----------------------------------------------------------------------- */

/* Copies the text up to one of the separators. Returns what follows: a separator, or the end. */
static const char *next_word(const char *text, const char *separators, char word[WORD_SIZE])
{
	size_t length = strcspn(text, separators);

	snprintf(word, WORD_SIZE, "%.*s", (int)(length < WORD_SIZE ? length : WORD_SIZE), text);
	return text + length;
}

/* Reads NAME=NUMBER behind a colon. */
static bool parse_value(struct cache_geometry *g, const char *word)
{
	const char *equal = strchr(word, '=');
	uint64_t number;

	if (!equal || !parse_count(equal + 1, &number))
		return false;
	if (!strncmp(word, "seed=", 5))
		g->seed = number;
	else if (!strncmp(word, "distance=", 9) && number && number <= CACHE_MAX_DISTANCE)
		g->prefetch_distance = number;
	else if (!strncmp(word, "psel=", 5) && number && number <= CACHE_MOST_PSEL_BITS)
		g->psel_bits = number;
	else
		return false;
	return true;
}

/* Reads a word behind a colon. */
static bool parse_word(struct cache_geometry *g, const char *word)
{
	unsigned choice;

	if (parse_choice(word, CACHE_POLICIES, &choice))
		g->policy = choice;
	else if (parse_choice(word, CACHE_INCLUSIONS, &choice))
		g->inclusion = choice;
	else if (parse_choice(word, CACHE_PREFETCHERS, &choice))
		g->prefetch = choice;
	else if (!strcmp(word, "write-through"))
		g->write_through = true;
	else if (!strcmp(word, "no-allocate"))
		g->no_allocate = true;
	else
		return parse_value(g, word);
	return true;
}

/* Reads SIZE/WAYS/LINE or, of a TLB, ENTRIES/WAYS/PAGE. */
static const char *parse_numbers(struct cache_geometry *g, const char *text, bool pages)
{
	char word[WORD_SIZE];
	uint64_t number;

	text = next_word(text, "/", word);
	if (!(pages ? parse_count(word, &g->size) : parse_size(word, &g->size)) || !g->size)
		return pages ? "a TLB is ENTRIES/WAYS, such as 64/4"
			     : "a level is SIZE/WAYS, such as 32Ki/8";
	if (*text != '/')
		return pages ? "the ways are missing; write ENTRIES/WAYS, such as 64/4"
			     : "the ways are missing; write SIZE/WAYS, such as 32Ki/8";
	text = next_word(text + 1, "/", word);
	if (*text == '/') {
		if (!parse_size(text + 1, &number) || !number || number > UINT32_MAX)
			return "the size of a line is not a number";
		g->line = number;
	}
	if (pages && __builtin_mul_overflow(g->size, g->line, &g->size))
		return "there are too many entries";
	if (!strcmp(word, "full"))
		number = g->size / g->line;
	else if (!parse_count(word, &number))
		return "the ways are neither a number nor \"full\"";
	g->ways = number > UINT32_MAX ? 0 : number;
	return NULL;
}

/* Reads a cache: SIZE/WAYS/LINE:WORD:WORD. */
static const char *parse_cache(struct cache_geometry *g, const char *text, bool pages,
			       bool *unified)
{
	static char message[MESSAGE_SIZE];
	char word[WORD_SIZE];
	const char *wrong;

	*g = cache_default_geometry;
	if (pages)
		g->line = DEFAULT_PAGE;
	text = next_word(text, ":", word);
	wrong = parse_numbers(g, word, pages);
	while (!wrong && *text == ':') {
		text = next_word(text + 1, ":", word);
		if (!strcmp(word, "unified")) {
			*unified = true;
		} else if (!parse_word(g, word)) {
			snprintf(
				message, sizeof(message),
				"'%s' is not a property of a cache; trace-cache(1) lists them under "
				"LEVELS",
				word);
			wrong = message;
		}
	}
	return wrong;
}

/* Reads a level: one cache, or INSTRUCTIONS+DATA. Level 1 is split unless it says "unified". */
static const char *parse_level(struct cache_config *c, const char *text)
{
	struct cache_geometry *data = &c->data[c->n_levels];
	struct cache_geometry *instructions = &c->instructions[c->n_levels];
	const char *plus = strchr(text, '+'), *wrong;
	bool unified = false;
	char word[WORD_SIZE];

	next_word(text, "+", word);
	wrong = parse_cache(instructions, word, c->pages, &unified);
	if (!wrong)
		wrong = parse_cache(data, plus ? plus + 1 : text, c->pages, &unified);
	if (!wrong && unified && plus)
		wrong = "a level of two caches cannot be unified";
	if (!wrong && plus && c->n_split < c->n_levels)
		wrong = "a level below a unified level cannot have two caches";
	if ((plus || !c->n_levels) && !unified)
		c->n_split++;
	c->n_levels++;
	return wrong;
}

const char *cache_config_parse(struct cache_config *c, const char *text, bool pages)
{
	char level[WORD_SIZE];
	const char *wrong = NULL;

	*c = (struct cache_config){ .n_cores = 1, .pages = pages };
	snprintf(c->name, sizeof(c->name), "%s", text);
	while (!wrong) {
		size_t length = strcspn(text, ",");

		if (c->n_levels == CACHE_MAX_LEVELS)
			return "more than 4 levels";
		if (length >= sizeof(level))
			return "the text of a level is too long";
		snprintf(level, sizeof(level), "%.*s", (int)length, text);
		wrong = parse_level(c, level);
		if (!text[length])
			break;
		text += length + 1;
	}
	c->n_shared = c->n_levels > 1 && !pages ? 1 : 0;
	return wrong ? wrong : cache_config_check(c);
}

const char *cache_config_parse_one(struct cache_config *c, unsigned depth, bool instructions,
				   const char *text)
{
	struct cache_geometry *g = instructions ? &c->instructions[depth] : &c->data[depth];
	bool unified = false;
	const char *wrong = strchr(text, '+') || strchr(text, ',')
				    ? "one cache is expected, such as 1Mi/16"
				    : parse_cache(g, text, c->pages, &unified);

	return wrong ? wrong : unified ? "\"unified\" belongs to a line \"levels = ...\"" : NULL;
}

void cache_config_resize(struct cache_config *c, uint64_t size)
{
	unsigned last = c->n_levels - 1;
	char name[CACHE_NAME_SIZE];
	unsigned unit = size % (1 << 20) ? size % (1 << 10) ? 0 : 1 : 2;
	static const char *const units[] = { "", "Ki", "Mi" };

	snprintf(name, sizeof(name), "%s", c->name);
	snprintf(c->name, sizeof(c->name), "%.40s, %s %" PRIu64 "%s", name,
		 c->n_levels > 1 ? cache_level_name(c, last, false) : "L1", size >> 10 * unit,
		 units[unit]);

	for (int side = last < c->n_split; side >= 0; side--) {
		struct cache_geometry *g = side ? &c->instructions[last] : &c->data[last];

		if (g->ways == g->size / g->line)
			g->ways = size / g->line < UINT32_MAX ? size / g->line : 0;
		g->size = size;
	}
}

/* ---- checks -------------------------------------------------------------------------------- */

static bool is_power_of_two(uint64_t number)
{
	return number && !(number & (number - 1));
}

/* Returns NULL, or why the prefetcher of a cache cannot work. */
static const char *check_prefetch(const struct cache_geometry *g)
{
	if (!g->prefetch)
		return NULL;
	if (g->inclusion == CACHE_EXCLUSIVE)
		return "an exclusive level takes only victims, and cannot have a prefetcher";
	if (g->line >= 1u << CACHE_PREFETCH_PAGE_SHIFT)
		return "prefetchers need lines shorter than 4 KiB";
	if (!g->prefetch_distance || g->prefetch_distance > CACHE_MAX_DISTANCE)
		return "the distance of prefetches is not from 1 to 64";
	return NULL;
}

static const char *check_geometry(const struct cache_geometry *g)
{
	enum { MOST_TREE_WAYS = 64, MOST_WAYS = 1 << 24 };

	if (!is_power_of_two(g->line) || g->line < CACHE_LEAST_LINE || g->line > 1u << 30)
		return "the size of a line or page is not a power of two from 16 bytes to 1 GiB";
	if (g->size / g->line > MOST_LINES || g->ways > MOST_WAYS)
		return "there are more lines than fit into memory";
	if (!g->ways || !g->size || g->size % ((uint64_t)g->ways * g->line))
		return "the size is not a multiple of the ways times the size of a line";
	if (g->policy == CACHE_PLRU && (!is_power_of_two(g->ways) || g->ways > MOST_TREE_WAYS))
		return "plru needs a power of two of ways, at most 64";
	return check_prefetch(g);
}

static const char *check_below(const struct cache_geometry *above, const struct cache_geometry *g)
{
	if (g->line < above->line)
		return "the lines are shorter than those of the level above";
	if (g->inclusion == CACHE_EXCLUSIVE && g->line != above->line)
		return "the lines of an exclusive level differ from those of the level above";
	return NULL;
}

/* Returns NULL, or why the requests to a level with OPT cannot be known before its lines. */
static const char *check_opt(const struct cache_config *c, unsigned depth)
{
	if (!cache_config_has_opt(c, depth))
		return NULL;
	if (c->data[depth].inclusion == CACHE_EXCLUSIVE)
		return "an exclusive level cannot have the policy opt";
	if (c->data[depth].prefetch || (depth < c->n_split && c->instructions[depth].prefetch))
		return "a level with a prefetcher cannot have the policy opt";
	for (unsigned below = depth + 1; below < c->n_levels; below++)
		if (c->data[below].inclusion == CACHE_INCLUSIVE)
			return "a level above an inclusive level cannot have the policy opt";
	return c->n_cores > 1 ? "levels of several cores cannot have the policy opt" : NULL;
}

static const char *check_level(const struct cache_config *c, unsigned depth)
{
	const char *wrong = check_geometry(&c->data[depth]);

	if (!wrong && depth < c->n_split)
		wrong = check_geometry(&c->instructions[depth]);
	if (!wrong && depth)
		wrong = check_below(&c->data[depth - 1], &c->data[depth]);
	if (!wrong && depth && depth <= c->n_split)
		wrong = check_below(&c->instructions[depth - 1],
				    depth < c->n_split ? &c->instructions[depth] : &c->data[depth]);
	if (!wrong)
		wrong = check_opt(c, depth);
	if (!wrong && !depth && c->data[0].inclusion != CACHE_NINE)
		wrong = "the first level cannot be inclusive or exclusive";
	return wrong;
}

const char *cache_config_check(const struct cache_config *c)
{
	static char message[MESSAGE_SIZE];

	for (unsigned depth = 0; depth < c->n_levels; depth++) {
		const char *wrong = check_level(c, depth);

		if (!wrong)
			continue;
		snprintf(message, sizeof(message), "level %u: %s", depth + 1, wrong);
		return message;
	}
	return NULL;
}

uint32_t cache_config_fetch_line(const struct cache_config *c)
{
	uint8_t policy = c->instructions[0].policy;

	/* By RRIP, the second touch of a line is not as the first. */
	if (!c->n_split || policy == CACHE_SRRIP || policy == CACHE_BRRIP || policy == CACHE_DRRIP)
		return 0;
	for (unsigned depth = 1; depth < c->n_levels; depth++)
		if (c->data[depth].inclusion == CACHE_INCLUSIVE)
			return 0;
	return c->instructions[0].line;
}

bool cache_config_needs_origins(const struct cache_config *c)
{
	return c->data[0].prefetch == CACHE_STRIDE;
}

bool cache_config_has_opt(const struct cache_config *c, unsigned depth)
{
	return c->data[depth].policy == CACHE_OPT ||
	       (depth < c->n_split && c->instructions[depth].policy == CACHE_OPT);
}

uint32_t cache_config_longest_line(const struct cache_config *c)
{
	uint32_t longest = 0;

	for (unsigned depth = 0; depth < c->n_levels; depth++) {
		if (c->data[depth].line > longest)
			longest = c->data[depth].line;
		if (depth < c->n_split && c->instructions[depth].line > longest)
			longest = c->instructions[depth].line;
	}
	return longest;
}

/* Returns the greatest power of two of parts for one cache. */
static uint64_t parts_of(const struct cache_geometry *g, uint32_t longest_line)
{
	uint64_t sets = g->size / g->line / g->ways;
	uint64_t parts = (sets & -sets) / (longest_line / g->line);
	bool independent = g->policy <= CACHE_SRRIP || g->policy == CACHE_RANDOM;

	return independent && !g->prefetch && parts ? parts : 1;
}

unsigned cache_config_parts(const struct cache_config *c, unsigned most)
{
	uint32_t longest = cache_config_longest_line(c);
	uint64_t parts = 1;

	while (parts * 2 <= most)
		parts *= 2;
	for (unsigned depth = 0; depth < c->n_levels; depth++)
		for (unsigned side = 0; side <= (depth < c->n_split); side++) {
			uint64_t its = parts_of(side ? &c->instructions[depth] : &c->data[depth],
						longest);

			parts = its < parts ? its : parts;
		}
	return parts;
}
