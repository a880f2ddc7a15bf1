/* SPDX-License-Identifier: MIT */
/* Files of block addresses, .pc: lines "F:ID:ADDRESS:FUNCTION", as exp-bbv writes them. */
#ifndef PC_FILE_H
#define PC_FILE_H

#include "analyzers/simpoint/bb_file.h"

struct pc_name {
	uint32_t id;    /* of a block */
	size_t line;    /* its place among the lines of names */
	char *place;    /* "0xADDRESS" or "MODULE+0xOFFSET" */
	char *function; /* NULL: not known */
};

struct pc_names {
	struct pc_name *at; /* ascending by id */
	size_t n, capacity;
};

/* Reads a file, compressed or not. Returns false after a message. */
bool pc_names_read(const char *path, struct pc_names *names);

/*
 * Appends a name with an id greater than all before; copies place and function, one of which is
 * NULL.
 */
void pc_names_add(struct pc_names *names, uint32_t id, const char *place, const char *function);
void pc_names_free(struct pc_names *names);

/*
 * Returns the function whose blocks have most instructions in a row of rows. If the blocks without
 * a name have more, returns the place of the heaviest of them; NULL: none are known.
 */
const char *pc_names_heaviest(const struct pc_names *names, const struct bb_rows *rows,
			      const struct bb_row *row);

#endif
