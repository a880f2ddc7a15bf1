/* SPDX-License-Identifier: MIT */
/* Numbers keys from 0 on, in the order of first use. A key is any bytes. */
#ifndef NUMBERING_H
#define NUMBERING_H

#include "traceformat/common/hash_table.h"

struct numbered_key {
	void *bytes;
	size_t size;
};

/* A numbering; a zeroed one is empty. Functions end the process if memory is out. */
struct numbering {
	uint32_t count;
	ARRAY(struct numbered_key) keys; /* by number */
	struct hash_index index;
};

/* Returns the number of a key, the next one if it has none yet. */
uint32_t numbering_add(struct numbering *numbering, const void *key, size_t size);

/* Does what numbering_add does, for a string. */
uint32_t numbering_add_text(struct numbering *numbering, const char *text);

/* Returns the key of a number below count; valid until numbering_free. */
static inline const void *numbering_key(const struct numbering *numbering, uint32_t number)
{
	return numbering->keys.at[number].bytes;
}

void numbering_free(struct numbering *numbering);

#endif
