/* SPDX-License-Identifier: MIT */
/*
 * The modules of a trace of drmemtrace, from its modules.log, which DynamoRIO writes beside the raw
 * trace. The file is text:
 *
 *	Module Table: version 5, count 2
 *	Columns: id, containing_id, start, end, entry, offset, preferred_base, (custom fields), path
 *	  0,   0, 0x400000, 0x403000, 0x401000, 0000000000000000, 0x400000, v#1,0, /home/u/app
 *	  1,   0, 0x404000, 0x405000, 0x401000, 0000000000003000, 0x400000, v#1,0, /home/u/app
 *
 * An entry is a module or, with another containing_id, one of its segments. Version 3 has no
 * offset, and version 4 no preferred_base. The custom field of the vdso has the module's bytes:
 * "v#1,", their number, a comma, and the bytes.
 */
#ifndef DRMEMTRACE_MODULES_H
#define DRMEMTRACE_MODULES_H

#include "cli/import/import_job.h"

struct drmemtrace_module {
	uint64_t first, end; /* addresses */
	uint64_t bias;       /* address - offset in the module */
	uint32_t containing; /* number of the entry of the whole module */
	uint32_t index;      /* of the trace's record, of that entry */
	char *path;
};

struct drmemtrace_modules {
	ARRAY(struct drmemtrace_module) entries;
};

/*
 * Reads a modules.log. Returns false if there is no such file. Warns of a file that cannot be
 * understood, which then gives no modules.
 */
bool drmemtrace_read_modules(struct drmemtrace_modules *modules, const char *path);

/*
 * Adds the modules to the trace, and their places to the code table. Places that two modules have,
 * one after the other, stay without a module. Returns false after an error, which the code table
 * keeps.
 */
bool drmemtrace_add_modules(struct drmemtrace_modules *modules, struct import_job *job);

void drmemtrace_modules_free(struct drmemtrace_modules *modules);

#endif
