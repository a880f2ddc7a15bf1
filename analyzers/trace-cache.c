/* SPDX-License-Identifier: MIT */
/*
 * trace-cache - the hits and misses of cache hierarchies. trace-cache(1) has the definitions.
 *
 * Cost: one pass; the lines of each configuration.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/cache/digest.h"
#include "analyzers/cache/machines.h"
#include "analyzers/cache/shares.h"
#include "analyzers/cache/simulate.h"
#include "analyzers/cache/study.h"
#include "analyzers/cache/tables.h"
#include "analyzers/cache/team.h"
#include "analyzers/common/analyzer.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/option_parsers.h"
#include "cli/common/quantity.h"

/* ---- options ----------------------------------------------------------------------------- */

enum { MAX_CONFIGS = 256, MAX_MAP = 1024 };
/* With more jobs, simulating several hierarchies is faster than decoding in one thread. */
enum { MOST_JOBS_OF_TEAM = 2 };
enum wanted { WANTED_ALL, WANTED_DATA, WANTED_FETCHES };

struct options {
	unsigned n_configs;
	struct cache_config configs[MAX_CONFIGS];
	unsigned n_sizes; /* of the last level; 0: as configured */
	uint64_t sizes[MAX_CONFIGS];
	uint64_t memory; /* bytes, of the requests to a level with OPT */
	unsigned wanted; /* enum wanted */
	uint64_t n_cores;
	struct core_map {
		size_t count; /* 0: thread t runs on core t % n_cores */
		uint64_t cores[MAX_MAP];
	} map;
	struct cache_study_options study;
};

static const struct options defaults = {
	.memory = UINT64_C(4) << 30,
	.n_cores = 1,
	.study.top = 20,
};

/* Returns NULL, or why the configuration is refused. */
static const char *add_config(struct options *o, const struct cache_config *config)
{
	if (o->n_configs == MAX_CONFIGS)
		return "more than 256 hierarchies";
	o->configs[o->n_configs++] = *config;
	return NULL;
}

OPTION_PARSER(option_levels)
{
	struct cache_config config;
	const char *wrong = cache_config_parse(&config, text, false);

	return wrong ? wrong : add_config(destination, &config);
}

OPTION_PARSER(option_tlb)
{
	struct cache_config config;
	const char *wrong = cache_config_parse(&config, text, true);

	return wrong ? wrong : add_config(destination, &config);
}

static const char *add_machine(struct options *o, const struct cache_machine *machine)
{
	const char *wrong = add_config(o, &machine->caches);

	return wrong || !machine->has_tlbs ? wrong : add_config(o, &machine->tlbs);
}

OPTION_PARSER(option_machine)
{
	static char error[512];
	struct cache_machine machine;

	if (!cache_machine_read(&machine, text, error, sizeof(error)))
		return error;
	return add_machine(destination, &machine);
}

OPTION_PARSER(option_config)
{
	static char error[512];
	struct cache_machine machine;

	if (!cache_file_read(&machine, text, error, sizeof(error)))
		return error;
	return add_machine(destination, &machine);
}

OPTION_PARSER(option_sizes)
{
	struct options *o = destination;

	o->n_sizes = parse_list(text, parse_size, o->sizes, MAX_CONFIGS);
	return !o->n_sizes                ? "a list of sizes is expected, such as 16Ki,32Ki"
	       : o->n_sizes > MAX_CONFIGS ? "more than 256 sizes"
					  : NULL;
}

OPTION_PARSER(option_by)
{
	return cache_by_parse(destination, text);
}

OPTION_PARSER(option_cores)
{
	uint64_t *n = destination;

	return parse_count_within(text, 1, CACHE_MAX_CORES, n);
}

OPTION_PARSER(option_map)
{
	struct core_map *map = destination;

	map->count = parse_list(text, parse_count, map->cores, MAX_MAP);
	if (!map->count)
		return "a list of cores is expected, such as 0,1,1,0";
	return map->count > MAX_MAP ? "more than 1,024 cores" : NULL;
}

