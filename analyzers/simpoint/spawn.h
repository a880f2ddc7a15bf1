/* SPDX-License-Identifier: MIT */
/* Running other commands of ours. */
#ifndef SPAWN_H
#define SPAWN_H

#include <stdbool.h>

#include "cli/common/command.h"

/* Returns the path of the command of that name beside this one. Free it. */
char *command_beside(const char *name);

/*
 * Runs a command to its end. out: a descriptor for its output; -1 discards it. messages: a file for
 * its messages, all of which but exp-bbv's summary are repeated at the end; NULL: they go to our
 * stderr. Returns false after a message if it fails.
 */
bool spawn_command(char *const *arguments, int out, const char *messages);

#endif
