/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/simpoint_options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/common/parallel.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/option_parsers.h"
#include "cli/common/quantity.h"

/* A parser of counts within a range. */
#define COUNT_PARSER(name, least, most)                                    \
	OPTION_PARSER(name)                                                \
	{                                                                  \
		return parse_count_within(text, least, most, destination); \
	}

enum { MAX_CLUSTERS = 100000 };

COUNT_PARSER(parse_interval, 1, INT64_MAX)
COUNT_PARSER(parse_seeds, 1, 10000)
COUNT_PARSER(parse_seed, 0, RANDOM_MAX_SEED)
COUNT_PARSER(parse_warmup_factor, 0, 1000000)

/* Parses a share into a double. */
OPTION_PARSER(parse_share)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= 0 && value <= 1))
		return "must be from 0 to 1";
	*(double *)destination = value;
	return NULL;
}

static bool add_k(struct simpoint_options *o, uint64_t k)
{
	if (k < 1 || k > MAX_CLUSTERS || o->ks.count > MAX_CLUSTERS)
		return false;
	CHECKED_RESERVE(o->ks, o->ks.count + 1);
	o->ks.at[o->ks.count++] = (unsigned)k;
	return true;
}

/* "k", "from:to" or "from:step:to". */
static bool add_range(struct simpoint_options *o, const char *text)
{
	char word[64], *part = word, *field;
	uint64_t numbers[3];
	unsigned n = 0;

	if (strlen(text) >= sizeof(word))
		return false;
	strcpy(word, text);
	while ((field = strsep(&part, ":")))
		if (n == 3 || !parse_count(field, &numbers[n++]))
			return false;

	uint64_t from = numbers[0], to = numbers[n - 1], step = n == 3 ? numbers[1] : 1;

	if (step == 0 || from > to || to > MAX_CLUSTERS || step > MAX_CLUSTERS)
		return false;
	for (uint64_t k = from; k <= to; k += step)
		if (!add_k(o, k))
			return false;
	return true;
}

OPTION_PARSER(parse_ks)
{
	struct simpoint_options *o = destination;
	char *copy = checked_copy(text), *rest = copy, *range;
	bool good = true;

	o->ks.count = 0;
	if (strcmp(text, "search"))
		while (good && (range = strsep(&rest, ",")))
			good = add_range(o, range);
	free(copy);
	return good ? NULL
		    : "must be search, or numbers from 1 to 100,000 and ascending ranges of "
		      "them, FROM:TO or FROM:STEP:TO, separated by commas";
}

OPTION_PARSER(parse_max_k)
{
	struct simpoint_options *o = destination;

	o->max_k_given = true;
	return parse_count_within(text, 1, MAX_CLUSTERS, &o->max_k);
}

static bool parse_count_or(const char *text, const char *word, uint64_t of_word, uint64_t most,
			   uint64_t *value)
{
	if (!strcmp(text, word)) {
		*value = of_word;
		return true;
	}
	return parse_count(text, value) && *value >= 1 && *value <= most;
}

OPTION_PARSER(parse_iterations)
{
	bool good = parse_count_or(text, "off", UINT64_MAX, UINT32_MAX, destination);

	return good ? NULL : "must be off, or from 1 to 4,294,967,295";
}

OPTION_PARSER(parse_dim)
{
	struct simpoint_options *o = destination;
	bool good = parse_count_or(text, "noProject", 0, 10000, &o->dim);

	o->dim_given = true;
	return good ? NULL : "must be noProject, or from 1 to 10,000";
}

/* Parses a count, or -1 for 0. */
OPTION_PARSER(parse_count_or_minus)
{
	bool good = parse_count_or(text, "-1", 0, UINT64_MAX, destination);

	return good ? NULL : "must be -1 or at least 1";
}

OPTION_PARSER(parse_init)
{
	static const enum initial_centres centres[] = { INITIAL_PLUS_PLUS, INITIAL_SAMPLE,
							INITIAL_FURTHEST };
	struct simpoint_options *o = destination;
	unsigned choice = 0;
	const char *wrong = option_choice(option, &choice, text);

	o->initial = centres[choice];
	o->initial_given = true;
	return wrong;
}

