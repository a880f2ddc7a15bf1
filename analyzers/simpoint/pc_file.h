/* SPDX-License-Identifier: MIT */
/* Files of block addresses, .pc: lines "F:ID:ADDRESS:FUNCTION", as exp-bbv writes them. */
#ifndef PC_FILE_H
#define PC_FILE_H

#include "analyzers/simpoint/bb_file.h"

/* A block; both NULL: there is none with the id. */
struct pc_name {
	char *place;	/* "0xADDRESS" or "MODULE+0xOFFSET" */
	char *function;	/* NULL: not known */
};

struct pc_names {
	struct pc_name *at;	/* by id; at[i] for i < n */
	size_t n;
};

/* Reads a file, gzipped or not. Returns false after a message. */
bool pc_names_read(const char *path, struct pc_names *names);
void pc_names_free(struct pc_names *names);

/* The function whose blocks have most instructions in the row; if those without a name have, the
 * place of the heaviest of them; NULL if none are known. */
const char *pc_names_heaviest(const struct pc_names *names, const struct bb_row *row);

#endif
