/* SPDX-License-Identifier: MIT */
/*
 * Parses command lines with getopt_long(3), and prints --help, both from the rows of a table. The
 * heads of the options in a manual are made from the output of --help=table; see cli/man/page.awk.
 */
#include "cli/common/command_line.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/option_parsers.h"

const char option_ends[] = "";

void option_list_add(struct option_list *list, const struct command_option *option, void *values,
		     bool hidden)
{
	assert(list->count < MAX_OPTIONS);
	list->items[list->count++] = (struct listed_option){ option, values, hidden, NULL };
}

/* ---- --help ------------------------------------------------------------------------------ */

enum { WIDTH = 80, LINES = 24, WIDEST_HEAD = 27 };

/* Writes "  -o, --output=FILE", or ", -o, --output=FILE" behind another head. Returns the width. */
static int print_head(FILE *out, const struct command_option *option, bool first)
{
	const char *argument = option->argument ? option->argument : "";
	const char *before = first ? option->letter ? "  " : "      " : ", ";
	int width = fprintf(out, "%s", before);

	if (option->letter)
		width += fprintf(out, "-%c, ", option->letter);
	return width + fprintf(out, "--%s%s%s", option->name,
			       *argument && *argument != '[' ? "=" : "", argument);
}

/*
 * Writes the heads of all options on the line of option i. Returns the number of the last option.
 */
static size_t print_heads(FILE *out, const struct option_list *list, size_t i, int *width)
{
	*width = print_head(out, list->items[i].option, true);
	while (!*list->items[i].option->help)
		*width += print_head(out, list->items[++i].option, false);
	return i;
}

/* Writes words from a column on, with breaks before they reach the right margin. */
static void print_wrapped(FILE *out, const char *text, int column)
{
	for (int at = column; *text;) {
		int word = (int)strcspn(text, " ");

		if (at > column && at + 1 + word > WIDTH)
			at = fprintf(out, "\n%*s", column, "") - 1;
		else if (at > column)
			at += fprintf(out, " ");
		at += fprintf(out, "%.*s", word, text);
		text += word;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

/* Writes the text of an option whose heads have a width. A text that does not fit behind wide heads
 * begins a line. */
static void print_text(FILE *out, const char *text, int width, int column)
{
	int start = width + 2 > column ? width + 2 : column;

	if (start > column && start + strlen(text) <= WIDTH) {
		fprintf(out, "  %s\n", text);
		return;
	}
	if (start > column)
		fprintf(out, "\n%*s", column, "");
	else
		fprintf(out, "%*s", column - width, "");
	print_wrapped(out, text, column);
}

static bool has_line(const struct listed_option *item)
{
	return item->option->help && !item->hidden;
}

/* Returns the column in which the texts begin. */
static int text_column(const struct option_list *list)
{
	int widest = 0, width;
	char *unused;
	size_t size;
	FILE *out = checked(open_memstream(&unused, &size));

	for (size_t i = 0; i < list->count; i++)
		if (has_line(&list->items[i])) {
			i = print_heads(out, list, i, &width);
			if (width > widest && width <= WIDEST_HEAD)
				widest = width;
		}
	fclose(out);
	free(unused);
	return widest + 2;
}

/* Writes the names of the options that have no line. */
static void print_names(FILE *out, const struct option_list *list)
{
	int column = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct command_option *o = list->items[i].option;
		char letter[] = { '-', o->letter, ',', 0 };
		int width = (int)strlen(o->name) + (o->letter ? 6 : 3);

		if (o->help || list->items[i].hidden)
			continue;
		if (!column)
			column = fprintf(out, "  and, see the manual,");
		else if (column + width >= WIDTH)
			column = fprintf(out, "\n   ") - 1;
		column += fprintf(out, " %s--%s", o->letter ? letter : "", o->name);
	}
	if (column)
		fprintf(out, "\n");
}

static void print_usage(FILE *out, const struct command *command)
{
	const char *line = command->usage, *before = "Usage:";

	for (; *line; line += strspn(line, "\n")) {
		int length = (int)strcspn(line, "\n");

		fprintf(out, "%s %s %.*s\n", before, command->name, length, line);
		before = "      ";
		line += length;
	}
	fprintf(out, "%s\n", command->summary);
}

static void print_parts(FILE *out, const struct command *command, const struct option_list *list)
{
	int column = text_column(list), width;

	print_usage(out, command);
	fputc('\n', out);
	for (size_t i = 0; i < list->count; i++)
		if (has_line(&list->items[i])) {
			i = print_heads(out, list, i, &width);
			print_text(out, list->items[i].option->help, width, column);
		}
	print_names(out, list);
	if (command->notes)
		fprintf(out, "\n%s\n", command->notes);
	if (command->example)
		fprintf(out, "\nExample: %s\n", command->example);
}

/* Prints --help, without empty lines if it would not fit a terminal of 24 lines with them. */
static void print_help(const struct command *command, const struct option_list *list)
{
	char *text, *rest, *line;
	unsigned n_lines = 0;
	size_t size;
	FILE *out = checked(open_memstream(&text, &size));

	print_parts(out, command, list);
	fclose(out);
	for (const char *at = text; *at; at++)
		n_lines += *at == '\n';
	for (rest = text; *rest && (line = strsep(&rest, "\n"));)
		if (*line || n_lines <= LINES)
			puts(line);
	free(text);
}

/*
 * Prints a line for each option: letter, name, argument; and "hidden" if --help does not name it.
 */
static void print_table(const struct option_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct command_option *o = list->items[i].option;
		char letter[] = { o->letter, 0 };

		printf("%s\t%s\t%s\t%s\n", letter, o->name, o->argument ? o->argument : "",
		       list->items[i].hidden ? "hidden" : "");
	}
}

