/* SPDX-License-Identifier: MIT */
/*
 * trace-calls - exact call trees: what each function and each call path executes, without the
 * functions called from there and with them. calls/walk.h has the rules.
 *
 * Cost: a table entry for each pair of a call path and a basic block, and a look at the call stack
 * for each execution of a block.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzers/calls/code.h"
#include "analyzers/calls/export.h"
#include "analyzers/calls/heap.h"
#include "analyzers/calls/models/model.h"
#include "analyzers/calls/paths.h"
#include "analyzers/calls/saved.h"
#include "analyzers/calls/syscalls.h"
#include "analyzers/common/analyzer.h"
#include "analyzers/common/extents.h"
#include "analyzers/common/lines.h"
#include "analyzers/locality/accesses.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/option_parsers.h"
#include "cli/common/quantity.h"

/* ---- options ----------------------------------------------------------------------------- */

enum per { PER_TRACE, PER_PROCESS, PER_THREAD };

struct options {
	uint64_t top, depth;
	double threshold; /* percent */
	unsigned sort;    /* enum call_cost, or N_CALL_COSTS: that of the model, if there is one */
	unsigned per;     /* enum per */
	unsigned mangled; /* C++ names are shown as they are in the trace */
	bool fold_recursion, syscalls, heap, code;
	const char *functions; /* of the heap; NULL: malloc's family */
	unsigned format;       /* number of an export format + 1, or 0 */
	struct call_model_options model;
};

static const struct options defaults = {
	.top = 20, .depth = UINT64_MAX, .threshold = 1, .sort = N_CALL_COSTS
};

OPTION_PARSER(option_percent)
{
	double *percent = destination;
	char *end;

	*percent = strtod(text, &end);
	if (end > text && *end == '%')
		end++;
	return end == text || *end || !(*percent >= 0 && *percent <= 100)
		       ? "a percentage from 0 to 100 is expected"
		       : NULL;
}

OPTION_PARSER(option_export)
{
	unsigned *format = destination;

	if (!parse_choice(text, CALL_EXPORT_FORMATS, format))
		return expected_choice(CALL_EXPORT_FORMATS);
	++*format;
	return NULL;
}

OPTION_PARSER(option_model)
{
	unsigned *kind = destination;

	if (!parse_choice(text, option->argument, kind))
		return option_expects(option);
	++*kind;
	return NULL;
}

/* destination: all options, because the list asks for the heap. */
OPTION_PARSER(option_functions)
{
	struct options *o = destination;

	if (!heap_functions_are_valid(text))
		return "expected: malloc, ..., or another function that is like one of these: "
		       "pool_get=malloc,pool_put=free";
	o->functions = text;
	o->heap = true;
	return NULL;
}

/* Returns the cost that orders functions and paths. */
static enum call_cost sort_of(const struct options *o)
{
	if (o->sort < N_CALL_COSTS)
		return (enum call_cost)o->sort;
	return o->model.kind ? CALL_MODELLED : CALL_INSTRUCTIONS;
}

OPTION_PARSER(option_cost)
{
	static const char costs[] = "instructions|loads|stores|branches|bytes-loaded|bytes-stored";

	return parse_choice(text, costs, destination) ? NULL : expected_choice(costs);
}

#define MODEL_AT(member) offsetof(struct options, model.member)

