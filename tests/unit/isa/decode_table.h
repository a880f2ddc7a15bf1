/* SPDX-License-Identifier: MIT */
/* Instructions and their facts, written by hand. */
#ifndef DECODE_TABLE_H
#define DECODE_TABLE_H

#include <stddef.h>

enum { DECODE_PC = 0x1000 }; /* where each instruction is */

struct decode_row {
	const char *assembly;
	const char *bytes; /* hexadecimal, with blanks */
	const char *facts; /* as isa_text.h writes them */
};

extern const struct decode_row decode_table[];
extern const size_t decode_table_size; /* rows */

#endif