/* ---- parsing ----------------------------------------------------------------------------- */

enum { FIRST_LONG = 256 };

/* The options in getopt_long's form. The value of a long option is FIRST_LONG and its place. */
struct getopt_tables {
	struct option longs[MAX_OPTIONS + 1];
	char letters[3 * MAX_OPTIONS + 2];
};

static int has_argument(const struct command_option *option)
{
	if (!option->argument)
		return no_argument;
	return *option->argument == '[' ? optional_argument : required_argument;
}

static void make_tables(struct getopt_tables *tables, const struct command *command,
			const struct option_list *list)
{
	static const char *const colons[] = { "", ":", "::" };
	char *end = tables->letters;

	*tables = (struct getopt_tables){ 0 };
	if (command->operand_ends_options)
		*end++ = '+';
	for (size_t i = 0; i < list->count; i++) {
		const struct command_option *o = list->items[i].option;

		/* --help=table is for the manual. */
		tables->longs[i] = (struct option){
			o->name,
			o->parse == option_help ? optional_argument : has_argument(o),
			NULL,
			FIRST_LONG + (int)i,
		};
		if (o->letter) {
			*end++ = o->letter;
			end = stpcpy(end, colons[has_argument(o)]);
		}
	}
}

static const struct listed_option *find_option(const struct option_list *list, int key)
{
	if (key >= FIRST_LONG)
		return &list->items[key - FIRST_LONG];
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].option->letter == key)
			return &list->items[i];
	return NULL;
}

/* Reports the fault of the option that getopt_long refused. */
static int refuse_option(const struct command *command, char **argv, const char *letters)
{
	const char *hint = command->if_unknown ? command->if_unknown : "";
	const char *given = argv[optind - 1];
	bool is_letter = optopt && optopt <= UINT8_MAX;

	if (is_letter && !strchr(letters, optopt))
		return command_usage_error("unknown option '-%c'%s", optopt, hint);
	if (!optopt)
		return command_usage_error("unknown option '%s'%s", given, hint);
	if (strchr(given, '='))
		return command_usage_error("option '%s' takes no value", given);
	return command_usage_error("option '%s' needs a value", given);
}

