/* SPDX-License-Identifier: MIT */
/* MICA's configuration file, mica.conf. */
#ifndef MICA_CONFIG_H
#define MICA_CONFIG_H

#include "analyzers/mica/files.h"

/* MICA's analyses, in the order in which it lists them. */
/* clang-format off */
enum mica_kind {
	MICA_KIND_ILP, MICA_KIND_ILP_ONE, MICA_KIND_ITYPES, MICA_KIND_PPM, MICA_KIND_REG,
	MICA_KIND_STRIDE, MICA_KIND_FOOTPRINT, MICA_KIND_STACK, MICA_KIND_FULL_STACK,
	MICA_KIND_LINES, MICA_KINDS
};
/* clang-format on */

struct mica_config {
	unsigned kinds;    /* bits, by enum mica_kind */
	bool all;          /* analysis_type all, which changes some analyses */
	uint64_t interval; /* instructions; 0: none, UINT64_MAX: one that never ends */
	uint64_t ilp_size; /* instructions, of ilp_one */
	uint64_t block_shift, page_shift; /* log2 of bytes, below 64 */
	char *groups;                     /* itypes_spec_file; NULL: MICA's groups */
	bool append_pid;
	bool toggled; /* use_magic_instruction */
	char *log;    /* what MICA writes to mica.log */
};

/*
 * Reads a configuration file as MICA's dialect does: "KEY: VALUE" words in any order, the later one
 * of two values of a key, no comments; and checks it. Values that MICA accepts silently but that
 * cannot be meant are errors as well. Returns false after a message (FILE:LINE: ...). Free it
 * either way.
 */
bool mica_config_read(const char *path, enum mica_dialect dialect, struct mica_config *config);

/*
 * Makes a configuration of all analyses of whole programs, with pids in the names of files if there
 * are several.
 */
bool mica_config_default(enum mica_dialect dialect, bool several, struct mica_config *config);

void mica_config_free(struct mica_config *config);

#endif