static const struct command_option options[] = {
	{ "cost", 0, "misses|cycles", "also simulated misses or cycles", option_model,
	  MODEL_AT(kind) },
	{ "levels", 0, "LIST", NULL, option_text, MODEL_AT(levels) },
	{ "level", 0, "N", NULL, option_positive, MODEL_AT(level) },
	{ "machine", 0, "NAME|FILE", NULL, option_text, MODEL_AT(machine) },
	{ "sort", 's', "COST", "order functions and paths by this cost", option_cost,
	  offsetof(struct options, sort) },
	{ "top", 't', "N", "print at most N functions (default 20)", option_count,
	  offsetof(struct options, top) },
	{ "threshold", 0, "PERCENT", "least share of a printed path (default 1)", option_percent,
	  offsetof(struct options, threshold) },
	{ "depth", 0, "N", NULL, option_count, offsetof(struct options, depth) },
	{ "per", 0, "trace|process|thread", "one tree for each (default trace)", option_choice,
	  offsetof(struct options, per) },
	{ "fold-recursion", 0, NULL, NULL, option_flag, offsetof(struct options, fold_recursion) },
	{ "heap", 0, NULL, "heap objects by call path instead", option_flag,
	  offsetof(struct options, heap) },
	{ "functions", 0, "LIST", NULL, option_functions, 0 },
	{ "syscalls", 0, NULL, "system calls by call path instead", option_flag,
	  offsetof(struct options, syscalls) },
	{ "export", 0, "FORMAT", "write a profile for other viewers", option_export,
	  offsetof(struct options, format) },
	{ "code", 0, NULL, NULL, option_flag, offsetof(struct options, code) },
	{ "demangle", 0, "yes|no", NULL, option_choice, offsetof(struct options, mangled) },
	{ NULL, 0, NULL, NULL, NULL, 0 },
};

/* ---- the walk ---------------------------------------------------------------------------- */

struct calls {
	const struct analysis *run;
	const struct options *options;
	struct call_profile profile;
	struct call_syscalls syscalls;
	struct call_heap heap;
	struct access_code code; /* for the heap */
	struct access_collector collector;
	uint32_t process;      /* of the collected accesses */
	uint64_t instructions; /* executed by all threads */
	uint32_t n_threads;
	struct call_walk *walks;  /* by thread */
	struct call_model *model; /* NULL: none */
	uint64_t *by_insn;        /* the model's costs of the present execution */
	uint32_t *latest;         /* by thread: the node of the latest execution */
	char **labels;            /* of the pseudo functions of threads or processes */
};

/* Refuses options of a model that is not wanted. */
static int check_model(const struct call_model_options *o)
{
	if (o->levels && o->kind != CALL_MISSES)
		return command_usage_error("--levels needs --cost=misses");
	if (o->level && o->kind != CALL_MISSES)
		return command_usage_error("--level needs --cost=misses");
	if (o->machine && o->kind != CALL_CYCLES)
		return command_usage_error("--machine needs --cost=cycles");
	return 0;
}

/* Refuses a trace without calls that allocate. */
static int check_heap(const struct analysis *run)
{
	const struct options *o = run->options;

	if (heap_objects_are_recorded(run->reader, o->functions))
		return 0;
	if (o->functions)
		analyzer_error(
			"%s has no calls of %s that allocate, or lacks arguments of such calls; "
			"trace-record --function=NAME/ARGS records both",
			run->path, o->functions);
	else
		analyzer_error("%s has no calls of malloc and free; trace-record records them "
			       "unless --no-functions is given",
			       run->path);
	return ANALYZER_UNSUITABLE;
}

static int prepare(struct analysis *run)
{
	const struct options *o = run->options;
	int status = check_model(&o->model);

	if (status)
		return status;

	if (run->info.has_addresses)
		run->columns |= TF_ADDRESSES;
	run->accesses = true;
	/* A thread may free what another one allocated, and finds in caches what another one used. */
	run->in_order = run->one_state = o->heap || o->model.kind;
	run->block_view = o->heap || o->syscalls || o->model.kind || o->format;
	if (o->format && (o->heap || o->syscalls))
		return command_usage_error("--export excludes --%s", o->heap ? "heap" : "syscalls");
	return o->heap ? check_heap(run) : 0;
}

