/* SPDX-License-Identifier: MIT */
/*
 * A command says it, in one line, once it takes more memory than its input lets expect: more than 256 MiB
 * and 100 bytes for each byte of the files that it reads.
 */
#ifndef MEMORY_WATCH_H
#define MEMORY_WATCH_H

/* Names a file that is read ("-", and what is no regular file, counts as empty). NULL: none. From the first call on,
 * the end of the process is watched. Called before threads start. */
void memory_watch_input(const char *path);

/* Looks at the memory of the process so far; for long work, from time to time. Any thread may call it. */
void memory_watch(void);

#endif
