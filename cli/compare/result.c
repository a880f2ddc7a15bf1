/* SPDX-License-Identifier: MIT */
#include "cli/compare/result.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/base_name.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/json_values.h"
#include "cli/compare/names.h"

static bool refuse(const struct result *result, const char *what)
{
	command_error("%s: is not a document that trace-compare has saved: %s",
		      shown_name(result->file), what);
	return false;
}

/* Reads a member that is a number of at most MOST_COST. */
static bool read_cost(const json_t *row, const char *name, uint64_t *cost)
{
	return json_read_number(row, name, cost) && *cost <= MOST_COST;
}

/* Reads the costs of a row, which may lack cycles. */
static bool read_costs(const json_t *row, uint64_t *exclusive, uint64_t *inclusive)
{
	for (unsigned i = 0; i < N_COSTS; i++) {
		char name[64];

		snprintf(name, sizeof(name), "exclusive_%s", cost_names[i]);
		if (i == COST_CYCLES && !json_object_get(row, name)) {
			exclusive[i] = inclusive[i] = 0;
			continue;
		}
		if (!read_cost(row, name, &exclusive[i]))
			return false;
		memcpy(name, "in", 2);
		if (!read_cost(row, name, &inclusive[i]))
			return false;
	}
	return true;
}

/* ---- functions --------------------------------------------------------------------------- */

static bool is_chosen(const char *module, const char *modules)
{
	size_t n = strlen(module);

	if (!modules)
		return true;
	while (*modules) {
		size_t length = strcspn(modules, ",");

		if (length == n && !memcmp(modules, module, n))
			return true;
		modules += length + (modules[length] == ',');
	}
	return false;
}

static uint32_t text_of(const char *text, struct texts *texts)
{
	return text_number(texts, text, strlen(text));
}

/* The build-id of a module, both as numbers of texts. */
struct module_build {
	uint32_t key;
	uint32_t id;
};
/* clang-format off */
typedef HASH_TABLE(struct module_build) module_builds;
/* clang-format on */

static void read_builds(module_builds *builds, const json_t *info, struct texts *texts)
{
	const json_t *list = json_object_get(info, "module_list");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *row = json_array_get(list, i);
		const char *path = json_read_text(row, "path");
		const char *id = json_read_text(row, "build_id");
		struct module_build *build;

		if (!path || !id || !*id)
			continue;
		build = checked(TABLE_PUT(*builds, text_of(base_name(path), texts)));
		build->id = text_of(id, texts);
	}
}

/* Returns the number of a module's build-id, or COMPARE_NONE. */
static uint32_t build_id_of(const module_builds *builds, const char *module, struct texts *texts)
{
	const struct module_build *build = TABLE_FIND(*builds, text_of(module, texts));

	return build ? build->id : COMPARE_NONE;
}

static uint32_t number_of_module(const struct result *r, const char *module, struct texts *texts)
{
	static const char program[] = "[program]";
	const char *path = json_read_text(result_of(r, "info"), "program");

	if (path && !strcmp(base_name(path), module))
		return text_number(texts, program, strlen(program));
	return text_number(texts, module, stable_module_name(module));
}

static void read_sketch(struct compared_function *f, const char *sketch)
{
	size_t n = sketch ? strlen(sketch) / 8 : 0;

	for (f->n_sketch = 0; f->n_sketch < n && f->n_sketch < SKETCH_HASHES; f->n_sketch++) {
		char digits[9] = { 0 };
		uint32_t hash;

		memcpy(digits, sketch + 8 * f->n_sketch, 8);
		hash = (uint32_t)strtoul(digits, NULL, 16);
		if (f->n_sketch && hash <= f->sketch[f->n_sketch - 1])
			return;
		f->sketch[f->n_sketch] = hash;
	}
}

static bool read_function(struct result *r, const json_t *row, const json_t *code,
			  const module_builds *builds, struct texts *texts)
{
	struct compared_function f = { .name = json_read_text(row, "function"),
				       .module = json_read_text(row, "module") };
	const char *place;

	if (!f.name || !f.module || !read_cost(row, "calls", &f.calls) ||
	    !read_costs(row, f.exclusive, f.inclusive))
		return refuse(r, "a row of calls.functions has another form");
	f.symbol = json_read_text(code, "symbol");
	f.build_id = build_id_of(builds, f.module, texts);
	f.is_named = !is_place(f.name, f.module);
	place = f.is_named ? f.name : f.name + strlen(f.module);
	f.name_number = text_number(texts, place, strlen(place));
	f.stable_name = text_number(texts, f.name, stable_function_name(f.name));
	f.stable_module = number_of_module(r, f.module, texts);
	if (!json_read_address(code, "code", &f.code) ||
	    !json_read_number(code, "code_insns", &f.n_insns))
		f.n_insns = 0;
	read_sketch(&f, json_read_text(code, "sketch"));
	CHECKED_RESERVE(r->functions, r->functions.count + 1);
	r->functions.at[r->functions.count++] = f;
	return true;
}

