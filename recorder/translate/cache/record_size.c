/* SPDX-License-Identifier: MIT */
#include "recorder/translate/cache/record_size.h"

#include "recorder/program/functions.h"

unsigned record_size(const struct session *session, const struct cache *cache, const uint8_t *from,
		     struct cache_exit *exit)
{
	uint32_t head = *(const uint32_t *)from, number = head % TF_RECORD_KEYS;

	*exit = (struct cache_exit){ .translation = NULL };
	if (head == RECORD_RETURN)
		return (unsigned)record_slot(RECORD_RETURN_SLOTS);
	if (head == RECORD_SYSCALL)
		return (unsigned)record_slot(RECORD_SYSCALL_SLOTS);
	if (head >= RECORD_CALL)
		return (unsigned)record_slot(RECORD_CALL_SLOTS +
					     functions_args(session, head - RECORD_CALL));
	if (number >= cache_exits(cache))
		return 0;
	*exit = cache_exit(cache, number);
	return (unsigned)record_slot(exit->translation->exits[exit->exit].n_places);
}
