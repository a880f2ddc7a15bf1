/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "analyzers/mica/analysis.h"
#include "cli/common/checked.h"

void *mica_alloc(size_t count, size_t size)
{
	return checked_array(count + 1, size);
}
