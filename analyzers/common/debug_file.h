/* SPDX-License-Identifier: MIT */
/*
 * The files on this computer that a trace's modules come from, and their separate debug files. A
 * trace may name any file, and any debug information may name others, so a file counts only if it
 * is the recorded one. Nothing here asks the network.
 */
#ifndef DEBUG_FILE_H
#define DEBUG_FILE_H

#include <limits.h>

#include "traceformat/traceformat.h"

enum debug_found { DEBUG_NOT_THERE, DEBUG_ANOTHER_BUILD, DEBUG_AS_RECORDED };

/*
 * Opens the file of a module at a path: an ELF file for x86-64, with the recorded build-id, or
 * without one and with the recorded size if the recorded one had none. Files whose sections claim
 * far more than they hold count as another build. Returns an fd, or -1 and what was found.
 */
int debug_file_open(const struct tf_module *module, const char *path, enum debug_found *found);

/* Opens the debug file of a module by its build-id, where distributions install it or debuginfod
 * has put it before. Returns an fd and its path, or -1. */
int debug_file_by_id(const struct tf_module *module, char path[PATH_MAX]);

/*
 * Opens the debug file that a .gnu_debuglink names: beside the module, in .debug there, or below
 * /usr/lib/debug; of the same build-id, or of that CRC if the module has none. As above.
 */
int debug_file_by_link(const struct tf_module *module, const char *link, uint32_t crc,
		       char path[PATH_MAX]);

/*
 * Opens the file that a .gnu_debugaltlink of the file `from` names, if it is below /usr/lib/debug.
 * As above.
 */
int debug_file_shared(const char *from, const char *link, char path[PATH_MAX]);

#endif
