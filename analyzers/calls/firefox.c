/* SPDX-License-Identifier: MIT */
/*
 * A profile for the Firefox Profiler, by version 66 of its processed format: a sample for each call
 * path, which weighs its instructions. Samples stand in the order of the tree; their times are the
 * instructions before them, in units of 10^-6 ms.
 */
#include "analyzers/calls/export.h"
#include "cli/common/checked.h"
#include "cli/common/json_values.h"

static json_t *object(void)
{
	return checked(json_object());
}

static json_t *array(void)
{
	return checked(json_array());
}

/* Returns an array of one value, n times. */
static json_t *repeat(json_t *value, size_t n)
{
	json_t *all = array();

	for (size_t i = 0; i < n; i++)
		json_element(all, json_incref(value));
	json_decref(value);
	return all;
}

static json_t *range(size_t n)
{
	json_t *all = array();

	for (size_t i = 0; i < n; i++)
		json_element(all, json_number(i));
	return all;
}

static json_t *none(void)
{
	return json_null();
}

static json_t *minus_one(void)
{
	return checked(json_integer(-1));
}

static json_t *columns(size_t length)
{
	json_t *table = object();

	json_member(table, "length", json_number(length));
	return table;
}

/* ---- shared tables ------------------------------------------------------------------------ */

static json_t *strings_of(const struct call_paths *p)
{
	json_t *strings = array();

	for (uint32_t i = 0; i < p->profile->functions.functions.count; i++)
		json_element(strings, json_text(call_function_name(p, i)));
	return strings;
}

/* A stack for each call path but the first; its prefix is that of the caller. */
static json_t *stacks_of(const struct call_paths *p)
{
	json_t *table = columns(p->count - 1), *frames = array(), *prefixes = array();

	for (size_t i = 1; i < p->count; i++) {
		uint32_t parent = p->paths[i].parent;

		json_element(frames, json_number(p->paths[i].function));
		json_element(prefixes, json_number(parent ? i - parent : 0));
	}
	json_member(table, "frame", frames);
	json_member(table, "prefixOffset", prefixes);
	return table;
}

static json_t *frames_of(size_t n)
{
	json_t *table = columns(n);

	json_member(table, "func", range(n));
	json_member(table, "category", repeat(json_number(0), n));
	json_member(table, "subcategory", repeat(json_number(0), n));
	json_member(table, "line", repeat(none(), n));
	json_member(table, "column", repeat(none(), n));
	json_member(table, "address", repeat(minus_one(), n));
	json_member(table, "nativeSymbol", repeat(none(), n));
	json_member(table, "inlineDepth", repeat(json_number(0), n));
	json_member(table, "innerWindowID", repeat(json_number(0), n));
	json_member(table, "originalLocation", repeat(none(), n));
	return table;
}

static json_t *functions_of(size_t n)
{
	json_t *table = columns(n);

	json_member(table, "name", range(n));
	json_member(table, "isJS", repeat(json_false(), n));
	json_member(table, "relevantForJS", repeat(json_false(), n));
	json_member(table, "resource", repeat(minus_one(), n));
	json_member(table, "source", repeat(none(), n));
	json_member(table, "lineNumber", repeat(none(), n));
	json_member(table, "columnNumber", repeat(none(), n));
	json_member(table, "originalLocation", repeat(none(), n));
	return table;
}

/* Returns a table without rows. names: of its columns; NULL ends them. */
static json_t *empty(const char *const *names)
{
	json_t *table = columns(0);

	for (; *names; names++)
		json_member(table, *names, array());
	return table;
}

static json_t *shared_of(const struct call_paths *p)
{
	static const char *const resources[] = { "lib", "name", "host", "type", NULL };
	static const char *const symbols[] = { "libIndex", "address", "name", "functionSize",
					       NULL };
	static const char *const sources[] = { "id",        "filename",    "content",
					       "startLine", "startColumn", "sourceMapURL",
					       NULL };
	static const char *const locations[] = { "source", "line", "column", NULL };
	size_t n = p->profile->functions.functions.count;
	json_t *shared = object();

	json_member(shared, "stringArray", strings_of(p));
	json_member(shared, "stackTable", stacks_of(p));
	json_member(shared, "frameTable", frames_of(n));
	json_member(shared, "funcTable", functions_of(n));
	json_member(shared, "resourceTable", empty(resources));
	json_member(shared, "nativeSymbols", empty(symbols));
	json_member(shared, "sources", empty(sources));
	json_member(shared, "sourceLocationTable", empty(locations));
	return shared;
}

