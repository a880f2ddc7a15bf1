/* SPDX-License-Identifier: MIT */
#include "traceformat/common/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool array_reserve(void *elements, size_t *capacity, size_t count, size_t size)
{
	size_t wanted = count + count / 2 + 16;
	void *grown;

	if (count <= *capacity)
		return true;
	if (count > SIZE_MAX / 4 / size)
		return false;
	memcpy(&grown, elements, sizeof(grown));
	grown = realloc(grown, wanted * size);
	if (!grown)
		return false;
	memset((char *)grown + *capacity * size, 0, (wanted - *capacity) * size);
	memcpy(elements, &grown, sizeof(grown));
	*capacity = wanted;
	return true;
}
