/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/simpoint_options.h"

#include <inttypes.h>
#include <string.h>

#include "analyzers/simpoint/parallel.h"
#include "cli/common/checked.h"
#include "cli/common/choice.h"
#include "cli/common/command.h"
#include "cli/common/common_options.h"
#include "cli/common/quantity.h"

static const char help[] =
	"Usage: trace-simpoint [options] VECTORS|TRACE\n"
	"Choose simulation points: a few intervals that represent a whole program.\n"
	"\n"
	"      --interval=N        instructions in an interval of a trace (default 100M)\n"
	"      --thread=T          thread of a trace, from 0 (default 0)\n"
	"      --counter=RULES     of a trace's intervals: exp-bbv (default) or exact\n"
	"      --bbv=OPTIONS       more for trace-bbv, as \"--blocks=cfg --memory=page\"\n"
	"  -k, --k=LIST            numbers of clusters, as 5 or 2:10 (default: search)\n"
	"      --max-k=N           search up to N (default 30)\n"
	"      --seeds=N           clusterings for each number (default 5)\n"
	"      --init=HOW          initial centres: plus, ff or samp (default plus)\n"
	"      --coverage=SHARE    also save the heaviest points with this share\n"
	"      --compat=simpoint3  the points that SimPoint 3.2 chooses\n"
	"      --pc-file=FILE      names of the blocks of VECTORS, a .pc file\n"
	"  -o, --output=PREFIX     save PREFIX.simpts, .weights, .labels, .csv, .json\n"
	"  -j, --jobs=N            cores to use (default: all)\n"
	"  -q, --quiet             no report\n"
	"      --format=FMT        of the report: text (default), json or csv\n"
	"  -h, --help              show this help; -V, --version show versions\n"
	"\n"
	"SimPoint 3.2's own options (-loadFVFile, -maxK, ...) are in trace-simpoint(1).\n"
	"Example: trace-simpoint --max-k=10 -o gzip gzip.bb\n";

/* The type of an option's destination; see take_option. */
/* clang-format off */
enum kind {
	FLAG = 256, COUNT, COUNT_OR_MINUS, SHARE, FILE_NAME, TEXT,	/* its field */
	OPT_K, OPT_ITERATIONS, OPT_DIM, OPT_INIT, OPT_FIXED_LENGTH, OPT_MAX_K, OPT_COMPAT,
	OPT_COUNTER, OPT_IGNORED_FLAG, OPT_VERBOSE,
};
/* clang-format on */

struct option_row {
	const char *name;
	enum kind kind;
	size_t offset;
	uint64_t least, most; /* COUNT */
};

#define FIELD(name)  offsetof(struct simpoint_options, name)
#define FILES(index) (FIELD(files) + (index) * sizeof(const char *))

