/* SPDX-License-Identifier: MIT */
/*
 * Reports, once, that a command takes much memory for its input: more than 256 MiB and 100 bytes
 * for each byte of the files that it reads.
 */
#ifndef MEMORY_WATCH_H
#define MEMORY_WATCH_H

enum { MEMORY_SPARE = 256 << 20, MEMORY_FACTOR = 100 }; /* bytes; for a byte of input */

/*
 * Adds the size of a file that the command reads. NULL and files that are not regular count as
 * empty. After the first call, the memory is also checked when the process ends. Call it before
 * threads start.
 */
void memory_watch_input(const char *path);

/*
 * Checks the memory of the process. Long work calls it from time to time. Any thread may call it.
 */
void memory_watch(void);

#endif
