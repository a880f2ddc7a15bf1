/* SPDX-License-Identifier: MIT */
/*
 * trace-merge - merges partial results of a trace. The analyzer that made them does the work: its
 * name and its options are in each file, and trace-analyze finds it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzers/common/partial.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/jobs.h"
#include "cli/common/option_parsers.h"
#include "cli/common/tracereport.h"

struct options {
	const char *trace, *output, *partial;
	bool incomplete;
	enum report_format format;
};

#define AT(member) offsetof(struct options, member)

static const struct command_option options_table[] = {
	{ "trace", 0, "FILE", "the trace (default: the path in the partial results)", option_text,
	  AT(trace) },
	{ "partial", 0, "FILE", "write a partial result instead of the final one", option_text,
	  AT(partial) },
	{ "incomplete", 0, NULL, "merge although parts are missing", option_flag, AT(incomplete) },
	{ "output", 'o', "FILE", "write the result to FILE", option_text, AT(output) },
	{ "format", 0, "FMT", "text (default), json or csv", option_format, AT(format) },
	COMMAND_OPTIONS,
};

static const struct command trace_merge = {
	.name = "trace-merge",
	.usage = "[OPTION]... PARTIAL... [-- ANALYZER-OPTION...]",
	.summary = "Merge the partial results that an analyzer wrote with --part and --partial,\n"
		   "and print the result of the whole trace.",
	.options = options_table,
	.notes = "Words behind -- are options of the analyzer, such as --top=50.",
	.if_unknown = "; options of the analyzer stand behind --",
	.example = "trace-merge -o result p.0 p.1 p.2",
};

/* The command line of the analyzer. */
struct words {
	ARRAY(char *);
};

static void add(struct words *words, char *word)
{
	CHECKED_RESERVE(*words, words->count + 1);
	words->at[words->count++] = word;
}

static void add_option(struct words *words, const char *name, const char *value)
{
	if (value)
		add(words, text_format("--%s=%s", name, value));
}

/* Adds the options on which the state depends. */
static void add_state_options(struct words *words, const char *options)
{
	while (*options) {
		size_t length = strcspn(options, "\n");

		add(words, text_format("--%.*s", (int)length, options));
		options += length + (options[length] == '\n');
	}
}

/* Returns the analyzer as trace-analyze names it, or NULL if no analyzer can have the name. */
static const char *analyzer_name(const char *command)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
	const char prefix[] = "trace-";
	const char *name = command + strlen(prefix);

	if (strncmp(command, prefix, strlen(prefix)) || !*name || *name == '-' ||
	    strspn(name, letters) != strlen(name))
		return NULL;
	return name;
}

/* Builds the command line. files and their options: what is before and behind "--". */
static void add_words(struct words *words, const struct options *o, const struct partial_head *head,
		      char **files, char **behind)
{
	static const char *const formats[] = { "text", "json", "csv" };

	add(words, command_beside_this("trace-analyze"));
	add(words, checked_copy(analyzer_name(head->analyzer)));
	add_option(words, "merge-parts", o->trace ? o->trace : head->trace);
	add_state_options(words, head->options);
	add_option(words, "partial", o->partial);
	add_option(words, "output", o->output);
	add_option(words, "format", formats[o->format]);
	if (o->incomplete)
		add(words, checked_copy("--merge-incomplete"));
	for (; *behind; behind++)
		add(words, checked_copy(*behind));
	add(words, checked_copy("--"));
	for (; *files; files++)
		add(words, checked_copy(*files));
	add(words, NULL);
}

/* Becomes the analyzer. Returns an exit code after a message. */
static int run(const struct options *o, char **files, char **behind)
{
	struct words words = { 0 };
	struct partial first;
	int status = partial_read(&first, files[0]);

	if (!status && !analyzer_name(first.head.analyzer)) {
		command_error("%s: '%s' is not the name of an analyzer", files[0],
			      first.head.analyzer);
		status = EXIT_FAILED;
	}
	if (!status) {
		add_words(&words, o, &first.head, files, behind);
		execvp(words.at[0], words.at);
		command_error("%s: %s", words.at[0], strerror(errno));
		status = EXIT_FAILED;
	}
	for (size_t i = 0; i < words.count; i++)
		free(words.at[i]);
	free(words.at);
	partial_free(&first);
	return status;
}

/* Returns how many words are before "--". */
static int words_before_dashes(int argc, char **argv)
{
	int n = 1;

	while (n < argc && strcmp(argv[n], "--"))
		n++;
	return n;
}

int main(int argc, char **argv)
{
	struct options o = { .format = REPORT_TEXT };
	int n = words_before_dashes(argc, argv), status;
	char **behind = argv + n + (n < argc);

	command_init(trace_merge.name);
	argv[n] = NULL;
	status = command_parse(&trace_merge, &o, n, argv);
	if (status != OPTION_DONE)
		return status;
	if (optind == n)
		return command_usage_error("no partial results given");
	if (o.partial && (o.output || *behind))
		return command_usage_error(
			"--partial excludes --output and options of the analyzer");
	return run(&o, argv + optind, behind);
}
