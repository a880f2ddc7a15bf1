/* SPDX-License-Identifier: MIT */
#ifndef BASE_NAME_H
#define BASE_NAME_H

#include <string.h>

/* Returns the part of a file name after its last slash. */
static inline const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

#endif