/* Returns the node above a thread's functions. */
static uint32_t root_of(struct calls *c, uint32_t thread)
{
	const struct tf_thread *t = tf_thread(c->run->reader, thread);
	uint32_t function;

	if (c->options->per == PER_TRACE || !t)
		return CALL_ROOT;
	c->labels[thread] = c->options->per == PER_THREAD ? text_format("[thread %u]", thread)
							  : text_format("[process %u]", t->process);
	for (uint32_t i = 0; i < thread; i++) {
		const struct tf_thread *other = tf_thread(c->run->reader, i);

		if (c->options->per == PER_PROCESS && other && other->process == t->process)
			return c->walks[i].root;
	}
	function = call_functions_label(&c->profile.functions, c->labels[thread]);
	return call_tree_child(&c->profile.tree, CALL_ROOT, CALL_NONE, function);
}

static int start_model(struct calls *c)
{
	unsigned most = 0;
	int status;

	for (uint32_t i = 0; i < tf_n_blocks(c->run->reader); i++) {
		const struct tf_block *block = tf_block(c->run->reader, i);

		most = block && block->n_insns > most ? block->n_insns : most;
	}
	c->model = call_model_new(c->run, &c->options->model, &status);
	if (!c->model)
		return status;
	c->by_insn = checked_array(most, sizeof(*c->by_insn));
	c->latest = checked_array(c->n_threads, sizeof(*c->latest));
	c->profile.costs.modelled = call_model_cost(c->model);
	c->profile.costs.by_insn = c->by_insn;
	return 0;
}

static void count_accesses(void *opaque, const struct access *accesses, size_t count)
{
	struct calls *c = opaque;

	for (size_t i = 0; i < count; i++)
		heap_uses_access(&c->heap.uses, c->process, accesses[i].address, accesses[i].size,
				 accesses[i].kind == ACCESS_READ ? HEAP_READ : HEAP_WRITE);
}

static void start_collector(struct calls *c)
{
	access_code_init(&c->code, c->run->reader, ACCESS_READ | ACCESS_WRITE, 0);
	c->collector.code = &c->code;
	c->collector.kinds = ACCESS_READ | ACCESS_WRITE;
	c->collector.consume = count_accesses;
	c->collector.opaque = c;
}

/* Starts a state. open: its threads may have begun in an earlier part. */
static int start_state(struct calls *c, const struct analysis *run, bool open)
{
	c->run = run;
	c->options = run->options;
	c->n_threads = run->n_threads;
	call_profile_init(&c->profile, run->reader, run->info.has_addresses,
			  c->options->format ? call_export_detail(c->options->format - 1)
					     : CALL_DETAIL_NONE);
	c->profile.tree.folds_recursion = c->options->fold_recursion && !open;
	call_heap_init(&c->heap, run->reader, c->options->functions,
		       run->info.has_addresses && c->options->heap);
	if (c->heap.has_uses)
		start_collector(c);
	call_syscalls_init(&c->syscalls, c->n_threads);
	c->walks = checked_array(c->n_threads, sizeof(*c->walks));
	c->labels = checked_array(c->n_threads, sizeof(*c->labels));
	for (uint32_t i = 0; i < c->n_threads; i++) {
		uint32_t root = root_of(c, i);

		if (open)
			call_walk_init_open(&c->walks[i], &c->profile, root, i);
		else
			call_walk_init(&c->walks[i], &c->profile, root);
	}
	return c->options->model.kind ? start_model(c) : 0;
}

static int start(void *self, const struct analysis *run)
{
	return start_state(self, run, run->merged && !run->one_state);
}

static void stop(void *self)
{
	struct calls *c = self;

	for (uint32_t i = 0; i < c->n_threads; i++) {
		call_walk_free(&c->walks[i]);
		free(c->labels[i]);
	}
	free(c->walks);
	free(c->labels);
	call_heap_free(&c->heap);
	access_code_free(&c->code);
	call_syscalls_free(&c->syscalls);
	call_profile_free(&c->profile);
	call_model_free(c->model);
	free(c->by_insn);
	free(c->latest);
}

static void add_late(struct calls *c, uint32_t thread, const struct call_model_late *late)
{
	if (late->block)
		call_costs_add_modelled(&c->profile.costs, c->latest[thread], late->block,
					late->insn, late->cost);
}