/* ---- the thread --------------------------------------------------------------------------- */

static json_t *samples_of(const struct call_paths *p)
{
	json_t *stacks = array(), *deltas = array(), *weights = array(), *table;
	enum call_cost weight = call_costs_weight(&p->profile->costs);
	uint64_t before = 0;
	size_t n = 0;

	for (size_t i = 1; i < p->count; i++) {
		uint64_t instructions = call_path_exclusive(p, i).costs[weight];

		if (!instructions)
			continue;
		json_element(stacks, json_number(i - 1));
		json_element(deltas, checked(json_real((double)before / 1e6)));
		json_element(weights, json_number(instructions));
		before = instructions;
		n++;
	}
	table = columns(n);
	json_member(table, "stack", stacks);
	json_member(table, "timeDeltas", deltas);
	json_member(table, "weight", weights);
	json_member(table, "weightType", json_word("samples"));
	json_member(table, "threadCPUDelta", repeat(json_number(0), n));
	return table;
}

static json_t *thread_of(const struct call_paths *p)
{
	static const char *const markers[] = { "name",     "startTime", "endTime", "phase",
					       "category", "data",      NULL };
	json_t *thread = object();

	json_member(thread, "name", json_word("all threads"));
	json_member(thread, "processName", json_text(call_command(p)));
	json_member(thread, "pid", json_word("1"));
	json_member(thread, "tid", json_word("1"));
	json_member(thread, "isMainThread", json_true());
	json_member(thread, "processType", json_word("default"));
	json_member(thread, "processStartupTime", json_number(0));
	json_member(thread, "processShutdownTime", none());
	json_member(thread, "registerTime", json_number(0));
	json_member(thread, "unregisterTime", none());
	json_member(thread, "pausedRanges", array());
	json_member(thread, "showMarkersInTimeline", json_false());
	json_member(thread, "samples", samples_of(p));
	json_member(thread, "markers", empty(markers));
	return thread;
}

static json_t *categories(void)
{
	json_t *all = array(), *other = object();

	json_member(other, "name", json_word("Other"));
	json_member(other, "color", json_word("grey"));
	json_member(other, "subcategories", repeat(json_word("Other"), 1));
	json_element(all, other);
	return all;
}

static json_t *extensions(void)
{
	static const char *const names[] = { "baseURL", "id", "name", NULL };

	return empty(names);
}

static json_t *units(void)
{
	json_t *all = object();

	json_member(all, "time", json_word("ms"));
	json_member(all, "eventDelay", json_word("ms"));
	json_member(all, "threadCPUDelta", json_word("µs"));
	return all;
}

static json_t *meta_of(const struct call_paths *p)
{
	enum { PROCESSED_VERSION = 66, GECKO_VERSION = 24 };
	json_t *meta = object();

	json_member(meta, "categories", categories());
	json_member(meta, "debug", json_false());
	json_member(meta, "extensions", extensions());
	json_member(meta, "interval", json_number(1));
	json_member(meta, "preprocessedProfileVersion", json_number(PROCESSED_VERSION));
	json_member(meta, "version", json_number(GECKO_VERSION));
	json_member(meta, "processType", json_number(0));
	json_member(meta, "sampleUnits", units());
	json_member(meta, "startTime", json_number(0));
	json_member(meta, "symbolicated", json_true());
	json_member(meta, "pausedRanges", array());
	json_member(meta, "usesOnlyOneStackType", json_true());
	json_member(meta, "sourceCodeIsNotOnSearchfox", json_true());
	json_member(meta, "markerSchema", array());
	json_member(meta, "product", json_text(call_command(p)));
	return meta;
}

void call_write_firefox(FILE *out, const struct call_paths *p)
{
	json_t *file = object(), *threads = array();

	json_element(threads, thread_of(p));
	json_member(file, "meta", meta_of(p));
	json_member(file, "libs", array());
	json_member(file, "shared", shared_of(p));
	json_member(file, "threads", threads);
	json_member(file, "pages", array());
	json_member(file, "profilerOverhead", array());
	json_member(file, "counters", array());
	json_put_line(out, file, JSON_COMPACT);
}
