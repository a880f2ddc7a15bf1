/* SPDX-License-Identifier: MIT */
/*
 * The trace's ids of translated superblocks, by their blocks, which decide all that the trace has of
 * them: what is translated again, after a flush or for another process, is the same superblock.
 */
#ifndef PATH_IDS_H
#define PATH_IDS_H

#include <stdbool.h>
#include <stdint.h>

struct path_ids;

struct path_id {
	uint32_t path, first_exit;
};

/* NULL: memory is out. */
struct path_ids *path_ids_new(void);
void path_ids_free(struct path_ids *ids); /* NULL is allowed */

/* True with *id if the superblock of these blocks, by their ids, is known. */
bool path_ids_find(const struct path_ids *ids, const uint32_t *blocks, unsigned n_blocks,
		   struct path_id *id);

/* Adds one that is not, if there is memory. */
void path_ids_add(struct path_ids *ids, const uint32_t *blocks, unsigned n_blocks,
		  struct path_id id);

#endif
