/* SPDX-License-Identifier: MIT */
/* Numbers for texts: the same text has the same number, whichever trace it is from. */
#ifndef COMPARE_TEXTS_H
#define COMPARE_TEXTS_H

#include <stdint.h>

#include "traceformat/common/hash_table.h"

/* A zeroed table is empty. */
struct texts {
	ARRAY(char *);
	struct hash_index index;
};

/* Returns the number of the first `length` bytes of a text. Ends the process if memory is out. */
uint32_t text_number(struct texts *texts, const char *text, size_t length);

void texts_free(struct texts *texts);

#endif