static int refuse_empty(const struct command_option *option, bool as_letter)
{
	if (as_letter)
		return command_usage_error("option '-%c' needs a value", option->letter);
	return command_usage_error("option '--%s' needs a value", option->name);
}

/*
 * Reports why a value is refused. An option that may begin with one dash is named as it was typed.
 */
static int refuse_value(const struct command *command, const struct command_option *option,
			char **argv, const char *wrong)
{
	const char *last = argv[optind - 1];

	if (!command->one_dash)
		return command_usage_error("--%s=%s: %s", option->name,
					   optarg ? optarg : option->argument, wrong);
	if (last == optarg)
		return command_usage_error("%s %s: %s", argv[optind - 2], last, wrong);
	return command_usage_error("%s: %s", last, wrong);
}

static int help(const struct command *command, const struct option_list *list, char **argv)
{
	if (!optarg)
		print_help(command, list);
	else if (!strcmp(optarg, "table"))
		print_table(list);
	else
		return command_usage_error("option '%s' takes no value", argv[optind - 1]);
	return command_close_stdout();
}

static int take_option(const struct command *command, const struct option_list *list, int key,
		       char **argv)
{
	const struct listed_option *item = find_option(list, key);
	const struct command_option *option = item->option;
	const char *wrong;

	if (option->parse == option_help)
		return help(command, list, argv);
	if (optarg && !*optarg)
		return refuse_empty(option, key < FIRST_LONG);
	if (item->given) {
		CHECKED_RESERVE(*item->given, item->given->count + 1);
		item->given->at[item->given->count++] = optarg ? optarg : "";
	}
	wrong = option->parse(option, (char *)item->values + option->offset, optarg);
	if (!wrong)
		return OPTION_DONE;
	if (wrong == option_ends)
		return command_close_stdout();
	return refuse_value(command, option, argv, wrong);
}

int command_parse_list(const struct command *command, const struct option_list *list, int argc,
		       char **argv)
{
	struct getopt_tables tables;
	int key, status = OPTION_DONE;

	make_tables(&tables, command, list);
	opterr = 0;
	while (status == OPTION_DONE) {
		key = command->one_dash
			      ? getopt_long_only(argc, argv, tables.letters, tables.longs, NULL)
			      : getopt_long(argc, argv, tables.letters, tables.longs, NULL);
		if (key == -1)
			break;
		status = key == '?' ? refuse_option(command, argv, tables.letters)
				    : take_option(command, list, key, argv);
	}
	return status;
}

int command_parse(const struct command *command, void *values, int argc, char **argv)
{
	struct option_list list = { .count = 0 };

	for (const struct command_option *o = command->options; o->name; o++)
		option_list_add(&list, o, values, false);
	for (const struct command_option *o = command->more_options; o && o->name; o++)
		option_list_add(&list, o, values, true);
	return command_parse_list(command, &list, argc, argv);
}

/* Marks the option of --help; command_parse_list does its work. */
SHARED_OPTION_PARSER(option_help)
{
	return option_ends;
}

SHARED_OPTION_PARSER(option_version)
{
	command_version();
	return option_ends;
}

int only_trace(int argc, char **argv, const char **trace)
{
	if (optind == argc)
		return command_usage_error("no trace given");
	if (optind + 1 < argc)
		return command_usage_error("more than one trace given: '%s' and '%s'", argv[optind],
					   argv[optind + 1]);
	*trace = argv[optind];
	return OPTION_DONE;
}

int all_traces(int argc, char **argv, const char *const **traces, size_t *count)
{
	if (optind == argc)
		return command_usage_error("no trace given");
	*traces = (const char *const *)argv + optind;
	*count = (size_t)(argc - optind);
	return OPTION_DONE;
}
