/* SPDX-License-Identifier: MIT */
/* Memory or the end of the process, with a message: for commands, which cannot go on without. */
#ifndef CHECKED_H
#define CHECKED_H

#include <stdlib.h>

#include "cli/common/command.h"

static inline void *checked(void *memory)
{
	if (!memory)
		command_out_of_memory();
	return memory;
}

/* count zeroed elements of size bytes; count may be 0. */
static inline void *checked_array(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size));
}

#endif