static bool read_functions(struct result *r, const char *modules, struct texts *texts)
{
	const json_t *rows = json_object_get(result_of(r, "calls"), "functions");
	const json_t *code = json_object_get(result_of(r, "calls"), "code");

	module_builds builds = { 0 };
	bool fits = true;

	if (!json_is_array(rows) || !json_is_array(code) ||
	    json_array_size(rows) != json_array_size(code))
		return refuse(r, "calls.functions or calls.code is missing");
	read_builds(&builds, result_of(r, "info"), texts);
	for (size_t i = 0; i < json_array_size(rows) && fits; i++) {
		const json_t *row = json_array_get(rows, i);
		const char *module = json_read_text(row, "module");

		if (module && !is_chosen(module, modules))
			continue;
		fits = read_function(r, row, json_array_get(code, i), &builds, texts);
	}
	TABLE_FREE(builds);
	return fits;
}

/* ---- call paths -------------------------------------------------------------------------- */

struct place_of_function {
	struct {
		uint32_t name, module;
	} key;
	uint32_t function;
};
/* clang-format off */
typedef HASH_TABLE(struct place_of_function) places_of_functions;
/* clang-format on */

static void index_functions(const struct result *r, places_of_functions *places,
			    struct texts *texts)
{
	for (size_t i = r->functions.count; i-- > 0;) {
		const struct compared_function *f = &r->functions.at[i];
		struct place_of_function *place = checked(
			TABLE_PUT(*places, { text_of(f->name, texts), text_of(f->module, texts) }));

		place->function = (uint32_t)i;
	}
}

/* Returns the length of a name without the ending of a part that compilers put elsewhere. */
static size_t without_cold(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold ? (size_t)(cold - name) : strlen(name);
}

/* Adds the misses of trace-cache's table of functions; one that trace-calls does not have is
 * ignored. */
static bool read_misses(struct result *r, const places_of_functions *places, struct texts *texts)
{
	const json_t *rows = json_object_get(result_of(r, "cache"), "by_function");

	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		const char *level = json_read_text(row, "level");
		const char *symbol = json_read_text(row, "symbol");
		const char *module = json_read_text(row, "module");
		unsigned number = level ? level_number(level) : N_LEVELS;
		const struct place_of_function *place;
		uint64_t misses, *sum;

		if (number == N_LEVELS || !symbol || !module)
			continue;
		if (!read_cost(row, "misses", &misses))
			return refuse(r, "a row of cache.by_function has another form");
		place = TABLE_FIND(*places, { text_of(symbol, texts), text_of(module, texts) });
		if (!place)
			place = TABLE_FIND(*places,
					   { text_number(texts, symbol, without_cold(symbol)),
					     text_of(module, texts) });
		if (!place)
			continue;
		sum = &r->functions.at[place->function].misses[number];
		*sum = add_costs(*sum, misses);
	}
	return true;
}

struct numbered_path {
	uint64_t key;  /* as calls.call_paths numbers it; 0 is above all others */
	uint32_t path; /* index of it or of the nearest one above it that counts */
};

struct path_reading {
	places_of_functions functions;
	/* clang-format off */
	HASH_TABLE(struct numbered_path) paths;
	/* clang-format on */
	struct texts *texts;
};

/* Reads a path, but not one whose function does not count. */
static bool read_path(struct result *r, const json_t *row, struct path_reading *reading)
{
	const char *name = json_read_text(row, "function"), *module = json_read_text(row, "module");
	const struct place_of_function *place;
	const struct numbered_path *caller;
	struct numbered_path *entry;
	struct compared_path path;
	uint64_t number, above;

	if (!name || !module || !json_read_number(row, "path", &number) ||
	    !json_read_number(row, "caller", &above) || !read_cost(row, "calls", &path.calls) ||
	    !read_costs(row, path.exclusive, path.inclusive))
		return refuse(r, "a row of calls.call_paths has another form");
	caller = TABLE_FIND(reading->paths, above);
	if (!caller || TABLE_FIND(reading->paths, number))
		return refuse(r, "a path of calls.call_paths comes before its caller or twice");
	path.caller = caller->path;
	entry = checked(TABLE_PUT(reading->paths, number));
	entry->path = path.caller;
	place = TABLE_FIND(reading->functions,
			   { text_of(name, reading->texts), text_of(module, reading->texts) });
	if (!place)
		return true;
	path.function = place->function;
	entry->path = (uint32_t)r->paths.count;
	CHECKED_RESERVE(r->paths, r->paths.count + 1);
	r->paths.at[r->paths.count++] = path;
	return true;
}