OPTION_PARSER(parse_fixed_length)
{
	struct simpoint_options *o = destination;
	unsigned off = 0;
	const char *wrong = option_choice(option, &off, text);

	o->fixed_length_given = true;
	o->fixed_length = !off;
	return wrong;
}

OPTION_PARSER(parse_mark)
{
	unsigned parallel;

	*(bool *)destination = true;
	return option_choice(option, &parallel, text);
}

OPTION_PARSER(parse_memory)
{
	unsigned distances;

	*(bool *)destination = true;
	return option_choice(option, &distances, text);
}

OPTION_PARSER(parse_least_weight)
{
	struct simpoint_options *o = destination;

	o->least_weight_given = true;
	return parse_fraction(text, &o->least_weight) && o->least_weight <= 1
		       ? NULL
		       : "must be from 0 to 1, as 0.005 or 0.5%";
}

OPTION_PARSER(parse_preset)
{
	return option_choice(option, destination, text);
}

OPTION_PARSER(parse_compat)
{
	unsigned simpoint3;

	*(bool *)destination = true;
	return option_choice(option, &simpoint3, text);
}

OPTION_PARSER(parse_counter)
{
	unsigned exact = 0;
	const char *wrong = option_choice(option, &exact, text);

	*(enum counter *)destination = exact ? COUNTER_EXACT : COUNTER_EXP_BBV;
	return wrong;
}

OPTION_PARSER(parse_thread_number)
{
	struct simpoint_options *o = destination;

	o->thread_given = true;
	return option_thread(option, &o->thread, text);
}

OPTION_PARSER(parse_thread_vectors)
{
	struct simpoint_options *o = destination;
	unsigned choice = 0;
	const char *wrong = option_choice(option, &choice, text);

	o->thread_vectors = (enum thread_vectors)choice; /* in the order of the table */
	o->thread_vectors_given = true;
	return wrong;
}

/* Returns what follows "word:", or NULL. */
static const char *after_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	return !strncmp(text, word, length) && text[length] == ':' ? text + length + 1 : NULL;
}

OPTION_PARSER(parse_rule)
{
	struct simpoint_options *o = destination;
	const char *error = after_word(text, "error"), *budget = after_word(text, "budget");
	bool good = true;

	if (error) {
		o->choice = CHOOSE_ERROR;
		good = parse_fraction(error, &o->error_limit);
	} else if (budget) {
		o->choice = CHOOSE_BUDGET;
		good = parse_count(budget, &o->budget) && o->budget;
	} else if (!strcmp(text, "elbow")) {
		o->choice = CHOOSE_ELBOW;
	} else {
		o->choice = CHOOSE_BIC;
		good = !strcmp(text, "bic");
	}
	o->choice_given = true;
	return good ? NULL : "must be bic, error:SHARE (as error:5%), elbow or budget:INSTRUCTIONS";
}

OPTION_PARSER(parse_select)
{
	static const char *const names[] = { "centre", "random", "medoid" };
	struct simpoint_options *o = destination;
	const char *total = after_word(text, "systematic");

	o->select_given = true;
	if (total) {
		o->select = SELECT_SYSTEMATIC;
		if (parse_count(total, &o->total) && o->total && o->total <= UINT32_MAX)
			return NULL;
	}
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names) && !total; i++)
		if (!strcmp(text, names[i])) {
			o->select = (enum select_by)i; /* in their order */
			return NULL;
		}
	return "must be centre, random, medoid or systematic:N";
}

OPTION_PARSER(parse_sample)
{
	struct simpoint_options *o = destination;
	const char *total = after_word(text, "stratified");

	if (total && parse_count(total, &o->total) && o->total && o->total <= UINT32_MAX)
		return NULL;
	return "must be stratified:N";
}

COUNT_PARSER(parse_points, 1, UINT32_MAX)

OPTION_PARSER(parse_verbose)
{
	*(bool *)destination = strcmp(text, "0");
	return NULL;
}

/* Accepts an option that has no effect. */
OPTION_PARSER(ignore_option)
{
	return NULL;
}

/* ---- the options ------------------------------------------------------------------------- */

#define AT(member)     offsetof(struct simpoint_options, member)
#define FILE_AT(index) (AT(files) + (index) * sizeof(const char *))

