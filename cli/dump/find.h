/* SPDX-License-Identifier: MIT */
/* The first execution of a function. */
#ifndef DUMP_FIND_H
#define DUMP_FIND_H

#include "cli/dump/options.h"

/*
 * Sets options->from to the first execution of the first instruction of the function
 * options->from_function, by options->thread. The name is one of the symbol table, perhaps
 * without the version behind @. Returns an exit code, EXIT_UNSUITABLE after a message if the
 * function is not executed, or -1 with *error.
 */
int dump_find_function(struct tf_reader *reader, const char *path, struct dump_options *options,
		       struct tf_error *error);

#endif