static const struct command_option options[] = {
	{ "levels", 'l', "LIST", "caches as SIZE/WAYS: 32Ki/8,1Mi/16,32Mi/16", option_levels, 0 },
	{ "machine", 'm', "NAME", "caches and TLBs of a machine (default zen4)", option_machine,
	  0 },
	{ "config", 'c', "FILE", NULL, option_config, 0 },
	{ "tlb", 0, "LIST", NULL, option_tlb, 0 },
	{ "sizes", 0, "LIST", NULL, option_sizes, 0 },
	{ "memory", 0, "SIZE", NULL, option_size, offsetof(struct options, memory) },
	{ "accesses", 'a', "all|data|fetches", "accesses to simulate (default all)", option_choice,
	  offsetof(struct options, wanted) },
	{ "by", 'b', "KEYS", "group misses by function, line, path, object, ...", option_by,
	  offsetof(struct options, study.by) },
	{ "kinds", 'k', NULL, NULL, option_flag, offsetof(struct options, study.kinds) },
	{ "top", 't', "N", NULL, option_count, offsetof(struct options, study.top) },
	{ "cores", 0, "N", "simulate N coherent cores (default 1)", option_cores,
	  offsetof(struct options, n_cores) },
	{ "map", 0, "LIST", NULL, option_map, offsetof(struct options, map) },
	{ "demangle", 0, "yes|no", NULL, option_choice, offsetof(struct options, study.mangled) },
	{ 0 },
};

/* ---- counting ---------------------------------------------------------------------------- */

struct cache_run {
	const struct options *options;
	struct cache_feed *feed;
	struct cache_filter *filter;     /* NULL: all accesses are simulated */
	uint64_t dropped[N_CACHE_KINDS]; /* that no hierarchy has counted yet */
	uint64_t instructions;
	struct cache_hierarchy **hierarchies;
	struct cache_share *shares;   /* by hierarchy; NULL: all sets are simulated */
	struct cache_team *team;      /* NULL: this thread simulates */
	struct cache_studies studies; /* none, unless misses are wanted in detail */
};

static unsigned wanted_accesses(const struct options *o)
{
	return (o->wanted != WANTED_DATA ? CACHE_FETCHES : 0) |
	       (o->wanted != WANTED_FETCHES ? CACHE_DATA : 0);
}

/* Returns the bytes of code that may be one access, see cache_code_init. */
static uint32_t line_of_fetches(const struct options *o)
{
	uint32_t line = UINT32_MAX;

	for (unsigned i = 0; i < o->n_configs; i++) {
		uint32_t its = cache_config_fetch_line(&o->configs[i]);

		line = its < line ? its : line;
	}
	return line;
}

static bool is_detailed(const struct options *o)
{
	return cache_studies_are_wanted(&o->study, o->n_cores);
}

/* Returns true if hierarchies are fed without the accesses that a filter drops. */
static bool is_filtered(const struct analysis *run, const struct options *o)
{
	return !is_detailed(o) && !run->parts;
}

/* Returns true if several hierarchies are simulated at the same time. */
static bool has_team(const struct analysis *run, const struct options *o)
{
	return is_filtered(run, o) && run->jobs > 1 && o->n_configs > 1;
}

/* Adds a configuration of another size. */
static int add_resized(struct options *to, const struct cache_config *from, uint64_t size)
{
	struct cache_config config = *from;
	const char *wrong;

	cache_config_resize(&config, size);
	wrong = cache_config_check(&config);
	if (!wrong)
		wrong = add_config(to, &config);
	return wrong ? command_usage_error("--sizes: %" PRIu64 " bytes: %s", size, wrong) : 0;
}