/* Takes an execution of a thread. */
static inline void walk_block(struct calls *c, uint32_t thread, const struct tf_block_exec *exec)
{
	struct call_walk *walk = &c->walks[thread];

	call_walk_block(walk, exec);
	if (c->options->heap)
		call_heap_execute(&c->heap, thread, call_walk_node(walk), walk->frames.count);
	if (c->heap.has_uses && call_heap_counts(&c->heap, thread, walk->frames.count))
		access_collect_block(&c->collector, exec, 0);
}

/* Takes an item with the model's costs. */
static void take_modelled(struct calls *c, const struct tf_item *item)
{
	struct call_walk *walk = &c->walks[item->thread];
	struct call_model_late late;

	for (size_t i = 0; i < item->count; i++) {
		call_model_execute(c->model, item, i, c->by_insn, &late);
		add_late(c, item->thread, &late);
		walk_block(c, item->thread, &item->blocks[i]);
		c->latest[item->thread] = call_walk_node(walk);
	}
}

/* Adds the costs that are known at the end. */
static void end_model(struct calls *c)
{
	for (uint32_t i = 0; c->model && i < c->n_threads; i++) {
		struct call_model_late late = call_model_end(c->model, i);

		add_late(c, i, &late);
	}
}

static int blocks(void *self, const struct tf_item *item)
{
	struct calls *c = self;

	c->instructions += item->instructions;
	c->process = tf_thread(c->run->reader, item->thread)->process;
	if (c->model)
		take_modelled(c, item);
	else
		for (size_t i = 0; i < item->count; i++)
			walk_block(c, item->thread, &item->blocks[i]);
	if (c->heap.has_uses)
		access_flush(&c->collector);
	return 0;
}

/* Superblocks suffice where nothing of single blocks is wanted. */
static int paths(void *self, const struct tf_item *item)
{
	struct calls *c = self;
	struct call_walk *walk = &c->walks[item->thread];
	const uint64_t *values = item->values;

	c->instructions += item->instructions;
	for (size_t i = 0; i < item->count; i++) {
		unsigned n_values = call_walk_superblock(walk, &item->paths[i], values);

		values = values ? values + n_values : NULL;
	}
	return 0;
}

static int event(void *self, const struct tf_event *event)
{
	struct calls *c = self;

	uint32_t node = call_walk_node(&c->walks[event->thread]);

	if (c->options->heap)
		call_heap_event(&c->heap, node, call_walk_frames(&c->walks[event->thread]), event,
				c->instructions);
	call_syscalls_event(&c->syscalls, node, event);
	call_walk_event(&c->walks[event->thread], event);
	return 0;
}

/* ---- parts ------------------------------------------------------------------------------- */

static int merge(void *self, const void *later)
{
	const struct calls *other = later;
	struct calls *c = self;
	uint32_t *nodes = checked_array(other->profile.tree.nodes.count, sizeof(*nodes));
	bool merged = call_walks_merge(c->walks, other->walks, c->n_threads, nodes);

	if (merged) {
		call_costs_merge(&c->profile.costs, &other->profile.costs, nodes);
		call_syscalls_merge(&c->syscalls, &other->syscalls, nodes);
		c->instructions += other->instructions;
	}
	free(nodes);
	return merged ? 0 : ANALYZER_ONE_STATE;
}

/* The threads begin with the first part. */
static int complete(void *self)
{
	struct calls *c = self, *whole = checked_array(1, sizeof(*whole));
	int status = start_state(whole, c->run, false);

	if (!status)
		status = merge(whole, c);
	if (status) {
		stop(whole);
	} else {
		stop(c);
		*c = *whole;
		for (uint32_t i = 0; i < c->n_threads; i++)
			c->walks[i].profile = &c->profile;
	}
	free(whole);
	return status;
}

static int save(void *self, struct state_writer *writer)
{
	const struct calls *c = self;

	call_walks_save(&c->profile, c->walks, c->n_threads, writer);
	call_syscalls_save(&c->syscalls, writer);
	return 0;
}

