/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/mica/config_log.h"
#include "cli/common/input_file.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"

enum { MAX_WORD = 999, ILP_BATCH = 200 };

struct parser {
	const char *path;
	unsigned line;
	enum mica_dialect dialect;
	struct mica_config *config;
	FILE *log;
};

#define SPACE     " \t\n\v\f\r"
#define BIT(kind) (1u << (kind))

/* ---- values ------------------------------------------------------------------------------ */

static const struct analysis_name {
	const char *name;
	unsigned kinds, dialects; /* bits; kinds 0: all */
} analysis_names[] = {
	{ "all", 0, ~0u },
	{ "ilp", BIT(MICA_KIND_ILP), ~0u },
	{ "ilp_one", BIT(MICA_KIND_ILP_ONE), ~0u },
	{ "itypes", BIT(MICA_KIND_ITYPES), ~0u },
	{ "ppm", BIT(MICA_KIND_PPM), ~0u },
	{ "reg", BIT(MICA_KIND_REG), ~0u },
	{ "stride", BIT(MICA_KIND_STRIDE), ~0u },
	{ "memfootprint", BIT(MICA_KIND_FOOTPRINT), ~0u },
	{ "memstackdist", BIT(MICA_KIND_STACK), ~BIT(MICA_040REL) },
	{ "memreusedist", BIT(MICA_KIND_STACK), BIT(MICA_040REL) },
	{ "fullmemstackdist", BIT(MICA_KIND_FULL_STACK), BIT(MICA_CHERAMY) },
	{ "linecount", BIT(MICA_KIND_LINES), BIT(MICA_CHERAMY) },
};

enum { N_NAMES = sizeof(analysis_names) / sizeof(analysis_names[0]) };

static unsigned all_kinds(enum mica_dialect dialect)
{
	unsigned kinds = 0;

	for (unsigned i = 0; i < N_NAMES; i++)
		if (analysis_names[i].dialects & BIT(dialect))
			kinds |= analysis_names[i].kinds;
	return kinds & ~BIT(MICA_KIND_ILP_ONE);
}

/* Warns of an unknown name. MICA goes on after it, with the values read before it. */
static void warn_of_analysis(const struct parser *parser, const char *value)
{
	char names[256] = "";

	for (unsigned i = 0; i < N_NAMES; i++)
		if (analysis_names[i].dialects & BIT(parser->dialect)) {
			strcat(names, " ");
			strcat(names, analysis_names[i].name);
		}
	command_warning("%s:%u: there is no analysis '%s'; there are:%s", parser->path,
			parser->line, value, names);
	mica_log_unknown_analysis(parser->log);
}

static const char *set_analysis(struct parser *parser, const char *value)
{
	struct mica_config *config = parser->config;

	if (!strcmp(value, "custom"))
		return "is for changed copies of MICA; name an analysis, or 'all'";
	for (unsigned i = 0; i < N_NAMES; i++) {
		const struct analysis_name *known = &analysis_names[i];

		if (strcmp(value, known->name) || !(known->dialects & BIT(parser->dialect)))
			continue;
		config->all = !known->kinds;
		config->kinds = config->all ? all_kinds(parser->dialect) : known->kinds;
		mica_log_analysis(parser->log, value);
		return NULL;
	}
	warn_of_analysis(parser, value);
	return NULL;
}

/* Parses a number that has only decimal digits. */
static bool parse_number(const char *value, uint64_t most, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(value, &end, 10);
	return *value >= '0' && *value <= '9' && !*end && !errno && *number <= most;
}

static const char *set_interval(struct parser *parser, const char *value)
{
	uint64_t *interval = &parser->config->interval;

	*interval = 0;
	if (!strcmp(value, "full") || !strcmp(value, "-1"))
		return NULL;
	if (!parse_number(value, INT64_MAX, interval) || !*interval)
		return "is neither 'full' nor a number of instructions";
	return NULL;
}

static const char *set_ilp_size(struct parser *parser, const char *value)
{
	if (!parse_number(value, 1 << 24, &parser->config->ilp_size))
		return "is not a number of instructions up to 16777216";
	return NULL;
}

static const char *set_shift(const char *value, uint64_t *shift)
{
	return parse_number(value, 63, shift) ? NULL : "is not a power of two from 0 to 63";
}

static const char *set_block(struct parser *parser, const char *value)
{
	return set_shift(value, &parser->config->block_shift);
}

static const char *set_page(struct parser *parser, const char *value)
{
	return set_shift(value, &parser->config->page_shift);
}

static const char *set_groups(struct parser *parser, const char *value)
{
	free(parser->config->groups);
	parser->config->groups = checked_copy(value);
	return NULL;
}

static const char *set_pid(struct parser *parser, const char *value)
{
	parser->config->append_pid = !strcmp(value, "yes");
	return parser->config->append_pid || !strcmp(value, "no") ? NULL
								  : "is neither 'yes' nor 'no'";
}

static const char *set_toggled(struct parser *parser, const char *value)
{
	parser->config->toggled = !strcmp(value, "yes");
	return NULL;
}

/* ---- entries ----------------------------------------------------------------------------- */

/* set returns what is wrong with a value, or NULL. */
static const struct key {
	const char *name;
	unsigned dialects; /* bits */
	const char *(*set)(struct parser *parser, const char *value);
} keys[] = {
	{ "analysis_type", ~0u, set_analysis },
	{ "interval_size", ~0u, set_interval },
	{ "ilp_size", ~0u, set_ilp_size },
	{ "block_size", ~0u, set_block },
	{ "page_size", ~0u, set_page },
	{ "itypes_spec_file", ~0u, set_groups },
	{ "append_pid", ~0u, set_pid },
	{ "use_magic_instruction", BIT(MICA_CHERAMY), set_toggled },
};