/* Replaces each hierarchy of caches by one of each size, and keeps TLBs. */
static int sweep_sizes(struct options *o)
{
	struct options swept = *o;
	int status = 0;

	swept.n_configs = 0;
	if (!o->n_sizes)
		return 0;
	for (unsigned i = 0; i < o->n_configs; i++) {
		if (o->configs[i].pages)
			add_config(&swept, &o->configs[i]);
		for (unsigned j = 0; j < o->n_sizes && !status && !o->configs[i].pages; j++)
			status = add_resized(&swept, &o->configs[i], o->sizes[j]);
	}
	*o = swept;
	return status;
}

static unsigned core_of(const struct options *o, uint32_t thread)
{
	return (unsigned)(o->map.count ? o->map.cores[thread % o->map.count] : thread % o->n_cores);
}

static bool has_opt(const struct cache_config *config)
{
	for (unsigned depth = 0; depth < config->n_levels; depth++)
		if (cache_config_has_opt(config, depth))
			return true;
	return false;
}

/* Returns NULL, or why a hierarchy cannot have so many cores. */
static const char *set_cores(struct cache_config *config, uint64_t n_cores)
{
	const char *wrong = n_cores > 1 ? coherence_check(config) : NULL;

	config->n_cores = (unsigned)n_cores;
	return wrong ? wrong : cache_config_check(config);
}

/* Gives all hierarchies their cores. Returns 0, or an exit code after a message. */
static int set_details(struct options *o)
{
	for (size_t i = 0; i < o->map.count; i++)
		if (o->map.cores[i] >= o->n_cores)
			return command_usage_error("--map: core %" PRIu64
						   " does not exist with --cores=%" PRIu64
						   "; cores are counted from 0",
						   o->map.cores[i], o->n_cores);
	for (unsigned i = 0; i < o->n_configs; i++) {
		const char *wrong = set_cores(&o->configs[i], o->n_cores);

		if (wrong)
			return command_usage_error("--cores: %s: %s", o->configs[i].name, wrong);
	}
	return 0;
}

/*
 * Refuses details of levels with OPT that are not known when these are simulated, behind the last
 * access: what the program's data and call paths were then.
 */
static int check_opt_details(const struct analysis *run, const struct options *o)
{
	bool any = false;

	for (unsigned i = 0; i < o->n_configs; i++)
		any |= has_opt(&o->configs[i]);
	if (!any || !is_detailed(o))
		return 0;
	if (o->study.by.about_data || o->study.by.are_paths)
		return command_usage_error("opt excludes --by=path and keys of data");
	if (run->has_warmup)
		return command_usage_error(
			"opt excludes --by and --kinds if a warm-up is not counted; --warmup=no "
			"counts it");
	return 0;
}

/* Returns 0, or an exit code after a message. */
static int need_objects(const struct analysis *run, const struct options *o)
{
	if (!o->study.by.needs_objects || heap_objects_are_recorded(run->reader, NULL))
		return 0;
	analyzer_error("%s has no calls of malloc and free; trace-record records them unless "
		       "--no-functions is given",
		       run->path);
	return ANALYZER_UNSUITABLE;
}

static bool can_divide(const struct options *o, uint64_t n)
{
	for (unsigned i = 0; i < o->n_configs; i++)
		if (cache_config_parts(&o->configs[i], (unsigned)n) > 1)
			return true;
	return false;
}

/* Refuses parts that cannot be simulated apart. Returns 0, or an exit code after a message. */
static int check_shares(const struct analysis *run, const struct options *o)
{
	if (!run->parts)
		return 0;
	if (is_detailed(o))
		return command_usage_error("--by, --kinds and --cores exclude --part, because they "
					   "need the lines of all sets");
	if (run->n_shares < 2 || can_divide(o, run->n_shares))
		return 0;
	return command_usage_error(
		"%s: its sets cannot be simulated apart, because of a prefetcher, brrip, drrip or "
		"opt, or because a level has one set or an odd number of sets; choose levels that "
		"can be divided, such as --levels=32Ki/8,1Mi/8",
		o->configs[0].name);
}