static const struct command_option options_table[] = {
	{ "interval", 0, "N", "instructions in an interval (default 100M)", parse_interval,
	  AT(interval) },
	{ "interval-mark", 0, "parallel", NULL, parse_mark, AT(mark) },
	{ "memory", 0, "distances", NULL, parse_memory, AT(distances) },
	{ "least-weight", 0, "SHARE", NULL, parse_least_weight, 0 },
	{ "thread", 0, "N", "thread of a trace (default 0)", parse_thread_number, 0 },
	{ "thread-vectors", 0, "concatenated|sum|sorted", NULL, parse_thread_vectors, 0 },
	{ "counter", 0, "exp-bbv|exact", NULL, parse_counter, AT(counter) },
	{ "bbv", 0, "OPTIONS", NULL, option_text, AT(bbv_options) },
	{ "k", 'k', "LIST", "try k clusters: 5, or 2:10 (default: search)", parse_ks, 0 },
	{ "max-k", 0, "N", "try at most N clusters (default 30)", parse_max_k, 0 },
	{ "choose", 0, "RULE", "bic (default), error:SHARE, elbow, budget:N", parse_rule, 0 },
	{ "seeds", 0, "N", NULL, parse_seeds, AT(n_seeds) },
	{ "init", 0, "plus|samp|ff", NULL, parse_init, 0 },
	{ "points-per-cluster", 0, "N", "points of each cluster (default 1)", parse_points,
	  AT(per_cluster) },
	{ "select", 0, "RULE", "centre (default), random, medoid or systematic:N", parse_select,
	  0 },
	{ "sample", 0, "stratified:N", "N random points, more in clusters that vary more",
	  parse_sample, 0 },
	{ "allocate", 0, "FILE", NULL, option_text, AT(allocate) },
	{ "total", 0, "N", NULL, parse_points, AT(total) },
	{ "compare", 0, NULL, NULL, option_flag, AT(compare) },
	{ "coverage", 0, "SHARE", NULL, parse_share, AT(coverage) },
	{ "compat", 0, "simpoint3", "choose the points that SimPoint 3.2 chooses", parse_compat,
	  AT(as_simpoint) },
	{ "pc-file", 0, "FILE", "names of the blocks of VECTORS, a .pc file", option_text,
	  AT(pc_file) },
	{ "output", 'o', "PREFIX", "save PREFIX.simpts, .weights, .labels, .csv, .json",
	  option_text, AT(prefix) },
	{ "preset", 0, "tracelab|looppoint|nemu|scarab", NULL, parse_preset, AT(preset) },
	{ "jobs", 'j', "N", "cores to use (default: all)", option_jobs, AT(jobs) },
	{ "quiet", 'q', NULL, "no report", option_flag, AT(quiet) },
	{ "format", 0, "FMT", "of the report: text (default), json or csv", option_format,
	  AT(format) },
	{ "resolution", 0, "SHARE", NULL, parse_share, AT(resolution) },
	{ "bic-threshold", 0, "SHARE", NULL, parse_share, AT(threshold) },
	{ "save-regions", 0, "FILE", NULL, option_text, FILE_AT(SAVE_REGIONS) },
	{ "save-pc-regions", 0, "FILE", NULL, option_text, FILE_AT(SAVE_PC_REGIONS) },
	{ "save-looppoint", 0, "FILE", NULL, option_text, FILE_AT(SAVE_LOOPPOINT) },
	{ "warmup-factor", 0, "N", NULL, parse_warmup_factor, AT(warmup_factor) },
	{ "marker-limit", 0, "N", NULL, parse_interval, AT(marker_limit) },
	{ "save-json", 0, "FILE", NULL, option_text, FILE_AT(SAVE_JSON) },
	{ "map", 0, NULL, NULL, option_flag, AT(list_intervals) },
	COMMAND_OPTIONS,
};

