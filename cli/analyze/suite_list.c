/* SPDX-License-Identifier: MIT */
#include "cli/analyze/suite_list.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/base_name.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/http_file.h"
#include "cli/common/input_file.h"
#include "cli/common/save_file.h"
#include "cli/common/trace_input.h"
#include "cli/common/trace_meta.h"
#include "traceformat/common/hash_table.h"
#include "traceformat/traceformat.h"

enum { MOST_NAME = 200 }; /* bytes, so that names of files with it are not too long */

struct list {
	const char *name;
	char *folder; /* of relative paths, with a slash at its end */
	struct suite_traces *traces;
	struct hash_index index; /* of the traces' names */
	int status;
};

/* ---- names --------------------------------------------------------------------------------- */

static bool is_name(const char *name, size_t length)
{
	if (!length || length > MOST_NAME || !isalnum((unsigned char)name[0]))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("._+,-", name[i]))
			return false;
	return true;
}

/* Returns the file's name without ".trace", and with '_' for what no name has. */
static char *default_name(const char *path)
{
	static const char suffix[] = ".trace";
	char *shown = is_url(path) ? shown_url(path) : checked_copy(path);
	char *name = checked_copy(base_name(shown));
	size_t length = strlen(name), end = strlen(suffix);

	if (length > end && !strcmp(name + length - end, suffix))
		name[length - end] = '\0';
	for (char *at = name; *at; at++)
		if (!is_name(at, 1) && (at == name || !strchr("._+,-", *at)))
			*at = '_';
	if (*name == '_')
		*name = 'x';
	free(shown);
	return name;
}

/*
 * Names of the suite's own files, which lie beside the folders of the traces, and of the column
 * that has the names.
 */
static bool is_reserved(const char *name)
{
	return !strncmp(name, "suite.", strlen("suite.")) || !strcmp(name, "trace");
}

static const struct suite_trace *find(const struct list *list, const char *name)
{
	uint64_t at = hash_bytes(name, strlen(name));
	uint64_t hash = at;
	uint32_t i;

	while ((i = hash_index_next(&list->index, hash, &at)) != HASH_NONE)
		if (!strcmp(list->traces->at[i].name, name))
			return &list->traces->at[i];
	return NULL;
}

/* ---- lines --------------------------------------------------------------------------------- */

static char *folder_of(const char *list)
{
	const char *slash = strrchr(list, '/');
	char here[PATH_MAX];

	if (*list == '/' && slash)
		return text_format("%.*s/", (int)(slash - list), list);
	if (!getcwd(here, sizeof(here)))
		strcpy(here, ".");
	return slash ? text_format("%s/%.*s/", here, (int)(slash - list), list)
		     : text_format("%s/", here);
}

/* Adds a trace. The name, from malloc, becomes the trace's. */
static void add(struct list *list, char *name, const char *path, unsigned line)
{
	const struct suite_trace *same = find(list, name);
	struct suite_trace *trace;

	if (same) {
		command_error("%s:%u: line %u has the name '%s', too; write NAME=TRACE", list->name,
			      line, same->line, name);
		list->status = EXIT_FAILED;
	}
	CHECKED_RESERVE(*list->traces, list->traces->count + 1);
	trace = &list->traces->at[list->traces->count++];
	*trace = (struct suite_trace){
		.name = name,
		.path = text_format("%s%s", *path == '/' || is_url(path) ? "" : list->folder, path),
		.line = line,
	};
	if (!same && !hash_index_add(&list->index, hash_bytes(name, strlen(name)),
				     (uint32_t)list->traces->count - 1))
		out_of_memory();
}

static void add_line(struct list *list, char *text, unsigned line)
{
	size_t before = strcspn(text, "=/");
	const char *path = text;
	char *name = NULL;

	if (text[before] == '=') {
		path = text + before + 1 + strspn(text + before + 1, " \t");
		while (before && strchr(" \t", text[before - 1]))
			before--;
		name = text_format("%.*s", (int)before, text);
		if (!is_name(name, before)) {
			command_error("%s:%u: '%s' is no name; a path with '=' needs ./ before it",
				      list->name, line, name);
			list->status = EXIT_FAILED;
			free(name);
			return;
		}
	} else {
		name = default_name(text);
	}
	if (!*path || is_reserved(name)) {
		command_error(
			*path ? "%s:%u: '%s' is a name that the suite itself uses; write NAME=TRACE"
			      : "%s:%u: there is no trace behind '%s='",
			list->name, line, name);
		list->status = EXIT_FAILED;
		free(name);
		return;
	}
	add(list, name, path, line);
}