static bool read_paths(struct result *r, struct texts *texts)
{
	const json_t *rows = json_object_get(result_of(r, "calls"), "call_paths");
	struct path_reading reading = { .texts = texts };
	bool fits = true;

	if (!json_is_array(rows))
		return refuse(r, "calls.call_paths is missing");
	index_functions(r, &reading.functions, texts);
	((struct numbered_path *)checked(TABLE_PUT(reading.paths, 0)))->path = COMPARE_NONE;
	for (size_t i = 0; i < json_array_size(rows) && fits; i++)
		fits = read_path(r, json_array_get(rows, i), &reading);
	fits = fits && read_misses(r, &reading.functions, texts);
	TABLE_FREE(reading.functions);
	TABLE_FREE(reading.paths);
	return fits;
}

/* ------------------------------------------------------------------------------------------ */

const json_t *result_of(const struct result *result, const char *command)
{
	return json_object_get(result->document, command);
}

bool result_read(struct result *r, const char *file, json_t *document, const char *modules,
		 struct texts *texts)
{
	uint64_t version = 0;

	*r = (struct result){ .file = file, .document = document, .some_modules = modules };
	if (!json_read_number(document, "trace_compare", &version))
		return refuse(r, "it has no number trace_compare");
	if (version != DOCUMENT_VERSION) {
		command_error("%s: was saved by another version of trace-compare; save it again",
			      shown_name(file));
		return false;
	}
	if (!json_is_object(result_of(r, "info")) || !json_is_object(result_of(r, "calls")))
		return refuse(r, "info or calls is missing");
	return read_functions(r, modules, texts) && read_paths(r, texts);
}

void result_free(struct result *r)
{
	json_decref(r->document);
	free(r->functions.at);
	free(r->paths.at);
}

bool results_are_comparable(const struct result *results)
{
	const json_t *a = result_of(&results[0], "measured");
	const json_t *b = result_of(&results[1], "measured");

	if (json_equal(a, b))
		return true;
	command_error("%s and %s were measured with other options --region, --filtered or --levels",
		      shown_name(results[0].file), shown_name(results[1].file));
	return false;
}

/* ---- totals ------------------------------------------------------------------------------ */

static bool misses_of(const struct result *r, uint64_t size, uint64_t *misses)
{
	const json_t *rows = json_object_get(result_of(r, "stackdist"), "caches");

	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		uint64_t bytes;

		if (json_read_number(row, "cache_size_bytes", &bytes) && bytes == size)
			return read_cost(row, "misses", misses);
	}
	return false;
}

static bool level_misses_of(const struct result *r, const char *level, uint64_t *misses)
{
	const json_t *rows = json_object_get(result_of(r, "cache"), "levels");
	uint64_t of_level[N_LEVELS] = { 0 };
	bool found = false;

	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		const char *name = json_read_text(row, "level");
		unsigned number = name ? level_number(name) : N_LEVELS;

		if (number == N_LEVELS)
			continue;
		if (!read_cost(row, "misses", &of_level[number]))
			return false;
		found |= !strncmp(name, level, strlen(level));
	}
	*misses = misses_of_level(of_level, level);
	return found;
}

uint64_t function_value(const struct compared_function *f, const struct metric *metric)
{
	return metric->kind == METRIC_LEVEL ? misses_of_level(f->misses, metric->level)
					    : metric_of(metric, f->exclusive, f->calls);
}

/* Adds up what functions cost. */
static uint64_t sum_of(const struct result *r, const struct metric *metric)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->functions.count; i++)
		sum = add_costs(sum, function_value(&r->functions.at[i], metric));
	return sum;
}

/* Reads the total of a metric that is made of trace-calls' costs. */
static bool read_total(const struct result *r, const struct metric *metric, uint64_t *total)
{
	const json_t *calls = result_of(r, "calls");
	uint64_t costs[N_COSTS] = { 0 };

	for (unsigned i = 0; i < N_COSTS; i++)
		if (i != COST_CYCLES && !read_cost(calls, cost_names[i], &costs[i]))
			return false;
	if (metric->kind == METRIC_COST && metric->cost == COST_CYCLES &&
	    !read_cost(calls, cost_names[COST_CYCLES], &costs[COST_CYCLES]))
		return false;
	*total = r->some_modules ? sum_of(r, metric) : metric_of(metric, costs, 0);
	return true;
}

bool result_total(const struct result *r, const struct metric *metric, uint64_t *total)
{
	if (metric->kind == METRIC_MISSES)
		return !r->some_modules && misses_of(r, metric->size, total);
	if (metric->kind == METRIC_LEVEL && !level_misses_of(r, metric->level, total))
		return false;
	if (metric->kind == METRIC_LEVEL && !r->some_modules)
		return true;
	if (metric->kind == METRIC_LEVEL || metric->kind == METRIC_CALLS) {
		*total = sum_of(r, metric);
		return true;
	}
	return read_total(r, metric, total);
}
