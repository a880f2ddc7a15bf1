/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "analyzers/mica/analysis.h"
#include "cli/common/command.h"

void *mica_alloc(size_t count, size_t size)
{
	void *fresh = calloc(count + 1, size);

	if (!fresh)
		command_out_of_memory();
	return fresh;
}