static const struct option_row rows[] = {
	{ "interval", COUNT, FIELD(interval), 1, INT64_MAX },
	{ "interval-size", COUNT, FIELD(interval), 1, INT64_MAX },
	{ "thread", COUNT, FIELD(thread), 0, UINT32_MAX - 1 },
	{ "counter", OPT_COUNTER, 0, 0, 0 },
	{ "bbv", TEXT, FIELD(bbv_options), 0, 0 },
	{ "k", OPT_K, 0, 0, 0 },
	{ "max-k", OPT_MAX_K, 0, 0, 0 },
	{ "maxK", OPT_MAX_K, 0, 0, 0 },
	{ "seeds", COUNT, FIELD(n_seeds), 1, 10000 },
	{ "numInitSeeds", COUNT, FIELD(n_seeds), 1, 10000 },
	{ "iterations", OPT_ITERATIONS, 0, 0, 0 },
	{ "iters", OPT_ITERATIONS, 0, 0, 0 },
	{ "dim", OPT_DIM, 0, 0, 0 },
	{ "init", OPT_INIT, 0, 0, 0 },
	{ "initkm", OPT_INIT, 0, 0, 0 },
	{ "bic-threshold", SHARE, FIELD(threshold), 0, 0 },
	{ "bicThreshold", SHARE, FIELD(threshold), 0, 0 },
	{ "coverage", SHARE, FIELD(coverage), 0, 0 },
	{ "coveragePct", SHARE, FIELD(coverage), 0, 0 },
	{ "resolution", SHARE, FIELD(resolution), 0, 0 },
	{ "fixed-length", OPT_FIXED_LENGTH, 0, 0, 0 },
	{ "fixedLength", OPT_FIXED_LENGTH, 0, 0, 0 },
	{ "sample-size", COUNT_OR_MINUS, FIELD(sample_size), 0, 0 },
	{ "sampleSize", COUNT_OR_MINUS, FIELD(sample_size), 0, 0 },
	{ "seed", COUNT, FIELD(seed), 0, RANDOM_MAX_SEED },
	{ "seedkm", COUNT, FIELD(seed), 0, RANDOM_MAX_SEED },
	{ "seed-projection", COUNT, FIELD(seed_projection), 0, RANDOM_MAX_SEED },
	{ "seedproj", COUNT, FIELD(seed_projection), 0, RANDOM_MAX_SEED },
	{ "seed-sample", COUNT, FIELD(seed_sample), 0, RANDOM_MAX_SEED },
	{ "seedsample", COUNT, FIELD(seed_sample), 0, RANDOM_MAX_SEED },
	{ "numFVs", COUNT_OR_MINUS, FIELD(n_vectors), 0, 0 },
	{ "FVDim", COUNT_OR_MINUS, FIELD(n_dims), 0, 0 },
	{ "save-all", FLAG, FIELD(save_all), 0, 0 },
	{ "saveAll", FLAG, FIELD(save_all), 0, 0 },
	{ "inputVectorsGzipped", OPT_IGNORED_FLAG, 0, 0, 0 },
	{ "verbose", OPT_VERBOSE, 0, 0, 0 },
	{ "loadFVFile", TEXT, FIELD(input), 0, 0 },
	{ "pc-file", TEXT, FIELD(pc_file), 0, 0 },
	{ "output", TEXT, FIELD(prefix), 0, 0 },
	{ "compat", OPT_COMPAT, 0, 0, 0 },
	{ "jobs", COUNT, FIELD(jobs), 1, 1024 },
	{ "saveSimpoints", FILE_NAME, FILES(SAVE_SIMPOINTS), 0, 0 },
	{ "saveSimpointWeights", FILE_NAME, FILES(SAVE_WEIGHTS), 0, 0 },
	{ "saveLabels", FILE_NAME, FILES(SAVE_LABELS), 0, 0 },
	{ "saveVectorWeights", FILE_NAME, FILES(SAVE_VECTOR_WEIGHTS), 0, 0 },
	{ "saveInitCtrs", FILE_NAME, FILES(SAVE_INITIAL), 0, 0 },
	{ "saveFinalCtrs", FILE_NAME, FILES(SAVE_FINAL), 0, 0 },
	{ "saveVectorsTxtFmt", FILE_NAME, FILES(SAVE_VECTORS), 0, 0 },
	{ "saveVectorsBinFmt", FILE_NAME, FILES(SAVE_VECTORS_BINARY), 0, 0 },
	{ "saveProjMatrixTxtFmt", FILE_NAME, FILES(SAVE_PROJECTION), 0, 0 },
	{ "saveProjMatrixBinFmt", FILE_NAME, FILES(SAVE_PROJECTION_BINARY), 0, 0 },
	{ "save-regions", FILE_NAME, FILES(SAVE_REGIONS), 0, 0 },
	{ "save-pc-regions", FILE_NAME, FILES(SAVE_PC_REGIONS), 0, 0 },
	{ "save-json", FILE_NAME, FILES(SAVE_JSON), 0, 0 },
	{ "loadVectorsTxtFmt", FILE_NAME, FILES(LOAD_VECTORS), 0, 0 },
	{ "loadVectorsBinFmt", FILE_NAME, FILES(LOAD_VECTORS_BINARY), 0, 0 },
	{ "loadProjMatrixTxtFmt", FILE_NAME, FILES(LOAD_PROJECTION), 0, 0 },
	{ "loadProjMatrixBinFmt", FILE_NAME, FILES(LOAD_PROJECTION_BINARY), 0, 0 },
	{ "loadInitCtrs", FILE_NAME, FILES(LOAD_INITIAL), 0, 0 },
	{ "loadInitLabels", FILE_NAME, FILES(LOAD_INITIAL_LABELS), 0, 0 },
	{ "loadVectorWeights", FILE_NAME, FILES(LOAD_VECTOR_WEIGHTS), 0, 0 },
	{ "quiet", FLAG, FIELD(quiet), 0, 0 },
};
enum { N_ROWS = sizeof(rows) / sizeof(*rows), ROW = 0x1000, MAX_CLUSTERS = 100000 };