static int prepare(struct analysis *run)
{
	struct options *o = (struct options *)run->options;
	struct access_code *code = checked_array(1, sizeof(*code));
	int status;

	run->shared = code;
	if (!o->n_configs)
		option_machine(NULL, o, "zen4");
	status = sweep_sizes(o);
	if (!status)
		status = set_details(o);
	if (!status)
		status = check_opt_details(run, o);
	if (!status && o->wanted != WANTED_FETCHES)
		status = analyzer_needs_addresses(run);
	if (!status)
		status = need_objects(run, o);
	if (!status)
		status = check_shares(run, o);
	if (status)
		return status;
	if (!cache_studies_columns(&o->study, o->n_cores))
		run->columns &= ~TF_EVENTS;
	if (o->wanted != WANTED_FETCHES) {
		run->columns |= TF_ADDRESSES;
		run->accesses = true;
	}
	cache_code_init(code, run->reader, wanted_accesses(o), line_of_fetches(o));
	run->digests = is_filtered(run, o);
	run->uses_jobs = has_team(run, o) && run->jobs <= MOST_JOBS_OF_TEAM;
	return 0;
}

static void finish(struct analysis *run)
{
	if (run->shared)
		access_code_free(run->shared);
	free(run->shared);
}

static void feed_all(void *opaque, const struct cache_access *accesses,
		     const struct cache_origin *origins, size_t count)
{
	struct cache_run *c = opaque;

	if (c->team) {
		cache_team_feed(c->team, accesses, origins, count);
		return;
	}
	for (unsigned i = 0; c->shares && i < c->options->n_configs; i++)
		cache_share_feed(&c->shares[i], accesses, origins, count);
	if (c->shares)
		return;
	for (unsigned i = 0; i < c->options->n_configs; i++)
		cache_hierarchy_feed(c->hierarchies[i], accesses, origins, count);
}

static void start_shares(struct cache_run *c, const struct analysis *run)
{
	c->shares = checked_array(c->options->n_configs, sizeof(*c->shares));
	for (unsigned i = 0; i < c->options->n_configs; i++)
		cache_share_init(&c->shares[i], c->hierarchies[i], i, run->share, run->n_shares);
}

/* Begins a filter. Checking an access takes about as long as simulating a hit of one hierarchy. */
static void start_filter(struct cache_run *c)
{
	const struct options *o = c->options;

	c->filter = checked_array(1, sizeof(*c->filter));
	if (cache_filter_init(c->filter, o->configs, o->n_configs) &&
	    o->n_configs >= 2 * c->filter->n_groups)
		c->feed->filter = c->filter;
}

static int start(void *self, const struct analysis *run)
{
	struct cache_run *c = self;

	c->options = run->options;
	c->feed = checked_array(1, sizeof(*c->feed));
	c->feed->code = run->shared;
	c->feed->consume = feed_all;
	c->feed->opaque = c;
	c->hierarchies = checked_array(c->options->n_configs, sizeof(*c->hierarchies));
	for (unsigned i = 0; i < c->options->n_configs; i++) {
		c->hierarchies[i] = checked_array(1, sizeof(**c->hierarchies));
		cache_hierarchy_init(c->hierarchies[i], &c->options->configs[i]);
		cache_hierarchy_limit_logs(c->hierarchies[i], c->options->memory);
		c->feed->wants_origins |= cache_config_needs_origins(&c->options->configs[i]);
	}
	if (is_detailed(c->options)) {
		c->feed->wants_origins = true;
		cache_studies_init(&c->studies, &c->options->study, run, c->hierarchies,
				   c->options->n_configs);
	} else if (run->parts) {
		start_shares(c, run);
	} else {
		start_filter(c);
	}
	if (has_team(run, c->options))
		c->team = cache_team_new(c->hierarchies, c->options->n_configs, run->jobs,
					 c->feed->wants_origins);
	return 0;
}

