/* SPDX-License-Identifier: MIT */
/* The caches and TLBs of machines: of trace-ibs's machines and machine files, and of files. */
#ifndef CACHE_MACHINES_H
#define CACHE_MACHINES_H

#include <stddef.h>

#include "analyzers/cache/config.h"

struct cache_machine {
	struct cache_config caches, tlbs;
	bool has_tlbs;
};

/*
 * Reads a preset of trace-ibs, or a machine file, which then ends with the given default's values.
 * Returns false with a message in error.
 */
bool cache_machine_read(struct cache_machine *machine, const char *name, char *error, size_t size);

/*
 * Reads a file of levels; trace-cache(1), FILES, has the format. Returns false with a message
 * ("line 3: ...") in error.
 */
bool cache_file_read(struct cache_machine *machine, const char *path, char *error, size_t size);

#endif