/* The options of SimPoint 3.2, and our names for those that have no row above. */
static const struct command_option simpoint_table[] = {
	{ "interval-size", 0, "N", NULL, parse_interval, AT(interval) },
	{ "maxK", 0, "N", NULL, parse_max_k, 0 },
	{ "numInitSeeds", 0, "N", NULL, parse_seeds, AT(n_seeds) },
	{ "iterations", 0, "N", NULL, parse_iterations, AT(iterations) },
	{ "iters", 0, "N", NULL, parse_iterations, AT(iterations) },
	{ "dim", 0, "N", NULL, parse_dim, 0 },
	{ "initkm", 0, "plus|samp|ff", NULL, parse_init, 0 },
	{ "bicThreshold", 0, "SHARE", NULL, parse_share, AT(threshold) },
	{ "coveragePct", 0, "SHARE", NULL, parse_share, AT(coverage) },
	{ "fixed-length", 0, "on|off", NULL, parse_fixed_length, 0 },
	{ "fixedLength", 0, "on|off", NULL, parse_fixed_length, 0 },
	{ "sample-size", 0, "N", NULL, parse_count_or_minus, AT(sample_size) },
	{ "sampleSize", 0, "N", NULL, parse_count_or_minus, AT(sample_size) },
	{ "seed", 0, "N", NULL, parse_seed, AT(seed) },
	{ "seedkm", 0, "N", NULL, parse_seed, AT(seed) },
	{ "seed-projection", 0, "N", NULL, parse_seed, AT(seed_projection) },
	{ "seedproj", 0, "N", NULL, parse_seed, AT(seed_projection) },
	{ "seed-sample", 0, "N", NULL, parse_seed, AT(seed_sample) },
	{ "seedsample", 0, "N", NULL, parse_seed, AT(seed_sample) },
	{ "numFVs", 0, "N", NULL, parse_count_or_minus, AT(n_vectors) },
	{ "FVDim", 0, "N", NULL, parse_count_or_minus, AT(n_dims) },
	{ "save-all", 0, NULL, NULL, option_flag, AT(save_all) },
	{ "saveAll", 0, NULL, NULL, option_flag, AT(save_all) },
	{ "inputVectorsGzipped", 0, NULL, NULL, ignore_option, 0 },
	{ "verbose", 0, "N", NULL, parse_verbose, AT(verbose) },
	{ "loadFVFile", 0, "FILE", NULL, option_text, AT(input) },
	{ "saveSimpoints", 0, "FILE", NULL, option_text, FILE_AT(SAVE_SIMPOINTS) },
	{ "saveSimpointWeights", 0, "FILE", NULL, option_text, FILE_AT(SAVE_WEIGHTS) },
	{ "saveLabels", 0, "FILE", NULL, option_text, FILE_AT(SAVE_LABELS) },
	{ "saveVectorWeights", 0, "FILE", NULL, option_text, FILE_AT(SAVE_VECTOR_WEIGHTS) },
	{ "saveInitCtrs", 0, "FILE", NULL, option_text, FILE_AT(SAVE_INITIAL) },
	{ "saveFinalCtrs", 0, "FILE", NULL, option_text, FILE_AT(SAVE_FINAL) },
	{ "saveVectorsTxtFmt", 0, "FILE", NULL, option_text, FILE_AT(SAVE_VECTORS) },
	{ "saveVectorsBinFmt", 0, "FILE", NULL, option_text, FILE_AT(SAVE_VECTORS_BINARY) },
	{ "saveProjMatrixTxtFmt", 0, "FILE", NULL, option_text, FILE_AT(SAVE_PROJECTION) },
	{ "saveProjMatrixBinFmt", 0, "FILE", NULL, option_text, FILE_AT(SAVE_PROJECTION_BINARY) },
	{ "loadVectorsTxtFmt", 0, "FILE", NULL, option_text, FILE_AT(LOAD_VECTORS) },
	{ "loadVectorsBinFmt", 0, "FILE", NULL, option_text, FILE_AT(LOAD_VECTORS_BINARY) },
	{ "loadProjMatrixTxtFmt", 0, "FILE", NULL, option_text, FILE_AT(LOAD_PROJECTION) },
	{ "loadProjMatrixBinFmt", 0, "FILE", NULL, option_text, FILE_AT(LOAD_PROJECTION_BINARY) },
	{ "loadInitCtrs", 0, "FILE", NULL, option_text, FILE_AT(LOAD_INITIAL) },
	{ "loadInitLabels", 0, "FILE", NULL, option_text, FILE_AT(LOAD_INITIAL_LABELS) },
	{ "loadVectorWeights", 0, "FILE", NULL, option_text, FILE_AT(LOAD_VECTOR_WEIGHTS) },
	{ NULL, 0, NULL, NULL, NULL, 0 },
};

