/* SPDX-License-Identifier: MIT */
/* Numbers keys from 0 on, in the order of first use. A key is any bytes. */
#ifndef NUMBERING_H
#define NUMBERING_H

#include <stddef.h>
#include <stdint.h>

/* A numbering; a zeroed one is empty. Functions end the process if memory is out. */
struct numbering {
	uint32_t count;
	uint32_t n_slots; /* 0, or a power of two of more than count */
	uint32_t *slots;  /* by hash: a number + 1, or 0 */
	void **keys;      /* by number */
	uint64_t *hashes;
};

/* Returns the number of a key, the next one if it has none yet. All keys have one size, or none is
 * the beginning of another. */
uint32_t numbering_add(struct numbering *numbering, const void *key, size_t size);

/* Does what numbering_add does, for a string. */
uint32_t numbering_add_text(struct numbering *numbering, const char *text);

/* Returns the key of a number below count; valid until numbering_free. */
static inline const void *numbering_key(const struct numbering *numbering, uint32_t number)
{
	return numbering->keys[number];
}

void numbering_free(struct numbering *numbering);

#endif
