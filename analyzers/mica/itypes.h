/* SPDX-License-Identifier: MIT */
/* Groups of instruction types. */
#ifndef MICA_ITYPES_H
#define MICA_ITYPES_H

#include "analyzers/mica/event.h"
#include "traceformat/common/array.h"

enum { ITYPES_MAX_GROUPS = 64, ITYPES_MAX_CATEGORIES = 256 };

enum itypes_kind { ITYPES_CATEGORY, ITYPES_OPCODE, ITYPES_SPECIAL };

struct itypes_identifier {
	uint32_t group;
	enum itypes_kind kind;
	char name[32]; /* XED's; of SPECIAL mem_read, mem_write, reg_transfer */
};

struct itypes_groups {
	bool is_default; /* MICA's */
	uint32_t count;
	ARRAY(struct itypes_identifier) identifiers;
};

/* Parses "CATEGORY", "OPCODE" or "SPECIAL". */
bool itypes_parse_kind(const char *word, enum itypes_kind *kind);

/* Sets MICA's groups; with_transfers: and one of register transfers, as MICA 1.0 has it. */
void itypes_default_groups(struct itypes_groups *groups, bool with_transfers);

/* Names a file of groups in messages. */
#define ITYPES_GROUPS_FILE "a file of groups of instruction types"

/*
 * Reads groups from a file in MICA's format: lines "GROUP, IDENTIFIER, TYPE, NAME", numbers from
 * 0 on, TYPE one of CATEGORY, OPCODE, SPECIAL. Returns false with a message
 * (FILE: line N ...) in error.
 */
bool itypes_read_groups(const char *path, struct itypes_groups *groups, char *error, size_t size);

void itypes_free_groups(struct itypes_groups *groups);

/*
 * Calls found for each category, once, of executions of the whole run that fell into no group, in
 * the order of the first ones.
 */
void itypes_others(const void *itypes, void (*found)(void *opaque, const char *category),
		   void *opaque);

#endif
