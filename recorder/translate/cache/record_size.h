/* SPDX-License-Identifier: MIT */
/* What a record in a task's buffer is, before anybody writes it. */
#ifndef RECORD_SIZE_H
#define RECORD_SIZE_H

#include "recorder/translate/cache/cache.h"

/* Returns the size of the record at `from`, or 0 if it is none. *exit: what it means; its
 * translation is NULL if it is not a superblock's. */
unsigned record_size(const struct session *session, const struct cache *cache, const uint8_t *from,
		     struct cache_exit *exit);

#endif
