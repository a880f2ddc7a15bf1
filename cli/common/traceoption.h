/* SPDX-License-Identifier: MIT */
/*
 * The options of a command. One table gives the parsing of the command line, the list in --help,
 * and the heads of the list in the manual:
 *
 *	static const struct command_option options[] = {
 *		{ "top", 't', "N", "print N rows (default 20)", analyzer_option_count,
 *		  offsetof(struct options, top) },
 *		{ 0 },
 *	};
 */
#ifndef TRACEOPTION_H
#define TRACEOPTION_H

#include <stddef.h>

/*
 * parse reads text, or NULL if no value was given, into destination, which is `offset` bytes from
 * the beginning of the command's values. It returns NULL, or the reason why text is refused, such
 * as "not a number"; that text must stay valid until the message is printed.
 */
struct command_option {
	const char *name;     /* long, without dashes; NULL ends a table */
	char letter;          /* short, or 0 */
	const char *argument; /* as --help names it; NULL: none; "[=X]": may be left out */
	const char *help; /* NULL: --help has only the name; "": the next option's line has it */
	const char *(*parse)(const struct command_option *option, void *destination,
			     const char *text);
	size_t offset;
};

#endif
