/* SPDX-License-Identifier: MIT */
/* Parts of a trace that are analyzed apart, and merged: --part, --partial, and trace-merge. */
#ifndef PARTS_H
#define PARTS_H

#include "analyzers/common/options.h"
#include "analyzers/common/part_state.h"
#include "analyzers/common/replay.h"

/* Returns true if the command is about parts. */
bool parts_wanted(const struct settings *settings);

/*
 * Prepares a run for parts: before its prepare hook, and behind it. Refuse traces and options
 * whose results cannot be merged. Return 0, or an exit code after a message.
 */
int parts_before_prepare(struct analysis *run, const struct settings *settings);
int parts_after_prepare(const struct analysis *run);

/*
 * Returns the exit code for the status of merging parts, after a message if they cannot be merged.
 */
int parts_exit_code(const struct analysis *run, int status);

/*
 * Makes the state of the chosen part, or merges the files of parts, and writes the file that
 * --partial names, if it does. replay->first and count are set. Returns 0, or an exit code after a
 * message; pass *state to part_state_free in either case.
 */
int parts_run(struct replay *replay, const struct settings *settings, uint32_t thread,
	      struct part_state *state);

#endif