static void stop(void *self)
{
	struct cache_run *c = self;

	cache_team_free(c->team);
	cache_studies_free(&c->studies);
	for (unsigned i = 0; c->shares && i < c->options->n_configs; i++)
		cache_share_free(&c->shares[i]);
	free(c->shares);
	for (unsigned i = 0; c->hierarchies && i < c->options->n_configs; i++) {
		cache_hierarchy_free(c->hierarchies[i]);
		free(c->hierarchies[i]);
	}
	free(c->hierarchies);
	free(c->filter);
	free(c->feed);
}

static int blocks(void *self, const struct tf_item *item)
{
	struct cache_run *c = self;

	c->instructions += item->instructions;
	if (is_detailed(c->options)) {
		cache_studies_feed(&c->studies, c->feed, item, core_of(c->options, item->thread));
		return 0;
	}
	cache_feed_blocks(c->feed, item, 0);
	if (!c->feed->filter)
		cache_feed_flush(c->feed);
	return 0;
}

/* Adds lookups to those that no hierarchy has counted yet. */
static void add_dropped(struct cache_run *c, const uint64_t dropped[N_CACHE_KINDS])
{
	for (unsigned kind = 0; kind < N_CACHE_KINDS; kind++)
		c->dropped[kind] += dropped[kind];
}

/* Lets the filter begin again. */
static void reset_filter(struct cache_run *c)
{
	add_dropped(c, c->filter->dropped);
	cache_filter_clear(c->filter);
}

/* Completes the counts of all hierarchies. */
static void complete_counts(struct cache_run *c)
{
	if (!c->filter)
		return;
	cache_feed_flush(c->feed);
	reset_filter(c);
	if (c->team)
		cache_team_wait(c->team);
	for (unsigned i = 0; i < c->options->n_configs; i++)
		cache_hierarchy_add_hits(c->hierarchies[i], c->dropped);
	memset(c->dropped, 0, sizeof(c->dropped));
}

/* ---- digests ----------------------------------------------------------------------------- */

static bool digest(void *opaque, const struct analysis *run, const struct tf_item *item)
{
	const struct options *o = run->options;
	struct cache_digest *d = opaque;

	if (!d->feed)
		cache_digest_init(d, run->shared, o->configs, o->n_configs);
	return cache_digest_add(d, item);
}

static int take(void *self, void *opaque)
{
	struct cache_run *c = self;
	struct cache_digest *d = opaque;

	c->instructions += d->instructions;
	cache_feed_flush(c->feed);
	reset_filter(c);
	add_dropped(c, d->filter.dropped);
	feed_all(c, d->accesses.at, d->origins.count ? d->origins.at : NULL, d->accesses.count);
	cache_digest_clear(d);
	return 0;
}

static void free_digest(void *opaque)
{
	cache_digest_free(opaque);
}

static int event(void *self, const struct tf_event *event)
{
	struct cache_run *c = self;

	if (is_detailed(c->options))
		cache_studies_event(&c->studies, event);
	return 0;
}

static void clear(void *self)
{
	struct cache_run *c = self;

	c->instructions = 0;
	complete_counts(c);
	for (unsigned i = 0; i < c->options->n_configs; i++)
		cache_hierarchy_clear(c->hierarchies[i]);
	cache_studies_clear(&c->studies);
}

/* Simulates levels whose policy is OPT. Returns false after a message. */
static bool simulate_opt(const struct cache_run *c)
{
	for (unsigned i = 0; i < c->options->n_configs; i++)
		if (!cache_hierarchy_finish(c->hierarchies[i])) {
			analyzer_error("%s: opt needs more memory than --memory allows; raise "
				       "--memory, or analyze a part of the trace with --from and "
				       "--count",
				       c->options->configs[i].name);
			return false;
		}
	return true;
}

/* ---- shares of the sets ------------------------------------------------------------------ */

