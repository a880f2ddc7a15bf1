/* SPDX-License-Identifier: MIT */
/* META and the UUID of the new trace. */
#ifndef META_H
#define META_H

#include "cli/anonymise/keys.h"
#include "cli/anonymise/levels.h"
#include "cli/anonymise/names.h"
#include "traceformat/tracewriter.h"

enum { MAX_KEPT_META = 64 };

/* Keys that the user keeps. */
struct kept_meta {
	const char *keys[MAX_KEPT_META];
	unsigned count;
};

/* The settings that META states. */
struct meta_settings {
	struct levels levels; /* that the trace has afterwards */
	uint64_t granule;     /* bytes */
	const struct public_modules *publics;
	const struct kept_meta *kept;
};

/* Returns whether the new trace has a line of META. */
bool keeps_meta(const struct kept_meta *kept, const struct levels *levels, const char *key,
		const char *value);

/* Adds all lines. Returns 0 or a negative status. */
int meta_write(struct tf_reader *reader, struct tf_writer *writer,
	       const struct meta_settings *settings, struct tf_error *error);

/*
 * Makes the UUID: a hash of the old one and of the settings, so that the same key gives the same
 * trace, but nobody without the key can link the traces.
 */
void make_uuid(const struct keys *keys, const uint8_t old[16], const struct meta_settings *settings,
	       uint8_t uuid[16]);

/* Returns a reason for the end of a recording that the new trace may state. */
const char *known_stop_reason(const char *reason);

#endif
