/* SPDX-License-Identifier: MIT */
/* trace-anonymise - a trace without what identifies a program and its data, for sharing. */
#include <string.h>

#include "cli/anonymise/anonymise.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/option_parsers.h"
#include "cli/common/output_trace.h"
#include "cli/common/quantity.h"
#include "cli/common/save_file.h"
#include "traceformat/tracewriter.h"

enum { MOST_COLOUR_BITS = 16 };
#define DEFAULT_GRANULE (UINT64_C(2) << 20)
#define DEFAULT_GLUE    (UINT64_C(1) << 20)
#define LEAST_GRANULE   UINT64_C(4096)
#define MOST_GRANULE    (UINT64_C(1) << 30)

OPTION_PARSER(parse_preset)
{
	struct request *request = destination;
	unsigned preset;

	if (!parse_choice(text, option->argument, &preset))
		return option_expects(option);
	request->preset = (enum preset)(preset + 1);
	request->levels = presets[request->preset];
	request->any_level = request->any_samples = true;
	return NULL;
}

OPTION_PARSER(parse_level)
{
	struct request *request = destination;

	for (unsigned i = 0; i < N_SWITCHES; i++)
		if (!strcmp(option->name, switch_names[i])) {
			if (!parse_choice(text, switch_words[i], &request->levels.at[i]))
				return option_expects(option);
			request->any_level = true;
			request->any_samples |= i == SWITCH_SAMPLES;
		}
	return NULL;
}

OPTION_PARSER(parse_public)
{
	struct public_modules *publics = destination;

	if (publics->count == MAX_PUBLIC)
		return "there are too many patterns";
	publics->patterns[publics->count++] = text;
	return NULL;
}

OPTION_PARSER(parse_kept_meta)
{
	struct kept_meta *kept = destination;

	if (kept->count == MAX_KEPT_META)
		return "there are too many keys";
	kept->keys[kept->count++] = text;
	return NULL;
}

OPTION_PARSER(parse_granule)
{
	uint64_t *granule = destination;

	if (!parse_size(text, granule) || *granule < LEAST_GRANULE || *granule > MOST_GRANULE ||
	    *granule & (*granule - 1))
		return "a power of two from 4Ki to 1Gi is expected";
	return NULL;
}

OPTION_PARSER(parse_colour_bits)
{
	return parse_count_within(text, 0, MOST_COLOUR_BITS, destination);
}

#define AT(member) offsetof(struct request, member)

static const struct command_option options_table[] = {
	{ "output", 'o', "OUT", "the trace to make", option_text, AT(to) },
	{ "preset", 'p', "share|public", "set all levels; a later option changes one", parse_preset,
	  0 },
	{ "names", 0, "keep|hash|drop", NULL, parse_level, 0 },
	{ "events", 0, "keep|no-arguments|kinds", NULL, parse_level, 0 },
	{ "addresses", 0, "keep|regions|pages|drop", NULL, parse_level, 0 },
	{ "extras", 0, "keep|drop", NULL, parse_level, 0 },
	{ "order", 0, "keep|shuffle", NULL, parse_level, 0 },
	{ "code", 0, "keep|no-constants|facts|regdeps", NULL, parse_level, 0 },
	{ "samples", 0, "keep|drop", NULL, parse_level, 0 },
	{ "times", 0, "keep|relative|drop", NULL, parse_level, 0 },
	{ "key", 0, "FILE", "32 secret bytes: the same key, the same names", option_text,
	  AT(key_file) },
	{ "map", 0, "FILE", "read and extend the map of regions, a secret", option_text,
	  AT(map_file) },
	{ "public", 0, "GLOB", "keep the names and symbols of these modules", parse_public,
	  AT(publics) },
	{ "audit", 0, NULL, "write no trace; list what it would contain", option_flag, AT(audit) },
	{ "granule", 0, "SIZE", NULL, parse_granule, AT(granule) },
	{ "glue", 0, "SIZE", NULL, option_size, AT(glue) },
	{ "colour-bits", 0, "N", NULL, parse_colour_bits, AT(colour_bits) },
	{ "keep-meta", 0, "KEY", NULL, parse_kept_meta, AT(kept_meta) },
	{ "keep-arguments", 0, NULL, NULL, option_flag, AT(keep_arguments) },
	{ "keep-undecodable", 0, NULL, NULL, option_flag, AT(keep_undecodable) },
	{ "jobs", 'j', "N", "threads (default: one for each processor)", option_positive,
	  AT(jobs) },
	{ "force", 0, NULL, "replace OUT if it exists", option_flag, AT(force) },
	{ "mode", 0, "MODE", NULL, option_trace_mode, AT(mode) },
	{ "format", 0, "FMT", "of the report: text (default), json or csv", option_format,
	  AT(format) },
	{ "report", 0, "FMT", NULL, option_format, AT(format) },
	{ "quiet", 'q', NULL, "print neither report nor progress", option_flag, AT(quiet) },
	COMMAND_OPTIONS,
};