static int merge(void *self, const void *other)
{
	struct cache_run *c = self;
	const struct cache_run *o = other;

	if (c->instructions && o->instructions && c->instructions != o->instructions) {
		command_error("two parts counted different numbers of instructions; make the parts "
			      "again");
		return EXIT_FAILED;
	}
	if (!c->instructions)
		c->instructions = o->instructions;
	for (unsigned i = 0; i < c->options->n_configs; i++)
		cache_share_merge(&c->shares[i], &o->shares[i]);
	return 0;
}

static int complete(void *self)
{
	struct cache_run *c = self;

	for (unsigned i = 0; c->shares && i < c->options->n_configs; i++)
		cache_share_complete(&c->shares[i]);
	return 0;
}

static int save(void *self, struct state_writer *writer)
{
	const struct cache_run *c = self;

	if (!simulate_opt(c))
		return EXIT_FAILED;
	analyzer_put(writer, c->instructions);
	analyzer_put(writer, c->options->n_configs);
	for (unsigned i = 0; i < c->options->n_configs; i++)
		cache_share_save(&c->shares[i], writer);
	return 0;
}

static int load(void *self, struct state_reader *reader)
{
	struct cache_run *c = self;
	bool same;

	c->instructions = analyzer_take(reader);
	same = analyzer_take(reader) == c->options->n_configs;
	for (unsigned i = 0; i < c->options->n_configs && same; i++)
		same = cache_share_load(&c->shares[i], reader);
	if (same)
		return 0;
	command_error("a part was made for other caches, or its options were in another order; "
		      "make the part again");
	return EXIT_FAILED;
}

/* ---- results ----------------------------------------------------------------------------- */

static int report(void *self, const struct analysis *run, struct report *r)
{
	struct cache_run *c = self;

	(void)run;
	complete_counts(c);
	if (!simulate_opt(c))
		return ANALYZER_FAILED;
	report_u64(r, "instructions", "", c->instructions);
	report_define(
		r, "lookups",
		"demand lookups: of accesses in level 1, below it of misses of the level above");
	report_define(r, "mpki", "misses in 1,000 instructions");
	cache_report_tables(c->hierarchies, c->options->n_configs, c->instructions, r);
	cache_studies_report(&c->studies, c->instructions, r);
	return 0;
}

static int row(void *self, const struct analysis *run, const struct analyzer_span *span,
	       struct report *r)
{
	struct cache_run *c = self;

	(void)run;
	if (is_detailed(c->options))
		return command_usage_error(
			"--by, --kinds and --cores exclude --interval and "
			"--threads=each|processes; --by=thread groups by thread");
	for (unsigned i = 0; i < c->options->n_configs; i++)
		if (has_opt(&c->options->configs[i]))
			return command_usage_error("opt excludes --interval and "
						   "--threads=each|processes");
	complete_counts(c);
	cache_report_rows(c->hierarchies, c->options->n_configs, span, r);
	return 0;
}

static const char *const state_options[] = { "levels", "machine", "config",   "tlb",
					     "sizes",  "memory",  "accesses", NULL };

static const struct analyzer cache = {
	.name = "trace-cache",
	.summary = "count the hits, misses and traffic of caches",
	.example = "trace-cache --levels=32Ki/8,1Mi/16,32Mi/16 ls.trace",
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof(struct options),
	.state_size = sizeof(struct cache_run),
	.prepare = prepare,
	.finish = finish,
	.start = start,
	.stop = stop,
	.blocks = blocks,
	.digest_size = sizeof(struct cache_digest),
	.digest = digest,
	.take = take,
	.free_digest = free_digest,
	.event = event,
	.report = report,
	.row = row,
	.row_columns = cache_row_columns,
	.shares = true,
	.merge = merge,
	.complete = complete,
	.save = save,
	.load = load,
	.state_version = 1,
	.state_options = state_options,
	.clear = clear,
};
ANALYZER_MAIN(cache)