static const struct command trace_simpoint = {
	.name = "trace-simpoint",
	.usage = "[options] VECTORS|TRACE [OTHER-RUN]",
	.summary = "Choose simulation points: a few intervals that represent a whole program.",
	.options = options_table,
	.more_options = simpoint_table,
	.notes = "SimPoint 3.2's own options (-loadFVFile, -maxK, ...) are in trace-simpoint(1).",
	.example = "trace-simpoint --max-k=10 -o gzip gzip.bb",
	.one_dash = true,
};

/* Checks options against each other, and derives what follows from them. */
static int check(struct simpoint_options *o, int argc, char **argv)
{
	unsigned inputs;

	if (optind < argc && !o->input)
		o->input = argv[optind++];
	if (optind < argc)
		o->other = argv[optind++];
	if (optind < argc)
		return command_usage_error("more than one input given");
	inputs = !!o->input + !!o->files[LOAD_VECTORS] + !!o->files[LOAD_VECTORS_BINARY];
	if (inputs != 1)
		return command_usage_error(inputs ? "more than one input given"
						  : "no input given; name a .bb file or a trace");
	if (o->mark && (o->interval || o->thread_given || o->bbv_options))
		return command_usage_error("--interval-mark=parallel has its own intervals, of all "
					   "threads: --interval, --thread and --bbv do not apply");
	if (!o->mark && (o->distances || o->least_weight_given))
		return command_usage_error("--memory and --least-weight are for "
					   "--interval-mark=parallel; see --bbv for other vectors");
	if (o->ks.count && o->max_k_given)
		return command_usage_error("-k and --max-k exclude each other");
	if (o->files[LOAD_INITIAL] && o->files[LOAD_INITIAL_LABELS])
		return command_usage_error("-loadInitCtrs and -loadInitLabels exclude each other");
	if (!o->n_vectors != !o->n_dims)
		return command_usage_error("-numFVs and -FVDim need each other");
	if (o->compare && !o->other)
		return command_usage_error("--compare needs the vectors of two runs");
	if (o->allocate && !o->total)
		return command_usage_error(
			"--allocate needs --total, the number of points to distribute");
	if (o->allocate && o->select == SELECT_SYSTEMATIC)
		return command_usage_error("--allocate is for clusters, not for systematic:N");
	if (o->total && o->per_cluster > 1)
		return command_usage_error(
			"--points-per-cluster cannot be used with --sample, --total or --select=systematic:N");
	if (o->as_simpoint &&
	    (o->total || o->per_cluster > 1 || o->select_given || o->choice_given))
		return command_usage_error(
			"--compat=simpoint3 chooses one point in each cluster, as SimPoint 3.2 does");
	if (o->total && !o->select_given)
		o->select = SELECT_RANDOM;
	if (o->files[LOAD_VECTOR_WEIGHTS])
		o->fixed_length = false;
	if (o->as_simpoint && !o->initial_given)
		o->initial = INITIAL_SAMPLE;
	return EXIT_DONE;
}

/* The words with blanks between. */
static char *command_line(int argc, char **argv)
{
	char *line = checked_copy("trace-simpoint"), *longer;

	for (int i = 1; i < argc; i++) {
		longer = text_format("%s %s", line, argv[i]);
		free(line);
		line = longer;
	}
	return line;
}

int simpoint_parse(int argc, char **argv, struct simpoint_options *o, bool *done)
{
	int status;

	*done = true;
	*o = (struct simpoint_options){
		.max_k = 30,
		.per_cluster = 1,
		.n_seeds = 5,
		.iterations = 100,
		.dim = 15,
		.threshold = 0.9,
		.coverage = 1,
		.resolution = 0.05,
		.least_weight = 0.005,
		.fixed_length = true,
		.seed = 493575226,
		.seed_projection = 2042712918,
		.seed_sample = 385089224,
		.warmup_factor = 2,
		.marker_limit = INT_MAX, /* gem5 counts in an int */
		.jobs = parallel_cores(),
		.format = REPORT_TEXT,
		.command = command_line(argc, argv),
	};
	status = command_parse(&trace_simpoint, o, argc, argv);
	if (status != OPTION_DONE)
		return status;
	status = check(o, argc, argv);
	*done = status != EXIT_DONE;
	return status;
}