static const char no_count[] = NOT_A_COUNT;

static bool parse_share(const char *text, double *share)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= 0 && value <= 1))
		return false;
	*share = value;
	return true;
}

static bool add_k(struct simpoint_options *o, uint64_t k)
{
	if (k < 1 || k > MAX_CLUSTERS || o->n_ks > MAX_CLUSTERS)
		return false;
	o->ks = checked(reallocarray(o->ks, o->n_ks + 1, sizeof(*o->ks)));
	o->ks[o->n_ks++] = (unsigned)k;
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

static bool parse_ks(struct simpoint_options *o, const char *text)
{
	char *copy = checked_copy(text), *rest = copy, *range;
	bool good = true;

	free(o->ks);
	o->ks = NULL;
	o->n_ks = 0;
	if (strcmp(text, "search"))
		while (good && (range = strsep(&rest, ",")))
			good = add_range(o, range);
	free(copy);
	return good;
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

static bool parse_init(struct simpoint_options *o, const char *text)
{
	static const struct {
		const char *word;
		enum initial_centres initial;
	} words[] = {
		{ "plus", INITIAL_PLUS_PLUS },
		{ "samp", INITIAL_SAMPLE },
		{ "ff", INITIAL_FURTHEST },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(text, words[i].word)) {
			o->initial = words[i].initial;
			return o->initial_given = true;
		}
	return false;
}

/* Parses one of two words. */
static bool parse_word(const char *text, const char *yes, const char *no, bool *value)
{
	*value = !strcmp(text, yes);
	return *value || !strcmp(text, no);
}

/* Returns the text of a number's allowed range, valid until the next call. */
static const char *range_text(const struct option_row *row)
{
	static char text[2 * COUNT_SIZE + 32];
	char least[COUNT_SIZE], most[COUNT_SIZE];

	if (row->most == INT64_MAX)
		snprintf(text, sizeof(text), "must be at least %s",
			 format_count(row->least, least));
	else
		snprintf(text, sizeof(text), "must be from %s to %s",
			 format_count(row->least, least), format_count(row->most, most));
	return text;
}

/* Returns NULL, or what is wrong. */
static const char *set_field(void *field, const struct option_row *row, const char *text)
{
	uint64_t number;

	switch (row->kind) {
	case FLAG: *(bool *)field = true; return NULL;
	case COUNT:
		if (!parse_count(text, &number))
			return no_count;
		if (number < row->least || number > row->most)
			return range_text(row);
		*(uint64_t *)field = number;
		return NULL;
	case COUNT_OR_MINUS:
		return parse_count_or(text, "-1", 0, UINT64_MAX, field)
			       ? NULL
			       : "must be -1 or at least 1";
	case SHARE: return parse_share(text, field) ? NULL : "must be from 0 to 1";
	default: /* FILE_NAME, TEXT */
		*(const char **)field = text;
		return *text ? NULL : "needs a value";
	}
}

/* Returns as set_field. */
static const char *take_option(struct simpoint_options *o, const struct option_row *row,
			       const char *text)
{
	bool good = true, word;

	switch (row->kind) {
	case OPT_K:
		return parse_ks(o, text)
			       ? NULL
			       : "must be search, or numbers from 1 to 100,000 and ascending ranges of "
				 "them, FROM:TO or FROM:STEP:TO, separated by commas";
	case OPT_MAX_K:
		o->max_k_given = true;
		return set_field(&o->max_k,
				 &(struct option_row){
					 .kind = COUNT, .least = 1, .most = MAX_CLUSTERS },
				 text);
	case OPT_ITERATIONS:
		good = parse_count_or(text, "off", UINT64_MAX, UINT32_MAX, &o->iterations);
		return good ? NULL : "must be off, or from 1 to 4,294,967,295";
	case OPT_DIM:
		good = parse_count_or(text, "noProject", 0, 10000, &o->dim);
		return good ? NULL : "must be noProject, or from 1 to 10,000";
	case OPT_INIT: return parse_init(o, text) ? NULL : expected_choice("plus|samp|ff");
	case OPT_FIXED_LENGTH:
		o->fixed_length_given = true;
		good = parse_word(text, "on", "off", &o->fixed_length);
		return good ? NULL : expected_choice("on|off");
	case OPT_COMPAT:
		o->as_simpoint = true;
		return strcmp(text, "simpoint3") ? expected_choice("simpoint3") : NULL;
	case OPT_COUNTER:
		good = parse_word(text, "exact", "exp-bbv", &word);
		o->counter = word ? COUNTER_EXACT : COUNTER_EXP_BBV;
		return good ? NULL : expected_choice("exp-bbv|exact");
	case OPT_VERBOSE: o->verbose = strcmp(text, "0"); return NULL;
	case OPT_IGNORED_FLAG: return NULL;
	default: return set_field((char *)o + row->offset, row, text);
	}
}

static bool needs_value(enum kind kind)
{
	return kind != FLAG && kind != OPT_IGNORED_FLAG;
}

static const struct option_row *row_of_letter(int letter)
{
	const char *name = letter == 'j'   ? "jobs"
			   : letter == 'o' ? "output"
			   : letter == 'q' ? "quiet"
			   : letter == 'k' ? "k"
					   : NULL;

	for (size_t i = 0; name && i < N_ROWS; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

/* Names the option as it was typed. */
static int refuse_value(char **argv, const char *wrong)
{
	const char *last = argv[optind - 1];

	if (last == optarg)
		return command_usage_error("%s %s: %s", argv[optind - 2], last, wrong);
	return command_usage_error("%s: %s", last, wrong);
}

/* Checks options against each other, and derives what follows from them. */
static int check(struct simpoint_options *o, int argc, char **argv)
{
	unsigned inputs;

	if (optind < argc && !o->input)
		o->input = argv[optind++];
	if (optind < argc)
		return command_usage_error("more than one input given");
	inputs = !!o->input + !!o->files[LOAD_VECTORS] + !!o->files[LOAD_VECTORS_BINARY];
	if (inputs != 1)
		return command_usage_error(inputs ? "more than one input given"
						  : "no input given; name a .bb file or a trace");
	if (o->n_ks && o->max_k_given)
		return command_usage_error("-k and --max-k exclude each other");
	if (o->files[LOAD_INITIAL] && o->files[LOAD_INITIAL_LABELS])
		return command_usage_error("-loadInitCtrs and -loadInitLabels exclude each other");
	if (!o->n_vectors != !o->n_dims)
		return command_usage_error("-numFVs and -FVDim are given both or neither");
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
	static const struct option common[] = { REPORT_OPTIONS };
	static const char letters[] = "qj:o:k:" COMMON_LETTERS;
	struct option table[N_ROWS + sizeof(common) / sizeof(*common)];
	int option, index = 0;

	*done = true;
	*o = (struct simpoint_options){
		.max_k = 30,
		.n_seeds = 5,
		.iterations = 100,
		.dim = 15,
		.threshold = 0.9,
		.coverage = 1,
		.resolution = 0.05,
		.fixed_length = true,
		.seed = 493575226,
		.seed_projection = 2042712918,
		.seed_sample = 385089224,
		.jobs = parallel_cores(),
		.format = REPORT_TEXT,
		.command = command_line(argc, argv),
	};
	for (size_t i = 0; i < N_ROWS; i++)
		table[i] = (struct option){
			rows[i].name,
			needs_value(rows[i].kind) ? required_argument : no_argument,
			NULL,
			ROW + (int)i,
		};
	memcpy(table + N_ROWS, common, sizeof(common));
	opterr = 0;
	while ((option = getopt_long_only(argc, argv, letters, table, &index)) != -1) {
		const struct option_row *row = option >= ROW && option < ROW + N_ROWS
						       ? &rows[option - ROW]
						       : row_of_letter(option);

		if (row) {
			const char *wrong = take_option(o, row, optarg);

			if (wrong)
				return refuse_value(argv, wrong);
			continue;
		}
		if (option == '?')
			tell_refused_option(argv, letters);
		int status = common_option(option, help, &o->format);

		if (status != OPTION_DONE)
			return status;
	}
	int status = check(o, argc, argv);

	*done = status != EXIT_DONE;
	return status;
}
