/* SPDX-License-Identifier: MIT */
#include "cli/record/cache_folder.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Returns true if the variable has the path of a folder that is the user's own. Under sudo it may
 * be another user's, where root should leave nothing.
 */
static bool is_own_folder(const char *variable, const char **path)
{
	struct stat st;

	*path = getenv(variable);
	return *path && **path == '/' && stat(*path, &st) == 0 && S_ISDIR(st.st_mode) &&
	       st.st_uid == geteuid();
}

static const char *default_folder(void)
{
	static char folder[PATH_MAX];
	const char *home, *below = "tracelab";
	const char *xdg = getenv("XDG_CACHE_HOME");
	bool own;

	own = is_own_folder("XDG_CACHE_HOME", &home);
	if (!xdg || *xdg != '/') {
		own = is_own_folder("HOME", &home);
		below = ".cache/tracelab";
	}
	if (!own ||
	    (size_t)snprintf(folder, sizeof(folder), "%s/%s", home, below) >= sizeof(folder))
		return NULL;
	return folder;
}

const char *cache_folder(const char *option)
{
	const char *chosen = option ? option : getenv("TRACELAB_CACHE");

	if (!chosen || !*chosen)
		return default_folder();
	return strcmp(chosen, "no") ? chosen : NULL;
}
