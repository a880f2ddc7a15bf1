/* SPDX-License-Identifier: MIT */
#include "cli/common/read_line.h"

#include <errno.h>

#include "cli/common/checked.h"

ssize_t read_line(char **line, size_t *room, FILE *file)
{
	size_t n = 0;
	int c;

	errno = 0;
	while ((c = getc_unlocked(file)) != EOF) {
		if (n == LINE_LIMIT) {
			errno = EOVERFLOW;
			return -1;
		}
		if (n + 1 >= *room) {
			*room = 2 * *room + 128;
			*line = checked(realloc(*line, *room));
		}
		(*line)[n++] = (char)c;
		if (c == '\n')
			break;
	}
	if (n == 0)
		return -1;
	(*line)[n] = '\0';
	return (ssize_t)n;
}
