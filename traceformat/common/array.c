/* SPDX-License-Identifier: MIT */
#include "traceformat/common/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool array_reserve_exactly(void *elements, size_t *capacity, size_t count, size_t size)
{
	void *grown;

	if (count <= *capacity)
		return true;
	if (count > SIZE_MAX / 4 / size)
		return false;
	memcpy(&grown, elements, sizeof(grown));
	grown = realloc(grown, count * size);
	if (!grown)
		return false;
	memset((char *)grown + *capacity * size, 0, (count - *capacity) * size);
	memcpy(elements, &grown, sizeof(grown));
	*capacity = count;
	return true;
}

bool array_reserve(void *elements, size_t *capacity, size_t count, size_t size)
{
	if (count <= *capacity)
		return true;
	if (count > SIZE_MAX / 4)
		return false;
	return array_reserve_exactly(elements, capacity, count + count / 2 + 16, size);
}
