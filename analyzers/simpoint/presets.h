/* SPDX-License-Identifier: MIT */
/* The names of the files that -o saves, for those who read them. */
#ifndef PRESETS_H
#define PRESETS_H

#include "analyzers/simpoint/simpoint_options.h"

/*
 * Names the files of the preset that have no name of their own; names receives them, and the
 * caller frees them. Without executions, or vectors with addresses, files with addresses are left
 * out.
 */
void preset_name_files(struct simpoint_options *options, bool is_from_trace, char *names[N_FILES]);

/* Makes the folders that the preset's files are in. Returns false after a message. */
bool preset_make_folders(const struct simpoint_options *options, char *const names[N_FILES]);

#endif
