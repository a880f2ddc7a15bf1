/* SPDX-License-Identifier: MIT */
/* Interprets a record in a task's buffer before the record is written to the trace. */
#ifndef RECORD_SIZE_H
#define RECORD_SIZE_H

#include "recorder/translate/cache/cache.h"

/* Returns the size in bytes of the record at `from`, or 0 if there is none. Sets *exit to the exit
 * that the record stands for; its translation is NULL if the record is not a superblock's. */
unsigned record_size(const struct session *session, const struct cache *cache, const uint8_t *from,
		     struct cache_exit *exit);

#endif
