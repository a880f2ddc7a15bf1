/* SPDX-License-Identifier: MIT */
/* The user's choices. */
#ifndef REQUEST_H
#define REQUEST_H

#include <sys/types.h>

#include "cli/anonymise/levels.h"
#include "cli/anonymise/meta.h"
#include "cli/common/tracereport.h"

struct request {
	const char *from, *to; /* to: NULL with audit */
	struct levels levels;
	bool any_level;   /* the user has chosen a preset or a level, */
	bool any_samples; /* and the level of samples */
	enum preset preset;
	uint64_t granule, glue; /* bytes */
	uint64_t colour_bits;
	const char *key_file, *map_file;
	struct public_modules publics;
	struct kept_meta kept_meta;
	bool keep_arguments, keep_undecodable;
	bool audit, force, quiet;
	uint64_t jobs; /* 0: one for each processor */
	mode_t mode;
	enum report_format format;
};

#endif