static int load(void *self, struct state_reader *reader)
{
	struct calls *c = self;

	if (call_walks_load(&c->profile, c->walks, c->n_threads, reader) &&
	    call_syscalls_load(&c->syscalls, c->profile.tree.nodes.count, reader))
		return 0;
	analyzer_error("a part's calls are damaged; make the part again");
	return ANALYZER_FAILED;
}

/* ---- results ----------------------------------------------------------------------------- */

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

#define COST_COLUMNS                                                                            \
	{ "exclusive_instructions", REPORT_U64, "" },                                           \
		{ "inclusive_instructions", REPORT_U64, "" },                                   \
		{ "exclusive_loads", REPORT_U64, "" }, { "inclusive_loads", REPORT_U64, "" },   \
		{ "exclusive_stores", REPORT_U64, "" }, { "inclusive_stores", REPORT_U64, "" }, \
		{ "exclusive_branches", REPORT_U64, "" },                                       \
		{ "inclusive_branches", REPORT_U64, "" },                                       \
		{ "exclusive_bytes_loaded", REPORT_U64, "bytes" },                              \
		{ "inclusive_bytes_loaded", REPORT_U64, "bytes" },                              \
		{ "exclusive_bytes_stored", REPORT_U64, "bytes" },                              \
	{                                                                                       \
		"inclusive_bytes_stored", REPORT_U64, "bytes"                                   \
	}

enum { MOST_COLUMNS = 6 + 2 * N_CALL_COSTS + 1 };

/*
 * Begins a table whose columns end with those of the costs. n: the number of the columns before
 * these.
 */
static void begin_costs(struct report *report, const char *name,
			const struct report_column *columns, size_t n,
			const struct call_costs *costs)
{
	static const struct report_column of_misses[] = {
		{ "exclusive_misses", REPORT_U64, "" },
		{ "inclusive_misses", REPORT_U64, "" },
	};
	static const struct report_column of_cycles[] = {
		{ "exclusive_cycles", REPORT_U64, "" },
		{ "inclusive_cycles", REPORT_U64, "" },
	};
	struct report_column all[MOST_COLUMNS] = { 0 };

	memcpy(all, columns, (n + 2 * CALL_MODELLED) * sizeof(*all));
	if (costs->modelled)
		memcpy(all + n + 2 * CALL_MODELLED,
		       strcmp(costs->modelled, "misses") ? of_cycles : of_misses,
		       sizeof(of_misses));
	report_data_table(report, name, all);
}

static void put_costs(struct report_cell *cells, const uint64_t *exclusive,
		      const uint64_t *inclusive)
{
	for (unsigned cost = 0; cost < N_CALL_COSTS; cost++) {
		*cells++ = report_integer_cell(exclusive[cost]);
		*cells++ = report_integer_cell(inclusive[cost]);
	}
}

