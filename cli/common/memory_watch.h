/* SPDX-License-Identifier: MIT */
/*
 * Reports once, in one line, that a command takes much memory for its input: more than 256 MiB
 * and 100 bytes for each byte of the files that it reads.
 */
#ifndef MEMORY_WATCH_H
#define MEMORY_WATCH_H

/* Names a file that is read ("-", and what is no regular file, counts as empty). NULL: none. From the first call on,
 * the end of the process is watched. Called before threads start. */
void memory_watch_input(const char *path);

/* Checks the memory of the process. Long work calls it from time to time, from any thread. */
void memory_watch(void);

#endif
