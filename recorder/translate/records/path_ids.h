/* SPDX-License-Identifier: MIT */
/*
 * Maps the blocks of superblocks to their ids in the trace. The blocks decide everything that the
 * trace has of a superblock, so a superblock that is translated again, after a flush or for another
 * process, keeps its id.
 */
#ifndef PATH_IDS_H
#define PATH_IDS_H

#include <stdbool.h>
#include <stdint.h>

struct path_ids;

struct path_id {
	uint32_t path, first_exit;
};

/* Returns NULL if memory is out. */
struct path_ids *path_ids_new(void);
void path_ids_free(struct path_ids *ids); /* NULL is allowed */

/* Returns true with *id if the superblock with these block ids is known. */
bool path_ids_find(const struct path_ids *ids, const uint32_t *blocks, unsigned n_blocks,
		   struct path_id *id);

/* Adds a superblock that is not known, if there is memory. */
void path_ids_add(struct path_ids *ids, const uint32_t *blocks, unsigned n_blocks,
		  struct path_id id);

#endif
