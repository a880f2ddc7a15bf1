/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/presets.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* A file that is named by adding to the prefix, or to the name of a folder. */
struct preset_file {
	enum simpoint_file file;
	const char *suffix;
	bool needs_trace;
};

enum { MAX_PRESET_FILES = 8 };

static const struct preset_file presets[N_PRESETS][MAX_PRESET_FILES] = {
	[PRESET_TRACELAB] = {
		{ SAVE_SIMPOINTS, ".simpts", false },
		{ SAVE_WEIGHTS, ".weights", false },
		{ SAVE_LABELS, ".labels", false },
		{ SAVE_REGIONS, ".csv", false },
		{ SAVE_PC_REGIONS, ".pc.csv", true },
		{ SAVE_JSON, ".json", false },
	},
	[PRESET_LOOPPOINT] = {
		{ SAVE_PC_REGIONS, ".global.pinpoints.csv", true },
		{ SAVE_LOOPPOINT, ".looppoint.json", true },
		{ SAVE_JSON, ".json", false },
	},
	[PRESET_NEMU] = {
		{ SAVE_SIMPOINTS, "/simpoints0", false },
		{ SAVE_WEIGHTS, "/weights0", false },
	},
	[PRESET_SCARAB] = {
		{ SAVE_SIMPOINTS, "/simpoints/opt.p", false },
		{ SAVE_WEIGHTS, "/simpoints/opt.w", false },
		{ SAVE_LABELS, "/simpoints/opt.l", false },
		{ SAVE_VECTOR_WEIGHTS, "/simpoints/vector.w", false },
		{ SAVE_SEGMENT_SIZE, "/fingerprint/segment_size", false },
	},
};

void preset_name_files(struct simpoint_options *o, bool is_from_trace, char *names[N_FILES])
{
	const struct preset_file *preset = presets[o->preset];

	for (unsigned i = 0; o->prefix && i < MAX_PRESET_FILES && preset[i].suffix; i++) {
		enum simpoint_file file = preset[i].file;

		if (o->files[file] || (preset[i].needs_trace && !is_from_trace))
			continue;
		names[file] = text_format("%s%s", o->prefix, preset[i].suffix);
		o->files[file] = names[file];
	}
	if (o->preset == PRESET_SCARAB && o->coverage == 1)
		o->coverage = 0.99;
}

/* Makes the folders on the way to a file. Returns false after a message. */
static bool make_folders_of(const char *path)
{
	char *folder = checked_copy(path), *slash = folder;
	bool made = true;

	while (made && (slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		made = mkdir(folder, 0777) == 0 || errno == EEXIST;
		if (!made)
			command_error("cannot make the folder %s: %m", folder);
		*slash = '/';
	}
	free(folder);
	return made;
}

bool preset_make_folders(const struct simpoint_options *o, char *const names[N_FILES])
{
	bool in_folder = o->preset == PRESET_NEMU || o->preset == PRESET_SCARAB;

	for (int i = 0; i < N_FILES && in_folder; i++)
		if (names[i] && !make_folders_of(names[i]))
			return false;
	return true;
}