static const struct command trace_anonymise = {
	.name = "trace-anonymise",
	.usage = "[--preset=share|public] [options] -o OUT TRACE\n"
		 "[--preset=share|public] --audit [options] TRACE",
	.summary = "Make a trace OUT without the data that identify the program and its user.\n"
		   "Branches and accesses that depend on secrets stay, and still reveal them.",
	.options = options_table,
	.notes = "SIZE may end in k, M, G, Ki, Mi, Gi.\n"
		 "Exit status: 0 done, 1 failure, 2 usage, 3 unsuitable trace.",
	.example = "trace-anonymise --preset=share --key=secret -o shared.trace app.trace",
};

/* Refuses what cannot be done, or not together. Returns OPTION_DONE or an exit code. */
static int check_levels(const struct request *q)
{
	const unsigned *level = q->levels.at;

	if (!q->any_level)
		return command_usage_error(
			"no data to hide were chosen; use --preset=share, or --names, --events, --addresses, --code, --times");
	if (level[SWITCH_SAMPLES] == SAMPLES_KEEP && level[SWITCH_ADDRESSES] != ADDRESSES_KEEP)
		return command_usage_error(
			"--samples=keep needs --addresses=keep, because samples "
			"have addresses in registers as the hardware writes them");
	if (level[SWITCH_EXTRAS] == EXTRAS_DROP && level[SWITCH_ADDRESSES] != ADDRESSES_DROP)
		return command_usage_error("--extras=drop needs --addresses=drop");
	if (q->map_file && level[SWITCH_ADDRESSES] != ADDRESSES_REGIONS &&
	    level[SWITCH_ADDRESSES] != ADDRESSES_PAGES)
		return command_usage_error("--map needs --addresses=regions or pages");
	if (q->keep_arguments &&
	    (level[SWITCH_EVENTS] != EVENTS_KEEP || level[SWITCH_ADDRESSES] != ADDRESSES_KEEP))
		return command_usage_error("--keep-arguments needs --events=keep and "
					   "--addresses=keep");
	return OPTION_DONE;
}

static int read_options(int argc, char **argv, struct request *request)
{
	int status = command_parse(&trace_anonymise, request, argc, argv);

	if (status == OPTION_DONE)
		status = only_trace(argc, argv, &request->from);
	if (status == OPTION_DONE && !request->to && !request->audit)
		status = command_usage_error("no output given; use -o OUT, or --audit");
	if (!request->any_samples && request->levels.at[SWITCH_ADDRESSES] != ADDRESSES_KEEP)
		request->levels.at[SWITCH_SAMPLES] = SAMPLES_DROP;
	return status == OPTION_DONE ? check_levels(request) : status;
}

/* Protects the files that are read. Returns an exit code, after a message. */
static int check_files(const struct request *q)
{
	if (q->audit)
		return EXIT_DONE;
	protect_input(q->from);
	protect_input(q->key_file);
	if (!is_standard_stream(q->to) && would_overwrite_input(q->to))
		return EXIT_FAILED;
	if (q->map_file && would_overwrite_input(q->map_file))
		return EXIT_FAILED;
	return check_output_trace(q->from, q->to, q->force);
}

int main(int argc, char **argv)
{
	struct request request = {
		.granule = DEFAULT_GRANULE,
		.glue = DEFAULT_GLUE,
		.mode = TF_FILE_MODE,
	};
	int status, written;

	command_init(trace_anonymise.name);
	status = read_options(argc, argv, &request);
	if (status != OPTION_DONE)
		return status;
	status = check_files(&request);
	if (status == EXIT_DONE)
		status = anonymise(&request);
	if (status == EXIT_DONE && !request.audit)
		status = set_trace_mode(request.to, request.mode);
	written = command_close_stdout();
	return status == EXIT_DONE ? written : status;
}