enum { N_KEYS = sizeof(keys) / sizeof(keys[0]) };

static bool refuse_key(const struct parser *parser, const char *key)
{
	char names[256] = "";

	for (unsigned i = 0; i < N_KEYS; i++)
		if (keys[i].dialects & BIT(parser->dialect)) {
			strcat(names, " ");
			strcat(names, keys[i].name);
		}
	if (strpbrk(key, SPACE "#"))
		command_error("%s:%u: no ':' follows a name at once: there may be no comments, "
			      "second words, blanks before ':' or before the first name",
			      parser->path, parser->line);
	else
		command_error("%s:%u: there is no parameter '%s'; there are:%s", parser->path,
			      parser->line, key, names);
	return false;
}

static bool set(struct parser *parser, const char *key, const char *value)
{
	for (unsigned i = 0; i < N_KEYS; i++) {
		if (strcmp(key, keys[i].name) || !(keys[i].dialects & BIT(parser->dialect)))
			continue;
		const char *wrong = keys[i].set(parser, value);

		if (wrong)
			command_error("%s:%u: %s: '%s' %s", parser->path, parser->line, key, value,
				      wrong);
		else
			mica_log_entry(parser->log, key, value);
		return !wrong;
	}
	return refuse_key(parser, key);
}

static bool copy_word(const struct parser *parser, const char *from, size_t length,
		      char word[MAX_WORD + 1])
{
	if (length > MAX_WORD) {
		command_error("%s:%u: a word of more than %d characters", parser->path,
			      parser->line, MAX_WORD);
		return false;
	}
	memcpy(word, from, length);
	word[length] = '\0';
	return true;
}

/* Reads an entry and moves *text on. */
static bool parse_entry(struct parser *parser, const char **text)
{
	char key[MAX_WORD + 1], value[MAX_WORD + 1];
	size_t key_length = strcspn(*text, ":");
	const char *at = *text + key_length;

	if (!copy_word(parser, *text, key_length, key))
		return false;
	if (*at == ':')
		at += 1 + strspn(at + 1, SPACE);
	size_t length = strcspn(at, SPACE);

	if (!key_length || !length) {
		command_error("%s:%u: neither 'NAME: VALUE' nor the end of the file", parser->path,
			      parser->line);
		return false;
	}
	if (!copy_word(parser, at, length, value) || !set(parser, key, value))
		return false;
	at += length + strspn(at + length, SPACE);
	for (; *text < at; ++*text)
		parser->line += **text == '\n';
	return true;
}

/* ---- the whole --------------------------------------------------------------------------- */

/*
 * Checks the whole configuration for errors that MICA finds after reading it, and for values that
 * it cannot handle.
 */
static bool check(const struct parser *parser)
{
	const struct mica_config *config = parser->config;
	bool batched = config->kinds & (BIT(MICA_KIND_ILP) | BIT(MICA_KIND_ILP_ONE));

	if (!config->kinds) {
		command_error("%s: there is no analysis_type", parser->path);
		return false;
	}
	if (config->kinds & BIT(MICA_KIND_ILP_ONE) && !config->ilp_size) {
		command_error("%s: ilp_one needs an ilp_size of at least 1", parser->path);
		return false;
	}
	if (batched && config->interval != UINT64_MAX && config->interval % ILP_BATCH) {
		command_error("%s: interval_size must be a multiple of %d for ilp, ilp_one and all",
			      parser->path, ILP_BATCH);
		return false;
	}
	if (config->interval == UINT64_MAX)
		command_warning("%s: there is no interval_size: as with MICA, one interval is all "
				"of the program; 'interval_size: full' says so",
				parser->path);
	return true;
}

/* Returns the file's text, or NULL after a message. Free it. */
static char *read_text(const char *path)
{
	FILE *file = open_input(path);
	char *text = NULL;
	size_t size = 0;

	errno = file ? 0 : errno;
	if (file && getdelim(&text, &size, '\0', file) < 0 && !errno)
		command_error("%s: is empty", path);
	else if (errno)
		command_error("%s: %m; trace-mica(1) describes its contents", path);
	else if (getc(file) != EOF)
		command_error("%s: is not a text file: it contains a zero byte", path);
	else
		goto out;
	free(text);
	text = NULL;
out:
	if (file)
		fclose(file);
	return text;
}

/* Parses a configuration. text is NULL if reading failed, after a message. */
static bool parse(const char *path, const char *text, enum mica_dialect dialect,
		  struct mica_config *config)
{
	struct parser parser = { .path = path, .line = 1, .dialect = dialect, .config = config };
	const char *at = text;
	bool good = text;
	size_t log_size;

	*config = (struct mica_config){
		.interval = UINT64_MAX,
		.block_shift = 6,
		.page_shift = 12,
	};
	parser.log = checked(open_memstream(&config->log, &log_size));
	fputs("Reading config file ...\n", parser.log);
	do
		good = good && parse_entry(&parser, &at);
	while (good && *at);
	fputs("All done reading config\n", parser.log);
	if (fclose(parser.log))
		out_of_memory();
	return good && check(&parser);
}

bool mica_config_read(const char *path, enum mica_dialect dialect, struct mica_config *config)
{
	char *text = expect_file(path, "a configuration of MICA", 0) ? read_text(path) : NULL;
	bool good = parse(path, text, dialect, config);

	free(text);
	return good;
}

bool mica_config_default(enum mica_dialect dialect, bool several, struct mica_config *config)
{
	const char *text = several ? "analysis_type: all interval_size: full append_pid: yes"
				   : "analysis_type: all interval_size: full";

	return parse("built-in configuration", text, dialect, config);
}

void mica_config_free(struct mica_config *config)
{
	free(config->groups);
	free(config->log);
	config->groups = config->log = NULL;
}
