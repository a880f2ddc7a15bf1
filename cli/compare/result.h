/* SPDX-License-Identifier: MIT */
/*
 * The results of a trace that are compared: those of other commands, as JSON. A document has them
 * under the name of the command without "trace-":
 *
 *	{ "trace_compare": 1, "measured": {...}, "info": {...}, "calls": {...}, "stackdist": {...},
 *	  "cache": {...}, "slo": {...} }
 *
 * "measured" has the options that the commands were given. "stackdist", "cache" and "slo"
 * are there if they were asked for. --save writes such a document, and a document that comes from
 * elsewhere is not trusted.
 */
#ifndef COMPARE_RESULT_H
#define COMPARE_RESULT_H

#include <jansson.h>

#include "cli/compare/metrics.h"
#include "cli/compare/texts.h"

#define COMPARE_NONE UINT32_MAX

enum { SKETCH_HASHES = 64, DOCUMENT_VERSION = 1 };

struct compared_function {
	const char *name, *module; /* as trace-calls shows them */
	const char *symbol;        /* mangled; NULL: it has none */
	uint32_t build_id;         /* number of a text: of the module; COMPARE_NONE: not known */
	uint32_t name_number;      /* numbers of texts: the name, or the place in the module, */
	uint32_t stable_name;      /* the name without the ending of a clone or a version, */
	uint32_t stable_module;    /* and the module likewise; the program itself is one module */
	bool is_named;             /* its name does not only say where it is */
	uint64_t code, n_insns;    /* hash and number of the recorded instructions */
	uint32_t sketch[SKETCH_HASHES]; /* ascending */
	unsigned n_sketch;
	uint64_t calls;
	uint64_t exclusive[N_COSTS], inclusive[N_COSTS];
	uint64_t misses[N_LEVELS]; /* exclusive */
};

struct compared_path {
	uint32_t caller;   /* index of a path before it, or COMPARE_NONE */
	uint32_t function; /* index */
	uint64_t calls;
	uint64_t exclusive[N_COSTS], inclusive[N_COSTS];
};

struct result {
	const char *file;
	json_t *document;
	bool is_saved; /* the file is a document, no trace */
	ARRAY(struct compared_function) functions;
	ARRAY(struct compared_path) paths;
	bool some_modules; /* the totals are those of the functions here */
};

/*
 * Reads a document, which becomes the result's. modules: names of the modules whose functions
 * count, with commas between them; NULL: all. Returns false after a message if the document has
 * another form. Ends the process if memory is out. result_free is allowed in either case.
 */
bool result_read(struct result *result, const char *file, json_t *document, const char *modules,
		 struct texts *texts);
void result_free(struct result *result);

/* Returns the results of a command, or NULL. */
const json_t *result_of(const struct result *result, const char *command);

/* Returns the exclusive value of a metric that functions have. */
uint64_t function_value(const struct compared_function *function, const struct metric *metric);

/* Reads the total of a metric. Returns false if the result does not have it. */
bool result_total(const struct result *result, const struct metric *metric, uint64_t *total);

/*
 * Returns false after a message if the commands had other options for one result than for another.
 */
bool results_are_comparable(const struct result *results);

#endif
