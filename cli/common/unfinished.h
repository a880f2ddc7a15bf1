/* SPDX-License-Identifier: MIT */
/*
 * Removes unfinished files if a signal ends the command (SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXCPU,
 * SIGXFSZ). The command then dies of the signal as usual, and commands that it runs are ended, too.
 */
#ifndef UNFINISHED_H
#define UNFINISHED_H

#include <sys/types.h>

struct unfinished;

/*
 * Registers a regular file for removal; other kinds of files of that name stay, and "-" is standard
 * output. The path is copied. Any thread may call it.
 */
struct unfinished *unfinished_file(const char *path);

/* Registers a folder of the command's own for removal. The folder may contain only files. */
struct unfinished *unfinished_folder(const char *path);

/* Registers a child process, which gets SIGTERM. */
struct unfinished *unfinished_process(pid_t pid);

/* Ends the registration of a finished file, folder or process, which stays. NULL is allowed. */
void unfinished_end(struct unfinished *unfinished);

/* Removes the file or folder, or ends the process, now. NULL is allowed. */
void unfinished_drop(struct unfinished *unfinished);

#endif