static void read_lines(struct list *list, FILE *file)
{
	char *text = NULL;
	size_t room = 0;
	unsigned line = 0;
	ssize_t length;

	while ((length = read_line(&text, &room, file)) > 0) {
		char *first = text + strspn(text, " \t");

		line++;
		while (length && strchr(" \t\r\n", text[length - 1]))
			text[--length] = '\0';
		if (*first && *first != '#')
			add_line(list, first, line);
	}
	if (read_line_fault()) {
		command_error("%s:%u: %s", list->name, line + 1, read_line_fault());
		list->status = EXIT_FAILED;
	}
	free(text);
}

int read_suite(const char *name, struct suite_traces *traces)
{
	struct list list = { .name = is_standard_stream(name) ? "standard input" : name,
			     .traces = traces };
	FILE *file = is_standard_stream(name) ? stdin : open_input(name);

	*traces = (struct suite_traces){ 0 };
	if (!file) {
		command_error("%s: %m", shown_name(name));
		return EXIT_FAILED;
	}
	list.folder = folder_of(is_standard_stream(name) ? "" : name);
	read_lines(&list, file);
	if (file != stdin)
		fclose(file);
	if (!list.status && !traces->count) {
		command_error("%s: has no traces", list.name);
		list.status = EXIT_FAILED;
	}
	hash_index_free(&list.index);
	free(list.folder);
	return list.status;
}

/* ---- traces -------------------------------------------------------------------------------- */

bool check_suite_trace(struct suite_trace *trace)
{
	struct tf_reader *reader = NULL;
	struct tf_error error;
	struct tf_info info;
	struct stat status;

	if (open_trace_input(trace->path, TRACE_PARTS, &reader, &error) < 0 ||
	    tf_get_info(reader, &info, &error) < 0) {
		command_error("trace '%s' (line %u): %s", trace->name, trace->line, error.text);
		tf_close(reader);
		return false;
	}
	uuid_text(info.uuid, trace->uuid);
	trace->bytes = info.file_size;
	trace->instructions = info.totals.instructions;
	if (stat(trace->path, &status) == 0) {
		trace->modified = status.st_mtim;
		trace->changed = status.st_ctim;
	}
	tf_close(reader);
	return true;
}

static int by_identity(const void *a, const void *b)
{
	const struct suite_trace *x = *(const struct suite_trace *const *)a;
	const struct suite_trace *y = *(const struct suite_trace *const *)b;
	int order = strcmp(x->uuid, y->uuid);

	if (!order)
		order = x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
	return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

/* Returns false, after a message for each, if traces are in the list twice. */
static bool check_repeated(const struct suite_traces *traces)
{
	const struct suite_trace **sorted = checked_array(traces->count, sizeof(*sorted));
	bool good = true;

	for (size_t i = 0; i < traces->count; i++)
		sorted[i] = &traces->at[i];
	qsort(sorted, traces->count, sizeof(const struct suite_trace *), by_identity);
	for (size_t i = 1; i < traces->count; i++)
		if (!strcmp(sorted[i]->uuid, sorted[i - 1]->uuid) &&
		    sorted[i]->bytes == sorted[i - 1]->bytes) {
			command_error("'%s' (line %u) is the same trace as '%s' (line %u)",
				      sorted[i]->name, sorted[i]->line, sorted[i - 1]->name,
				      sorted[i - 1]->line);
			good = false;
		}
	free(sorted);
	return good;
}

int check_suite(struct suite_traces *traces)
{
	bool good = true;

	for (size_t i = 0; i < traces->count; i++)
		good &= check_suite_trace(&traces->at[i]);
	return good && check_repeated(traces) ? EXIT_DONE : EXIT_FAILED;
}

int save_suite(const struct suite_traces *traces, const char *path)
{
	struct save_file *file = save_file_begin(path);

	if (!file)
		return EXIT_FAILED;
	for (size_t i = 0; i < traces->count; i++)
		fprintf(save_file_stream(file), "%s=%s\n", traces->at[i].name, traces->at[i].path);
	return save_file_end(file);
}

void free_suite(struct suite_traces *traces)
{
	for (size_t i = 0; i < traces->count; i++) {
		free(traces->at[i].name);
		free(traces->at[i].path);
	}
	free(traces->at);
}
