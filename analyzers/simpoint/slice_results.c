/* SPDX-License-Identifier: MIT */
/* Gets the results of slices, from files or by an analyzer that runs on their traces. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzers/simpoint/extrapolation.h"
#include "analyzers/simpoint/spawn.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/input_file.h"

static json_t *load_file(const char *path)
{
	return json_file_read(path, "a result in JSON, which --run=ANALYZER makes of a trace");
}

/* Runs the analyzer of --run on a trace. Returns the result, or NULL after a message. */
static json_t *run_analyzer(const char *run, const char *const *options, const char *trace)
{
	char *words = text_format("trace-%s", run), *rest = words, *word;
	char *arguments[EXTRAPOLATE_WORDS + 8];
	int n = 0, out = memfd_create("result", MFD_CLOEXEC);
	json_t *result = NULL;
	json_error_t error;

	while ((word = strsep(&rest, " ")) && n < EXTRAPOLATE_WORDS)
		if (*word)
			arguments[n++] = word;
	if (word) {
		command_error("--run: has more than %d words", EXTRAPOLATE_WORDS);
		free(words);
		if (out >= 0)
			close(out);
		return NULL;
	}
	arguments[0] = command_beside(arguments[0]);
	for (; *options; options++)
		arguments[n++] = (char *)*options;
	arguments[n++] = (char *)"--format=json";
	arguments[n++] = (char *)"--";
	arguments[n++] = (char *)trace;
	arguments[n] = NULL;
	if (out < 0) {
		command_error("cannot keep results: %m");
	} else if (spawn_command(arguments, out, NULL)) {
		lseek(out, 0, SEEK_SET);
		result = json_loadfd(out, 0, &error);
		if (!json_is_object(result)) {
			command_error("--run=%s: its result of %s is not a JSON object", run,
				      trace);
			json_decref(result);
			result = NULL;
		}
	}
	if (out >= 0)
		close(out);
	free(arguments[0]);
	free(words);
	return result;
}

/* Whether the slice is of another trace than the first one. */
static bool check_parent(struct extrapolation *x, struct tf_reader *reader, const char *path)
{
	struct origin parent = origin_of_parent(reader);

	if (!*x->parent.ids[ORIGIN_OWN]) {
		x->parent = parent;
		x->parent_of = path;
	}
	if (!origins_differ(&x->parent, &parent))
		return true;
	command_error("%s: is a slice of another trace than %s", path, x->parent_of);
	return false;
}

/* Adds a META number of a slice to its result. */
static void add_meta(struct tf_reader *reader, const char *key, const char *name, json_t *result)
{
	const char *text = tf_meta(reader, key);

	if (text)
		json_object_set_new(result, name, json_real(strtod(text, NULL)));
}

/* Returns the result of a slice, with its weight and its origin. */
static json_t *run_on_slice(struct extrapolation *x, const char *path)
{
	const char *const options[] = { NULL };
	struct tf_reader *reader;
	struct tf_error error;
	json_t *result = NULL;

	if (tf_open(path, &reader, &error) < 0) {
		command_error("%s", error.text);
		return NULL;
	}
	if (check_parent(x, reader, path))
		result = run_analyzer(x->o->run, options, path);
	if (result) {
		add_meta(reader, "slice.weight", "slice_weight", result);
		add_meta(reader, "slice.interval", "slice_interval", result);
		add_meta(reader, "slice.parent-instructions", "parent_instructions", result);
	}
	tf_close(reader);
	return result;
}

/* Returns the thread of a slice, as an option; NULL: all. */
static char *thread_option(const char *slice)
{
	struct tf_reader *reader;
	const char *thread;
	char *option = NULL;

	if (tf_open(slice, &reader, NULL) < 0)
		return NULL;
	thread = tf_meta(reader, "slice.thread");
	if (thread && strcmp(thread, "all"))
		option = text_format("--thread=%s", thread);
	tf_close(reader);
	return option;
}

/*
 * Checks that the slices are of the whole trace. A pipe is not checked, because it can be read only
 * once.
 */
static bool check_whole(const struct extrapolation *x)
{
	struct tf_reader *reader = NULL;
	struct tf_error error;
	struct tf_info info;
	struct origin own = { 0 };
	bool known;

	if (is_standard_stream(x->o->whole))
		return true;
	known = tf_open(x->o->whole, &reader, &error) == 0;
	if (known && tf_get_info(reader, &info, &error) == 0)
		own = origin_of_trace(reader, info.uuid);
	else
		command_error("%s", error.text);
	tf_close(reader);
	if (origins_differ(&x->parent, &own))
		command_error("%s: is not a slice of %s, but of another trace", x->parent_of,
			      x->o->whole);
	return *own.ids[ORIGIN_OWN] && !origins_differ(&x->parent, &own);
}

json_t *whole_result(const struct extrapolation *x)
{
	const struct extrapolate_options *o = x->o;
	const char *options[2] = { NULL, NULL };
	char *thread;
	json_t *result;

	if (!o->run)
		return load_file(o->whole);
	if (!check_whole(x))
		return NULL;
	thread = thread_option(o->inputs[0]);
	options[0] = thread;
	result = run_analyzer(o->run, options, o->whole);
	free(thread);
	return result;
}

json_t *slice_result(struct extrapolation *x, size_t input)
{
	const char *path = x->o->inputs[input];

	return x->o->run ? run_on_slice(x, path) : load_file(path);
}
