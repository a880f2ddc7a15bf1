/* SPDX-License-Identifier: MIT */
#include "analyzers/bbv/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/bbv/name.h"
#include "cli/common/command.h"
#include "cli/common/option_parsers.h"

const struct bbv_options bbv_option_defaults = {
	.bb_file = "bb.out.%p",
	.memory_weight = 1,
	.caches = BBV_CACHES,
};

static const char *parse_interval(const struct command_option *option, void *destination,
				  const char *text)
{
	uint64_t value;
	const char *wrong = analyzer_option_positive(option, &value, text);

	if (!wrong && value > INT64_MAX)
		wrong = "too large";
	if (!wrong)
		*(uint64_t *)destination = value;
	return wrong;
}

static const char *parse_yes_no(const struct command_option *option, void *destination,
				const char *text)
{
	unsigned no = 0;

	(void)option;
	if (text && !parse_choice(text, "yes|no", &no))
		return expected_choice("yes|no");
	*(bool *)destination = !no;
	return NULL;
}

static const char *parse_demangle(const struct command_option *option, void *destination,
				  const char *text)
{
	const char *wrong = parse_yes_no(option, destination, text);

	if (!wrong)
		*(bool *)destination ^= true;
	return wrong;
}

static const char *parse_name(const struct command_option *option, void *destination,
			      const char *text)
{
	const char *wrong;

	/* The result goes to standard output, and every thread has a file of its own. */
	if (is_standard_stream(text))
		return "is not standard output: name a file";
	free(bbv_file_name(text, 0, 0, &wrong));
	return wrong ? wrong : analyzer_option_text(option, destination, text);
}

/* Parses a choice whose numbers begin after that of the default. */
static const char *parse_later_choice(const struct command_option *option, void *destination,
				      const char *text)
{
	const char *wrong = analyzer_option_choice(option, destination, text);

	if (!wrong)
		++*(unsigned *)destination;
	return wrong;
}

static const char *parse_weight(const struct command_option *option, void *destination,
				const char *text)
{
	char *end;
	double value = strtod(text, &end);

	(void)option;
	if (end == text || *end || !isfinite(value) || value < 0 || value > 1e6)
		return "not a number from 0 to 1000000";
	*(double *)destination = value;
	return NULL;
}

static const char *parse_caches(const struct command_option *option, void *destination,
				const char *text)
{
	(void)option;
	return bbv_caches_parse(text, destination);
}

#define AT(member) offsetof(struct bbv_options, member)

const struct command_option bbv_option_table[] = {
	{ "interval", 0, "N", "instructions in an interval (default 100M)", parse_interval,
	  AT(interval) },
	{ "interval-size", 0, "N", NULL, parse_interval, AT(interval) },
	{ "interval-mark", 0, "REGION", NULL, analyzer_option_text, AT(mark) },
	{ "bb-out-file", 0, "FILE", "vectors go here (default bb.out.%p)", parse_name,
	  AT(bb_file) },
	{ "pc-out-file", 0, "FILE", "addresses and names of blocks go here", parse_name,
	  AT(pc_file) },
	{ "instr-count-only", 0, "[=yes|no]", "no vectors, only the summary", parse_yes_no,
	  AT(count_only) },
	{ "compat", 0, "exp-bbv|exact", "count as exp-bbv does, or without its quirks",
	  parse_later_choice, AT(compat) },
	{ "blocks", 0, "dynamic|cfg", NULL, analyzer_option_choice, AT(cfg) },
	{ "key", 0, "pc|module+offset", NULL, analyzer_option_choice, AT(by_offset) },
	{ "places", 0, "pc|module+offset", NULL, analyzer_option_choice, AT(places_by_offset) },
	{ "keep-last", 0, NULL, NULL, analyzer_option_flag, AT(keep_last) },
	{ "memory", 0, "page|miss", NULL, parse_later_choice, AT(memory) },
	{ "memory-weight", 0, "X", NULL, parse_weight, AT(memory_weight) },
	{ "caches", 0, "SIZE:WAYS,...", NULL, parse_caches, AT(caches) },
	{ "lengths", 0, "FILE", NULL, analyzer_option_text, AT(lengths) },
	{ "compress", 0, "none|gzip|zstd", NULL, analyzer_option_choice, AT(compression) },
	{ "demangle", 0, "yes|no", NULL, parse_demangle, AT(mangled) },
	{ NULL, 0, NULL, NULL, NULL, 0 },
};

bool bbv_rules_of(const struct bbv_options *o, enum bbv_rules *rules)
{
	if (o->cfg && o->compat == BBV_COMPAT_EXP_BBV) {
		command_error("exp-bbv has no --blocks=cfg; leave out --compat=exp-bbv");
		return false;
	}
	*rules = o->cfg ? BBV_CFG : o->compat == BBV_COMPAT_EXACT ? BBV_DYNAMIC : BBV_EXP_BBV;
	return true;
}