static void report_text_functions(const struct call_paths *paths, const struct options *o,
				  const uint32_t *sorted, size_t count, struct report *report)
{
	static const struct report_column columns[] = {
		{ "exclusive_percent", REPORT_F64, "" },
		{ "inclusive_percent", REPORT_F64, "" },
		{ "calls", REPORT_U64, "" },
		{ "function", REPORT_STRING, "" },
		{ "module", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	uint64_t whole = call_path_inclusive(paths, 0).costs[sort_of(o)];

	report_text_table(report, "functions", columns);
	for (size_t i = 0; i < count && i < o->top; i++) {
		const struct call_function_sums *f = &paths->functions[sorted[i]];

		report_row(report, percent(f->exclusive[sort_of(o)], whole),
			   percent(f->inclusive[sort_of(o)], whole), f->calls,
			   call_function_name(paths, sorted[i]),
			   call_function_module(paths, sorted[i]));
	}
}

static void report_functions(const struct call_paths *paths, const struct options *o,
			     struct report *report)
{
	static const struct report_column columns[] = {
		{ "function", REPORT_STRING, "" },
		{ "module", REPORT_STRING, "" },
		{ "calls", REPORT_U64, "" },
		COST_COLUMNS,
		{ NULL, 0, NULL },
	};
	size_t count;
	uint32_t *sorted = call_functions_sorted(paths, sort_of(o), &count);

	report_text_functions(paths, o, sorted, count, report);
	begin_costs(report, "functions", columns, 3, &paths->profile->costs);
	for (size_t i = 0; i < count && i < o->top; i++) {
		const struct call_function_sums *f = &paths->functions[sorted[i]];
		struct report_cell cells[3 + 2 * N_CALL_COSTS] = {
			report_text_cell(call_function_name(paths, sorted[i])),
			report_text_cell(call_function_module(paths, sorted[i])),
			report_integer_cell(f->calls),
		};

		put_costs(cells + 3, f->exclusive, f->inclusive);
		report_row_of_cells(report, cells);
	}
	if (o->code)
		call_code_report(paths, sorted, count < o->top ? count : o->top, report);
	free(sorted);
}

/* Returns true if a path is to be shown; then those above it are shown, too. */
static bool is_shown(const struct call_paths *paths, size_t path, const struct options *o)
{
	return paths->paths[path].depth <= o->depth &&
	       percent(call_path_inclusive(paths, path).costs[sort_of(o)],
		       call_path_inclusive(paths, 0).costs[sort_of(o)]) >= o->threshold;
}

static void report_tree(const struct call_paths *paths, const struct options *o,
			struct report *report)
{
	static const struct report_column columns[] = {
		{ "inclusive_percent", REPORT_F64, "" },
		{ "exclusive_percent", REPORT_F64, "" },
		{ "calls", REPORT_U64, "" },
		{ "function", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	enum { DEEPEST_INDENT = 60 };
	uint64_t whole = call_path_inclusive(paths, 0).costs[sort_of(o)];

	report_text_table(report, "call_tree", columns);
	for (size_t i = 1; i < paths->count; i++) {
		const struct call_path *path = &paths->paths[i];
		unsigned indent = path->depth < DEEPEST_INDENT ? path->depth : DEEPEST_INDENT;
		char *name;

		if (!is_shown(paths, i, o))
			continue;
		name = text_format("%*s%s", (int)indent - 1, "",
				   call_function_name(paths, path->function));
		report_row(report, percent(call_path_inclusive(paths, i).costs[sort_of(o)], whole),
			   percent(call_path_exclusive(paths, i).costs[sort_of(o)], whole),
			   path->calls, name);
		free(name);
	}
}

static void report_paths(const struct call_paths *paths, const struct options *o,
			 struct report *report)
{
	static const struct report_column columns[] = {
		{ "path", REPORT_ID, "" },
		{ "caller", REPORT_ID, "" },
		{ "depth", REPORT_U64, "" },
		{ "calls", REPORT_U64, "" },
		{ "function", REPORT_STRING, "" },
		{ "module", REPORT_STRING, "" },
		COST_COLUMNS,
		{ NULL, 0, NULL },
	};

	begin_costs(report, "call_paths", columns, 6, &paths->profile->costs);
	for (size_t i = 1; i < paths->count; i++) {
		const struct call_path *path = &paths->paths[i];
		struct report_cell cells[6 + 2 * N_CALL_COSTS] = {
			report_integer_cell(i),
			report_integer_cell(path->parent),
			report_integer_cell(path->depth),
			report_integer_cell(path->calls),
			report_text_cell(call_function_name(paths, path->function)),
			report_text_cell(call_function_module(paths, path->function)),
		};

		if (!is_shown(paths, i, o))
			continue;
		put_costs(cells + 6, call_path_exclusive(paths, i).costs,
			  call_path_inclusive(paths, i).costs);
		report_row_of_cells(report, cells);
	}
}

static void report_totals(const struct call_paths *paths, const struct call_profile *profile,
			  struct report *report)
{
	const struct call_sums sums = call_path_inclusive(paths, 0);
	const uint64_t *total = sums.costs;
	size_t functions;

	free(call_functions_sorted(paths, CALL_INSTRUCTIONS, &functions));
	report_u64(report, "instructions", "", total[CALL_INSTRUCTIONS]);
	report_u64(report, "loads", "accesses", total[CALL_LOADS]);
	report_u64(report, "stores", "accesses", total[CALL_STORES]);
	report_u64(report, "branches", "", total[CALL_BRANCHES]);
	report_u64(report, "bytes_loaded", "bytes", total[CALL_BYTES_LOADED]);
	report_u64(report, "bytes_stored", "bytes", total[CALL_BYTES_STORED]);
	if (profile->costs.modelled)
		report_u64(report, profile->costs.modelled, "", total[CALL_MODELLED]);
	report_u64(report, "distinct_functions", "", functions);
	report_u64(report, "distinct_call_paths", "", paths->count - 1);
	if (profile->costs.unmeasured)
		report_u64(report, "unmeasured_operands", "executions", profile->costs.unmeasured);
}

/* Warns of what the result does not have. */
static void warn(const struct calls *c)
{
	char most[COUNT_SIZE];

	if (c->profile.tree.others != CALL_NONE)
		analyzer_warning("there are more than %s call paths; the functions of others are "
				 "below [other paths]; --fold-recursion makes fewer paths",
				 format_count(c->profile.tree.most, most));
	if (c->profile.costs.unmeasured)
		analyzer_warning(
			"%s has no data addresses: accesses of string instructions and the "
			"like are not counted",
			c->run->path);
}

static int report(void *self, const struct analysis *run, struct report *report)
{
	const struct options *o = run->options;
	struct calls *c = self;
	struct symbol_names names = { .mangled = o->mangled };
	struct call_paths paths;

	end_model(c);
	warn(c);
	call_paths_init(&paths, &c->profile, &names, sort_of(o),
			run->keeps_all || (o->format && call_export_keeps_nodes(o->format - 1)));
	if (o->format) {
		call_export(&paths, o->format - 1, report);
	} else if (o->heap) {
		call_heap_report(&c->heap, &paths, o->top, c->instructions, report);
	} else if (o->syscalls) {
		call_syscalls_report(&c->syscalls, &paths, o->top, report);
	} else {
		report_totals(&paths, &c->profile, report);
		report_functions(&paths, o, report);
		report_tree(&paths, o, report);
		report_paths(&paths, o, report);
	}
	call_paths_free(&paths);
	symbol_names_free(&names);
	return 0;
}

/*
 * The walk collects what all results need, if they have the same paths and costs. The order of
 * threads matters only to the heap.
 */
static bool also(const struct analysis *run, void *all, const void *more)
{
	const struct options *other = more;
	struct options *first = all;

	if (first->format || other->format || first->model.kind || other->model.kind ||
	    first->per != other->per || first->fold_recursion != other->fold_recursion)
		return false;
	if (first->functions || other->functions)
		return false;
	if (other->heap && (run->n_threads > 1 || !heap_objects_are_recorded(run->reader, NULL)))
		return false;
	first->heap |= other->heap;
	first->syscalls |= other->syscalls;
	return true;
}

static const char *const state_options[] = { "per", "fold-recursion", "export", NULL };

static const struct analyzer calls = {
	.name = "trace-calls",
	.summary = "print exact call trees: costs by function and call path",
	.example = "trace-calls --export=callgrind -o callgrind.out.ls ls.trace",
	.columns = TF_EVENTS,
	.needs = ANALYZER_NEEDS_CODE | ANALYZER_NEEDS_BRANCHES,
	.unordered = true,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof(struct options),
	.follows_calls = true,
	.state_size = sizeof(struct calls),
	.prepare = prepare,
	.start = start,
	.stop = stop,
	.paths = paths,
	.path_addresses = true,
	.blocks = blocks,
	.event = event,
	.merge = merge,
	.complete = complete,
	.save = save,
	.load = load,
	.state_version = 1,
	.state_options = state_options,
	.report = report,
	.also = also,
};
ANALYZER_MAIN(calls)
