/* SPDX-License-Identifier: MIT */
#include "cli/record/cache_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Returns true if the folder is the user's own, or, if it does not exist, the nearest one above it
 * that does. Under sudo it may be another user's, where root should leave nothing.
 */
static bool is_own(const char *path)
{
	char above[PATH_MAX];
	struct stat st;
	char *slash;

	if ((size_t)snprintf(above, sizeof(above), "%s", path) >= sizeof(above))
		return false;
	while (stat(above, &st) < 0) {
		slash = strrchr(above, '/');
		if (errno != ENOENT || !slash || slash == above)
			return false;
		*slash = 0;
	}
	return S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

static const char *default_folder(void)
{
	static char folder[PATH_MAX];
	const char *home = getenv("XDG_CACHE_HOME"), *below = "tracelab";

	if (!home || *home != '/') {
		home = getenv("HOME");
		below = ".cache/tracelab";
	}
	if (!home || *home != '/' ||
	    (size_t)snprintf(folder, sizeof(folder), "%s/%s", home, below) >= sizeof(folder))
		return NULL;
	return is_own(folder) ? folder : NULL;
}

const char *cache_folder(const char *option)
{
	const char *chosen = option ? option : getenv("TRACELAB_CACHE");

	if (!chosen || !*chosen)
		return default_folder();
	return strcmp(chosen, "no") ? chosen : NULL;
}
