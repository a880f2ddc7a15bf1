/* SPDX-License-Identifier: MIT */
/*
 * trace-extrapolate - estimates an analyzer's result for a whole program from its results for
 * slices, by their weights; and the error of the estimates, if the whole trace is at hand.
 *
 * See estimates.h for how numbers are combined.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/simpoint/extrapolation.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/option_parsers.h"
#include "cli/common/quantity.h"

/* Parses names separated by commas, and cuts the text at the commas. */
OPTION_PARSER(parse_names)
{
	char **names = destination, *rest = (char *)text, *name;
	size_t n = 0;

	while ((name = strsep(&rest, ",")))
		if (!*name || n == EXTRAPOLATE_WORDS)
			return "names separated by commas are expected";
		else
			names[n++] = name;
	names[n] = NULL;
	return NULL;
}

/* Parses a share as "3%" or "0.03", above 0 and below 1. */
static const char *parse_part(const char *text, double *share)
{
	return parse_fraction(text, share) && *share > 0 && *share < 1
		       ? NULL
		       : "must be above 0 and below 1, as 0.95 or 95%";
}

OPTION_PARSER(parse_confidence)
{
	struct extrapolate_options *o = destination;

	o->confidence_given = true;
	return parse_part(text, &o->confidence.confidence);
}

OPTION_PARSER(parse_precision)
{
	struct extrapolate_options *o = destination;

	return parse_part(text, &o->confidence.precision);
}

OPTION_PARSER(parse_run)
{
	return option_text(option, destination, text + strspn(text, " "));
}

#define AT(member) offsetof(struct extrapolate_options, member)

static const struct command_option options_table[] = {
	{ "run", 0, "COMMAND", "run this analyzer on the slices", parse_run, AT(run) },
	{ "whole", 0, "FILE",
	  "the whole program's result, or with --run its trace: print the true errors of the estimates",
	  option_text, AT(whole) },
	{ "weights", 0, "FILE", "weights, a line for each result in order", option_text,
	  AT(weights) },
	{ "plan", 0, "FILE", "simulation points, as JSON of trace-simpoint", option_text,
	  AT(plan) },
	{ "confidence", 0, "SHARE", "print bounds that hold with this probability",
	  parse_confidence, 0 },
	{ "precision", 0, "SHARE", "relative error for needed_n (default 3%)", parse_precision, 0 },
	{ "metric", 0, "NAME", "print how much this number varies in each stratum", option_text,
	  AT(metric) },
	{ "total", 0, "N", "instructions of the program (default: by the slices)", option_positive,
	  AT(total) },
	{ "per", 0, "NAME", "count of instructions (default \"instructions\")", option_text,
	  AT(per) },
	{ "key", 0, "NAME,...", "integers that distinguish the rows of a table", parse_names,
	  AT(keys) },
	{ "mean", 0, "NAME,...", "numbers to average, such as parameters", parse_names, AT(means) },
	{ "sum", 0, "NAME,...", "numbers to treat as counts, even with fractions", parse_names,
	  AT(sums) },
	{ "renormalise", 0, NULL, "scale counts to the program if slices are missing", option_flag,
	  AT(renormalise) },
	{ "quiet", 'q', NULL, "print no messages about estimates and weights", option_flag,
	  AT(quiet) },
	{ "format", 0, "FMT", "of the report: text (default), json or csv", option_format,
	  AT(format) },
	COMMAND_OPTIONS,
};

static const struct command trace_extrapolate = {
	.name = "trace-extrapolate",
	.usage = "[options] RESULT.json...\n"
		 "--run=\"ANALYZER [options]\" [options] SLICE.trace...\n",
	.summary = "Estimate results of a whole program from the results of its slices.",
	.options = options_table,
	.example = "trace-extrapolate --run=mix --whole=gzip.trace gzip.[0-9]*.trace",
};

/* Returns true if a word of --run gives the destination of the result. */
static bool is_output_option(const char *word, size_t length)
{
	size_t name = strcspn(word, "= ");

	if (length >= 2 && word[0] == '-' && word[1] == 'o')
		return true;
	return name >= strlen("--ou") && !strncmp(word, "--output", name);
}

static int check_run(const char *run)
{
	if (!*run || strchr(run, '/'))
		return command_usage_error("--run: '%s' is not the name of an analyzer", run);
	for (const char *word = run; *word; word += strspn(word, " ")) {
		size_t length = strcspn(word, " ");

		if (is_output_option(word, length))
			return command_usage_error(
				"--run: '%.*s' cannot be used, because the result is read from standard output",
				(int)length, word);
		word += length;
	}
	return EXIT_DONE;
}

static int run(struct extrapolate_options *o)
{
	struct extrapolation x = { .o = o };
	bool done;

	x.estimates.keys = (const char *const *)o->keys;
	x.estimates.means = (const char *const *)o->means;
	x.estimates.sums = (const char *const *)o->sums;
	done = extrapolation_compute(&x);
	if (done)
		extrapolation_report(&x);
	estimates_free(&x.estimates);
	free(x.weights);
	strata_free(&x.strata);
	free(x.has_result);
	return done ? EXIT_DONE : EXIT_FAILED;
}

int main(int argc, char **argv)
{
	struct extrapolate_options o = { .format = REPORT_TEXT, .confidence = { 0.95, 0.03 } };
	int status;

	command_init(trace_extrapolate.name);
	status = command_parse(&trace_extrapolate, &o, argc, argv);
	if (status != OPTION_DONE)
		return status;
	o.inputs = argv + optind;
	o.n_inputs = (size_t)(argc - optind);
	if (o.n_inputs == 0)
		return command_usage_error("no results given");
	if (o.metric && !o.plan)
		return command_usage_error("--metric needs --plan, which gives the strata");
	if (o.run && check_run(o.run) != EXIT_DONE)
		return EXIT_USAGE;
	for (size_t i = 0; i < o.n_inputs && o.run; i++)
		if (is_standard_stream(o.inputs[i]))
			return command_usage_error(
				"--run reads a trace several times: name a file instead of -");
	status = run(&o);

	int written = command_close_stdout();

	return status == EXIT_DONE ? written : status;
}
