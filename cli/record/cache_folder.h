/* SPDX-License-Identifier: MIT */
/* Where the persistent code cache of recordings is. */
#ifndef CACHE_FOLDER_H
#define CACHE_FOLDER_H

/*
 * Returns the folder that --cache names (NULL: the option was not given), else that of the
 * environment variable TRACELAB_CACHE, else $XDG_CACHE_HOME/tracelab or ~/.cache/tracelab. Returns
 * NULL for "no", and if there is no home folder of the user's own. The text lasts.
 */
const char *cache_folder(const char *option);

#endif
